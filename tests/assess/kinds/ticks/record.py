"""The one write: a tick of an item, kept as a judgment by a criterion that no track asks."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.held_work import require_open_for_writing
from assess.base.errors import Conflict
from assess.models import Assignment, Item, Judgment

from .options import Ticking

WORK, TICK = Ticking.key, "tick"


def record_tick(
    *, actor: User, assignment: Assignment, item: Item, value: int | None, client_key: UUID, how: str = "click"
) -> Judgment:
    """Add a tick; the same key with the same content is the first row. None takes it back."""
    with transaction.atomic():
        locked = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        earlier = Judgment.objects.filter(client_key=client_key).first()
        if earlier is not None:
            if (earlier.item_id, earlier.value, earlier.assignment_id) != (item.pk, value, assignment.pk):
                raise Conflict("This key was used before for another tick.")
            return earlier
        locked.campaign = assignment.campaign
        require_open_for_writing(actor=actor, assignment=locked)
        row = Judgment(
            item=item,
            criterion=TICK,
            value=value,
            assessor=actor,
            assignment=assignment,
            client_key=client_key,
            how=how,
        )
        row.save()
        return row
