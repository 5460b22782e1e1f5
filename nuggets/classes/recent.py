"""The answers that a person last put into classes, for looking at them again. No query here joins runs."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.judging.queries.bench import label_of
from assess.kinds.recent import RecentAct
from assess.ledger.newest import newest_rows
from nuggets.classes.current import current_labels
from nuggets.classes.models import ClassAssignment


def recent_classes(works: Mapping[int, Assignment], most: int) -> list[RecentAct]:
    """Return the answers that were last put into a class or taken out of one in these assignments, at most ``most``.
    Two queries.
    """
    newest = newest_rows(ClassAssignment.objects.filter(assignment__in=list(works)), "assignment_id", "item_id")
    rows = list(newest.select_related("item", "item__repeats").order_by("-id")[:most])
    labels = current_labels(row.answer_class_id for row in rows if row.answer_class_id is not None)
    return [
        RecentAct(
            assignment=row.assignment_id,
            label=label_of(row.item),
            said=gettext("in “%(label)s”") % {"label": labels.get(row.answer_class_id, "")}
            if row.answer_class_id
            else gettext("in no class"),
            at=row.created_at,
        )
        for row in rows
    ]
