"""Checking, submitting and withdrawing runs: one way for page, API and command."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import BadFile, Conflict, Invalid, NotAllowed
from assess.base.files import StoredFile, open_file, store_file
from assess.base.reports import SHOWN, Report, collect
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, track_of
from assess.documents.queries.docnos import unknown_docnos
from assess.documents.queries.texts import document_text
from assess.jobs.domain.watched_files import open_watched
from assess.jobs.progress import Tell, quiet
from assess.protocol import CheckContext, RunContent, RunForm, Submission
from assess.runs.domain.repaired import repaired_file
from assess.runs.domain.replacing import Replace, replaced_run, standing_runs, with_earlier
from assess.runs.domain.rules import (
    is_organiser_of,
    require_attempts_left,
    require_free_tag,
    require_may_submit,
    require_place,
    require_setup,
    require_window,
)
from assess.runs.domain.run_form import asks_file, complete_form, form_of, require_complete
from assess.runs.domain.states import accept_run, reject_run, withdraw
from assess.runs.models import Run
from assess.topics.queries.topics import topic_records
from scoring.reading import damage_errors

RUN_LIMIT = 500 * 1024 * 1024
"""Bytes of a run file."""

WHOLE_LIMIT = 64 * 1024 * 1024
"""Bytes of a run file of a kind that is read as one piece (JSON): it takes ten times as much memory."""

AT_ONCE = 8 * 1024 * 1024
"""Bytes of a run file that pages and the API check while the caller waits: a second or two. More goes to the worker."""

NAME_LIMIT = 255


def submission_of(campaign: Campaign, key: str = "") -> Submission:
    """The kind of run file with this key; without a key, the first of the track."""
    submissions = track_of(campaign).submissions
    found = next((each for each in submissions if each.key == key or not key), None)
    if found is None:
        known = ", ".join(each.key for each in submissions)
        raise Invalid(f"There is no kind of run “{key}”. Use one of: {known}.")
    return found


def check_context(campaign: Campaign, form: RunForm | None = None, *, any_tag: bool = False) -> CheckContext:
    """All that a checker of this campaign's runs may know; ``any_tag``: the run was published under its tag."""
    return CheckContext(
        topics=topic_records(campaign),
        settings=settings_of(campaign),
        unknown_docnos=unknown_docnos(campaign),
        form=form,
        document_text=document_text(campaign),
        any_tag=any_tag,
    )


def check_run(
    *,
    campaign: Campaign,
    stream: BinaryIO,
    submission: str = "",
    form: RunForm | None = None,
    limit: int | None = SHOWN,
    at_once: bool = False,
    published: bool = False,
) -> Report:
    """Check a run file without storing anything. The first ``limit`` errors and warnings are kept (None: all).

    Refused: a file beyond the limit of its kind, `RUN_LIMIT` or `WHOLE_LIMIT` bytes; where somebody waits for the
    answer (``at_once``), one beyond `AT_ONCE`.
    """
    found = submission_of(campaign, submission)
    _require_size(stream, _limit(found))
    if at_once and (size := _size(stream)) is not None and size > AT_ONCE:
        raise Invalid(
            f"The file is larger than the {AT_ONCE:,} bytes that are checked while you wait. Submit it: it is then "
            "checked in the background, and with errors in it nothing of it is taken in."
        )
    complete = complete_form(found, stream, form) if form is not None else None
    context = check_context(campaign, complete, any_tag=published or found.for_organisers)
    return collect(found.issues(stream, context), limit=limit)


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """What was found in a run's file: the report, what it returned, and a better file where it can be mended."""

    report: Report
    content: RunContent
    repaired: str = ""
    repairs: tuple[dict[str, Any], ...] = ()


def submit_run(
    *,
    actor: User,
    campaign: Campaign,
    form: RunForm,
    stream: BinaryIO,
    file_name: str,
    submission: str = "",
    published: bool = False,
    replace: Replace = False,
) -> Run:
    """Keep the file byte for byte, check it, and store what it returned. The run says how it went.

    What the form leaves out is taken from the file, where its kind says such things. A file with errors becomes a
    rejected run with the checker's report, and nothing else is stored; that is no refusal. During set-up another file
    under a tag takes the earlier run's place where ``replace`` says so, and is refused with `ReplacesRun` otherwise;
    the earlier one is withdrawn, and what the form leaves out is kept from it. The same file with the same form changes
    nothing. Refused are besides: a form that is not filled in, another team's run, a priority that the team has given,
    a run more than the team may have, any more once the checker has rejected `ATTEMPTS` of the team's files, runs after
    the deadline and after set-up (organisers may still add runs while the campaign is judged). Organisers bring in runs
    that were ``published``, whose tags need not keep the rule for tags.
    """
    run = receive_run(
        actor=actor,
        campaign=campaign,
        form=form,
        file=stream,
        file_name=file_name,
        submission=submission,
        published=published,
        replace=replace,
    )
    found = examine_run(run)
    run.repaired, run.repairs = found.repaired, list(found.repairs)
    if not found.report.is_clean:
        return reject_run(actor=actor, run=run, report=found.report)
    return accept_run(actor=actor, run=run, report=found.report, content=found.content)


