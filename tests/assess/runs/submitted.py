"""Runs of the team Harbor, as its participant sends them in."""

from __future__ import annotations

import io

from django.contrib.auth.models import User

from assess.models import Campaign, Run
from assess.protocol import RunForm
from assess.runs.domain.replacing import Replace
from assess.runs.domain.submitting import submit_run

GOOD = "1.1 {tag} D1 blue\n1.2 {tag} D1 They are light.\n"
HARBOR_RUN = (
    "1.1 Harbor1 D1 blue\n"
    "1.1 Harbor1 D2  the  red one \n"
    "1.2 Harbor1 D1 They are light.\n"
    "1.2 Harbor1 D3 They are cheap.\n"
)


def form(**changes: object) -> RunForm:
    """The form of the first run, filled in, with these changes."""
    values: dict[str, object] = {"team": "Harbor", "priority": 1, "fields": {"documents": "collection"}} | changes
    return RunForm(**values)  # type: ignore[arg-type]


def send(campaign: Campaign, actor: User, text: str = GOOD, replace: Replace = False, **changes: object) -> Run:
    """A run sent in to be checked by the worker; `{tag}` in the text is the team's name with the priority after it."""
    asked = form(**changes)
    file = io.BytesIO(text.format(tag=f"{asked.team}{asked.priority}").encode())
    return submit_run(
        actor=actor, campaign=campaign, form=asked, file=file, file_name="run.txt", replace=replace, in_place=False
    )
