"""Computes holistic scores: an assessor's view of a whole response, in which content counts more than organization.

    score = 5 C + 0.5 C O        content C and organization O, each from 0 to 10; the score is from 0 to 100

A run's score is the mean over the questions (AQUAINT definition pilot, section 2.1). Without content there is nothing
to organize, so C = 0 gives 0 for every O.
"""

from __future__ import annotations

from fractions import Fraction

from scoring.measures.spec import Measure
from scoring.release.formulas import show

MEASURES = (
    Measure(
        name="holistic",
        family="holistic",
        label="5 C + 0.5 C O, content and organization of a whole response",
        source="AQUAINT definition pilot",
        edge_cases="0 for a question without a response; unjudged ones are left out",
    ),
)

HIGHEST = 10


def holistic_score(content: int, organization: int) -> Fraction:
    """Return 5 C + 0.5 C O for content C and organization O.

    >>> holistic_score(7, 4), holistic_score(10, 10), holistic_score(0, 10)
    (Fraction(49, 1), Fraction(100, 1), Fraction(0, 1))
    """
    return 5 * Fraction(content) + Fraction(content * organization, 2)


def explain_holistic(content: int, organization: int) -> str:
    """Return the formula with the two scores filled in.

    >>> explain_holistic(7, 4)
    'score = 5 × 7 + 0.5 × 7 × 4 = 49'
    """
    value = show(holistic_score(content, organization))
    return f"score = 5 × {content} + 0.5 × {content} × {organization} = {value}"
