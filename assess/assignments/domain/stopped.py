"""The refusal of assignments whose judging an organiser stopped."""

from __future__ import annotations

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.assignments.queries.stops import stop_of
from assess.base.errors import Conflict
from assess.base.wording import inside_quotes
from assess.runs.queries import without_names


class Stopped(Conflict):
    """The refusal of a write to a stopped assignment, which an organiser can open again.

    ``reason`` is why it was stopped, without names of runs and teams, and ``at`` is when; they are "" and None if that
    is unknown.
    """

    code = "stopped"

    def __init__(self, assignment: Assignment) -> None:
        act = stop_of(assignment)
        self.at = act.created_at if act is not None else None
        self.reason = without_names(assignment.campaign, act.data["reason"]) if act is not None else ""
        said = [gettext("An organiser stopped the judging of this work.")]
        if self.reason:
            said.append(gettext("The reason: “%(reason)s”.") % {"reason": inside_quotes(self.reason)})
        said.append(gettext("What was judged is kept and counts; an organiser can open the work again."))
        super().__init__(" ".join(said))
