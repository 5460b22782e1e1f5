"""Computes how much of a rubric's answers a report supports, and how much it contradicts (TREC DRAGUN 2025, task 2).

    supportive    = sum over questions q of w_q * (supports + partial / 2) / n_q, over M
    contradictory = sum over questions q of w_q * contradicts / n_q, over M

n_q is the number of verdicts on answers of q, w_q the question's weight (A 4, B 2, C 1), and M the sum of the weights
of all questions of the topic's rubric, so that a question without an answer adds 0. Neither score is subtracted from
the other. A repeated verdict counts each time. A run's value is the mean over the topics in which it has a verdict.
Source: trec-dragun/resources, its scoring script.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from scoring.measures.graded_items import RUBRIC, rubric_sums

GAINS = {"supports": Fraction(1), "partial": Fraction(1, 2), "none": Fraction(0), "contradicts": Fraction(-1)}
"""The gain of each verdict, as in a design with rows of verdicts (`docs/designs/report-verdicts.toml`)."""


def verdict_scores(
    verdicts: Iterable[tuple[str, str]], question_of: Mapping[str, str], weights: Mapping[str, Fraction]
) -> tuple[Fraction, Fraction]:
    """Return the supportive and the contradictory score of one report from its (answer, verdict) pairs.

    ``question_of`` maps each answer to its question, and ``weights`` every question of the topic to its weight. Both
    scores are 0 if there are no verdicts or no weight is above 0. Raises KeyError for an unknown answer, question or
    verdict.

    >>> questions = {"na-1": "q1", "na-2": "q1", "na-3": "q1", "na-4": "q2", "na-5": "q2", "na-6": "q3"}
    >>> said = ("supports", "partial", "contradicts", "none", "supports", "partial")
    >>> weights = {"q1": Fraction(4), "q2": Fraction(2), "q3": Fraction(1)}
    >>> [str(score) for score in verdict_scores(zip(questions, said), questions, weights)]
    ['1/2', '4/21']
    """
    rows = [(question_of[answer], GAINS[verdict]) for answer, verdict in verdicts]
    supportive, contradictory = (rubric_sums(name, rows, weights) for name in RUBRIC[:2])
    zero = Fraction(0), Fraction(1)
    (said, whole), (gainsaid, _) = supportive or zero, contradictory or zero
    return said / whole, gainsaid / whole
