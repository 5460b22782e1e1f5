"""The one way to submit run files: store the file, save the run, then check it by the worker or in place.

Page, API and commands call `submit_run`; a repaired file is submitted with it, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from assess.base.errors import BadFile, Conflict, Invalid, NotAllowed
from assess.base.file_issues import collect
from assess.base.files import StoredFile, keep_always, open_file, store_file, stored_path
from assess.base.numbers import grouped
from assess.base.one_at_a_time import Busy, TakesLonger, hurry, one_at_a_time
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.models import Campaign
from assess.jobs.domain import enqueue_job, restart_job
from assess.jobs.kinds import CHECK
from assess.jobs.models import Job
from assess.protocol import RunForm, Submission
from assess.protocol.records import without_time_limit
from assess.runs.domain.checking import AT_ONCE, check_context, require_size, submission_of
from assess.runs.domain.deciding import check_in_place
from assess.runs.domain.replacing import (
    Replace,
    is_same,
    replaced_run,
    require_replaceable,
    runs_under_tag,
    with_earlier,
)
from assess.runs.domain.run_form import asks_file, complete_form, form_of, require_complete
from assess.runs.domain.space import dropped_if_refused, require_space
from assess.runs.domain.submission_rules import (
    is_organiser_of,
    require_may_submit,
    require_room,
    require_team,
    require_window,
)
from assess.runs.models import Run
from assess.runs.queries import newest_check
from scoring.reading.unpacking import damage_errors, damage_issue

IN_LINE = 10
"""The most runs of a team that may be in checking or waiting for it."""

NAME_LIMIT = 255


def submit_run(
    *,
    actor: User,
    campaign: Campaign,
    form: RunForm,
    file: BinaryIO | StoredFile,
    file_name: str,
    submission: str = "",
    published: bool = False,
    replace: Replace = False,
    in_place: bool = True,
    pace: Callable[[], None] = without_time_limit,
) -> Run:
    """Store the file byte for byte, save the run and check it. Return the run, whose state and report say how it went.

    With ``in_place``, the check is done before this returns, and ``pace`` may end it by raising. Otherwise the worker
    checks the run, which is `checking` until then. A file with errors becomes a rejected run with the checker's report;
    that does not count as a refusal.

    Values that the form leaves out are read from the file, if its kind has them and the file has at most `AT_ONCE`
    bytes or is checked in place.

    During set-up, another file under a tag replaces the earlier run if ``replace`` says so; otherwise it is refused
    with `ReplacesRun`. The earlier run is withdrawn, and values that the form leaves out are kept from it. If an
    accepted run has the same file and form, that run is returned; for the worker, also one that is being checked.

    Also refuses an incomplete form, another team's run, a priority that the team has used, more runs than the team may
    have, a team that has used its space (`require_space`), more than `IN_LINE` runs of a team for the worker at once,
    and runs after the deadline or after set-up (organisers may still add runs during judging). Only organisers can
    submit runs that were ``published``, whose tags need not follow the rule.
    """
    require_window(actor=actor, campaign=campaign)
    if published and not is_organiser_of(actor, campaign):
        raise NotAllowed(gettext("Only organisers bring in published runs."))
    found = submission_of(campaign, submission)
    kept = [] if isinstance(file, StoredFile) else [_stored_upload(file, found)]
    with dropped_if_refused(kept):
        stored = kept[0] if kept else cast(StoredFile, file)
        if asks_file(found, form) and (in_place or stored.size <= AT_ONCE):
            form = _completed(campaign, found, stored, form)
        form = complete_form(found, None, form)
        if form.team:  # before anything of the team's earlier run is taken over
            require_may_submit(actor=actor, campaign=campaign, team=form.team, submission=found)
        form = with_earlier(form=form, submission=found, campaign=campaign)
        require_complete(form, found, published=published)
        if not is_organiser_of(actor, campaign):
            require_space(campaign=campaign, team=form.team, tag=form.tag, size=stored.size)
        require_room(campaign=campaign, form=form, submission=found)
        run = _run(actor=actor, campaign=campaign, key=found.key, form=form, kept=stored, name=file_name)
        saved = _saved(actor=actor, run=run, replace=replace, in_place=in_place)
        if not in_place or saved.state != Run.State.CHECKING:
            return saved
        return check_in_place(actor=actor, run=saved, pace=pace)


def submit_while_waiting(*, actor: User, file: BinaryIO, **said: Any) -> Run:
    """Submit a run as `submit_run` does for somebody who waits; a run that is quick to check is checked in place.

    The worker checks a file of more than `AT_ONCE` bytes, one that takes too long, and one that arrives while another
    one of the same person is being checked.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= AT_ONCE:
        try:
            with one_at_a_time(actor):
                return submit_run(actor=actor, file=file, in_place=True, pace=hurry("It is checked later."), **said)
        except (Busy, TakesLonger):
            file.seek(0)
    return submit_run(actor=actor, file=file, in_place=False, **said)


