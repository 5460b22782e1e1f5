"""How lists are settled: the adjudicator's own is a copy of a side's, made through its ledger."""

from __future__ import annotations

from functools import partial

from django.contrib.auth.models import User

from assess.assignments.domain.assignments import require_open_for_writing
from assess.assignments.models import Assignment
from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.kinds.opinions import Adjudication, Decision, Disagreement, Side
from assess.kinds.picks import opinions as picks_opinions
from assess.ledger.adding import add_once
from assess.protocol import Stage
from nuggets.writing import disputed as writing_disputed
from nuggets.writing import opinions as writing_opinions
from nuggets.writing.counting_lists import active_nuggets, latest_list
from nuggets.writing.edits import WORK
from nuggets.writing.lists import copy_nuggets, freeze_list
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList
from nuggets.writing.rows import lock_assignment


def take_list(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> NuggetEdit:
    """A list of the adjudicator's own that holds what the side's does, frozen at once; it counts from now on.

    Marks and votes on nuggets that stay the same carry over. The same key with the same list is the same row. Refused:
    taking it back, since a frozen list stays; a key of another list; where the adjudicator has a list of their own
    that is not frozen.
    """
    if decision.value is None:
        raise Invalid("A list that counts can't be taken back. Take the other list, or freeze one of your own.")

    def add(stage: Stage) -> NuggetEdit:
        source = writing_opinions.list_of_side(stage, row.topic_id, _side(row, decision).assessor_id)
        if source is None:
            raise Conflict("This list is not there any more. List the disagreements again.")
        require_open_for_writing(actor=actor, assignment=assignment)
        made = _copy_of(source, actor=actor, assignment=assignment)
        freeze_list(actor=actor, nugget_list=made, client_key=decision.client_key, without_vital=True)
        return NuggetEdit.objects.get(client_key=decision.client_key)

    def same(earlier: NuggetEdit) -> bool:
        made = earlier.nugget_list
        is_own = (earlier.action, earlier.actor_id, made.topic_id) == ("freeze", actor.pk, row.topic_id)
        return is_own and writing_opinions.list_value(active_nuggets([made])[made.pk]) == decision.value

    return add_once(
        lock=partial(lock_assignment, assignment, WORK),
        add=add,
        earlier=NuggetEdit.objects.filter(client_key=decision.client_key).first,
        same=same,
    )


def _copy_of(source: NuggetList, *, actor: User, assignment: Assignment) -> NuggetList:
    before = latest_list(assignment)
    if before is not None and not before.is_frozen:
        raise Conflict("You have begun a list of your own here. Freeze it on its bench, or go on with it there.")
    made = NuggetList.objects.create(
        topic_id=source.topic_id,
        owner=actor,
        assignment=assignment,
        version=before.version + 1 if before is not None else 1,
        previous=before,
        last_number=max(source.last_number, before.last_number if before is not None else 0),
    )
    copy_nuggets(source=source, target=made)
    data = {"topic": assignment.topic.number, "version": made.version}
    record_activity(actor=actor, action="list.revise", campaign=assignment.campaign, about=made, data=data)
    return made


def _side(row: Disagreement, decision: Decision) -> Side:
    """The side that has this value; that it is there was asked before."""
    return next(side for side in row.sides if side.value == decision.value)


LISTS = Adjudication(
    criteria=writing_opinions.list_criteria,
    said=writing_opinions.lists_said,
    labels=picks_opinions.labels,
    told=writing_opinions.lists_told,
    record=take_list,
    spoken=picks_opinions.spoken,
    is_whole=True,
    is_choice=True,
    can_go_back=False,
    taking="The list that you take counts at once, frozen; marks and votes on nuggets that it shares with the one "
    "that counted before stay. It can't be taken back, but you can take another.",
)


def nugget_of(row: Disagreement) -> Nugget:
    found = writing_disputed.disputed_nuggets([row]).get((row.topic_id, row.thing.number))
    if found is None:
        raise Conflict("This nugget is not on the list that counts now. Reload the page to see the newest list.")
    return found
