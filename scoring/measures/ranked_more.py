"""Measures of ranked runs beyond trec_eval's own, as ir-measures computes them with its providers.

User models come from cwl-eval, diversity measures from pyndeval (ndeval's code), ERR from gdeval (a Perl script that
ir-measures carries), the rest from ir-measures itself. Diversity measures need qrels whose second column is the
subtopic; all others take one grade a document.
"""

from __future__ import annotations

from typing import Any

from scoring.measures.spec import Measure, Parameter

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


def _measure(name: str, label: str, source: str, *parameters: Parameter, **given: Any) -> Measure:
    return Measure(name=name, family="ranked", label=label, source=source, parameters=parameters, **given)


def _diverse(name: str, label: str, *parameters: Parameter, **given: Any) -> Measure:
    return _measure(name, label, _NDEVAL, *parameters, subtopics=True, edge_cases=_DIVERSITY, **given)


MORE = (
    _measure("IPrec", "highest precision at a recall of x or more; IPrec@0.1", "trec_eval 9.0.8; 9.0 rounded x down",
             REL, JUDGED, cutoff="recall"),
    _measure("SetAP", "average precision of a set: set precision × set recall", "trec_eval 9.0 (usnistgov/trec_eval)",
             REL, JUDGED),
    _measure("Judged", "share of the first k that is judged", "ir-measures", cutoff="may"),
    _measure("Accuracy", "how often a relevant document stands above a judged one that is not", "ir-measures", REL,
             cutoff="may"),
    _measure("Compat", "likeness to the best ranking by rank-biased overlap", "Clarke, Vtyurina and Smucker 2020",
             Parameter(name="p", default=0.95, help="persistence of the overlap", low=0, high=1),
             Parameter(name="normalize", default=True, help="by the best value that can be reached")),
    _measure("ERR", "expected reciprocal rank at k, gains of grades 0 to 4, five decimals", "gdeval, TREC web track",
             cutoff="must"),
    _measure("RBP", "rank-biased precision", _CWL, REL, _PERSISTENCE),
    _measure("SDCG", "discounted gain scaled to the length k", _CWL, *_SCALE, cutoff="must"),
    _measure("BPM", "bejeweled player model", _CWL, _PATIENCE, *_SCALE, cutoff="must"),
    _measure("INSQ", "gain at the squares of ranks", _CWL, _PATIENCE, *_SCALE),
    _measure("INST", "gain adapted to what a reader wants", _CWL, _PATIENCE, *_SCALE),
    _measure("NERR8", "expected reciprocal rank, equation 8", _CWL, *_SCALE, cutoff="must"),
    _measure("NERR9", "expected reciprocal rank, equation 9", _CWL, *_SCALE, cutoff="must"),
    _measure("NERR10", "expected reciprocal rank, equation 10", _CWL,
             Parameter(name="p", default=0.9, help="how likely a reader goes on to the next rank", low=0, high=1),
             *_SCALE),
    _measure("NERR11", "expected reciprocal rank, equation 11", _CWL, _PATIENCE, *_SCALE),
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
