"""What the items of a response are worth by the gains of one question: measures of designs whose runs rank nothing.

Of one topic, over what a run returned for it (whole answers, sentences, strings, citations, rows of a table):

    mean      = sum of gains of judged items / judged items
    total     = sum of gains of judged items
    share     = judged items that gain the bound or more / judged items
    judged    = judged items / items

and of answers whose sentences cite, where a sentence is worth the mean gain of its judged citations over the best gain:

    citation-precision = sum of what sentences are worth / sentences of which a citation is judged
    citation-recall    = the same sum / sentences, without those that cite and of which nothing is judged

Edge cases: a topic that the run left out has 0. Where items were returned and none is judged, a mean, a share and
citation-precision are undefined (None), never 0. An answer that cites nothing has 0 for both citation measures. Values
are exact fractions.

Source: this project; citation-precision and citation-recall are weighted precision and recall of TREC RAG 2024.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from scoring.measures.spec import Measure

CITED = ("citation-precision", "citation-recall")
"""The measures that ask of each item in which sentence it stands."""

MEASURES = tuple(
    Measure(
        name=name,
        family="graded",
        label=label,
        source="TREC RAG 2024" if name in CITED else "this project",
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
    )
)

Gains = Sequence[Fraction | None]
"""The gains of what a run returned for a topic, in its order; None where nobody judged it."""

Sums = tuple[Fraction, int] | None
"""What is divided by how many; None where the value is undefined, and (sum, 0) where it is 0."""


def item_sums(name: str, gains: Gains, *, bound: Fraction) -> Sums:
    """What the value of a topic is divided of, for all measures but those of citations.

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
    """The same for the measures of citations, whose gains are given sentence by sentence.

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


def _sentence_worth(gains: Gains, best: Fraction) -> Fraction | None:
    known = [gain for gain in gains if gain is not None]
    return sum(known, Fraction(0)) / len(known) / best if known else None
