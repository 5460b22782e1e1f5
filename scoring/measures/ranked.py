"""Declares the ranked measures: trec_eval's own and further ones. `scoring.measures.ranked_values` computes them.

Documents are ranked by score, and ties by docno, both descending; scores are held as single-precision floats, as in
trec_eval 9.0. A grade of -1 or less is not relevant; only infAP treats -1 as "pooled, unjudged". nDCG: the gain is the
grade, the discount is 1 / log2(rank + 1), and the ideal is made of all judged documents of the topic. ``rel`` is the
lowest relevant grade for binary measures.

Topics are those that the run and the qrels share, as in trec_eval. With ``complete`` they are all topics of the qrels,
and a topic that the run lacks counts 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scoring.measures.spec import ChosenMeasure, Measure, Parameter
from scoring.records import Qrel, RankedDoc

# User models come from cwl-eval, diversity measures from pyndeval (ndeval's code), ERR from gdeval (a Perl script that
# ir-measures carries), the rest from ir-measures itself. Diversity measures need qrels whose second column is the
# subtopic; all others take one grade a document.

MOST = 999_999_999  # grades have at most nine digits
REL = Parameter(name="rel", default=1, help="lowest relevant grade", low=1, high=MOST)
JUDGED = Parameter(name="judged_only", default=False, help="documents without a judgment are taken out first")

_PERSISTENCE = Parameter(name="p", default=0.8, help="how likely a reader goes on to the next rank", low=0, high=1)
_PATIENCE = Parameter(name="T", default=1.0, help="relevant documents that a reader wants", low=0)
_LOWEST = Parameter(name="min_rel", default=0, help="grade that gains nothing", low=0, high=MOST)
_HIGHEST = Parameter(name="max_rel", default=1, help="highest grade of the scale, which gains 1", low=1, high=MOST)
_SCALE = (_LOWEST, _HIGHEST)
_ALPHA = Parameter(name="alpha", default=0.5, help="how much a subtopic met again counts less", low=0, high=1)
_BETA = Parameter(name="beta", default=0.5, help="how likely a reader goes on to the next rank", low=0, high=1)

_CWL = "cwl-eval (Azzopardi et al. 2019)"
_NDEVAL = "ndeval, TREC web track"
_DIVERSITY = "subtopics stand in the second column of the qrels"


def _more(name: str, label: str, source: str, *parameters: Parameter, **given: Any) -> Measure:
    return Measure(name=name, family="ranked", label=label, source=source, parameters=parameters, **given)


def _diverse(name: str, label: str, *parameters: Parameter, **given: Any) -> Measure:
    return _more(name, label, _NDEVAL, *parameters, subtopics=True, edge_cases=_DIVERSITY, **given)


MORE = (
    _more("IPrec", "highest precision at a recall of x or more; IPrec@0.1", "trec_eval 9.0.8; 9.0 rounded x down",
             REL, JUDGED, cutoff="recall"),
    _more("SetAP", "average precision of a set: set precision × set recall", "trec_eval 9.0 (usnistgov/trec_eval)",
             REL, JUDGED),
    _more("Judged", "share of the first k that is judged", "ir-measures", cutoff="may"),
    _more("Accuracy", "how often a relevant document stands above a judged one that is not", "ir-measures", REL,
             cutoff="may"),
    _more("Compat", "likeness to the best ranking by rank-biased overlap", "Clarke, Vtyurina and Smucker 2020",
             Parameter(name="p", default=0.95, help="persistence of the overlap", low=0, high=1),
             Parameter(name="normalize", default=True, help="by the best value that can be reached")),
    _more("ERR", "expected reciprocal rank at k, gains of grades 0 to 4, five decimals", "gdeval, TREC web track",
             cutoff="must"),
    _more("RBP", "rank-biased precision", _CWL, REL, _PERSISTENCE),
    _more("SDCG", "discounted gain scaled to the length k", _CWL, *_SCALE, cutoff="must"),
    _more("BPM", "bejeweled player model", _CWL, _PATIENCE, *_SCALE, cutoff="must"),
    _more("INSQ", "gain at the squares of ranks", _CWL, _PATIENCE, *_SCALE),
    _more("INST", "gain adapted to what a reader wants", _CWL, _PATIENCE, *_SCALE),
    _more("NERR8", "expected reciprocal rank, equation 8", _CWL, *_SCALE, cutoff="must"),
    _more("NERR9", "expected reciprocal rank, equation 9", _CWL, *_SCALE, cutoff="must"),
    _more("NERR10", "expected reciprocal rank, equation 10", _CWL,
             Parameter(name="p", default=0.9, help="how likely a reader goes on to the next rank", low=0, high=1),
             *_SCALE),
    _more("NERR11", "expected reciprocal rank, equation 11", _CWL, _PATIENCE, *_SCALE),
    _diverse("alpha_nDCG", "normalised gain, less for subtopics met again", REL, _ALPHA, JUDGED, cutoff="must"),
    _diverse("alpha_DCG", "gain, less for subtopics met again", REL, _ALPHA, JUDGED, cutoff="must", high=None),
    _diverse("ERR_IA", "expected reciprocal rank over subtopics", REL, JUDGED, cutoff="must"),
    _diverse("nERR_IA", "the same, normalised", REL, JUDGED, cutoff="must"),
    _diverse("AP_IA", "average precision over subtopics", REL, JUDGED),
    _diverse("P_IA", "precision at k over subtopics", REL, JUDGED, cutoff="must"),
    _diverse("StRecall", "subtopics met in the first k", REL, cutoff="must"),
    _diverse("NRBP", "novelty- and rank-biased precision", REL, _ALPHA, _BETA),
    _diverse("nNRBP", "the same, normalised", REL, _ALPHA, _BETA),
)  # fmt: skip


_TREC_EVAL = "trec_eval 9.0 (usnistgov/trec_eval)"
_EXP = Parameter(name="exp", default=False, help="gain 2^grade - 1, as gdeval has it: dcg='exp-log2', with @k alone")
_SET_BETA = Parameter(
    name="beta", default=1.0, help="weight of recall; trec_eval takes it for beta squared", low=0, high=MOST
)

Grades = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Mapping[str, float]]


def _measure(name: str, label: str, *, source: str = _TREC_EVAL, rel: bool = True, **given: Any) -> Measure:
    parameters = (*((REL,) if rel else ()), *given.pop("more", ()))
    return Measure(name=name, family="ranked", label=label, source=source, parameters=parameters, **given)


MEASURES = (
    _measure("AP", "average precision", cutoff="may", edge_cases="0 where nothing is relevant", more=(JUDGED,)),
    _measure("nDCG", "normalised discounted cumulative gain", rel=False, cutoff="may", more=(_EXP, JUDGED)),
    _measure("P", "precision at k; divides by k even where fewer are returned", cutoff="must", more=(JUDGED,)),
    _measure("R", "recall at k", cutoff="must", more=(JUDGED,)),
    _measure("RR", "reciprocal rank of the first relevant document", cutoff="may"),
    _measure("Rprec", "precision at rank R, R the number of relevant documents", more=(JUDGED,)),
    _measure("Bpref", "preference for judged relevant over judged non-relevant", source="Buckley and Voorhees 2004"),
    _measure("infAP", "average precision inferred from a sample", source="Yilmaz and Aslam 2006"),
    _measure("Success", "1 where a relevant document is in the first k", cutoff="must"),
    _measure("SetP", "precision of all that is returned", more=(JUDGED,)),
    _measure("SetR", "recall of all that is returned"),
    _measure("SetF", "F of all that is returned", more=(_SET_BETA, JUDGED)),
    _measure("NumRet", "documents returned (rel: of those, relevant)", rel=False, high=None, total=True),
    _measure("NumRelRet", "relevant documents returned", high=None, total=True),
    _measure("NumRel", "relevant documents of the qrels", high=None, total=True),
    _measure("NumQ", "topics that are averaged", rel=False, high=None, total=True),
    *MORE,
)  # fmt: skip


class RepeatedDocument(ValueError):
    """Raised when a topic of a run or of qrels contains a document twice."""


def grades_of(qrels: Iterable[Qrel]) -> dict[str, dict[str, int]]:
    """Return topic -> docno -> grade. Raises RepeatedDocument if a document is judged twice for a topic."""
    grades: dict[str, dict[str, int]] = {}
    for qrel in qrels:
        topic = grades.setdefault(qrel.topic, {})
        if qrel.docno in topic:
            raise RepeatedDocument(f"document {qrel.docno} is judged twice for topic {qrel.topic}")
        topic[qrel.docno] = qrel.grade
    return grades


def rankings_of(run: Iterable[RankedDoc]) -> dict[str, dict[str, float]]:
    """Return topic -> docno -> score. Raises RepeatedDocument if a topic returns a document twice."""
    rankings: dict[str, dict[str, float]] = {}
    for line in run:
        topic = rankings.setdefault(line.topic, {})
        if line.docno in topic:
            raise RepeatedDocument(f"document {line.docno} is returned twice for topic {line.topic}")
        topic[line.docno] = line.score
    return rankings


def by_rank(run: Iterable[RankedDoc]) -> Iterator[RankedDoc]:
    """Yield the documents of each topic, best first, with new ranks from 1.

    Topics are in the order of their first lines, documents by score, then docno, both descending. Unlike trec_eval,
    this compares scores in double precision. The whole run is held in memory.
    """
    topics: dict[str, list[RankedDoc]] = {}
    for line in run:
        topics.setdefault(line.topic, []).append(line)
    for topic in list(topics):
        lines = topics.pop(topic)  # so that a caller that stores the new lines does not hold the run twice
        lines.sort(key=lambda line: line.docno, reverse=True)
        lines.sort(key=lambda line: -line.score)
        for rank, line in enumerate(lines, 1):
            yield RankedDoc(topic=topic, docno=line.docno, rank=rank, score=line.score, run=line.run)


def with_binary_level(measure: ChosenMeasure, level: int) -> ChosenMeasure:
    """Return the measure with ``rel`` set to this level, if it has that parameter (trec_eval -l)."""
    values = tuple((name, level if name == "rel" else value) for name, value in measure.values)
    return replace(measure, values=values)