def submit_repaired(*, actor: User, run: Run, replace: Replace = False) -> Run:
    """Submit the repaired file of a run as a new run with the same form. The worker checks it like any other.

    If the run is accepted, the new one replaces it. Refused if there is no repaired file or it is no longer stored, and
    for anything that `submit_run` refuses.
    """
    if not run.repaired:
        raise Invalid(gettext("There is no repaired file of this run."))
    keep_always(run.repaired)
    path = stored_path(run.repaired)
    if not path.is_file():
        raise Conflict(gettext("The repaired file is not kept here any more. Submit the file again."))
    return submit_run(
        actor=actor,
        campaign=run.campaign,
        form=form_of(run),
        file=StoredFile(run.repaired, path.stat().st_size),
        file_name=f"repaired-{run.file_name}",
        submission=run.submission,
        published=not submission_of(run.campaign, run.submission).tags.allows(run.tag),
        replace=replace or (run if run.state == Run.State.ACCEPTED else False),
        in_place=False,
    )


def check_again(*, actor: User, run: Run) -> Job:
    """Restart the check of a run that is still being checked because the job failed, was stopped or lost its worker.

    Returns the job. Only the run's team and organisers may. Refuses a run that is no longer being checked.
    """
    require_team(actor=actor, campaign=run.campaign, team=run.team)
    if run.state != Run.State.CHECKING:
        raise Conflict(
            gettext("%(tag)s is %(state)s, so it is not checked again. Submit it again.")
            % {"tag": run.tag, "state": run.get_state_display()}
        )
    work = newest_check(run)
    if work is None:
        return enqueue_job(actor=actor, campaign=run.campaign, kind=CHECK, arguments={"run": run.pk})
    return restart_job(actor=actor, job=work)


def _saved(*, actor: User, run: Run, replace: Replace, in_place: bool) -> Run:
    """Save the run as being checked, hand it to the worker unless it is checked ``in_place``, and return it.

    If the same run was accepted before, or is to be checked by the worker and was submitted before, return that one.
    Raises `Conflict` in a closed campaign, if too many runs of the team are being checked, and as `require_replaceable`
    and `replaced_run` do.
    """
    campaign = run.campaign
    with transaction.atomic():
        lock_open(campaign)
        standing = runs_under_tag(campaign=campaign, tag=run.tag, team=run.team)
        if any(each.state == Run.State.ACCEPTED and each.file != run.file for each in standing):
            require_replaceable(campaign=campaign, tag=run.tag)
        same = next((each for each in standing if is_same(each, run)), None)
        if same is not None and (same.state == Run.State.ACCEPTED or not in_place):
            return same
        run.replaces = replaced_run(standing=standing, file=run.file, replace=replace)
        if in_place:
            run.save()
            return run
        if campaign.runs.filter(state=Run.State.CHECKING, team=run.team).count() >= IN_LINE:
            raise Conflict(
                gettext("%(in_line)s runs of %(team)s are being checked. Wait until some of them are done.")
                % {"in_line": IN_LINE, "team": run.team}
            )
        run.save()
        data = {"tag": run.tag, "file": run.file, "size": run.size}
        record_activity(actor=actor, action="run.receive", campaign=campaign, about=run, data=data)
        enqueue_job(actor=actor, campaign=campaign, kind=CHECK, arguments={"run": run.pk})
    return run


def _completed(campaign: Campaign, submission: Submission, kept: StoredFile, form: RunForm) -> RunForm:
    """Return the form, completed from the file. If no tag is found and the file has errors, raise `BadFile` with all of
    its errors.
    """
    with open_file(kept.sha256) as file:
        form = complete_form(submission, file, form)
    if form.tag:
        return form
    with open_file(kept.sha256) as file:
        report = collect(submission.issues(file, check_context(campaign, form)))
    if not report.is_clean:
        message = ngettext(
            "The file has %(errors)s error, and no run tag was found.",
            "The file has %(errors)s errors, and no run tag was found.",
            report.errors,
        ) % {"errors": grouped(report.errors)}
        raise BadFile(message, issues=report.issues, total=report.errors)
    return form


def _stored_upload(file: BinaryIO | StoredFile, submission: Submission) -> StoredFile:
    if isinstance(file, StoredFile):
        return file
    limit = require_size(file, submission)
    try:
        return store_file(file, limit, may_be_dropped=True)
    except damage_errors() as error:
        if isinstance(error, OSError):
            raise  # not a fault of the file: for instance, the disk is full
        issue = damage_issue(error)
        raise BadFile(issue.message, issues=(issue,), total=1) from error


def _run(*, actor: User, campaign: Campaign, key: str, form: RunForm, kept: StoredFile, name: str) -> Run:
    return Run(
        campaign=campaign,
        submission=key,
        tag=form.tag,
        team=form.team,
        priority=form.priority,
        automatic=form.automatic,
        description=form.description,
        fields=dict(form.fields),
        file=kept.sha256,
        file_name=name.replace("\\", "/").rsplit("/", 1)[-1][:NAME_LIMIT] or "run.txt",
        size=kept.size,
        state=Run.State.CHECKING,
        submitted_by=actor,
    )
