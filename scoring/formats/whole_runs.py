"""A ranked run in memory, as measures take it, whatever form its file has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from scoring.formats.run_blocks import Block
from scoring.formats.run_rules import Ties
from scoring.records import Issue, RankedDoc


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeRun:
    """A run: topic -> docno -> score in the order of its file; ``tag`` is "" where the file says none.

    ``ties`` is the warning of scores that tie against the ranks, or empty.
    """

    tag: str
    rankings: Mapping[str, Mapping[str, float]]
    ties: tuple[Issue, ...]


def whole_run(lines: Iterable[Block | RankedDoc]) -> WholeRun:
    """The run that these lines are, in which no document comes twice in a topic."""
    tag = ""
    rankings: dict[str, dict[str, float]] = {}
    ties, last = Ties(), dict[str, RankedDoc]()
    for number, each in enumerate(lines, 1):
        scores = rankings.setdefault(each.topic, {})
        before = last.get(each.topic)
        if isinstance(each, Block):
            tag = tag or each.tag
            scores.update(zip(each.docnos, cast(list[float], each.scores.tolist()), strict=True))
            last[each.topic] = ties.look_at_block(each, before)
        else:
            tag = tag or each.run
            scores[each.docno] = each.score
            ties.look(number, each, before)
            last[each.topic] = each
    return WholeRun(tag=tag, rankings=rankings, ties=tuple(replace(issue, where="") for issue in ties.issue()))
