"""The way from an assignment to the answer classes in it. Absent and forbidden look the same."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.base.errors import UnknownItem
from nuggets.classes.models import AnswerClass


def access_class(assignment: Assignment, class_id: int) -> AnswerClass:
    """Return an answer class of this assignment's grouping."""
    found = AnswerClass.objects.filter(pk=class_id, assignment=assignment).first()
    if found is None:
        raise UnknownItem
    return found
