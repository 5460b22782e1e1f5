"""The refusal of assignments whose judging an organiser stopped."""

from __future__ import annotations

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
        because = f" The reason: “{inside_quotes(self.reason)}”" if self.reason else ""
        super().__init__(
            f"An organiser stopped the judging of this work.{because} What was judged is kept and counts; an organiser "
            "can open the work again."
        )
