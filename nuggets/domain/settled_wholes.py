"""How lists and groupings are settled: the adjudicator's own is a copy of a side's, made through their ledgers."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.domain.activity import record_activity
from assess.domain.errors import Conflict, Invalid
from assess.models import Assignment
from assess.protocol import Stage
from assess.settling import Adjudication, Decision, Disagreement, Side
from nuggets.domain.class_edits import Change, make_class_edit
from nuggets.domain.classes import new_class
from nuggets.domain.edits import WORK
from nuggets.domain.lists import copy_nuggets, freeze_list
from nuggets.domain.writing import first_or_refused, lock_assignment, require_writable
from nuggets.models import ClassEdit, NuggetEdit, NuggetList
from nuggets.queries import settled_wholes as wholes
from nuggets.queries.classes import members_of
from nuggets.queries.lists import active_nuggets, latest_list


def take_list(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> NuggetEdit:
    """A list of the adjudicator's own that holds what the side's does, frozen at once; it counts from now on.

    Marks and votes on nuggets that stay the same carry over. The same key with the same list is the same row. Refused:
    taking it back, since a frozen list stays; a key of another list; where the adjudicator has a list of their own
    that is not frozen.
    """
    if decision.value is None:
        raise Invalid("A list that counts can't be taken back. Take the other list, or freeze one of your own.")
    edits = NuggetEdit.objects.select_related("nugget_list")
    if (earlier := edits.filter(client_key=decision.client_key).first()) is not None:
        made = earlier.nugget_list
        is_own = (earlier.action, earlier.actor_id, made.topic_id) == ("freeze", actor.pk, row.topic_id)
        same = is_own and wholes.list_value(active_nuggets([made])[made.pk]) == decision.value
        return first_or_refused(earlier, same=same)
    source = wholes.list_of_side(stage, row.topic_id, _side(row, decision).assessor_id)
    if source is None:
        raise Conflict("This list is not there any more. List the disagreements again.")
    lock_assignment(assignment, WORK)
    require_writable(actor=actor, assignment=assignment)
    made = _copy_of(source, actor=actor, assignment=assignment)
    freeze_list(actor=actor, nugget_list=made, client_key=decision.client_key, without_vital=True)
    return NuggetEdit.objects.get(client_key=decision.client_key)


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


def take_grouping(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> ClassEdit:
    """The side's classes with their labels and answers as the adjudicator's; None leaves the adjudicator none.

    Taken over are the answers that are correct now.
    """
    side = None if decision.value is None else _side(row, decision)

    def plan(stage: Stage) -> Change:
        change = Change(places={each.item_id: (None, False) for each in members_of(assignment)})
        if side is not None:
            found = wholes.grouping_of_side(assignment.campaign, stage, row.topic_id, side.assessor_id)
            for label, items in found:
                made = new_class(assignment)
                change.labels[made.pk] = label
                change.places.update({item: (made.pk, is_found) for item, is_found in items})
        return change

    return make_class_edit(
        actor=actor,
        assignment=assignment,
        action="take",
        asked={"value": decision.value},
        client_key=decision.client_key,
        how=decision.how,
        plan=plan,
    )


def _side(row: Disagreement, decision: Decision) -> Side:
    """The side that has this value; that it is there was asked before."""
    return next(side for side in row.sides if side.value == decision.value)


LISTS = Adjudication(
    criteria=wholes.list_criteria,
    said=wholes.lists_said,
    labels=wholes.labels,
    told=wholes.lists_told,
    record=take_list,
    spoken=wholes.spoken,
    is_whole=True,
    is_choice=True,
    can_go_back=False,
    taking="The list that you take counts at once, frozen; marks and votes on nuggets that it shares with the one "
    "that counted before stay. It can't be taken back, but you can take another.",
)
GROUPINGS = Adjudication(
    criteria=wholes.grouping_criteria,
    said=wholes.groupings_said,
    labels=wholes.labels,
    told=wholes.groupings_told,
    record=take_grouping,
    spoken=wholes.spoken,
    is_whole=True,
    taking="The grouping that you take counts, with its labels and the answers that are judged correct.",
)
