"""How groupings are settled: the adjudicator's own is a copy of a side's, made through their ledgers."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.kinds.opinions import Adjudication, Decision, Disagreement
from assess.kinds.picks import opinions as picks_opinions
from assess.protocol import Stage
from nuggets.classes import opinions as classes_opinions
from nuggets.classes.current import members_of
from nuggets.classes.edits import Change, make_class_edit
from nuggets.classes.models import ClassEdit
from nuggets.classes.record import new_class
from nuggets.writing.adjudicate import _side


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
            found = classes_opinions.grouping_of_side(assignment.campaign, stage, row.topic_id, side.assessor_id)
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


GROUPINGS = Adjudication(
    criteria=classes_opinions.grouping_criteria,
    said=classes_opinions.groupings_said,
    labels=picks_opinions.labels,
    told=classes_opinions.groupings_told,
    record=take_grouping,
    spoken=picks_opinions.spoken,
    is_whole=True,
    taking="The grouping that you take counts, with its labels and the answers that are judged correct.",
)
