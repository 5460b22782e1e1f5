"""Setting items aside for later: an assessor's own list. None of this reaches an export."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.domain.assignments import require_open
from assess.assignments.domain.held_work import hold
from assess.assignments.models import Assignment, SetAside
from assess.items.models import Item


def set_aside(*, actor: User, assignment: Assignment, item: Item) -> None:
    """Set an item of the assessor's work aside for later; what is set aside already stays so.

    Refused: work that is not the actor's or not open, and a campaign in which nobody judges.
    """
    with hold(assignment) as held:
        require_open(actor=actor, assignment=held.assignment)
        SetAside.objects.get_or_create(assignment=assignment, item=item)
