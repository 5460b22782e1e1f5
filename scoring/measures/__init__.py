"""Measures, one module a family. ``MEASURES`` is the only list of them."""

from __future__ import annotations

from scoring.measures.spec import ChosenMeasure, Measure, parse_measure

MEASURES: tuple[Measure, ...] = ()


def parse(text: str) -> ChosenMeasure:
    """The measure that a text names, with its parameters: "nDCG@10", "AP(rel=2)", "nuggetF(beta=3)".

    Raises UnknownMeasure with a sentence for the person who typed it.
    """
    return parse_measure(text, MEASURES)
