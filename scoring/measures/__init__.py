"""Measures, one module for each family, which declares its own. ``MEASURES`` is the only list of them all."""

from __future__ import annotations

from scoring.measures import (
    citations,
    figure_labels,
    graded_items,
    holistic,
    list_f,
    nuggets,
    ranked,
    series,
    text_overlap,
    trec_eval_names,
)
from scoring.measures.spec import ChosenMeasure, Measure, parse_measure

FAMILIES = (ranked, nuggets, list_f, series, holistic, figure_labels, text_overlap, citations, graded_items)
MEASURES: tuple[Measure, ...] = tuple(measure for family in FAMILIES for measure in family.MEASURES)


def parse(text: str) -> ChosenMeasure:
    """Return the measure that a text names, with its parameters. Raises UnknownMeasure with a sentence for the person.

    >>> str(parse("nDCG@10")), str(parse("AP( rel=2 )")), str(parse("nuggetF(beta=3)"))
    ('nDCG@10', 'AP(rel=2)', 'nuggetF')
    """
    return parse_measure(text, MEASURES, others=trec_eval_names.NAMES)
