"""Replay a topic with very many lines in parts: which lines each part holds, and with which others it is tried.

Each part is replayed as if it were the whole topic, with two exceptions. No work is finished before the last of its
lines was replayed, and people whose lines are all in other parts are known, too (`Part.whole`). In a stage whose lines
are not single answers (a nugget list, a grouping), all lines of one person stay in one part. In a trial, a part also
holds the lines of other parts that its own lines wait for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from assess.assignments.models import Assignment
from assess.protocol import Stage
from assess.replay.session import Group, ReplayLine
from scoring.release.recorded_acts import Judged, Matched, RecordedAct, Reviewed, Voted

Grouped = Mapping[Group, Sequence[ReplayLine]]
"""The lines of a question, by stage, role and person, in the order in which they are replayed."""

SINGLE = (Judged, Matched, Reviewed, Voted)
"""Acts on a single item or nugget, which mean the same whatever is done to others."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """Some lines of a topic in their order, of which those with the numbers in ``besides`` belong to other parts.

    ``goes_on`` are the groups of which a later part holds more lines; ``whole`` holds all lines of the topic.
    """

    whole: Grouped
    lines: list[ReplayLine]
    besides: frozenset[int | str]
    goes_on: frozenset[Group]


def can_be_parted(grouped: Grouped, stages: Sequence[Stage]) -> bool:
    """Return whether a topic's lines can be replayed in parts, so that each line does the same as in a replay of the
    whole.

    They can't if somebody acts as adjudicator or machine judge, if somebody has lines in two roles of one stage, if a
    stage puts items in order, or if a line withdraws an answer.
    """
    roles: dict[tuple[str, str], str] = {}
    for stage, role, by in grouped:
        if role not in ("", Assignment.Role.SECOND) or roles.setdefault((stage, by), role) != role:
            return False
    ranks = {stage.key for stage in stages if any(criterion.ranks for criterion in stage.criteria)}
    if any(stage in ranks for stage, *_ in grouped):
        return False
    return all(is_answer(line.act) for lines in grouped.values() for line in lines)


def is_answer(act: RecordedAct) -> bool:
    """Return whether an act gives an answer, and does not withdraw an earlier one."""
    return not isinstance(act, Judged) or act.value is not None or bool(act.given)


def parts_of(grouped: Grouped, stages: Sequence[Stage], *, at_most: int, is_trial: bool) -> Iterator[Part] | None:
    """Return the parts of a topic in order. A part has at most ``at_most`` lines, unless one person's lines that must
    stay together are more.

    A trial is rolled back, so each part of it is tried together with all lines of the stages that must be finished
    before its own. If these are more than ``at_most``, the topic is not divided, and None is returned.
    """
    needed = {stage.key: _waits_for(stage, stages) if is_trial else frozenset() for stage in stages}
    sizes = {key: sum(len(lines) for (stage, *_), lines in grouped.items() if stage in needed[key]) for key in needed}
    if any(sizes[stage] > at_most for stage, *_ in grouped):
        return None
    return _parts(grouped, needed, _cuts(grouped, at_most))


def _waits_for(stage: Stage, stages: Sequence[Stage]) -> frozenset[str]:
    """Return the keys of the stages that must be finished before this one, directly or through other stages."""
    by_key = {each.key: each for each in stages}
    found: set[str] = set()
    left = [stage]
    while left:
        each = left.pop()
        for key in (each.after, each.first_round):
            if key in by_key and key not in found:
                found.add(key)
                left.append(by_key[key])
    return frozenset(found)


def _cuts(grouped: Grouped, at_most: int) -> list[int]:
    """Return where each part ends, as the number of the topic's lines up to there. The parts are about equally long."""
    total = sum(map(len, grouped.values()))
    size = -(-total // -(-total // at_most))
    cuts, first, done = [], 0, 0
    for lines in grouped.values():
        is_whole = not isinstance(lines[0].act, SINGLE)
        if is_whole and first < done and done + len(lines) - first > size:
            first = done
            cuts.append(first)
        while not is_whole and done + len(lines) - first > size:
            first += size
            cuts.append(first)
        done += len(lines)
        if is_whole and done - first >= size:
            first = done
            cuts.append(first)
    return cuts if first == total else [*cuts, total]


def _parts(grouped: Grouped, needed: Mapping[str, frozenset[str]], cuts: Sequence[int]) -> Iterator[Part]:
    ends = dict(zip(grouped, accumulate(map(len, grouped.values())), strict=True))
    first = 0
    for last in cuts:
        begins = {group: max(ends[group] - len(lines), first) for group, lines in grouped.items()}
        said = {group for group, begin in begins.items() if begin < min(ends[group], last)}
        waited = frozenset[str]().union(*(needed[stage] for stage, *_ in said))
        lines: list[ReplayLine] = []
        besides: set[int | str] = set()
        goes_on: set[Group] = set()
        for group, all_lines in grouped.items():
            start = ends[group] - len(all_lines)
            begin, end = begins[group] - start, min(ends[group], last) - start
            if group[0] in waited:
                lines += all_lines
                besides.update(line.number for line in (*all_lines[:begin], *all_lines[max(end, begin) :]))
            elif group in said:
                lines += all_lines[begin:end]
                if end < len(all_lines):
                    goes_on.add(group)
        yield Part(whole=grouped, lines=lines, besides=frozenset(besides), goes_on=frozenset(goes_on))
        first = last
