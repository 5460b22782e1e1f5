"""Computes the values of a ranked run against graded documents, topic by topic, and explains each of them.

The measures are those of `scoring.measures.ranked` and ``Judged@k``: how many of the first k documents returned have a
grade of 0 or more. Only topics with such a grade are judged and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from statistics import fmean

from scoring.formats.pool_tables import topic_order
from scoring.measures import parse
from scoring.measures.ranked import Grades, Rankings, with_binary_level
from scoring.measures.ranked_values import RankedEvaluator
from scoring.measures.spec import ChosenMeasure
from scoring.release.explained import IN_WORDS, SUM_IN_WORDS, About, Account, Node, Parts, Step, mean_node, sum_node
from scoring.release.formulas import Number, shown
from scoring.release.phrases import Phrase

# Ranked measures of one topic as formulas with the grades filled in, for formulas short enough to be read.
#
# The documents are in the order of trec_eval: by score as a single-precision float, ties by docno, both descending.


def ranked_arithmetic(name: str, grades: Mapping[str, int], ranked: Mapping[str, float], level: int) -> str:
    """Return the formula of a measure such as "nDCG@10" with the numbers of one topic.

    Return "" if the measure, or one of its parameters, has no short formula. ``level`` is the lowest relevant grade,
    unless the name states another. Raises UnknownMeasure for a text that names no measure.

    >>> ranked = {"a": 3.0, "b": 2.0, "c": 1.0}
    >>> ranked_arithmetic("nDCG@2", {"a": 1, "c": 2}, ranked, 1)
    '(1 / log2(2)) / (2 / log2(2) + 1 / log2(3))'
    >>> ranked_arithmetic("AP", {"a": 1, "c": 2}, ranked, 1), ranked_arithmetic("P@2", {"a": 1, "c": 2}, ranked, 1)
    ('(1 / 1 + 2 / 3) / 2', '1 / 2')
    """
    judged_at = name.startswith("Judged@")
    chosen = None if judged_at else parse(name)
    cutoff = int(name.removeprefix("Judged@")) if chosen is None else chosen.cutoff
    found = [grades.get(docno, -1) for docno in _order(ranked)]
    if chosen is None:
        seen = found[:cutoff]
        return f"{sum(grade >= 0 for grade in seen)} / {len(seen)}" if seen else "0"
    level = _level_of(chosen, level)
    if any(value is True for _, value in chosen.values):  # exp, judged_only
        return ""
    if chosen.measure.name == "nDCG":
        return _ndcg(found[:cutoff], best_grades(grades)[:cutoff])
    relevant = sum(grade >= level for grade in grades.values())
    hits = [place for place, grade in enumerate(found[:cutoff], 1) if grade >= level]
    formula = _FORMULAS.get(chosen.measure.name)
    return formula(hits, relevant, found, cutoff) if formula is not None else ""


def _level_of(chosen: ChosenMeasure, level: int) -> int:
    """Return the lowest relevant grade that the measure's name states, as in "AP(rel=2)". If it states none, or 1,
    return ``level``.
    """
    rel = chosen.measure.parameter("rel")
    return level if rel is None or chosen["rel"] == rel.default else int(chosen["rel"])


def best_grades(grades: Mapping[str, int]) -> list[int]:
    """Return the grades above 0 of all judged documents, best first, as in the ideal ranking."""
    return sorted((grade for grade in grades.values() if grade > 0), reverse=True)


def _order(ranked: Mapping[str, float]) -> list[str]:
    import numpy as np

    with np.errstate(over="ignore"):
        lines = [(float(np.float32(score)), docno) for docno, score in ranked.items()]
    return [docno for _, docno in sorted(lines, reverse=True)]


def _ndcg(found: Sequence[int], ideal: Sequence[int]) -> str:
    return f"({_gains(found)}) / ({_gains(ideal)})" if ideal else "0"


def _gains(grades: Sequence[int]) -> str:
    return " + ".join(f"{grade} / log2({place + 1})" for place, grade in enumerate(grades, 1) if grade > 0) or "0"


def _ap(hits: Sequence[int], relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    terms = " + ".join(f"{count} / {place}" for count, place in enumerate(hits, 1))
    return f"({terms or '0'}) / {relevant}" if relevant else "0"


def _share(
    hits: Sequence[int], relevant: int, found: Sequence[int], cutoff: int | None, *, of: Callable[[int, int, int], int]
) -> str:
    below = of(relevant, len(found), cutoff or 0)
    return f"{len(hits)} / {below}" if below else "0"


def _reciprocal(hits: Sequence[int], _relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    return f"1 / {hits[0]}" if hits else "0"


def _r_precision(hits: Sequence[int], relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    return f"{sum(place <= relevant for place in hits)} / {relevant}" if relevant else "0"


def _success(hits: Sequence[int], _relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    return str(int(bool(hits)))


_FORMULAS: dict[str, Callable[[Sequence[int], int, Sequence[int], int | None], str]] = {
    "AP": _ap,
    "P": partial(_share, of=lambda relevant, returned, cutoff: cutoff),
    "R": partial(_share, of=lambda relevant, returned, cutoff: relevant),
    "RR": _reciprocal,
    "Rprec": _r_precision,
    "SetP": partial(_share, of=lambda relevant, returned, cutoff: returned),
    "SetR": partial(_share, of=lambda relevant, returned, cutoff: relevant),
    "Success": _success,
}


# The nodes of one run: the value of each measure on each topic, with the documents behind it.

ALL = "all"
SHOWN = 100
"""The most documents in an explanation."""
BEST = 20
"""The most documents of the ideal ranking in an explanation."""
_JUDGED = "Judged@"
TOPICS_AT_ONCE = 10
"""The number of topics whose rankings are unpacked at once."""


class JudgedTopics(Mapping[str, Mapping[str, int]]):
    """Grades, and the evaluators that score runs by them, one for each list of measures. An evaluator is made when the
    first run is scored, and is used again for all others.
    """

    def __init__(self, grades: Grades) -> None:
        self._grades = grades
        self._judged: tuple[str, ...] | None = None
        self._evaluators: dict[tuple[str, ...], RankedEvaluator] = {}

    @property
    def judged(self) -> tuple[str, ...]:
        """The topics with a grade of 0 or more."""
        if self._judged is None:
            self._judged = tuple(topic for topic in self if any(grade >= 0 for grade in self[topic].values()))
        return self._judged

    def evaluator(self, measures: Sequence[ChosenMeasure]) -> RankedEvaluator:
        """Return the evaluator that scores runs by these measures on the judged topics."""
        key = tuple(map(str, measures))
        if key not in self._evaluators:
            self._evaluators[key] = RankedEvaluator(_OfTopics(self._grades, self.judged), measures)
        return self._evaluators[key]

    def __getitem__(self, topic: str) -> Mapping[str, int]:
        return self._grades[topic]

    def __contains__(self, topic: object) -> bool:
        return topic in self._grades

    def __iter__(self) -> Iterator[str]:
        return iter(self._grades)

    def __len__(self) -> int:
        return len(self._grades)


class _OfTopics(Mapping[str, Mapping[str, int]]):
    """The grades of some topics only. A topic's grades are looked up only when they are asked for."""

    def __init__(self, grades: Grades, topics: Collection[str]) -> None:
        self._grades, self._topics = grades, topics

    def __getitem__(self, topic: str) -> Mapping[str, int]:
        return self._grades[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)


