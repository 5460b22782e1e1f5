"""Writes the tables of a release: the scores of each run, their means, and the agreement of judges of the same items.

    scores/RUN-A.tsv  topic measure value topics         scores/means.tsv  run measure value topics
    agreement.tsv     criterion roles measure value items

Columns are separated by tabs. A value is written so that it reads back as the same number; an undefined one is
"undefined". ``topics`` is the number of topics that a mean covers, and empty for other values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, groupby
from operator import attrgetter
from typing import Any

from scoring.folding import answer_key
from scoring.records import Score
from scoring.release.recorded_acts import Judged
from scoring.statistics.agreement_report import ReportOptions, report_agreement

ALL = "all"
UNDEFINED = "undefined"
Asked = tuple[str, str]
"""Criterion and role."""
Said = Mapping[Asked, dict[str, float]]
"""The values of a topic: (criterion, role) -> item -> value."""
Pair = tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]
"""The values that two roles gave, by topic and item."""
ROLES = {"": "primary", "second": "second", "adjudicator": "adjudicator", "machine": "machine"}


def score_lines(scores: Iterable[Score]) -> Iterator[str]:
    """Return the lines "topic measure value topics" for the scores of one run, in their order."""
    return (f"{score.topic}\t{score.measure}\t{_number(score.value)}\t{_count(score.topics)}" for score in scores)


def means_of(scores: Iterable[Score]) -> list[Score]:
    """Return only the means, the scores of topic "all". Those of single topics would take a lot of memory."""
    return [score for score in scores if score.topic == ALL]


def mean_lines(scores: Iterable[Score]) -> Iterator[str]:
    """Return the lines "run measure value topics" for the means of all runs; other scores are skipped."""
    return (
        f"{score.run}\t{score.measure}\t{_number(score.value)}\t{_count(score.topics)}" for score in means_of(scores)
    )


def agreement_lines(read: Callable[[], Iterable[object]]) -> Iterator[str]:
    """Yield the agreement of each pair of roles whose judges gave values to the same items, from the acts of
    judgments.jsonl.

    If several people of one role judged an item, the last line counts. Values are taken as ordinal. ``read`` starts
    reading the acts from the beginning. Usually the acts of each topic are consecutive; then only one topic is held in
    memory at a time, plus the values of items that two roles judged. If a topic occurs again later, all acts are read
    once more and held together.
    """
    try:
        scales, shared = _compared(_topics_in_turn(read()))
    except _TopicComesAgain:
        scales, shared = _compared(_topics_together(read()))
    for one, other in _pairs(scales):
        report = report_agreement(
            shared.get((one, other), ({}, {})), ReportOptions(level="ordinal", scale=tuple(scales[one] | scales[other]))
        )
        named = "-".join(ROLES.get(role, role) for _, role in (one, other))
        for estimate in report.estimates:
            yield f"{one[0]}\t{named}\t{estimate.measure}\t{_number(estimate.value)}\t{report.items}"


class _TopicComesAgain(Exception):
    """Raised when the lines of a topic are not consecutive."""


def _compared(topics: Iterable[tuple[str, Said]]) -> tuple[dict[Asked, set[float]], dict[tuple[Asked, Asked], Pair]]:
    """Return all values by criterion and role. Also return, for each pair of roles, the values of both for the items
    that both judged.
    """
    scales: dict[Asked, set[float]] = defaultdict(set)
    shared: dict[tuple[Asked, Asked], Pair] = defaultdict(lambda: ({}, {}))
    for topic, said in topics:
        for asked, items in said.items():
            scales[asked].update(items.values())
        for one, other in _pairs(said):
            for item in said[one].keys() & said[other].keys():
                for asked, values in zip((one, other), shared[one, other], strict=True):
                    values[topic, item] = said[asked][item]
    return scales, shared


def _topics_in_turn(acts: Iterable[object]) -> Iterator[tuple[str, Said]]:
    over: set[str] = set()
    for topic, some in groupby((act for act in acts if isinstance(act, Judged)), key=attrgetter("topic")):
        if topic in over:
            raise _TopicComesAgain
        over.add(topic)
        yield topic, _values_in(some)[topic]


def _topics_together(acts: Iterable[object]) -> Iterable[tuple[str, Said]]:
    return _values_in(act for act in acts if isinstance(act, Judged)).items()


def _values_in(acts: Iterable[Judged]) -> dict[str, Said]:
    topics: dict[str, Said] = defaultdict(lambda: defaultdict(dict))
    numbers: dict[int, float] = {}  # each value is held once, whatever the number of lines
    for act in acts:
        if act.value is None:
            continue
        item = act.key or answer_key(act.answer, act.docno)
        topics[act.topic][act.criterion, act.role][item] = numbers.setdefault(act.value, float(act.value))
    return topics


def _pairs(asked: Iterable[Asked]) -> list[tuple[Asked, Asked]]:
    """Return the pairs of roles that judged the same criterion, in the order of criteria and roles."""
    known = list(ROLES)
    ordered = sorted(asked, key=lambda each: (each[0], known.index(each[1]) if each[1] in known else len(known), each))
    return [(one, other) for one, other in combinations(ordered, 2) if one[0] == other[0]]


def _number(value: float | None) -> str:
    return UNDEFINED if value is None else repr(float(value))


def _count(topics: Any) -> str:
    return "" if topics is None else str(topics)
