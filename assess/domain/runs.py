"""Checking, submitting and withdrawing runs: one way for page, API and command."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, BinaryIO

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from assess.domain.activity import record_activity
from assess.domain.errors import BadFile, Conflict, Invalid, NotAllowed
from assess.domain.files import StoredFile, open_file, store_file
from assess.domain.reports import SHOWN, Report, collect
from assess.domain.run_forms import asks_file, complete_form, require_complete
from assess.domain.run_rows import store_run
from assess.models import Campaign, Membership, Role, Run
from assess.protocol import CheckContext, RunContent, RunForm, Submission
from assess.queries.docnos import unknown_docnos
from assess.queries.document_texts import document_text
from assess.queries.topics import topic_records
from assess.queries.tracks import settings_of, track_of

RUN_LIMIT = 64 * 1024 * 1024
"""Bytes of a run file: far more than any track's, and checked in a minute, so that nobody can occupy the site."""

NAME_LIMIT = 255


def submission_of(campaign: Campaign, key: str = "") -> Submission:
    """The kind of run file with this key; without a key, the first of the track."""
    submissions = track_of(campaign).submissions
    found = next((each for each in submissions if each.key == key or not key), None)
    if found is None:
        known = ", ".join(each.key for each in submissions)
        raise Invalid(f"There is no kind of run “{key}”. Use one of: {known}.")
    return found


def check_context(campaign: Campaign, form: RunForm | None = None) -> CheckContext:
    """All that a checker of this campaign's runs may know."""
    return CheckContext(
        topics=topic_records(campaign),
        settings=settings_of(campaign),
        unknown_docnos=unknown_docnos(campaign),
        form=form,
        document_text=document_text(campaign),
    )


def check_run(
    *,
    campaign: Campaign,
    stream: BinaryIO,
    submission: str = "",
    form: RunForm | None = None,
    limit: int | None = SHOWN,
) -> Report:
    """Check a run file without storing anything. The first ``limit`` errors and warnings are kept (None: all).

    Refused: a file beyond the limit of `RUN_LIMIT` bytes.
    """
    _require_size(stream)
    found = submission_of(campaign, submission)
    complete = complete_form(found, stream, form) if form is not None else None
    return collect(found.check(stream, check_context(campaign, complete)), limit=limit)


def submit_run(
    *, actor: User, campaign: Campaign, form: RunForm, stream: BinaryIO, file_name: str, submission: str = ""
) -> Run:
    """Keep the file byte for byte, check it, and store what it returned. The run says how it went.

    What the form leaves out is taken from the file, where its kind says such things. A file with errors becomes a
    rejected run with the checker's report, and nothing else is stored; that is no refusal. A tag submitted again takes
    the earlier run's place during set-up; the earlier one is withdrawn. The same file with the same form changes
    nothing. Refused are: a form that is not filled in, another team's run, a priority that the team has given already,
    a run more than the team may have, runs after set-up (organisers may still add runs while the campaign is judged).
    """
    found = submission_of(campaign, submission)
    kept, form = _completed(found, stream, form)
    if kept is not None and asks_file(found, form) and not form.tag:
        _require_readable(campaign, found, kept, form)
    require_complete(form, found)
    _require_may_submit(actor=actor, campaign=campaign, team=form.team, submission=found)
    _require_place(campaign=campaign, form=form, submission=found)
    kept = kept or store_file(stream, RUN_LIMIT)
    context = check_context(campaign, form)
    with open_file(kept.sha256) as file:
        report = collect(found.check(file, context))
    run = _run(actor=actor, campaign=campaign, submission=found, form=form, kept=kept, file_name=file_name)
    run.report, run.errors, run.warnings = report.as_rows(), report.errors, report.warnings
    if not report.is_clean:
        return _reject(actor=actor, run=run)
    content = RunContent(submission=found, open=partial(open_file, kept.sha256), context=context)
    records, responses = list(content.segments()), list(content.responses())
    ranked = _ranked_topics(content)
    try:
        with transaction.atomic():
            locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
            _require_may_submit(actor=actor, campaign=locked, team=form.team, submission=found)
            earlier = _require_place(campaign=locked, form=form, submission=found)
            if earlier is not None:
                if _is_same(earlier, run):
                    return earlier
                if locked.state != Campaign.State.SETUP:
                    raise Conflict(f"Judging has begun, so {earlier.tag} can't be replaced. Withdraw it first.")
                _withdraw(actor=actor, run=earlier)
            run.save()
            stored = store_run(run=run, segments=records, responses=responses, ranked_topics=ranked)
            data = {"tag": run.tag, "file": run.file, "segments": stored}
            record_activity(actor=actor, action="run.accept", campaign=campaign, about=run, data=data)
    except IntegrityError as error:
        raise Conflict(f"A run {form.tag} came in at this moment. Look at the list of runs and try again.") from error
    return run


def withdraw_run(*, actor: User, run: Run) -> Run:
    """Take an accepted run back: its responses go, the file and what is judged stay. Again changes nothing.

    Participants may withdraw their team's runs during set-up; organisers until the campaign is frozen.
    """
    _require_may_submit(actor=actor, campaign=run.campaign, team=run.team)
    with transaction.atomic():
        locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if locked.state == Run.State.REJECTED:
            raise Conflict("The checker rejected this run, so there is nothing to withdraw.")
        if locked.state == Run.State.ACCEPTED:
            _withdraw(actor=actor, run=locked)
    run.state = Run.State.WITHDRAWN
    return run


