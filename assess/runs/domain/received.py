"""What the worker does with a run that came in: check it, and accept or reject it."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.base.errors import Refused
from assess.jobs.progress import Tell, quiet
from assess.runs.domain.states import NoLongerChecked, accept_run, reject_run
from assess.runs.domain.submitting import examine_run
from assess.runs.models import Run


def check_received(*, actor: User, run: Run, progress: Tell = quiet) -> str:
    """Check a run that came in, and accept or reject it; says in a sentence how that ended.

    One that is not being checked any more stays as it is. ``progress`` may stop the check by raising.

    What another run took meanwhile (the tag, the priority, the team's last place) rejects it, with that as its report's
    first row. Of two runs of a team with one tag the one that was submitted later counts, whichever is checked first.
    """
    if run.state != Run.State.CHECKING:
        return f"{run.tag} is {run.get_state_display()} already."
    found = examine_run(run, progress=progress)
    run.repaired, run.repairs = found.repaired, list(found.repairs)
    try:
        if found.report.is_clean:
            accept_run(actor=actor, run=run, report=found.report, content=found.content)
        else:
            reject_run(actor=actor, run=run, report=found.report)
    except NoLongerChecked as refusal:
        return refusal.message
    except Refused as refusal:
        reject_run(actor=actor, run=run, report=found.report, refusal=refusal)
    return f"{run.tag} is {run.get_state_display()}."
