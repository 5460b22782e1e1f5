"""Recorded judgments as rows, without a model instance for each: the quick way of a replay of very many.

A block goes this way where each judgment in it is of an item that is here, asked, on the scale, without snippets and
with a note that can be stored. Of any other block nothing is added: the long way (`record_judgments`) does or says what
is to be done or said of each of its judgments.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, TypeGuard

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from assess.assignments.domain.assignments import lock_assignment, require_open_for_writing
from assess.base.bulk import add_rows
from assess.base.errors import Invalid, Refused
from assess.base.fields import check_text
from assess.campaigns.queries import current_guideline_id, stage_of
from assess.judging.models import Judgment
from assess.kinds.grade.record import NOTE_LIMIT
from assess.ledger.models import How, take_points
from assess.protocol import Stage
from assess.replay.session import Desk, ReplayLine, key_of
from scoring.recorded_acts import Judged, RecordedAct

SAID = ("id", "item_id", "criterion", "value", "note", "client_key", "draft")
SHARED = ("created_at", "assessor_id", "assignment_id", "guideline_id", "how")


def add_plain(desk: Desk, block: Sequence[ReplayLine], unpooled: Set[int]) -> bool:
    """Add a block of judgments in their order, in one transaction; False where the long way is to be gone.

    Refused by the long way: what `record_judgments` refuses. ``unpooled`` are as it takes them.
    """
    said = _said(desk, block, unpooled)
    if said is None:
        return False
    try:
        with transaction.atomic():
            locked = lock_assignment(desk.assignment)
            require_open_for_writing(actor=desk.user, assignment=locked)
            shared = _shared(desk)
            numbers = take_points(desk.session.campaign.pk, len(said))
            rows = [(number, *own, *shared) for number, own in zip(numbers, said, strict=True)]
            add_rows(Judgment, (*SAID, *SHARED), rows)
    except (IntegrityError, Refused):
        return False
    return True


def _shared(desk: Desk) -> tuple[Any, ...]:
    """What all rows of a block have alike."""
    now = Judgment._meta.get_field("created_at").get_db_prep_save(timezone.now(), connection)
    return now, desk.user.pk, desk.assignment.pk, current_guideline_id(desk.session.campaign), How.IMPORT.value


def _said(desk: Desk, block: Sequence[ReplayLine], unpooled: Set[int]) -> list[tuple[Any, ...]] | None:
    """What each judgment of the block says, as it is stored after its number; None where one is not plain."""
    items, key = desk.item_ids(), desk.session.key_text
    _, stage = stage_of(desk.assignment.campaign, desk.assignment.stage)
    allowed: dict[tuple[str, int | None], bool] = {}
    rows: list[tuple[Any, ...]] = []
    for line in block:
        act = line.act
        if not _is_plain(act):
            return None
        answer = act.criterion, act.value
        if answer not in allowed:
            allowed[answer] = _allows(stage, *answer)
        item = items.get(key_of(act))
        if item is None or item in unpooled or not allowed[answer]:
            return None
        rows.append((item, act.criterion, act.value, act.note, key(act), act.draft or None))
    return rows


def _is_plain(act: RecordedAct) -> TypeGuard[Judged]:
    return isinstance(act, Judged) and not act.evidence and (not act.note or _can_be_stored(act.note))


def _can_be_stored(note: str) -> bool:
    try:
        check_text(Judgment._meta.get_field("note"), note)
    except Invalid:
        return False
    return len(note) <= NOTE_LIMIT


def _allows(stage: Stage, criterion: str, value: int | None) -> bool:
    asked = stage.criterion(criterion)
    return asked is not None and (value is None or asked.allows(value))
