"""Offer a machine judge's marks of nuggets in items as drafts to people who mark them."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.judging.queries.machine_drafts import are_open
from assess.protocol import Stage
from nuggets.matches.current import machine_marks
from nuggets.options import Matching
from nuggets.writing.models import NuggetList

Drafts = dict[int, dict[int, str]]
"""The drafted values by item id and then by nugget number."""


def drafts_of_marks(
    assignment: Assignment, stage: Stage, nugget_list: NuggetList | None, *, item: int | None = None
) -> Drafts:
    """Return those marks by machines that this assignment may see. They are marks of the list's nuggets, in all items
    or only in ``item``.

    Drafts that say "absent" are offered only in stages in which people may mark nuggets as absent. Three queries, or
    none if this assignment may not see drafts.
    """
    if nugget_list is None or not are_open(assignment):
        return {}
    found: Drafts = {}
    in_part = stage.options(Matching).partial
    said = machine_marks(nugget_list, stage.key, item=item, with_absent=in_part)
    for (pk, number), value in sorted(said.items()):
        found.setdefault(pk, {})[number] = value
    return found
