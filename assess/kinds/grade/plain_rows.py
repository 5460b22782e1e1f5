"""A fast path that adds plain recorded judgments as rows.

A judgment is plain if its item is stored and asked for, if it is a grade and not a place, and if it has no snippets.
Its note must be storable, and its grade must require neither note nor snippet. The same rules apply to its content
(`check_content`). The slow path is `add_judgments`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeGuard
from uuid import UUID

from assess.assignments.models import Assignment
from assess.base.errors import Refused
from assess.campaigns.queries import current_guideline_id, stage_of
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.kinds.grade.record import JudgmentInput, check_content
from assess.ledger.models import How
from assess.protocol import OFFERED, Stage
from assess.replay.plain_rows import KEY, Row, add_plain_rows, can_be_stored
from assess.replay.session import Desk, ReplayLine
from scoring.release.recorded_acts import Judged, RecordedAct, key_among

COLUMNS = ("item_id", "criterion", "value", "note", "draft", "design_version")
NO_KEY = UUID(int=0)


def add_plain(desk: Desk, block: Sequence[ReplayLine], unpooled: Set[int]) -> bool:
    """Add a block of judgments, in their order, in one transaction. Return False if that can't be done; then none is
    added.

    The caller then adds them one by one. A trial adds nothing in any case. ``unpooled`` is as in `add_judgments`.
    """
    said = _row_values(desk, block, unpooled)
    if said is None:
        return False
    guideline = {"guideline_id": current_guideline_id(desk.session.campaign)}
    return add_plain_rows(desk, Judgment, (*COLUMNS, KEY), said, guideline)


def _row_values(desk: Desk, block: Sequence[ReplayLine], unpooled: Set[int]) -> list[Row] | None:
    """Return the row values of each judgment of the block, or None if one of them is not plain."""
    items, key = desk.item_ids(), desk.key_text
    _, stage = stage_of(desk.assignment.campaign, desk.assignment.stage)
    allowed: dict[tuple[str, int | None, str], bool] = {}
    rows: list[Row] = []
    for line in block:
        act = line.act
        if not _is_plain(act):
            return None
        answer = act.criterion, act.value, act.note
        if answer not in allowed:
            allowed[answer] = _allows(desk.assignment, stage, *answer)
        item = items.get(key_among(items, act))
        if item is None or item in unpooled or not allowed[answer]:
            return None
        rows.append((item, act.criterion, act.value, act.note, act.draft or None, act.version or None, key(act)))
    return rows


def _is_plain(act: RecordedAct) -> TypeGuard[Judged]:
    if not isinstance(act, Judged) or act.evidence or act.given or act.order or act.how:
        return False
    return can_be_stored(Judgment, "note", act.note)


def _allows(assignment: Assignment, stage: Stage, criterion: str, value: int | None, note: str) -> bool:
    """Return whether `check_content` allows this answer for every item of the assignment."""
    asked = stage.criterion(criterion)
    grade = asked.grade(value) if asked is not None and value is not None else None
    if grade is None or not grade.note == grade.evidence == OFFERED:
        return False
    some = Item(topic_id=assignment.topic_id, kind=stage.item_kind)
    said = JudgmentInput(item=some, criterion=criterion, value=value, note=note, client_key=NO_KEY, how=How.IMPORT)
    try:
        check_content(stage=stage, assignment=assignment, judgment=said)
    except Refused:
        return False
    return True
