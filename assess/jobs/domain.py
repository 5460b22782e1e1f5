"""Long jobs in the background: asked for on a page, stopped, started again, and given up where their worker is gone."""

from __future__ import annotations

import logging
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from assess.base.errors import Conflict, Invalid
from assess.campaigns.models import Campaign
from assess.jobs.background import run_work
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Work
from assess.jobs.workers import is_held

# Stopping jobs.


def stop_works(*, actor: User, works: QuerySet[Work]) -> None:
    """Stop those that wait or have lost their worker at once, and ask those that run to stop after their step.

    Ended ones stay as they are.
    """
    now = timezone.now()
    lost = [work.pk for work in works.filter(state=Work.State.RUNNING) if work.is_lost()]
    works.filter(Q(state=Work.State.WAITING) | Q(pk__in=lost, state=Work.State.RUNNING)).update(
        state=Work.State.STOPPED, message=f"Stopped by {actor}.", updated_at=now
    )
    works.filter(state=Work.State.RUNNING).update(asked_to_stop=True)


# Long jobs in the background: asked for on a page, stopped and started again.
#
# The worker does them in `assess.jobs.background`; what a kind of job does stands in `assess.worker`.


def enqueue_work(*, actor: User, campaign: Campaign, kind: str, arguments: dict[str, Any]) -> Work:
    """Ask for a job. ``arguments`` are JSON values: see the job's function. Runs as soon as a worker is free.

    Refused: an unknown kind; a second job of a kind while one is waiting or running. Kinds that stand in line wait
    instead, and only the same job, with the same arguments, is refused.
    """
    if kind not in job_kinds():
        raise Invalid(f"There is no job “{kind}”. Use one of: {', '.join(job_kinds())}.")
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


def _require_alone(campaign_id: int, kind: str, arguments: dict[str, Any], *, besides: Work | None = None) -> None:
    """Refuse a second job of a kind while one is under way; whoever else asks waits for this transaction to end."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    under_way = Work.objects.filter(campaign=campaign_id, kind=kind, state__in=Work.UNDER_WAY)
    if job_kinds()[kind].in_line:
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
    transaction.on_commit(lambda: run_work.enqueue(work.pk))


# Jobs that nobody does any more: their worker was killed, or what sends them to the worker never arrived.

logger = logging.getLogger(__name__)

MOST_TAKEN_UP = 5
"""A job that so many workers died of is not taken up once more: it would end the next one, too."""


def take_up_lost_jobs() -> None:
    """Have every job that is said to run, and that nobody does, done by the next worker; it goes on where it was.

    No row of the queue stays running without a worker, and no job waits without a row. Two queries where all is well.
    """
    rows = {_job_of(row): row for row in DBTaskResult.objects.exclude(status__in=["SUCCESSFUL", "FAILED"])}
    for pk, row in rows.items():
        if row.status == "RUNNING" and not is_held(pk):
            DBTaskResult.objects.filter(pk=row.pk, status="RUNNING").update(status="READY")
    for work in Work.objects.filter(state__in=Work.UNDER_WAY):
        if work.state == Work.State.WAITING and work.pk not in rows:
            send_work(work)
        elif work.is_lost():
            _take_up(work, rows.get(work.pk))


def _take_up(work: Work, row: DBTaskResult[Any, Any] | None) -> None:
    lost = Work.objects.filter(pk=work.pk, state=Work.State.RUNNING, updated_at=work.updated_at)
    if work.asked_to_stop:
        lost.update(state=Work.State.STOPPED, message="Stopped; its worker had ended.")
        return
    if row is not None and len(row.worker_ids) >= MOST_TAKEN_UP:
        message = f"{MOST_TAKEN_UP} workers ended while they did this job. Whoever runs the site finds more in its log."
        lost.update(state=Work.State.FAILED, message=message)
        return
    logger.warning("job %s of campaign %s has lost its worker; it is taken up again", work.kind, work.campaign_id)
    with transaction.atomic():
        if lost.update(state=Work.State.WAITING, message="") and row is None:
            send_work(work)


def _job_of(row: DBTaskResult[Any, Any]) -> int:
    return int(row.args_kwargs["args"][0])
