"""The tables of a release that are computed from its other files: scores and agreement. Values to the last digit.

    scores/RUN-A.tsv  topic measure value topics         scores/means.tsv  run measure value topics
    agreement.tsv     criterion roles measure value items

Separated by tabs. A value is written so that it reads back as the same number; one that is undefined as "undefined".
``topics`` is how many topics a mean covers, and empty elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from scoring.agreement_report import ReportOptions, Values, report_agreement
from scoring.deeds import Judged
from scoring.folding import answer_key
from scoring.records import Score

ALL = "all"
UNDEFINED = "undefined"
Said = dict[str, dict[str, float]]
"""Topic -> item -> value."""
ROLES = {"": "author", "second": "second", "adjudicator": "adjudicator", "machine": "machine"}


def score_lines(scores: Iterable[Score]) -> Iterator[str]:
    """The lines of one run's scores, in their order."""
    return (f"{score.topic}\t{score.measure}\t{_number(score.value)}\t{_count(score.topics)}" for score in scores)


def mean_lines(scores: Iterable[Score]) -> Iterator[str]:
    """The lines of the means of all runs."""
    return (
        f"{score.run}\t{score.measure}\t{_number(score.value)}\t{_count(score.topics)}"
        for score in scores
        if score.topic == ALL
    )


def agreement_lines(deeds: Iterable[object]) -> Iterator[str]:
    """How those who gave the same items a value agree, role by role, from the deeds of judgments.jsonl.

    Of several people in one role the last line of an item counts. Values are taken as ordinal.
    """
    values: dict[str, dict[str, Said]] = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    numbers: dict[int, float] = {}  # each value once, whatever the number of lines
    for deed in deeds:
        if isinstance(deed, Judged):
            item = deed.key or answer_key(deed.answer, deed.docno)
            values[deed.criterion][deed.role][deed.topic][item] = numbers.setdefault(deed.value, float(deed.value))
    for criterion, by_role in sorted(values.items()):
        roles = [role for role in ROLES if role in by_role] + sorted(set(by_role) - set(ROLES))
        for one, other in combinations(roles, 2):
            pair = (by_role[one], by_role[other])
            scale = tuple({value for said in pair for items in said.values() for value in items.values()})
            report = report_agreement(_shared(*pair), ReportOptions(level="ordinal", scale=scale))
            named = f"{ROLES.get(one, one)}-{ROLES.get(other, other)}"
            for estimate in report.estimates:
                yield f"{criterion}\t{named}\t{estimate.measure}\t{_number(estimate.value)}\t{report.items}"


def _shared(one: Said, other: Said) -> list[Values]:
    """What each of two said of the items that both judged: often few of many."""
    both = [(topic, item) for topic in one.keys() & other.keys() for item in one[topic].keys() & other[topic].keys()]
    return [{(topic, item): said[topic][item] for topic, item in both} for said in (one, other)]


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else repr(float(value))


def _count(topics: Any) -> str:
    return "" if topics is None else str(topics)
