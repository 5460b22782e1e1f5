"""Runs sent in to be checked by the worker: in line, started again, and submitted again in their mended form."""

from __future__ import annotations

from typing import BinaryIO

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Conflict, Invalid
from assess.base.files import StoredFile, stored_path
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.models import Campaign
from assess.jobs.domain.queue import enqueue_work, restart_work
from assess.jobs.models import Work
from assess.jobs.names import CHECK
from assess.protocol import RunForm
from assess.runs.domain.replacing import Replace, replaced_run, standing_runs
from assess.runs.domain.rules import require_team
from assess.runs.domain.run_form import form_of
from assess.runs.domain.states import is_same
from assess.runs.domain.submitting import AT_ONCE, receive_run, submission_of
from assess.runs.models import Run
from assess.runs.queries.check_progress import newest_check

IN_LINE = 10
"""The most runs of a team that may be checked or wait for it."""


def submit_run_later(
    *,
    actor: User,
    campaign: Campaign,
    form: RunForm,
    file: BinaryIO | StoredFile,
    file_name: str,
    submission: str = "",
    published: bool = False,
    replace: Replace = False,
) -> Run:
    """Keep the file and have it checked by the worker: the run is being checked until that has decided.

    Refused is what `submit_run` refuses before it checks (also another file under the tag of a run that is accepted or
    being checked, unless ``replace`` means it), and more than `IN_LINE` runs of a team at once. The same
    file with the same form as an accepted run, or as one that is being checked, is answered by that one. The form of a
    file beyond `AT_ONCE` bytes must say the tag itself, since nothing of it is read before the worker does.
    """
    run = receive_run(
        actor=actor,
        campaign=campaign,
        form=form,
        file=file,
        file_name=file_name,
        submission=submission,
        published=published,
        replace=replace,
        most_read=AT_ONCE,
    )
    with transaction.atomic():
        lock_open(campaign)
        there = standing_runs(campaign=campaign, tag=run.tag, team=run.team)
        if (same := next((each for each in there if is_same(each, run)), None)) is not None:
            return same
        if campaign.runs.filter(state=Run.State.CHECKING, team=run.team).count() >= IN_LINE:
            raise Conflict(f"{IN_LINE} runs of {run.team} are being checked. Wait until some of them are done.")
        run.replaces = replaced_run(standing=there, file=run.file, replace=replace)  # anew, of what came in meanwhile
        run.save()
        data = {"tag": run.tag, "file": run.file, "size": run.size}
        record_activity(actor=actor, action="run.receive", campaign=campaign, about=run, data=data)
        enqueue_work(actor=actor, campaign=campaign, kind=CHECK, arguments={"run": run.pk})
    return run


def submit_repaired(*, actor: User, run: Run, replace: Replace = False) -> Run:
    """Submit the mended file of a run as a new run with the same form; the worker checks it like any other.

    Of an accepted run it takes the place. Refused where there is none, and all that `submit_run_later` refuses.
    """
    if not run.repaired:
        raise Invalid("There is no repaired file of this run.")
    path = stored_path(run.repaired)
    if not path.is_file():
        raise Conflict("The repaired file is not kept here any more. Submit the file again.")
    return submit_run_later(
        actor=actor,
        campaign=run.campaign,
        form=form_of(run),
        file=StoredFile(run.repaired, path.stat().st_size),
        file_name=f"repaired-{run.file_name}",
        submission=run.submission,
        published=not submission_of(run.campaign, run.submission).tags.allows(run.tag),
        replace=replace or (run if run.state == Run.State.ACCEPTED else False),
    )


def check_again(*, actor: User, run: Run) -> Work:
    """Start the check of a run again that failed, was stopped, or lost its worker. For its team and organisers."""
    require_team(actor=actor, campaign=run.campaign, team=run.team)
    if run.state != Run.State.CHECKING:
        raise Conflict(f"{run.tag} is {run.get_state_display()}, so it is not checked again. Submit it again.")
    work = newest_check(run)
    if work is None:
        return enqueue_work(actor=actor, campaign=run.campaign, kind=CHECK, arguments={"run": run.pk})
    return restart_work(actor=actor, work=work)
