"""Ranked measures of one topic as formulas with the grades filled in, for those that are short enough to be read.

The documents stand as trec_eval ranks them: by score as a single-precision float, ties by docno, both descending.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from scoring.measures import parse
from scoring.records import RankedDoc


def ranked_arithmetic(name: str, grades: Mapping[str, int], ranked: Sequence[RankedDoc], level: int) -> str:
    """The formula of a measure such as "nDCG@10" with the figures of one topic; "" for a measure that is not known.

    >>> ranked = [RankedDoc(topic="1", docno=docno, rank=place, score=-place) for place, docno in enumerate("abc", 1)]
    >>> ranked_arithmetic("nDCG@2", {"a": 1, "c": 2}, ranked, 1)
    '(1 / log2(2)) / (2 / log2(2) + 1 / log2(3))'
    >>> ranked_arithmetic("AP", {"a": 1, "c": 2}, ranked, 1), ranked_arithmetic("P@2", {"a": 1, "c": 2}, ranked, 1)
    ('(1 / 1 + 2 / 3) / 2', '1 / 2')
    """
    judged_at = name.startswith("Judged@")
    chosen = None if judged_at else parse(name)
    cutoff = int(name.removeprefix("Judged@")) if chosen is None else chosen.cutoff
    found = [grades.get(docno, -1) for docno in _order(ranked)]
    if chosen is None:
        seen = found[:cutoff]
        return f"{sum(grade >= 0 for grade in seen)} / {len(seen)}" if seen else "0"
    if chosen.measure.name == "nDCG":
        return _ndcg(found[:cutoff], best_grades(grades)[:cutoff])
    relevant = sum(grade >= level for grade in grades.values())
    hits = [place for place, grade in enumerate(found[:cutoff], 1) if grade >= level]
    formula = _FORMULAS.get(chosen.measure.name)
    return formula(hits, relevant, found, cutoff) if formula is not None else ""


def best_grades(grades: Mapping[str, int]) -> list[int]:
    """The grades above 0 of all judged documents, best first: the ideal ranking."""
    return sorted((grade for grade in grades.values() if grade > 0), reverse=True)


def _order(ranked: Sequence[RankedDoc]) -> list[str]:
    import numpy as np

    with np.errstate(over="ignore"):
        lines = [(float(np.float32(line.score)), line.docno) for line in ranked]
    lines.sort(key=lambda line: line[1], reverse=True)
    lines.sort(key=lambda line: -line[0])
    return [docno for _, docno in lines]


def _ndcg(found: Sequence[int], ideal: Sequence[int]) -> str:
    return f"({_gains(found)}) / ({_gains(ideal)})" if ideal else "0"


def _gains(grades: Sequence[int]) -> str:
    return " + ".join(f"{grade} / log2({place + 1})" for place, grade in enumerate(grades, 1) if grade > 0) or "0"


def _ap(hits: Sequence[int], relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    terms = " + ".join(f"{count} / {place}" for count, place in enumerate(hits, 1))
    return f"({terms or '0'}) / {relevant}" if relevant else "0"


def _share(
    hits: Sequence[int], relevant: int, found: Sequence[int], cutoff: int | None, *, of: Callable[[int, int, int], int]
) -> str:
    below = of(relevant, len(found), cutoff or 0)
    return f"{len(hits)} / {below}" if below else "0"


def _reciprocal(hits: Sequence[int], _relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    return f"1 / {hits[0]}" if hits else "0"


def _r_precision(hits: Sequence[int], relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    return f"{sum(place <= relevant for place in hits)} / {relevant}" if relevant else "0"


def _success(hits: Sequence[int], _relevant: int, _found: Sequence[int], _cutoff: int | None) -> str:
    return str(int(bool(hits)))


_FORMULAS: dict[str, Callable[[Sequence[int], int, Sequence[int], int | None], str]] = {
    "AP": _ap,
    "P": partial(_share, of=lambda relevant, returned, cutoff: cutoff),
    "R": partial(_share, of=lambda relevant, returned, cutoff: relevant),
    "RR": _reciprocal,
    "Rprec": _r_precision,
    "SetP": partial(_share, of=lambda relevant, returned, cutoff: returned),
    "SetR": partial(_share, of=lambda relevant, returned, cutoff: relevant),
    "Success": _success,
}
