"""The rules for notes, snippets and lengths under earlier versions of a design, which older records obeyed.

A new version may require more for a grade, or allow fewer words. Existing judgments stay as they are, so a release is
checked against what one of its versions accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from assess.protocol import OFFERED, Criterion
from tracks.designs.differences import changes_between
from tracks.designs.reading import track_of_text


def criteria_taking(texts: Sequence[str]) -> dict[str, Criterion]:
    """Return key -> criterion for the last of these versions, of which there is at least one. Each criterion accepts
    everything that any version accepted. Raises BadDesign if a version has faults.
    """
    held = _criteria(texts[0])
    for number, (before, now) in enumerate(pairwise(texts)):
        mappings = changes_between(before, now, earlier=texts[:number]).mappings
        moved = {(each.question, each.before): each.now for each in mappings}
        asked = _criteria(now)
        held = {key: _taking(each, held[key], moved) if key in held else each for key, each in asked.items()}
    return held


def _criteria(text: str) -> dict[str, Criterion]:
    stages = [stage for task in track_of_text(text).tasks for stage in task.stages]
    return {each.key: each for stage in stages for each in stage.criteria}


def _taking(now: Criterion, before: Criterion, moved: Mapping[tuple[str, int], int]) -> Criterion:
    """Return a version's criterion, changed to accept also what the criterion of the previous version accepted."""
    grades = []
    for grade in now.grades:
        were = [each for each in before.grades if moved.get((now.key, each.value), each.value) == grade.value]
        notes, snippets = ({getattr(each, name) for each in (grade, *were)} for name in ("note", "evidence"))
        grades.append(replace(grade, note=_either(notes), evidence=_either(snippets)))
    return replace(
        now,
        grades=tuple(grades),
        evidence=now.evidence or before.evidence,
        words=_more(now.words, before.words),
        least=min(now.least, before.least),
        most=_more(now.most, before.most),
    )


def _either(said: Collection[str]) -> str:
    """Return the rule that all versions have. If their rules differ, return "offered", which accepts everything."""
    return next(iter(said)) if len(said) == 1 else OFFERED


def _more(now: int, before: int) -> int:
    """Return the wider of two bounds. A bound of 0 means that there is no limit."""
    return max(now, before) if now and before else 0
