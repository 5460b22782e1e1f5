"""Check that a release's acts are on the scales of its settings, for `python -m scoring verify`, without Django."""

from __future__ import annotations

from assess.protocol import Task, given_problem
from nuggets.options import Matching, NuggetWriting
from scoring.release.recorded_acts import Judged, Matched, NonePicked, NuggetWritten, RecordedAct


def scale_of(act: RecordedAct) -> object:
    """Return the part of an act that decides what `off_scale` returns for it. Acts of one kind and criterion with equal
    parts get the same result.
    """
    if isinstance(act, Judged):
        return act.value if not act.given and not act.evidence else act
    if isinstance(act, Matched):
        return act.is_partial
    return act.group if isinstance(act, NuggetWritten) else ""


def off_scale(act: RecordedAct, task: Task) -> str:
    """Return words for what in an act is not on the scales; "" if everything is.

    ``task`` is the task of the act's topic. It has only the criteria that the release's settings ask, on their scales.
    """
    if isinstance(act, (Judged, NonePicked)):
        asked = [each for stage in task.stages for each in stage.criteria if each.key == act.criterion]
        if not asked:
            return f"nothing is judged by “{act.criterion[:80]}” under the settings of the release"
        if isinstance(act, NonePicked):
            return ""
        if act.given and all(given_problem(each, act.given) for each in asked):
            return f"{given_problem(asked[0], act.given)} So say the settings of the release"
        values = [
            *([act.value] if act.value is not None else []),
            *(each.value for each in act.evidence if each.value is not None),
        ]
        off = next((value for value in values if not any(each.allows(value) for each in asked)), None)
        return (
            f"{off} is not on the scale of {act.criterion} under the settings of the release" if off is not None else ""
        )
    works = [stage.work for stage in task.stages]
    if isinstance(act, NuggetWritten) and act.group:
        groups = {key for work in works if isinstance(work, NuggetWriting) for key, _ in work.groups}
        return f"“{act.group[:80]}” is no group of nuggets" if groups and act.group not in groups else ""
    partial = any(isinstance(work, Matching) and work.partial for work in works)
    if isinstance(act, Matched) and act.is_partial and not partial:
        return "nuggets are found here or not, and never in part"
    return ""