def receive_run(
    *,
    actor: User,
    campaign: Campaign,
    form: RunForm,
    file: BinaryIO | StoredFile,
    file_name: str,
    submission: str = "",
    published: bool = False,
    replace: Replace = False,
    most_read: int = RUN_LIMIT,
) -> Run:
    """A run to be checked, not saved yet: its file is kept, its form complete, and all holds that needs no checker.

    Of a file beyond ``most_read`` bytes nothing is read, so that the form must say what the file might.
    """
    require_window(actor=actor, campaign=campaign)
    if published and not is_organiser_of(actor, campaign):
        raise NotAllowed("Only organisers bring in published runs.")
    found = submission_of(campaign, submission)
    kept = file if isinstance(file, StoredFile) else None
    if asks_file(found, form):
        kept = kept or _kept(file, found)
        if kept.size <= most_read:
            form = _completed(campaign, found, kept, form)
    form = complete_form(found, None, form)
    if form.team:  # before anything of the team's earlier run is taken over
        require_may_submit(actor=actor, campaign=campaign, team=form.team, submission=found)
    form = with_earlier(form=form, submission=found, campaign=campaign)
    require_complete(form, found, published=published)
    require_attempts_left(actor=actor, campaign=campaign, team=form.team)
    require_free_tag(campaign=campaign, form=form)
    require_place(campaign=campaign, form=form, submission=found)
    kept = kept or _kept(file, found)
    run = _run(actor=actor, campaign=campaign, key=found.key, form=form, kept=kept, name=file_name)
    standing = standing_runs(campaign=campaign, tag=run.tag, team=run.team)
    if any(each.state == Run.State.ACCEPTED and each.file != run.file for each in standing):
        require_setup(campaign=campaign, tag=run.tag)
    run.replaces = replaced_run(standing=standing, file=run.file, replace=replace)
    return run


def examine_run(run: Run, *, progress: Tell = quiet) -> Examined:
    """Check the file that a run came in with. ``progress`` hears how far that is, and may stop it by raising."""
    found = submission_of(run.campaign, run.submission)
    context = check_context(run.campaign, form_of(run), any_tag=not found.tags.allows(run.tag))  # let in as published
    with open_watched(run.file, progress=progress) as file:
        report = collect(found.issues(file, context))
    mended = repaired_file(submission=found, context=context, sha256=run.file, report=report, progress=progress)
    content = RunContent(submission=found, open=partial(open_file, run.file), context=context, run=run.tag)
    if mended is None:
        return Examined(report=report, content=content)
    return Examined(report=report, content=content, repaired=mended.sha256, repairs=mended.rows)


def withdraw_run(*, actor: User, run: Run) -> Run:
    """Take an accepted run back, or one that is being checked: its responses go, the file and what is judged stay.

    Again changes nothing. Participants may withdraw their team's runs until the deadline and during set-up; organisers
    until the campaign is frozen.
    """
    require_may_submit(actor=actor, campaign=run.campaign, team=run.team)
    with transaction.atomic():
        locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if locked.state == Run.State.REJECTED:
            raise Conflict("The checker rejected this run, so there is nothing to withdraw.")
        if locked.state in (Run.State.ACCEPTED, Run.State.CHECKING):
            withdraw(actor=actor, run=locked)
    run.state = Run.State.WITHDRAWN
    return run


def _completed(campaign: Campaign, submission: Submission, kept: StoredFile, form: RunForm) -> RunForm:
    """The form, completed by what the file says. Where that is no tag, what is wrong with the file comes first."""
    with open_file(kept.sha256) as file:
        form = complete_form(submission, file, form)
    if form.tag:
        return form
    with open_file(kept.sha256) as file:
        report = collect(submission.issues(file, check_context(campaign, form)))
    if not report.is_clean:
        message = f"The file has {report.errors:,} error{'s' if report.errors != 1 else ''}, and no run tag was found."
        raise BadFile(message, issues=report.issues, total=report.errors)
    return form


def _kept(file: BinaryIO | StoredFile, submission: Submission) -> StoredFile:
    if isinstance(file, StoredFile):
        return file
    _require_size(file, _limit(submission))
    return store_file(file, _limit(submission))


def _limit(submission: Submission) -> int:
    return min(RUN_LIMIT, WHOLE_LIMIT) if submission.is_whole else RUN_LIMIT


def _require_size(stream: BinaryIO, limit: int) -> None:
    """Refuse what is too large; what can't be measured beforehand comes from the command line, and may be."""
    if (size := _size(stream)) is not None and size > limit:
        raise Invalid(f"The file is larger than the {limit:,} bytes that a run may have. Is it the right file?")


def _size(stream: BinaryIO) -> int | None:
    """How many bytes are left to read, or None where that can't be known: it is cut off, or can't be wound back."""
    if not stream.seekable():
        return None
    start = stream.tell()
    try:
        return stream.seek(0, os.SEEK_END) - start
    except damage_errors():
        return None
    finally:
        stream.seek(start)


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
