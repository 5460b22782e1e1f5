"""A person's last changes to nugget lists, for looking at them again."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext_lazy

from assess.assignments.models import Assignment
from assess.kinds.recent import RecentAct
from nuggets.writing.answered_drafts import ACCEPT
from nuggets.writing.drafts import REFUSE
from nuggets.writing.models import NuggetEdit

IN_WORDS = {
    "add": gettext_lazy("written"),
    "edit": gettext_lazy("changed"),
    "move": gettext_lazy("moved"),
    "merge": gettext_lazy("merged"),
    "split": gettext_lazy("split"),
    "retire": gettext_lazy("taken out"),
    "restore": gettext_lazy("put back"),
    "add-source": gettext_lazy("quote added"),
    "remove-source": gettext_lazy("quote taken out"),
    "undo": gettext_lazy("undone"),
    "redo": gettext_lazy("redone"),
    ACCEPT: gettext_lazy("draft accepted"),
    REFUSE: gettext_lazy("draft refused"),
}
"""What each edit of a nugget is called in a list of edits."""
MOST_TEXTS = 3
"""How many of the nuggets that one edit touched are named."""


def recent_edits(works: Mapping[int, Assignment], most: int) -> list[RecentAct]:
    """Return the last edits of nuggets in the lists of these assignments, at most ``most``. One query."""
    rows = NuggetEdit.objects.filter(nugget_list__assignment__in=list(works), action__in=IN_WORDS)
    rows = rows.exclude(
        action__in=("undo", "redo"), before={}, after={}
    )  # of a draft's refusal: the draft is open again
    return [
        RecentAct(
            assignment=row.nugget_list.assignment_id,
            label=" · ".join(_texts(row)[:MOST_TEXTS]),
            said=str(IN_WORDS[row.action]),
            at=row.created_at,
            nugget=min(map(int, [*row.before, *row.after]), default=None),
        )
        for row in rows.select_related("nugget_list").order_by("-id")[:most]
    ]


def _texts(edit: NuggetEdit) -> list[str]:
    """Return the texts of the nuggets that an edit changed, by number, or that of the draft that it refused. For a
    nugget that the edit removed, return its earlier text.
    """
    if edit.action == REFUSE:
        return [edit.asked["offered"]]
    states = {**edit.before, **{number: state for number, state in edit.after.items() if state is not None}}
    return [states[number]["text"] for number in sorted(states, key=int)]
