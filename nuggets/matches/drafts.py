"""What a machine judge said of nuggets in items, offered as drafts to whoever marks them."""

from __future__ import annotations

from assess.assignments.models import Assignment
from assess.judging.queries.machine_drafts import are_open
from assess.protocol import Stage
from nuggets.matches.current import machine_marks
from nuggets.options import Matching
from nuggets.writing.models import NuggetList

Drafts = dict[int, dict[int, str]]
"""By the id of an item what is offered of nuggets in it, by their numbers."""


def drafts_of_marks(
    assignment: Assignment, stage: Stage, nugget_list: NuggetList | None, *, item: int | None = None
) -> Drafts:
    """Return what machines say of the list's nuggets, in all items or in one, as far as this work may see it.

    That a nugget is not there is offered only where people say that as well. No query where drafts are not open to the
    work, else three.
    """
    if nugget_list is None or not are_open(assignment):
        return {}
    found: Drafts = {}
    in_part = stage.options(Matching).partial
    said = machine_marks(nugget_list, stage.key, item=item, with_absent=in_part)
    for (pk, number), value in sorted(said.items()):
        found.setdefault(pk, {})[number] = value
    return found
