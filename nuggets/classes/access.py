"""Find the answer classes of an assignment. What does not exist and what is forbidden are refused alike."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.base.errors import UnknownItem
from nuggets.classes.current import line_of
from nuggets.classes.models import AnswerClass


def access_class(assignment: Assignment, class_id: int) -> AnswerClass:
    """Return the answer class with this id, which the assignment or one that it continues made. Raises `UnknownItem`
    for any other.
    """
    found = AnswerClass.objects.filter(pk=class_id, assignment__in=line_of(assignment)).first()
    if found is None:
        raise UnknownItem
    return found
