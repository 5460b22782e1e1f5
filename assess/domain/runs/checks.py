"""What the worker does with a run that came in: check it, and accept or reject it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User

from assess.domain.errors import Refused
from assess.domain.jobs.progress import Progress, quiet
from assess.domain.jobs.watched_files import CheckStopped
from assess.domain.runs.states import NoLongerChecked, accept_run, reject_run
from assess.domain.runs.submitting import examine_run
from assess.models import Run


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """How the check of a run ended, in a sentence."""

    message: str
    stopped: bool = False


def check_received(
    *,
    actor: User,
    run: Run,
    progress: Callable[[Progress], None] = quiet,
    should_stop: Callable[[], bool] = lambda: False,
) -> Checked:
    """Check a run that came in, and accept or reject it. One that is not being checked any more stays as it is.

    What another run took meanwhile (the tag, the priority, the team's last place) rejects it, with that as its report's
    first row. Of two runs of a team with one tag the one that was submitted later counts, whichever is checked first.
    """
    if run.state != Run.State.CHECKING:
        return Checked(message=f"{run.tag} is {run.get_state_display()} already.")
    try:
        found = examine_run(run, progress=progress, should_stop=should_stop)
    except CheckStopped:
        return Checked(message=f"The check of {run.tag} was stopped.", stopped=True)
    run.repaired, run.repairs = found.repaired, list(found.repairs)
    try:
        if found.report.is_clean:
            accept_run(actor=actor, run=run, report=found.report, content=found.content)
        else:
            reject_run(actor=actor, run=run, report=found.report)
    except NoLongerChecked as refusal:
        return Checked(message=refusal.message)
    except Refused as refusal:
        reject_run(actor=actor, run=run, report=found.report, refusal=refusal)
    return Checked(message=f"{run.tag} is {run.get_state_display()}.")
