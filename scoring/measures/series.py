"""Series scores: questions of several types about one target become one value.

    score of a type in a series = mean of the F of the series' questions of that type
    combined score of a series  = mean of its types' scores (TAC 2008: 1/2 (rigid + squishy))
    score of a run              = mean over the series

Edge cases: a question whose F is undefined (None) is left out and counted in ``excluded``; a question that the
run did not answer is 0 and must be handed in as 0. A type without a defined question drops out of its series,
so that a series with rigid questions alone has their mean as its combined score. A series without any defined
question is None and is left out of the run's mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scoring.measures.spec import Measure

MEASURES = (
    Measure(
        name="seriesF",
        family="series",
        label="mean of the rigid and the squishy F of a series",
        source="TAC 2008 QA guidelines",
        edge_cases="a type without a defined F is left out",
    ),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SeriesScore:
    """The scores of one series: of each type (None where it has no defined question) and combined."""

    types: Mapping[str, Fraction | None]
    combined: Fraction | None
    excluded: int


def mean_defined(values: Iterable[Fraction | None]) -> tuple[Fraction | None, int]:
    """The mean of the values that are not None (None where there is none), and how many there were.

    >>> mean_defined([Fraction(1), None, Fraction(0)])
    (Fraction(1, 2), 2)
    """
    defined = [value for value in values if value is not None]
    return (sum(defined, Fraction(0)) / len(defined) if defined else None), len(defined)


def series_score(questions: Mapping[str, Sequence[Fraction | None]]) -> SeriesScore:
    """The scores of a series from the F of its questions by type.

    >>> score = series_score({"rigid": [Fraction(1, 2), None], "squishy": [Fraction(1, 4)]})
    >>> score.combined, score.excluded
    (Fraction(3, 8), 1)
    >>> series_score({"rigid": [Fraction(1, 2)], "squishy": []}).combined
    Fraction(1, 2)
    """
    types = {kind: mean_defined(values)[0] for kind, values in questions.items()}
    return SeriesScore(
        types=types,
        combined=mean_defined(types.values())[0],
        excluded=sum(value is None for values in questions.values() for value in values),
    )
