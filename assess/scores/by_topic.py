"""Compute scores from those of single topics, so that only changed topics are scored again, or a single one is
explained.

Values over topics need the exact values of topics, which are fractions in some tracks and are stored beside the scores.
The exact values of groups of topics are stored, too. A group is computed again if one of its topics was scored again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from types import NoneType

from assess.protocol import ByTopic
from assess.scores.kept import EXACT, Arrays
from assess.scores.states import ScoringState
from scoring.records import Score
from scoring.release.explained import Nodes, Values, scores_of
from scoring.release.explained import values_of as values_of_nodes
from scoring.release.formulas import Number
from scoring.release.score_columns import ScoreColumns

Value = Fraction | float | int | None
MOST = 2**63 - 1


def exact_of(values: Iterable[Value]) -> Arrays:
    """Return the numerators and denominators of fractions, with 0 / 0 for other values.

    The result is empty if a single one of the numbers is too large to be stored.
    """
    import numpy

    ratios = [value.as_integer_ratio() if isinstance(value, Fraction) else (0, 0) for value in values]
    if any(max(abs(above), below) > MOST for above, below in ratios):
        return {}
    columns = numpy.array(ratios, dtype="int64").reshape(len(ratios), 2)
    return dict(zip(EXACT, (columns[:, 0], columns[:, 1]), strict=True))


def values_of(groups: Sequence[Nodes]) -> Iterator[Value]:
    """Yield the values of topics and of their groups in the order of `scores_of`.

    None stands for values over all topics, and for values of groups that are too long to be stored.
    """
    for place, nodes in enumerate(groups):
        for of_topic in nodes.values():
            for node in of_topic.values():
                is_kept = place == 0 or (nodes is not groups[-1] and is_short(node.value))
                yield node.value if is_kept else None


def is_short(value: Value) -> bool:
    """Return whether a value can be stored: it is not a fraction, or one of small numbers."""
    return not isinstance(value, Fraction) or max(abs(value.numerator), value.denominator) <= MOST


def run_groups(by_topic: ByTopic, state: ScoringState, gold: object, content: object) -> list[Nodes]:
    """Return all values of a run: the values of topics, then the values computed from several topics."""
    topics = by_topic.topics(gold, content, state.context.settings, None)
    return [topics, *by_topic.over(gold, values_of_nodes(topics), state.context.settings)]


def topics_kept(
    columns: ScoreColumns, exact: Arrays, topics: Collection[str], run: str = ""
) -> dict[str, dict[str, dict[str, Number | None]]]:
    """Return the exact values of these topics by run, topic and measure; an undefined value is None.

    With ``run``, only that run's values are read. Every run has an entry, even an empty one.
    """
    import numpy

    numbers = [place for place, name in enumerate(columns.topics) if name in topics]
    chosen = numpy.isin(columns.topic, numbers)
    if run:
        chosen &= columns.run == (columns.runs.index(run) if run in columns.runs else -1)
    rows = numpy.flatnonzero(chosen)
    fraction = cache(Fraction)  # most values occur many times, and each costs a division
    ratios = (column[rows].tolist() for column in (columns.value, exact["numerator"], exact["denominator"]))
    values: list[Number | None] = [
        fraction(above, below) if below else None if value != value else value
        for value, above, below in zip(*ratios, strict=True)
    ]
    measures = [columns.measures[place] for place in columns.measure[rows].tolist()]
    run_of, topic_of = columns.run[rows], columns.topic[rows]
    begins = numpy.flatnonzero(numpy.diff(run_of, prepend=-1) | numpy.diff(topic_of, prepend=-1))
    bounds = pairwise([*begins.tolist(), len(values)])
    found: dict[str, dict[str, dict[str, Number | None]]] = {tag: {} for tag in columns.runs}
    for tag, of, (begin, end) in zip(run_of[begins].tolist(), topic_of[begins].tolist(), bounds, strict=True):
        of_topic = found[columns.runs[tag]].setdefault(columns.topics[of], {})
        of_topic.update(zip(measures[begin:end], values[begin:end], strict=True))
    return found


def scored_again(
    by_topic: ByTopic,
    state: ScoringState,
    gold: object,
    topics: Collection[str],
    kept: Mapping[str, Values],
    content_of: Callable[[str], object],
) -> tuple[list[Score], list[Value]] | None:
    """Return the scores of these topics, of their groups, and over all topics, with their exact values.

    ``kept`` holds the earlier values of all topics and groups, by run. Return None if a run now has a value for a topic
    that had none, since all must then be computed again.
    """
    scores: list[Score] = []
    values: list[Value] = []
    of_topics = {topic.number for topic in state.context.topics if topic.task}
    regrouped = {topic.parent for topic in state.context.topics if topic.number in topics}
    for run in (each.tag for each in state.runs):
        new = by_topic.topics(gold, content_of(run), state.context.settings, topics)
        of_run = kept.get(run, {})
        if not new.keys() <= of_run.keys():
            return None
        again = values_of_nodes(new)
        whole = {
            name: again.get(name, values)
            for name, values in of_run.items()
            if name in of_topics or (name not in regrouped and is_exact(values))
        }
        groups = [new, *by_topic.over(gold, whole, state.context.settings)]
        scores += scores_of(groups, run=run)
        values += values_of(groups)
    return scores, values


def is_exact(values: Mapping[str, Number | None]) -> bool:
    """Return whether all values are known exactly: as fractions, or as undefined."""
    return {Fraction, NoneType}.issuperset(map(type, values.values()))