def ranking_nodes(
    grades: Grades,
    rankings: Rankings,
    measures: Sequence[str],
    *,
    level: int,
    complete: bool,
    kind: str,
    called: Callable[[str], str] = str,
) -> dict[str, dict[str, Node]]:
    """Return every measure for every topic, and its `over_topics` as topic "all". Measures are stored under the names
    that ``called`` returns for them.

    To score several runs, ``grades`` should be `JudgedTopics`. ``rankings`` are in the order of `best_first`; ``level``
    is the lowest relevant grade, unless a measure's name states another, as "AP(rel=2)" does. With ``complete``, judged
    topics that the run leaves out count 0; otherwise they are not scored. ``kind`` is the kind of item that the
    documents are. Raises UnknownMeasure.

    >>> rankings = {"1": {"a": 2.0, "b": 1.0}}
    >>> nodes = ranking_nodes({"1": {"b": 1}}, rankings, ["RR", "Judged@10"], level=1, complete=True, kind="document")
    >>> [(topic, measure, node.value) for topic, of_topic in nodes.items() for measure, node in of_topic.items()][:2]
    [('1', 'RR', 0.5), ('1', 'Judged@10', 0.5)]
    """
    judged = grades if isinstance(grades, JudgedTopics) else JudgedTopics(grades)
    levels = {name: level if name.startswith(_JUDGED) else _level_of(parse(name), level) for name in measures}
    values = _values(judged, rankings, levels, complete=complete)

    def of_topic(topic: str, name: str) -> Node:
        value, level = values[topic][name], levels[name]

        def account() -> Account:
            of_run = rankings.get(topic, {})
            return Account(
                formula=Phrase(
                    "{measure} = {value}, relevant from grade {level}",
                    measure=called(name),
                    value=shown(value),
                    level=level,
                ),
                steps=_documents(grades[topic], of_run, level, topic=topic, kind=kind),
                arithmetic=ranked_arithmetic(name, grades[topic], of_run, level),
            )

        return Node(value=value, account=account)

    def of_all(name: str) -> Node:
        return over_topics(name, {topic: found[name] for topic, found in values.items()}, called=called(name))

    nodes = {topic: {called(name): of_topic(topic, name) for name in measures} for topic in values}
    return nodes | {ALL: {called(name): of_all(name) for name in measures}}


