"""Measures, one module a family. ``MEASURES`` is the only list of them."""

from __future__ import annotations

from scoring.measures import ranked
from scoring.measures.spec import ChosenMeasure, Measure, Parameter, parse_measure

_LIN = "Lin and Demner-Fushman 2006; TAC 2008 QA guidelines"
_ALLOWANCE = Parameter(name="allowance", default=100, help="characters allowed for each nugget returned", low=0)
_BETA = Parameter(name="beta", default=3.0, help="how much more recall counts than precision", low=0)
_PYRAMID = Parameter(name="pyramid", default=False, help="weights from votes instead of vital 1, okay 0")
_NO_VITAL = "undefined where no nugget of the list weighs anything; the topic is left out of the mean"
_TAC = "TAC 2008 QA guidelines"

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
)  # fmt: skip


def parse(text: str) -> ChosenMeasure:
    """The measure that a text names, with its parameters. Raises UnknownMeasure with a sentence for who typed it.

    >>> str(parse("nDCG@10")), str(parse("AP( rel=2 )")), str(parse("nuggetF(beta=3)"))
    ('nDCG@10', 'AP(rel=2)', 'nuggetF')
    """
    return parse_measure(text, MEASURES)
