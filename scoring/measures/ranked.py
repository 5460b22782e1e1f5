"""Ranked measures, computed by trec_eval's own code (ir-measures over pytrec-eval-terrier).

Documents rank by score, ties by docno, both descending; scores are held as single-precision floats, as in
trec_eval 9.0. A grade of -1 or less is not relevant; -1 is "pooled, unjudged" to infAP alone. nDCG: gain = grade,
discount 1 / log2(rank + 1), ideal from all judged documents of the topic. ``rel`` is the lowest grade that counts
as relevant for measures that know only yes and no.

Topics: those that the run and the qrels share, as trec_eval does; with ``complete`` all topics of the qrels,
0 where the run has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, TypeVar

from scoring.formats.pool_tables import topic_order
from scoring.measures.spec import ChosenMeasure, Measure, Parameter
from scoring.records import Qrel, RankedDoc, Score

_TREC_EVAL = "trec_eval 9.0 (usnistgov/trec_eval)"
_MOST = 999_999_999  # grades have at most nine digits
_REL = Parameter(name="rel", default=1, help="lowest relevant grade", low=1, high=_MOST)
_SET_BETA = Parameter(
    name="beta", default=1.0, help="weight of recall; trec_eval takes it for beta squared", low=0, high=_MOST
)

Number = TypeVar("Number", int, float)
Grades = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Mapping[str, float]]


def _measure(name: str, label: str, *, source: str = _TREC_EVAL, rel: bool = True, **given: Any) -> Measure:
    parameters = (*((_REL,) if rel else ()), *given.pop("more", ()))
    return Measure(name=name, family="ranked", label=label, source=source, parameters=parameters, **given)


MEASURES = (
    _measure("AP", "average precision", cutoff="may", edge_cases="0 where nothing is relevant"),
    _measure("nDCG", "normalised discounted cumulative gain", rel=False, cutoff="may"),
    _measure("P", "precision at k; divides by k even where fewer are returned", cutoff="must"),
    _measure("R", "recall at k", cutoff="must"),
    _measure("RR", "reciprocal rank of the first relevant document", cutoff="may"),
    _measure("Rprec", "precision at rank R, R the number of relevant documents"),
    _measure("Bpref", "preference for judged relevant over judged non-relevant", source="Buckley and Voorhees 2004"),
    _measure("infAP", "average precision inferred from a sample", source="Yilmaz and Aslam 2006"),
    _measure("Success", "1 where a relevant document is in the first k", cutoff="must"),
    _measure("SetP", "precision of all that is returned"),
    _measure("SetR", "recall of all that is returned"),
    _measure("SetF", "F of all that is returned", more=(_SET_BETA,)),
    _measure("NumRet", "documents returned (rel: of those, relevant)", rel=False, high=None),
    _measure("NumRelRet", "relevant documents returned", high=None),
)  # fmt: skip


class RepeatedDocument(ValueError):
    """A document stands twice in a topic, of the run or of the qrels."""


def grades_of(qrels: Iterable[Qrel]) -> dict[str, dict[str, int]]:
    """Topic -> docno -> grade. Raises RepeatedDocument where a document is judged twice for a topic."""
    grades: dict[str, dict[str, int]] = {}
    for qrel in qrels:
        topic = grades.setdefault(qrel.topic, {})
        if qrel.docno in topic:
            raise RepeatedDocument(f"document {qrel.docno} is judged twice for topic {qrel.topic}")
        topic[qrel.docno] = qrel.grade
    return grades


def rankings_of(run: Iterable[RankedDoc]) -> dict[str, dict[str, float]]:
    """Topic -> docno -> score. Raises RepeatedDocument where a topic returns a document twice."""
    rankings: dict[str, dict[str, float]] = {}
    for line in run:
        topic = rankings.setdefault(line.topic, {})
        if line.docno in topic:
            raise RepeatedDocument(f"document {line.docno} is returned twice for topic {line.topic}")
        topic[line.docno] = line.score
    return rankings


def by_rank(run: Iterable[RankedDoc]) -> Iterator[RankedDoc]:
    """The documents of each topic as trec_eval ranks them, numbered from 1; topics in the order in which they begin."""
    topics: dict[str, list[RankedDoc]] = {}
    for line in run:
        topics.setdefault(line.topic, []).append(line)
    for lines in topics.values():
        lines.sort(key=lambda line: line.docno, reverse=True)
        lines.sort(key=lambda line: -line.score)
        for rank, line in enumerate(lines, 1):
            yield replace(line, rank=rank)


def with_binary_level(measure: ChosenMeasure, level: int) -> ChosenMeasure:
    """The measure with ``rel`` set, where it has that parameter (trec_eval -l)."""
    values = tuple((name, level if name == "rel" else value) for name, value in measure.values)
    return replace(measure, values=values)


def rank_scores(
    grades: Grades, rankings: Rankings, measures: Sequence[ChosenMeasure], *, run: str, complete: bool = False
) -> list[Score]:
    """Every measure for every topic averaged, topics in order, then the means as topic "all".

    A mean over no topic is None. The values are those of the library; nothing is rounded.
    """
    import ir_measures

    asked = {ir_measures.parse_measure(_library_name(measure)): str(measure) for measure in measures}
    topics = sorted(grades if complete else grades.keys() & rankings.keys(), key=topic_order)
    judged = {topic: _as_dict(grades[topic]) for topic in topics}
    ranked = {topic: _as_dict(rankings[topic]) for topic in topics if rankings.get(topic)}
    found: dict[tuple[str, str], float] = {}
    if ranked:
        for value in ir_measures.iter_calc(list(asked), judged, ranked):
            found[value.query_id, asked[value.measure]] = float(value.value)
    names = list(dict.fromkeys(asked.values()))
    scores = [
        Score(run=run, topic=topic, measure=name, value=found.get((topic, name), 0.0))
        for topic in topics
        for name in names
    ]
    means = {name: [score.value or 0.0 for score in scores if score.measure == name] for name in names}
    return scores + [
        Score(run=run, topic="all", measure=name, value=fmean(values) if values else None, topics=len(values))
        for name, values in means.items()
    ]


def _as_dict(values: Mapping[str, Number]) -> dict[str, Number]:
    """The kind of mapping that the library takes and only reads: the same one where it is of that kind, no copy."""
    return values if isinstance(values, dict) else dict(values)


def _library_name(measure: ChosenMeasure) -> str:
    """What ir-measures calls it: NumRelRet is its NumRet(rel=…), and beta of SetF must be a float."""
    if measure.measure.name == "NumRelRet":
        return f"NumRet(rel={measure['rel']})"
    if measure.measure.name == "SetF":
        return f"SetF(rel={measure['rel']},beta={float(measure['beta'])})"
    return str(measure)
