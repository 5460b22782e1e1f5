"""Long jobs in the background: asked for on a page, done by the worker, stopped and started again.

What a kind of job does stands in `assess.domain.jobs.kinds`. `manage.py db_worker` runs them one after another.
"""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from assess.domain.errors import Conflict, Invalid, Refused
from assess.domain.jobs.kinds import JOBS
from assess.domain.jobs.progress import Stopped
from assess.domain.jobs.stopping import stop_works
from assess.domain.jobs.watch import Watch
from assess.domain.outages import DiskFull, outage_of
from assess.domain.reports import Report
from assess.job_locks import holding
from assess.models import Campaign, Work

PATIENCE = 5.0
"""How many seconds a worker waits for another that is just ending with the same job."""

logger = logging.getLogger(__name__)


def enqueue_work(*, actor: User, campaign: Campaign, kind: str, arguments: dict[str, Any]) -> Work:
    """Ask for a job. ``arguments`` are JSON values: see the job's function. Runs as soon as a worker is free.

    Refused: an unknown kind; a second job of a kind while one is waiting or running. Kinds that stand in line wait
    instead, and only the same job, with the same arguments, is refused.
    """
    if kind not in JOBS:
        raise Invalid(f"There is no job “{kind}”. Use one of: {', '.join(JOBS)}.")
    with transaction.atomic():
        _require_alone(campaign.pk, kind, arguments)
        work = Work.objects.create(campaign=campaign, kind=kind, arguments=arguments, started_by=actor)
        send_work(work)
    return work


def stop_work(*, actor: User, work: Work) -> Work:
    """Ask a job to stop after its present step; one that waits or has lost its worker is stopped at once."""
    stop_works(actor=actor, works=Work.objects.filter(pk=work.pk))
    work.refresh_from_db()
    return work


def restart_work(*, actor: User, work: Work) -> Work:
    """Start a stopped or failed job again, or one whose worker was lost; it goes on where it was.

    Refused: any other, and all that `enqueue_work` refuses.
    """
    with transaction.atomic():
        _require_alone(work.campaign_id, work.kind, work.arguments, besides=work)
        locked = Work.objects.select_for_update(no_key=True).get(pk=work.pk)
        if locked.state not in (Work.State.STOPPED, Work.State.FAILED) and not locked.is_lost():
            raise Conflict(f"The job is {locked.get_state_display()}, so it can't be started again.")
        locked.state, locked.asked_to_stop = Work.State.WAITING, False
        locked.started_by, locked.message, locked.issues = actor, "", []
        locked.save()
        send_work(locked)
    return locked


def do_work(work_id: int) -> None:
    """Do a job that waits; called by the worker. One that was stopped or is being done elsewhere is left alone.

    It waits again where the worker is told to end, or the database is locked or away: the next worker goes on with it.
    """
    with holding(work_id, patience=PATIENCE) as is_ours:
        if is_ours:
            _do(work_id)


def _do(work_id: int) -> None:
    claimed = Work.objects.filter(pk=work_id, state=Work.State.WAITING)
    if not claimed.update(state=Work.State.RUNNING, updated_at=timezone.now()):
        return
    work = Work.objects.select_related("campaign", "started_by").get(pk=work_id)
    kind, watch = JOBS[work.kind], Watch(work)
    try:
        outcome = kind.do(work, watch)
    except Stopped:
        _end_stopped(watch, message=kind.stopped)
    except Exception as error:
        if _break_off(watch, error):
            raise
    else:
        if outcome.stopped:
            _end_stopped(watch, message=outcome.message, report=outcome.report)
        else:
            watch.end(state=Work.State.DONE, message=outcome.message, report=outcome.report)


def _break_off(watch: Watch, error: Exception) -> bool:
    """Write down why a job ended early. True where that is for the log, too: all but a refusal."""
    outage = outage_of(error)
    if isinstance(outage, DiskFull):
        watch.end(state=Work.State.FAILED, message=f"{outage.cause} Start the job again when there is room.")
    elif outage is not None:
        _wait_again(watch, f"{outage.cause} The job goes on by itself.")
    elif isinstance(error, Refused):
        watch.end(state=Work.State.FAILED, message=error.message)
        return False
    else:
        message = f"The job broke off: {error}. Whoever runs the site finds more in its log."
        watch.end(state=Work.State.FAILED, message=message)
        logger.exception("job %s of campaign %s broke off", watch.work.kind, watch.work.campaign.slug)
    return True


def _end_stopped(watch: Watch, *, message: str, report: Report | None = None) -> None:
    """Stopped is what somebody stopped; what stops because the worker is to end waits for the next one."""
    if watch.is_ending:
        _wait_again(watch, "The site was stopped. The job goes on by itself when it is started again.")
    else:
        watch.end(state=Work.State.STOPPED, message=message, report=report)


def _wait_again(watch: Watch, message: str) -> None:
    watch.end(state=Work.State.WAITING, message=message)


def _require_alone(campaign_id: int, kind: str, arguments: dict[str, Any], *, besides: Work | None = None) -> None:
    """Refuse a second job of a kind while one is under way; whoever else asks waits for this transaction to end."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    under_way = Work.objects.filter(campaign=campaign_id, kind=kind, state__in=Work.UNDER_WAY)
    if JOBS[kind].in_line:
        under_way = under_way.filter(arguments=arguments)
    if besides is not None:
        under_way = under_way.exclude(pk=besides.pk)
    if (other := under_way.first()) is None:
        return
    if other.is_lost():
        raise Conflict("A job of this kind has lost its worker; the next one goes on with it. Wait, or stop it.")
    raise Conflict("The same kind of job is under way already. Wait until it is done, or stop it.")


def send_work(work: Work) -> None:
    """Have the worker do a job that waits, as soon as this transaction ends. A second time does nothing more."""
    from assess.domain.background import run_work

    transaction.on_commit(lambda: run_work.enqueue(work.pk))
