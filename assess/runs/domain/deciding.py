"""Decide on a submitted run: check it, then accept it with its responses or reject it; or withdraw it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, Refused
from assess.base.file_issues import Report
from assess.base.files import keep_always
from assess.base.sentences import Sentence
from assess.campaigns.activity import record_activity
from assess.campaigns.grown_work import recheck_done_work, rechecked_together
from assess.campaigns.models import Campaign
from assess.jobs.domain import stop_jobs
from assess.jobs.kinds import CHECK
from assess.jobs.models import Job
from assess.jobs.progress import ReportProgress, no_report
from assess.protocol import RunContent
from assess.protocol.records import without_time_limit
from assess.runs.domain.accepted_runs import store_run
from assess.runs.domain.checking import CheckedRun, examine_run, keep_rankings
from assess.runs.domain.replacing import ReplacesRun, is_same, require_replaceable
from assess.runs.domain.run_form import form_of
from assess.runs.domain.space import drop_older_attempts
from assess.runs.domain.submission_rules import require_may_submit, require_open, require_place
from assess.runs.models import Run
from scoring.records import Issue


class NoLongerChecked(Conflict):
    """Somebody withdrew the run while it was being checked, or another worker finished it first."""

    code = "no-longer-checked"


def check_received(*, actor: User, run: Run, progress: ReportProgress = no_report) -> str:
    """Check a submitted run as the worker does, accept or reject it, and return a sentence on the result.

    A run that is no longer being checked stays as it is. ``progress`` may stop the check by raising. If another run has
    meanwhile taken the tag, the priority or the team's last place, the run is rejected, and its report begins with
    that. Of two runs of a team with one tag, the one submitted later counts, whichever is checked first.
    """
    if run.state != Run.State.CHECKING:
        return _already(run)
    found = examine_run(run, progress=progress)
    try:
        _decide(actor=actor, run=run, found=found, progress=progress)
    except NoLongerChecked as refusal:
        return refusal.sentence
    except Refused as refusal:
        _reject(actor=actor, run=run, report=found.report, refusal=refusal)
    return Sentence("%(tag)s is %(state)s.", tag=run.tag, state=Run.State(run.state).label)


def check_in_place(*, actor: User, run: Run, pace: Callable[[], None] = without_time_limit) -> Run:
    """Check a run for a caller who waits, and return the run as it was decided. ``pace`` may end the check by raising.

    If accepting it is refused, the refusal is raised and no trace of the run stays. A run that was rejected before with
    the same file, form and report is returned instead.
    """
    try:
        found = examine_run(run, pace=pace)
        if (before := _rejected_before(run, found.report)) is None:
            return _decide(actor=actor, run=run, found=found)
    except BaseException:
        _drop(run)
        raise
    _drop(run)
    return before


def _decide(*, actor: User, run: Run, found: CheckedRun, progress: ReportProgress = no_report) -> Run:
    """Accept a run if the checker found no error in its file, otherwise reject it."""
    run.repaired, run.repairs = found.repaired, list(found.repairs)
    if not found.report.is_clean:
        return _reject(actor=actor, run=run, report=found.report)
    return _accept(actor=actor, run=run, report=found.report, content=found.content, progress=progress)


def withdraw_run(*, actor: User, run: Run) -> Run:
    """Withdraw a run that is accepted or being checked, and return it.

    Its responses are deleted and its check is stopped; the file and judgments stay. Withdrawing it again changes
    nothing. A rejected run is refused. Participants may withdraw their team's runs during set-up until the deadline,
    organisers any run until the campaign is frozen.
    """
    require_may_submit(actor=actor, campaign=run.campaign, team=run.team)
    with rechecked_together(campaign=run.campaign, actor=actor), transaction.atomic():
        locked = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
        if locked.state == Run.State.REJECTED:
            raise Conflict(gettext("The checker rejected this run, so there is nothing to withdraw."))
        if locked.state in (Run.State.ACCEPTED, Run.State.CHECKING):
            withdraw(actor=actor, run=locked)
    run.state = Run.State.WITHDRAWN
    return run


def _accept(*, actor: User, run: Run, report: Report, content: RunContent, progress: ReportProgress = no_report) -> Run:
    """Store what a checked run returned, and accept it. An earlier run with the same tag is withdrawn.

    What scores will read of it is kept after the commit; where that is stopped or fails, they read the file.

    If the accepted run with the same tag has the same file and form, or was submitted later and checked sooner, the run
    that is being checked is withdrawn instead, and the accepted one is returned. Refused: a tag or priority taken
    meanwhile, a replacement after set-up, one that nobody asked for (`ReplacesRun`), a campaign frozen meanwhile, and a
    run that is no longer being checked.
    """
    _note(run, report)
    ranked = _ranked(content)  # it may take a while, so it is done before others wait for the transaction
    try:
        with rechecked_together(campaign=run.campaign, actor=actor), transaction.atomic():
            campaign = Campaign.objects.select_for_update(no_key=True).get(pk=run.campaign_id)
            require_open(campaign)
            _require_checking(run)
            earlier = require_place(campaign=campaign, form=form_of(run), submission=content.submission)
            if earlier is not None and (earlier.pk > run.pk or is_same(earlier, run)):
                withdraw(actor=actor, run=run)
                return earlier
            if earlier is not None:
                require_replaceable(campaign=campaign, tag=earlier.tag)
                if earlier.file != run.file and run.replaces_id is None:  # it came in while this one was checked
                    raise ReplacesRun(earlier)
                withdraw(actor=actor, run=earlier)
            run.replaces = earlier
            run.state = Run.State.ACCEPTED
            run.save()
            stored = store_run(
                run=run, segments=content.segments(), responses=content.responses(), ranked_topics=ranked
            )
            recheck_done_work(campaign=campaign, actor=actor, topics=_answered(run))
            data = {"tag": run.tag, "file": run.file, "segments": stored, "replaces": earlier and earlier.pk}
            record_activity(actor=actor, action="run.accept", campaign=campaign, about=run, data=data)
            keep_always(run.file)
            transaction.on_commit(partial(drop_older_attempts, run))
            transaction.on_commit(lambda: keep_rankings(campaign, run, progress), robust=True)
    except IntegrityError as error:
        raise Conflict(
            Sentence("A run %(tag)s came in at this moment. Look at the list of runs and try again.", tag=run.tag)
        ) from error
    return run


def _reject(*, actor: User, run: Run, report: Report, refusal: Refused | None = None) -> Run:
    """Reject the run, store its report, and return the run. ``refusal`` is any further reason why it was not accepted.
    Raises `NoLongerChecked` if it was decided meanwhile.
    """
    _note(run, report)
    if refusal is not None:
        row = Issue(where="", code="refused", message=refusal.message)
        run.report = [*Report(issues=(row,)).as_rows(), *run.report]
        run.errors += 1
    with transaction.atomic():
        _require_checking(run)
        run.state, run.replaces = Run.State.REJECTED, None
        run.save()
        data: dict[str, Any] = {"tag": run.tag, "file": run.file, "errors": run.errors}
        record_activity(actor=actor, action="run.reject", campaign=run.campaign, about=run, data=data)
        transaction.on_commit(partial(drop_older_attempts, run))
    return run


def withdraw(*, actor: User, run: Run) -> None:
    """Mark a run as withdrawn and delete its responses, so that nothing of it is shown or scored.

    If its check is under way, stop it. Needs a transaction, and a caller who made all checks. Raises `Conflict` in a
    closed campaign.
    """
    if run.state == Run.State.CHECKING:
        run.replaces = None  # it has replaced no run
        stop_jobs(Job.objects.filter(campaign=run.campaign_id, kind=CHECK, arguments__run=run.pk))
    run.state = Run.State.WITHDRAWN
    run.save(update_fields=["state", "replaces"])
    topics = _answered(run)
    run.responses.all().delete()
    recheck_done_work(campaign=run.campaign, actor=actor, topics=topics)
    record_activity(actor=actor, action="run.withdraw", campaign=run.campaign, about=run, data={"tag": run.tag})


def _answered(run: Run) -> list[int]:
    """Return the ids of the topics that a run answers, whose work may change (`Stage.needs`)."""
    return list(run.responses.values_list("topic_id", flat=True))


def _rejected_before(run: Run, report: Report) -> Run | None:
    """Return the newest rejected run with the same tag and file if it also has the same form and report, otherwise
    None.
    """
    if report.is_clean:
        return None
    rejected = run.campaign.runs.filter(tag=run.tag, file=run.file, state=Run.State.REJECTED).order_by("-id").first()
    if rejected is None or not is_same(rejected, run) or rejected.report != report.as_rows():
        return None
    return rejected


def _already(run: Run) -> Sentence:
    return Sentence("%(tag)s is %(state)s already.", tag=run.tag, state=Run.State(run.state).label)


def _drop(run: Run) -> None:
    """Delete a run that was being checked in place, unless it has been decided."""
    Run.objects.filter(pk=run.pk, state=Run.State.CHECKING).delete()


def _require_checking(run: Run) -> None:
    """Raise `NoLongerChecked` if a run was withdrawn or decided while it was being checked."""
    now = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if now.state != Run.State.CHECKING:
        raise NoLongerChecked(_already(now))


def _note(run: Run, report: Report) -> None:
    run.report, run.errors = report.as_rows(), report.errors
    run.warnings, run.notes = report.warnings, report.notes


def _ranked(content: RunContent) -> list[str]:
    """Return the topics of the campaign that a run answers with ranked lists, in the order of the file."""
    known = {topic.number for topic in content.context.topics}
    kinds = [ranking.kind for ranking in content.submission.rankings]
    numbers = dict.fromkeys(number for kind in kinds for number in content.ranked_topics(kind))
    return [number for number in numbers if number in known]
