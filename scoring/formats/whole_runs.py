"""Holds a ranked run in memory in the form that measures need, whatever the form of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from scoring.formats.run_blocks import Block
from scoring.formats.run_rules import ScoreOrder
from scoring.records import Issue, RankedDoc


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeRun:
    """A run as topic -> docno -> score, in the order of its file; ``tag`` is "" if the file gives none.

    ``order`` holds the warnings about scores that contradict the ranks, if there are any.
    """

    tag: str
    rankings: Mapping[str, Mapping[str, float]]
    order: tuple[Issue, ...]


def whole_run(lines: Iterable[Block | RankedDoc]) -> WholeRun:
    """Return the run made of these lines. No document may occur twice in a topic."""
    tag = ""
    rankings: dict[str, dict[str, float]] = {}
    order = ScoreOrder()
    for number, each in enumerate(lines, 1):
        scores = rankings.setdefault(each.topic, {})
        if isinstance(each, Block):
            tag = tag or each.tag
            scores.update(zip(each.docnos, cast(list[float], each.scores.tolist()), strict=True))
            order.look_at_block(each)
        else:
            tag = tag or each.run
            scores[each.docno] = each.score
            order.look(number, each)
    return WholeRun(tag=tag, rankings=rankings, order=tuple(replace(issue, where="") for issue in order.issues()))


def order_issues(lines: Iterable[RankedDoc]) -> Iterator[Issue]:
    """Return a warning for each way in which the scores of these lines contradict their ranks, if there is any."""
    order = ScoreOrder()
    for number, line in enumerate(lines, 1):
        order.look(number, line)
    return (replace(issue, where="") for issue in order.issues())
