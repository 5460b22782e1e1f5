"""Record votes: any number of assessors, each alone, say whether a nugget of the frozen list is vital or only okay."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.domain.held_work import HeldWork, hold, require_open
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.ledger.adding import add_once, store
from assess.ledger.models import How
from nuggets.votes.models import NuggetVote
from nuggets.writing.counting_lists import NOT_COUNTING, list_for, means_the_same
from nuggets.writing.edits import require_how, require_kind
from nuggets.writing.models import Nugget

WORK = "votes"


def record_vote(
    *,
    actor: User,
    assignment: Assignment,
    nugget: Nugget,
    importance: str | None,
    client_key: UUID,
    nugget_list: int | None = None,
    how: str = How.KEY,
) -> NuggetVote:
    """Add one vote on a nugget of the list that counts, as `add_vote` does under the same rules. Return its row after
    it was committed.
    """
    with hold(assignment) as held:
        return add_vote(
            actor=actor,
            held=held,
            nugget=nugget,
            importance=importance,
            client_key=client_key,
            nugget_list=nugget_list,
            how=how,
        )


def add_vote(
    *,
    actor: User,
    held: HeldWork,
    nugget: Nugget,
    importance: str | None,
    client_key: UUID,
    nugget_list: int | None = None,
    how: str = How.KEY,
) -> NuggetVote:
    """Add one vote on a nugget of the list that counts, under an assignment that the caller has locked, and return its
    row.

    An ``importance`` of None takes the vote back. The same key with the same content returns the first row; with
    different content it is refused. Also refuses any other importance than vital or okay, a nugget that is not active
    on that list, and an assignment that is not open. ``nugget_list`` is the id of the list that the voter had before
    them: a nugget that said something else there is refused as well.
    """
    require_how(how)
    check_vote(importance)
    require_kind(held.stage, WORK)
    assignment = held.assignment
    row = NuggetVote(
        nugget=nugget, importance=importance, assessor=actor, assignment=assignment, client_key=client_key, how=how
    )

    def add() -> NuggetVote:
        require_open(actor=actor, assignment=assignment)
        counting = list_for(assignment)
        is_listed = counting is not None and nugget.nugget_list_id == counting.pk and nugget.is_active
        if not is_listed or not means_the_same(nugget, nugget_list):
            raise Conflict(NOT_COUNTING)
        store(row)
        return row

    return add_once(
        add=add,
        earlier=lambda: NuggetVote.objects.filter(client_key=client_key).first(),
        same=lambda earlier: _content(earlier) == _content(row),
    )


def check_vote(importance: str | None) -> None:
    """Refuse an importance that a vote can't have. This function has all rules about the content of a vote, since
    imports of many votes call it too.
    """
    if importance is not None and importance not in Nugget.Importance.values:
        raise Invalid(gettext("%(importance)s is no vote. Vote vital or okay.") % {"importance": importance})


def _content(row: NuggetVote) -> tuple[object, ...]:
    """Return what a repeated vote must have in common with the first. It names the nugget by its number, since the list
    may have been frozen anew in between.
    """
    return row.nugget.number, row.importance, row.assessor_id, row.assignment_id
