"""Find the nugget list of an assignment, its nuggets, and several of its items.

What does not exist and what the caller may not see are refused alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import item_of
from assess.base.errors import NotFound, UnknownItem
from assess.campaigns.queries import stage_of
from assess.items.models import Item
from nuggets.writing.counting_lists import latest_list, list_for
from nuggets.writing.models import Nugget, NuggetList


def access_own_list(assignment: Assignment) -> NuggetList:
    """Return the newest list that the assessor writes under this assignment. It may be a draft or frozen. Raises
    NotFound if there is none.
    """
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = latest_list(assignment) if stage.work.key == "nuggets" else None
    if found is None:
        raise NotFound(gettext("There is no nugget list here yet."))
    found.assignment = assignment
    return found


def access_counting_list(assignment: Assignment) -> NuggetList:
    """Return the frozen list that is used in an assignment of marking or voting. It is the assessor's own list if the
    stage says so, otherwise the list that counts. Raises NotFound if there is none.
    """
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = list_for(assignment) if stage.work.key in ("matches", "votes") else None
    if found is None:
        raise NotFound(gettext("There is no frozen nugget list here yet."))
    return found


def access_nugget(nugget_list: NuggetList, number: int, *, sent: QuerySet[Any] | None = None) -> Nugget:
    """Return the list's nugget with this number.

    If the list has none, return the nugget with this number to which one of the rows ``sent`` refers. These are rows
    that the same click stored before, when another list counted. Raises `UnknownItem` if there is neither.
    """
    found = nugget_list.nuggets.filter(number=number).first()
    if found is None and sent is not None:
        found = Nugget.objects.filter(number=number, pk__in=sent.values("nugget")).first()
    if found is None:
        raise UnknownItem
    return found


def access_answers(assignment: Assignment, handles: Iterable[int]) -> list[Item]:
    """Return the items that have these numbers in this assignment, in the order of ``handles``. A repeated number gives
    its item only once.

    Raises UnknownItem if one of the numbers is unknown. One query.
    """
    ids = [item_of(assignment, handle) for handle in dict.fromkeys(handles)]
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = Item.objects.filter(topic=assignment.topic_id, kind=stage.item_kind).in_bulk(ids)
    if len(found) < len(ids):
        raise UnknownItem
    return [found[pk] for pk in ids]
