"""The way from an assignment to the nuggets and answer classes in it. Absent and forbidden look the same."""

from __future__ import annotations

from assess.domain.errors import NotFound, UnknownItem
from assess.models import Assignment
from assess.queries.tracks import stage_of
from nuggets.models import AnswerClass, Nugget, NuggetList
from nuggets.queries.lists import latest_list, list_for


def access_own_list(assignment: Assignment) -> NuggetList:
    """The newest list that the assessor writes under this assignment, draft or frozen."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = latest_list(assignment) if stage.work == "nuggets" else None
    if found is None:
        raise NotFound("There is no nugget list here yet.")
    found.assignment = assignment
    return found


def access_counting_list(assignment: Assignment) -> NuggetList:
    """The frozen list that work uses which needs one, marking and voting: one's own where the stage says so."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = list_for(assignment) if stage.work in ("matches", "votes") else None
    if found is None:
        raise NotFound("There is no frozen nugget list here yet.")
    return found


def access_nugget(nugget_list: NuggetList, number: int) -> Nugget:
    """A nugget of the list by number."""
    found = nugget_list.nuggets.filter(number=number).first()
    if found is None:
        raise UnknownItem
    return found


def access_class(assignment: Assignment, class_id: int) -> AnswerClass:
    """An answer class of this assignment's grouping."""
    found = AnswerClass.objects.filter(pk=class_id, assignment=assignment).first()
    if found is None:
        raise UnknownItem
    return found
