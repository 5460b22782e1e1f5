"""Measures, one module a family. ``MEASURES`` is the only list of them."""

from __future__ import annotations

from scoring.measures import ranked, trec_eval_names
from scoring.measures.spec import ChosenMeasure, Measure, Parameter, parse_measure

_LIN = "Lin and Demner-Fushman 2006; TAC 2008 QA guidelines"
_ALLOWANCE = Parameter(name="allowance", default=100, help="characters allowed for each nugget returned", low=0)
_BETA = Parameter(name="beta", default=3.0, help="how much more recall counts than precision", low=0)
_PYRAMID = Parameter(name="pyramid", default=False, help="weights from votes instead of vital 1, okay 0")
_NO_VITAL = "undefined where no nugget of the list weighs anything; the topic is left out of the mean"
_TAC = "TAC 2008 QA guidelines"
_CONTEXT25 = "Context25, SDProc 2025"
_STRICT = Parameter(name="strict", default=False, help="labels by their grammar, each gold label once, ideal 1")
_OVERLAP = "mean over predicted texts of the best overlap with a gold text"
_NO_TEXTS = "0 without predicted texts; undefined without gold ones"
_BIOGEN = "TREC 2024 BioGen; medaesqa_eval.py"
_NOTHING = "0 where there is nothing to count"
_CITATIONS = (
    ("answerAccuracy", "1 where the answer is accurate", "0 without an answer or a judgment"),
    ("answerPrecision", "required sentences / sentences", _NOTHING),
    ("answerRedundancy", "unnecessary sentences / sentences", _NOTHING),
    ("answerHarmfulness", "inappropriate sentences / sentences", _NOTHING),
    ("answerRecall", "aspects that the answer covers / aspects of the question", "undefined without an aspect"),
    ("citationCoverage", "sentences with a supporting citation / sentences", _NOTHING),
    ("supportRate", "supporting citations / citations", _NOTHING),
    ("contradictRate", "contradicting citations / citations", _NOTHING),
    ("documentRecall", "relevant documents cited / those that any run cites", "undefined without a relevant document"),
    ("documentPrecision", "relevant documents cited / documents cited", _NOTHING),
)
_COSTS = ("answerRedundancy", "answerHarmfulness", "contradictRate")

MEASURES: tuple[Measure, ...] = (
    *ranked.MEASURES,
    Measure(
        name="nuggetR", family="nuggets", label="NR, nugget recall: weight returned / weight of the list",
        source=_LIN, parameters=(_PYRAMID,), edge_cases=_NO_VITAL,
    ),
    Measure(
        name="nuggetP", family="nuggets", label="NP, 1 within the allowance, else 1 - (length - allowance) / length",
        source=_LIN, parameters=(_ALLOWANCE,), edge_cases="0 for an empty response",
    ),
    Measure(
        name="nuggetF", family="nuggets", label="F of NR and NP", source=_LIN,
        parameters=(_BETA, _ALLOWANCE, _PYRAMID), edge_cases=_NO_VITAL,
    ),
    Measure(name="listR", family="lists", label="IR, distinct correct items / final answer set", source=_TAC),
    Measure(name="listP", family="lists", label="IP, distinct correct items / instances returned", source=_TAC),
    Measure(name="listF", family="lists", label="F of IR and IP, balanced", source=_TAC),
    Measure(
        name="seriesF", family="series", label="mean of the rigid and the squishy F of a series", source=_TAC,
        edge_cases="a type without a defined F is left out",
    ),
    Measure(
        name="holistic", family="holistic", label="5 C + 0.5 C O, content and organization of a whole response",
        source="AQUAINT definition pilot", edge_cases="0 for a question without a response; unjudged ones are left out",
    ),
    Measure(
        name="labelNDCG", family="labels", label="NDCG of figure labels; a part of a right one, or its whole, earns .5",
        source=_CONTEXT25, parameters=(_STRICT,), cutoff="must", high=None,
        edge_cases="above 1 in the official form where a label is repeated; never with strict=true",
    ),
    Measure(name="ROUGE-1", family="text", label=_OVERLAP, source=_CONTEXT25, edge_cases=_NO_TEXTS),
    Measure(name="ROUGE-2", family="text", label=_OVERLAP, source=_CONTEXT25, edge_cases=_NO_TEXTS),
    Measure(name="ROUGE-L", family="text", label=_OVERLAP, source=_CONTEXT25, edge_cases=_NO_TEXTS),
    Measure(
        name="BERTScore", family="text", label=_OVERLAP, source=_CONTEXT25, low=-1.0,
        edge_cases="no value without a local model",
    ),
    *(
        Measure(name=name, family="citations", label=label, source=_BIOGEN, edge_cases=edge_cases,
                higher_is_better=name not in _COSTS)
        for name, label, edge_cases in _CITATIONS
    ),
)  # fmt: skip


def parse(text: str) -> ChosenMeasure:
    """The measure that a text names, with its parameters. Raises UnknownMeasure with a sentence for who typed it.

    >>> str(parse("nDCG@10")), str(parse("AP( rel=2 )")), str(parse("nuggetF(beta=3)"))
    ('nDCG@10', 'AP(rel=2)', 'nuggetF')
    """
    return parse_measure(text, MEASURES, others=trec_eval_names.NAMES)
