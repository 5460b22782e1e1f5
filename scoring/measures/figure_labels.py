"""Computes NDCG of ranked figure and table labels; a part of a correct figure, or the whole of a correct part, is half
right.

    DCG@k = sum over the first k of relevance / log2(place + 1)        NDCG@k = DCG@k / ideal DCG@k

There are two forms, from the evidence task of Context25 (SDProc 2025):

*Official*: as the task's own script computes it, including its oddities. A label is worth 1 if it is exactly a gold
label, .5 if one of the two is a substring of the other, and 0 otherwise. Nothing is stripped or folded, so " TAB 1" (a
blank after the comma) is worth .5, "" is worth .5, and "FIG 1" is worth .5 for "FIG 10". A repeated label counts each
time, so values above 1 are possible. The ideal ranks the gold labels and then the claim's candidate labels by the same
worth, so the gold list itself need not reach 1.

*Strict*: as in the task's README. Labels are normalised (`scoring.figure_grammar`), and a repeated one counts only at
its first place. A label is worth 1 if it is a gold label, and .5 if one of the two is a part of the other: a sub-figure
and its parent each earn on their own. The ideal is the gold list alone. A value is at most 1: half-right labels beside
a complete answer earn no more than that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log2

from scoring.figure_grammar import FigureLabel, normalise_label, parse_label
from scoring.measures.spec import Measure, Parameter

_STRICT = Parameter(name="strict", default=False, help="labels by their grammar, at most 1")
MEASURES = (
    Measure(
        name="labelNDCG",
        family="labels",
        label="NDCG of figure labels; a part of a right one, or its whole, earns .5",
        source="Context25, SDProc 2025",
        parameters=(_STRICT,),
        cutoff="must",
        high=None,
        edge_cases="above 1 in the official form where a label is repeated; never with strict=true",
    ),
)

SAME, RELATED = 1.0, 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedLabel:
    """A label at its place in a ranking, with its relevance. ``why`` is the gold label that it matched, or ""."""

    place: int
    label: str
    relevance: float
    why: str = ""

    @property
    def gain(self) -> float:
        """The relevance, discounted by the place."""
        return self.relevance / log2(self.place + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelScore:
    """One claim's NDCG at one depth, with the rows that it was computed from. ``value`` is None without gold labels."""

    value: float | None
    predicted: tuple[RankedLabel, ...]
    ideal: tuple[RankedLabel, ...]

    @property
    def dcg(self) -> float:
        """The discounted gain of the predicted labels."""
        return _total(self.predicted)

    @property
    def ideal_dcg(self) -> float:
        """The discounted gain of the ideal ranking."""
        return _total(self.ideal)


def official_ndcg(
    predicted: Sequence[str], *, gold: Sequence[str], candidates: Sequence[str], depth: int
) -> LabelScore:
    """Return NDCG as the official script computes it. If ``gold`` is empty, the value is None; the script skips such a
    claim.

    >>> official_ndcg(["FIG 1"], gold=["FIG 1"], candidates=["FIG 1", "FIG 2"], depth=3).value
    1.0
    >>> official_ndcg([" FIG 1"], gold=["FIG 1"], candidates=[], depth=3).value
    0.5
    """
    named = set(gold)
    worth = {label: _substring_worth(label, gold, named) for label in (*gold, *candidates)}
    ranked = [_official_row(place, label, gold, named) for place, label in enumerate(predicted[:depth], start=1)]
    best = sorted(worth.items(), key=lambda each: -each[1])[:depth]
    ideal = [RankedLabel(place=place, label=label, relevance=value) for place, (label, value) in enumerate(best, 1)]
    return _score(ranked, ideal, defined=bool(named))


def strict_ndcg(predicted: Sequence[str], *, gold: Sequence[str], depth: int) -> LabelScore:
    """Return NDCG by the grammar of labels, at most 1; the value is None if ``gold`` is empty.

    >>> strict_ndcg([" fig. 1", "FIG 1"], gold=["FIG 1"], depth=3).value
    1.0
    >>> strict_ndcg(["FIG 10"], gold=["FIG 1"], depth=3).value
    0.0
    """
    right = {label: parse_label(label) for label in distinct_labels(gold)}
    given = islice(distinct_labels(predicted), depth)
    ranked = [_strict_row(place, label, right) for place, label in enumerate(given, start=1)]
    ideal = [
        RankedLabel(place=place, label=label, relevance=SAME) for place, label in enumerate(islice(right, depth), 1)
    ]
    score = _score(ranked, ideal, defined=bool(right))
    return score if score.value is None else replace(score, value=min(score.value, 1.0))


def distinct_labels(labels: Iterable[str]) -> Iterator[str]:
    """Yield the normalised labels, without empty ones. A repeated label is yielded only once, at its first place."""
    seen = {""}
    for label in map(normalise_label, labels):
        if label not in seen:
            seen.add(label)
            yield label


def _score(ranked: Sequence[RankedLabel], ideal: Sequence[RankedLabel], *, defined: bool) -> LabelScore:
    most = _total(ideal)
    value = _total(ranked) / most if defined and most else None
    return LabelScore(value=value, predicted=tuple(ranked), ideal=tuple(ideal))


def _total(rows: Sequence[RankedLabel]) -> float:
    return sum((row.gain for row in rows), 0.0)


def _substring_worth(label: str, gold: Sequence[str], named: set[str]) -> float:
    if label in named:
        return SAME
    return RELATED if any(label in each or each in label for each in gold) else 0.0


def _official_row(place: int, label: str, gold: Sequence[str], named: set[str]) -> RankedLabel:
    relevance = _substring_worth(label, gold, named)
    why = label if label in named else next((each for each in gold if label in each or each in label), "")
    return RankedLabel(place=place, label=label, relevance=relevance, why=why)


def _strict_row(place: int, label: str, right: Mapping[str, FigureLabel | None]) -> RankedLabel:
    if label in right:
        return RankedLabel(place=place, label=label, relevance=SAME, why=label)
    own = parse_label(label)
    why = next((name for name, each in right.items() if own is not None and each and own.is_related(each)), "")
    return RankedLabel(place=place, label=label, relevance=RELATED if why else 0.0, why=why)
