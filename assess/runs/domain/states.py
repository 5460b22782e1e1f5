"""What a run becomes: accepted with its responses, rejected with its report, or withdrawn."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from assess.base.errors import Conflict, Refused
from assess.base.reports import Report
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.jobs.domain.stopping import stop_works
from assess.jobs.models import Work
from assess.jobs.names import CHECK
from assess.protocol import RunContent
from assess.runs.domain.replacing import ReplacesRun
from assess.runs.domain.rules import require_may_submit, require_open, require_place, require_setup
from assess.runs.domain.run_form import form_of
from assess.runs.domain.store import store_run
from assess.runs.models import Run
from scoring.records import Issue

SAME: tuple[str, ...] = ("submission", "tag", "team", "priority", "automatic", "description", "fields", "file")


class NoLongerChecked(Conflict):
    """Somebody withdrew the run while it was checked, or another worker was done with it first."""

    code = "no-longer-checked"


def is_same(earlier: Run, run: Run) -> bool:
    """Whether two runs are the same submission: the same file with the same form."""
    return all(getattr(earlier, name) == getattr(run, name) for name in SAME)


def accept_run(*, actor: User, run: Run, report: Report, content: RunContent) -> Run:
    """Store what a checked run returned and make it count. An earlier run with its tag is withdrawn in its favour.

    Answers with the earlier run where that is the same, or was submitted later and checked sooner (then this one is
    withdrawn). A run that the worker checked came in time; one that is new must be in time now. Refused: a tag or
    priority taken meanwhile, a replacement after set-up or one that nobody asked for (`ReplacesRun`), a campaign frozen
    meanwhile, a run no longer being checked.
    """
    is_new = run._state.adding
    _note(run, report)
    ranked = _ranked(content)  # may take a while, so before anybody has to wait for the transaction
    try:
        with transaction.atomic():
            campaign = Campaign.objects.select_for_update(no_key=True).get(pk=run.campaign_id)
            if is_new:
                require_may_submit(actor=actor, campaign=campaign, team=run.team, submission=content.submission)
            else:
                require_open(campaign)
                _require_checking(run)
            earlier = require_place(campaign=campaign, form=form_of(run), submission=content.submission)
            if earlier is not None and is_new and is_same(earlier, run):
                return earlier
            if earlier is not None and not is_new and earlier.pk > run.pk:
                withdraw(actor=actor, run=run)
                return earlier
            if earlier is not None:
                require_setup(campaign=campaign, tag=earlier.tag)
                if earlier.file != run.file and run.replaces_id is None:  # it came in while this one was checked
                    raise ReplacesRun(earlier)
                withdraw(actor=actor, run=earlier)
            run.replaces = earlier
            run.state = Run.State.ACCEPTED
            run.save()
            stored = store_run(
                run=run, segments=content.segments(), responses=content.responses(), ranked_topics=ranked
            )
            data = {"tag": run.tag, "file": run.file, "segments": stored, "replaces": earlier and earlier.pk}
            record_activity(actor=actor, action="run.accept", campaign=campaign, about=run, data=data)
    except IntegrityError as error:
        raise Conflict(f"A run {run.tag} came in at this moment. Look at the list of runs and try again.") from error
    return run


def reject_run(*, actor: User, run: Run, report: Report, refusal: Refused | None = None) -> Run:
    """Keep the run with its report alone; ``refusal`` is what else kept it from being accepted.

    A new run that was rejected before with the same file, form and report is answered by that one.
    """
    _note(run, report)
    if refusal is not None:
        row = Issue(where="", code="refused", message=refusal.message)
        run.report = [*Report(issues=(row,)).as_rows(), *run.report]
        run.errors += 1
    if run._state.adding:
        earlier = run.campaign.runs.filter(tag=run.tag, file=run.file, state=Run.State.REJECTED).order_by("-id").first()
        if earlier is not None and is_same(earlier, run) and earlier.report == run.report:
            return earlier
    with transaction.atomic():
        if not run._state.adding:
            _require_checking(run)
        run.state, run.replaces = Run.State.REJECTED, None
        run.save()
        data: dict[str, Any] = {"tag": run.tag, "file": run.file, "errors": run.errors}
        record_activity(actor=actor, action="run.reject", campaign=run.campaign, about=run, data=data)
    return run


def withdraw(*, actor: User, run: Run) -> None:
    """Mark a run withdrawn and drop its responses, so that nothing of it is shown or scored. Needs a transaction."""
    if run.state == Run.State.CHECKING:
        run.replaces = None  # it took nobody's place
        works = Work.objects.filter(campaign=run.campaign_id, kind=CHECK, arguments__run=run.pk)
        stop_works(actor=actor, works=works)
    run.state = Run.State.WITHDRAWN
    run.save(update_fields=["state", "replaces"])
    run.responses.all().delete()
    record_activity(actor=actor, action="run.withdraw", campaign=run.campaign, about=run, data={"tag": run.tag})


def _require_checking(run: Run) -> None:
    """Refuse to decide on a run that was withdrawn, or decided on, while it was checked."""
    now = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if now.state != Run.State.CHECKING:
        raise NoLongerChecked(f"{run.tag} is {now.get_state_display()} already.")


def _note(run: Run, report: Report) -> None:
    run.report, run.errors = report.as_rows(), report.errors
    run.warnings, run.notes = report.warnings, report.notes


def _ranked(content: RunContent) -> list[str]:
    """The topics of the campaign that a run answers by ranked lists, in the order of the file."""
    known = {topic.number for topic in content.context.topics}
    kinds = [ranking.kind for ranking in content.submission.rankings]
    numbers = dict.fromkeys(number for kind in kinds for number in content.ranked_topics(kind))
    return [number for number in numbers if number in known]
