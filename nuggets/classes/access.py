"""Find the answer classes of an assignment. What does not exist and what is forbidden are refused alike."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.base.errors import UnknownItem
from nuggets.classes.models import AnswerClass


def access_class(assignment: Assignment, class_id: int) -> AnswerClass:
    """Return the answer class with this id, which must be in the assignment's grouping. Raises UnknownItem."""
    found = AnswerClass.objects.filter(pk=class_id, assignment=assignment).first()
    if found is None:
        raise UnknownItem
    return found
