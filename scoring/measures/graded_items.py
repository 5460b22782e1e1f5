"""Computes measures from the gains of a response's items, for designs whose runs are not rankings.

For one topic, over everything that a run returned for it (whole answers, sentences, strings, citations, rows of a
table):

    mean      = sum of gains of judged items / judged items
    total     = sum of gains of judged items
    share     = judged items that gain the bound or more / judged items
    judged    = judged items / items

For answers whose sentences cite, where a sentence's worth is the mean gain of its judged citations over the best gain:

    citation-precision = sum of the worth of sentences / sentences with a judged citation
    citation-recall    = the same sum / sentences, except those whose citations are all unjudged

For rows of a table that answer the questions of a rubric, where q has the weight w_q, n_q of its rows are judged, and M
is the sum of the weights above 0 of all questions of the topic:

    rubric-supported    = sum over q of w_q * (sum of gains above 0) / n_q, over M
    rubric-contradicted = sum over q of w_q * (sum of gains below 0, without their sign) / n_q, over M
    rubric-best         = sum over q of w_q * (the best gain of its rows, at least 0), over M

A question with a weight below 0 takes away, and is not in M: it names a failure that costs. Neither of the first two is
subtracted from the other. A topic in which no row of a run is judged is left out of their means; it does not
count as 0.

Edge cases: a topic that the run left out is 0. If items were returned and none is judged, a mean, a share and
citation-precision are undefined (None), never 0. An answer without citations has 0 for both citation measures. Values
are exact fractions.

Source: this project. citation-precision and citation-recall are weighted precision and recall of TREC RAG 2024. The
measures of rubrics are those of TREC DRAGUN 2025 (rubric-best of task 1, the others of task 2), in which the verdict
that a report contradicts an answer has the gain -1. Weights below 0 are those of ResearchRubrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from scoring.measures.spec import Measure

CITED = ("citation-precision", "citation-recall")
"""The measures that need to know which sentence each item is in."""
RUBRIC = ("rubric-supported", "rubric-contradicted", "rubric-best")
"""The measures that need to know the question of each row, and its weight."""
_SOURCES = dict.fromkeys(CITED, "TREC RAG 2024") | dict.fromkeys(RUBRIC[:2], "TREC DRAGUN 2025, task 2")
_SOURCES["rubric-best"] = "TREC DRAGUN 2025, task 1"

MEASURES = tuple(
    Measure(
        name=name,
        family="graded",
        label=label,
        source=_SOURCES.get(name, "this project"),
        high=1.0 if name in ("share", "judged", *CITED) else None,
        edge_cases=edge_cases,
    )
    for name, label, edge_cases in (
        ("mean", "mean gain of the judged items of a response", "undefined where none is judged"),
        ("total", "sum of the gains of a response's judged items", "0 where none is judged"),
        ("share", "judged items that gain the bound or more / judged items", "undefined where none is judged"),
        ("judged", "judged items / items of a response", "0 of nothing"),
        ("citation-precision", "support of sentences / sentences with a judged citation", "0 where nothing is cited"),
        ("citation-recall", "support of sentences / sentences", "0 where nothing is cited"),
        ("rubric-supported", "weighted gains above 0 of a rubric's questions", "undefined where nothing is judged"),
        ("rubric-contradicted", "weighted gains below 0 of a rubric's questions", "undefined where nothing is judged"),
        ("rubric-best", "weighted best gains of a rubric's questions", "undefined where nothing is judged"),
    )
)

Gains = Sequence[Fraction | None]
"""The gains of the items that a run returned for a topic, in order; None for an unjudged item."""

Sums = tuple[Fraction, int] | None
"""A sum and the number it is divided by; None if the value is undefined, and (sum, 0) if it is 0."""


def item_sums(name: str, gains: Gains, *, bound: Fraction) -> Sums:
    """Return the numerator and denominator of a topic's "mean", "total", "share" or "judged".

    A mean or share is None (undefined) if there are items, but none is judged. If there is no item, the denominator is
    0, which means the value 0. A total is always a sum over 1. ``bound`` is used for "share" only.

    >>> some = [Fraction(2), None, Fraction(1)]
    >>> item_sums("mean", some, bound=Fraction(2)), item_sums("share", some, bound=Fraction(2))
    ((Fraction(3, 1), 2), (Fraction(1, 1), 2))
    >>> item_sums("judged", some, bound=Fraction(1)), item_sums("total", some, bound=Fraction(1))
    ((Fraction(2, 1), 3), (Fraction(3, 1), 1))
    >>> item_sums("mean", [None], bound=Fraction(1)), item_sums("mean", [], bound=Fraction(1))
    (None, (Fraction(0, 1), 0))
    """
    known = [gain for gain in gains if gain is not None]
    if name == "judged":
        return Fraction(len(known)), len(gains)
    if name == "total":
        return sum(known, Fraction(0)), 1
    if not known:
        return None if gains else (Fraction(0), 0)
    worth = sum(known, Fraction(0)) if name == "mean" else Fraction(sum(gain >= bound for gain in known))
    return worth, len(known)


def citation_sums(name: str, sentences: Sequence[Gains], *, best: Fraction) -> Sums:
    """Return the numerator and denominator for a measure of citations, from the gains of each sentence's citations.

    A sentence whose citations are all unjudged is left out. A sentence without citations counts as 0 for recall, and is
    left out for precision. If no sentence remains, the value is 0 (both numbers are 0) if nothing is cited, otherwise
    undefined (None). ``best`` is the highest gain of the question.

    >>> answer = [[Fraction(2), Fraction(1)], [], [None]]
    >>> citation_sums("citation-precision", answer, best=Fraction(2))
    (Fraction(3, 4), 1)
    >>> citation_sums("citation-recall", answer, best=Fraction(2))
    (Fraction(3, 4), 2)
    >>> citation_sums("citation-recall", [[None]], best=Fraction(2))
    """
    worth = [mean for mean in (_sentence_worth(gains, best) for gains in sentences) if mean is not None]
    below = len(worth) if name == "citation-precision" else len(worth) + sum(not gains for gains in sentences)
    if not below:
        return None if any(sentences) else (Fraction(0), 0)
    return sum(worth, Fraction(0)), below


def rubric_sums(
    name: str, rows: Iterable[tuple[str, Fraction | None]], weights: Mapping[str, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """Return a report's weighted sum of gains, and the total of the weights above 0.

    ``rows`` holds (question, gain) for each row of the report; the gain is None if the row is unjudged. A repeated row
    counts each time. Return None if no row is judged or no weight is above 0. Raises KeyError if a judged question has
    no weight.

    >>> rows = [("q1", Fraction(1)), ("q1", Fraction(1, 2)), ("q1", Fraction(-1)), ("q2", Fraction(0)), ("q2", None)]
    >>> weights = {"q1": Fraction(4), "q2": Fraction(2), "q3": Fraction(1)}
    >>> rubric_sums("rubric-supported", rows, weights), rubric_sums("rubric-contradicted", rows, weights)
    ((Fraction(2, 1), Fraction(7, 1)), (Fraction(4, 3), Fraction(7, 1)))
    >>> rubric_sums("rubric-best", rows, weights), rubric_sums("rubric-best", rows, weights | {"q1": Fraction(-1)})
    ((Fraction(4, 1), Fraction(7, 1)), (Fraction(-1, 1), Fraction(3, 1)))
    """
    sign = -1 if name == "rubric-contradicted" else 1
    of_questions: dict[str, list[Fraction]] = {}
    for question, gain in rows:
        if gain is not None:
            of_questions.setdefault(question, []).append(max(sign * gain, Fraction(0)))
    whole = sum((weight for weight in weights.values() if weight > 0), Fraction(0))
    if not of_questions or not whole:
        return None
    total = Fraction(0)
    for question, gains in of_questions.items():
        total += weights[question] * (max(gains) if name == "rubric-best" else sum(gains, Fraction(0)) / len(gains))
    return total, whole


def _sentence_worth(gains: Gains, best: Fraction) -> Fraction | None:
    known = [gain for gain in gains if gain is not None]
    return sum(known, Fraction(0)) / len(known) / best if known else None