def _completed(submission: Submission, stream: BinaryIO, form: RunForm) -> tuple[StoredFile | None, RunForm]:
    """The form, completed; where that takes the file, it is kept first, since a stream may be read but once."""
    if not asks_file(submission, form):
        return None, complete_form(submission, None, form)
    kept = store_file(stream, RUN_LIMIT)
    with open_file(kept.sha256) as file:
        return kept, complete_form(submission, file, form)


def _require_readable(campaign: Campaign, submission: Submission, kept: StoredFile, form: RunForm) -> None:
    """Where a file says no run tag: what is wrong with the file comes before what is missing in the form."""
    with open_file(kept.sha256) as file:
        report = collect(submission.check(file, check_context(campaign, form)))
    if not report.is_clean:
        message = f"The file has {report.errors:,} error{'s' if report.errors != 1 else ''}, and no run tag was found."
        raise BadFile(message, issues=report.issues, total=report.errors)


def _ranked_topics(content: RunContent) -> list[str]:
    """The topics of the campaign that a run answers by ranked lists, in the order of the file."""
    known = {topic.number for topic in content.context.topics}
    kinds = [ranking.kind for ranking in content.submission.rankings]
    lines = (line.topic for kind in kinds for line in content.ranking(kind))
    return list(dict.fromkeys(number for number in lines if number in known))


def _require_size(stream: BinaryIO) -> None:
    """Refuse what is too large; what can't be measured beforehand comes from the command line, and may be."""
    if not stream.seekable():
        return
    start = stream.tell()
    size = stream.seek(0, os.SEEK_END) - start
    stream.seek(start)
    if size > RUN_LIMIT:
        raise Invalid(f"The file is larger than the {RUN_LIMIT:,} bytes that a run may have. Is it the right file?")


def _require_may_submit(*, actor: User, campaign: Campaign, team: str, submission: Submission | None = None) -> None:
    if campaign.state in (Campaign.State.FROZEN, Campaign.State.RELEASED):
        raise Conflict(f"The campaign is {campaign.get_state_display()}; its runs can't be changed any more.")
    memberships = Membership.objects.filter(campaign=campaign, user=actor)
    if actor.is_superuser or memberships.filter(role=Role.ORGANISER).exists():
        return
    if not memberships.filter(role=Role.PARTICIPANT, team=team).exists():
        raise NotAllowed("You can submit and withdraw runs of your own team only.")
    if submission is not None and submission.for_organisers:
        raise NotAllowed(f"Only organisers add what is called “{submission.label}”. Submit your run as another kind.")
    if campaign.state != Campaign.State.SETUP:
        raise Conflict("Judging has begun, so runs can't be submitted or withdrawn any more. Write to the organiser.")


def _require_place(*, campaign: Campaign, form: RunForm, submission: Submission) -> Run | None:
    """The accepted run with the same tag, which the new one would replace. Refuses where it can't."""
    accepted = campaign.runs.filter(state=Run.State.ACCEPTED)
    earlier = accepted.filter(tag=form.tag).first()
    if earlier is not None and earlier.team != form.team:
        raise Conflict(f"The tag {form.tag} is taken. Choose another.")
    if submission.runs_a_team:
        others = accepted.filter(team=form.team, submission=submission.key).exclude(tag=form.tag)
        if (count := others.count()) >= submission.runs_a_team:
            tags = ", ".join(others.values_list("tag", flat=True)[:10])
            raise Conflict(
                f"{form.team} has {count} accepted runs ({tags}); a team may have {submission.runs_a_team}. "
                "Withdraw one of them first."
            )
    if form.priority is not None:
        same = accepted.filter(team=form.team, submission=submission.key, priority=form.priority)
        other = same.exclude(tag=form.tag).first()
        if other is not None:
            raise Conflict(
                f"{form.team} has given priority {form.priority} to {other.tag}. "
                "Withdraw that run first, or choose another priority."
            )
    return earlier


def _run(
    *, actor: User, campaign: Campaign, submission: Submission, form: RunForm, kept: StoredFile, file_name: str
) -> Run:
    return Run(
        campaign=campaign,
        submission=submission.key,
        tag=form.tag,
        team=form.team,
        priority=form.priority,
        automatic=form.automatic,
        description=form.description,
        fields=dict(form.fields),
        file=kept.sha256,
        file_name=file_name.replace("\\", "/").rsplit("/", 1)[-1][:NAME_LIMIT] or "run.txt",
        size=kept.size,
        state=Run.State.ACCEPTED,
        submitted_by=actor,
    )


SAME: tuple[str, ...] = ("submission", "tag", "team", "priority", "automatic", "description", "fields", "file")


def _is_same(earlier: Run, run: Run) -> bool:
    return all(getattr(earlier, name) == getattr(run, name) for name in SAME)


def _reject(*, actor: User, run: Run) -> Run:
    run.state = Run.State.REJECTED
    earlier = run.campaign.runs.filter(tag=run.tag, file=run.file, state=run.state).order_by("-id").first()
    if earlier is not None and _is_same(earlier, run) and earlier.report == run.report:
        return earlier
    with transaction.atomic():
        run.save()
        data: dict[str, Any] = {"tag": run.tag, "file": run.file, "errors": run.errors}
        record_activity(actor=actor, action="run.reject", campaign=run.campaign, about=run, data=data)
    return run


def _withdraw(*, actor: User, run: Run) -> None:
    """Mark a run withdrawn and drop its responses, so that nothing of it is shown or scored."""
    run.state = Run.State.WITHDRAWN
    run.save(update_fields=["state"])
    run.responses.all().delete()
    record_activity(actor=actor, action="run.withdraw", campaign=run.campaign, about=run, data={"tag": run.tag})