def over_topics(name: str, values: Mapping[str, Number | None], *, called: str) -> Node:
    """Return a run's mean by a measure over topics, or its sum for a total such as NumRet, with its explanation.

    An undefined value counts 0. The measure is shown as ``called``.
    """
    given = {topic: float(value or 0) for topic, value in values.items()}
    parts = Parts(values=given, measure=called, label=Phrase("Topics"), noun=Phrase("topic"))
    if not name.startswith(_JUDGED) and parse(name).measure.total:
        return sum_node(called, parts, SUM_IN_WORDS, topics=len(values))
    return mean_node(called, parts, IN_WORDS, average=fmean)


def _values(
    judged: JudgedTopics, rankings: Rankings, levels: Mapping[str, int], *, complete: bool
) -> dict[str, dict[str, float]]:
    """Return topic -> measure -> value, with the topics in order. ``levels`` holds each measure's lowest relevant
    grade. A measure that is not computed for a topic counts 0.
    """
    depths = {name: int(name.removeprefix(_JUDGED)) for name in levels if name.startswith(_JUDGED)}
    chosen = {name: with_binary_level(parse(name), level) for name, level in levels.items() if name not in depths}
    topics = [topic for topic in judged.judged if complete or topic in rankings]
    values: dict[str, dict[str, float]] = {}
    written = {name: str(measure) for name, measure in chosen.items()}
    remaining = iter(sorted(topics, key=topic_order))
    evaluator = judged.evaluator(list(chosen.values()))
    while some := list(islice(remaining, TOPICS_AT_ONCE)):
        ranked = {topic: rankings[topic] for topic in some if topic in rankings}  # may be packed: look up once
        found = evaluator.values(ranked)
        for topic in some:
            of_topic = found.get(topic, {})
            values[topic] = {name: of_topic.get(measure, 0.0) for name, measure in written.items()}
            grades = judged[topic] if depths and topic in ranked else {}
            first = list(islice(ranked[topic], max(depths.values()))) if grades else []
            for name, depth in depths.items():
                seen = first[:depth]
                values[topic][name] = sum(grades.get(docno, -1) >= 0 for docno in seen) / len(seen) if seen else 0.0
    return values


def _documents(
    grades: Mapping[str, int], ranked: Mapping[str, float], level: int, *, topic: str, kind: str
) -> tuple[Step, ...]:
    relevant = sum(grade >= level for grade in grades.values())
    judged = sum(grade >= 0 for grade in grades.values())
    first = dict(islice(ranked.items(), SHOWN))
    rows = tuple(
        (f"{rank}", docno, f"{score!r}", _grade(grades.get(docno)))
        for rank, (docno, score) in enumerate(first.items(), 1)
    )
    best = sorted((docno for docno, grade in grades.items() if grade > 0), key=lambda docno: (-grades[docno], docno))
    return (
        Step(
            label=Phrase("Documents judged"),
            value=Phrase("{judged}, of which {relevant} are relevant", judged=judged, relevant=relevant),
        ),
        Step(
            label=Phrase("Documents ranked, the first {shown}", shown=SHOWN)
            if len(ranked) > SHOWN
            else Phrase("Documents ranked"),
            value=f"{len(ranked)}",
            header=(Phrase("rank"), Phrase("document"), Phrase("score"), Phrase("grade")),
            rows=rows,
            about=tuple(_judged_item(topic, kind, docno, grades) for docno in first),
        ),
        Step(
            label=Phrase("Best documents judged, the first {shown}", shown=BEST)
            if len(best) > BEST
            else Phrase("Best documents judged"),
            value=f"{len(best)}",
            header=(Phrase("document"), Phrase("grade")),
            rows=tuple((docno, str(grades[docno])) for docno in best[:BEST]),
            about=tuple(_judged_item(topic, kind, docno, grades) for docno in best[:BEST]),
        ),
    )


def _judged_item(topic: str, kind: str, docno: str, grades: Mapping[str, int]) -> About | None:
    """Return the record of a document as a judged item, or None if nobody judged the document."""
    return About(kind="item", topic=topic, name=kind, key=docno) if grades.get(docno, -1) >= 0 else None


def _grade(grade: int | None) -> str:
    return Phrase("unjudged") if grade is None or grade < 0 else str(grade)
