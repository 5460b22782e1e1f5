"""Votes: is a nugget of the frozen list vital or only okay, by any number of assessors, each alone."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.ledger.models import How
from nuggets.votes.models import NuggetVote
from nuggets.writing.counting_lists import official_list
from nuggets.writing.models import Nugget
from nuggets.writing.rows import first_or_refused, lock_assignment, one_key, require_how, require_writable

WORK = "votes"


def record_vote(
    *,
    actor: User,
    assignment: Assignment,
    nugget: Nugget,
    importance: str | None,
    client_key: UUID,
    how: str = How.KEY,
) -> NuggetVote:
    """Add one vote on a nugget of the list that counts; None takes the vote back.

    The same key with the same content returns the first row; with other content it is refused.
    """
    require_how(how)
    if importance is not None and importance not in Nugget.Importance.values:
        raise Invalid(f"{importance} is no vote. Vote vital or okay.")
    with one_key(), transaction.atomic():
        lock_assignment(assignment, WORK)
        earlier = NuggetVote.objects.filter(client_key=client_key).first()
        if earlier is not None:
            said = (earlier.nugget_id, earlier.importance, earlier.assessor_id, earlier.assignment_id)
            return first_or_refused(earlier, same=said == (nugget.pk, importance, actor.pk, assignment.pk))
        require_writable(actor=actor, assignment=assignment)
        nugget_list = official_list(assignment.topic_id)
        if nugget_list is None or nugget.nugget_list_id != nugget_list.pk or not nugget.is_active:
            raise Conflict("This nugget is not on the list that counts now. Reload the page to see the newest list.")
        row = NuggetVote(
            nugget=nugget, importance=importance, assessor=actor, assignment=assignment, client_key=client_key, how=how
        )
        row.save()
        return row
