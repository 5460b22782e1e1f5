"""A ranked run in memory, as measures take it, whatever form its file has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from scoring.formats.run_blocks import Block
from scoring.formats.run_rules import ScoreOrder
from scoring.records import Issue, RankedDoc


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeRun:
    """A run: topic -> docno -> score in the order of its file; ``tag`` is "" where the file says none.

    ``order`` are the warnings of scores that go against the ranks, if there are any.
    """

    tag: str
    rankings: Mapping[str, Mapping[str, float]]
    order: tuple[Issue, ...]


def whole_run(lines: Iterable[Block | RankedDoc]) -> WholeRun:
    """Return the run that these lines are, in which no document comes twice in a topic."""
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
    """Return the warnings of scores that go against the ranks of these lines of a run, if there are any."""
    order = ScoreOrder()
    for number, line in enumerate(lines, 1):
        order.look(number, line)
    return (replace(issue, where="") for issue in order.issues())
