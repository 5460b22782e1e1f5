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

from scoring.agreement_report import ReportOptions, report_agreement
from scoring.deeds import Judged
from scoring.folding import answer_key
from scoring.records import Score

ALL = "all"
UNDEFINED = "undefined"
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
    values: dict[str, dict[str, dict[tuple[str, str], float]]] = defaultdict(lambda: defaultdict(dict))
    for deed in deeds:
        if isinstance(deed, Judged):
            item = deed.key or answer_key(deed.answer, deed.docno)
            values[deed.criterion][deed.role][deed.topic, item] = float(deed.value)
    for criterion, by_role in sorted(values.items()):
        roles = [role for role in ROLES if role in by_role] + sorted(set(by_role) - set(ROLES))
        for one, other in combinations(roles, 2):
            report = report_agreement([by_role[one], by_role[other]], ReportOptions(level="ordinal"))
            named = f"{ROLES.get(one, one)}-{ROLES.get(other, other)}"
            for estimate in report.estimates:
                yield f"{criterion}\t{named}\t{estimate.measure}\t{_number(estimate.value)}\t{report.items}"


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else repr(float(value))


def _count(topics: Any) -> str:
    return "" if topics is None else str(topics)
