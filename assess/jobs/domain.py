"""Long background jobs: requested on a page, stopped, started again, and resumed if their worker is gone."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as noop
from django_tasks_db.models import DBTaskResult

from assess.base.errors import Conflict, Invalid
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.jobs.background import run_work
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.jobs.workers import LONG, is_held

# Stopping jobs.


def stop_jobs(jobs: QuerySet[Job]) -> None:
    """Stop at once the jobs that wait or have lost their worker; ask running jobs to stop after their current step.

    Ended jobs stay as they are. No message names who asked, since their name may be erased later.
    """
    now = timezone.now()
    lost = [job.pk for job in jobs.filter(state=Job.State.RUNNING) if job.is_lost()]
    jobs.filter(Q(state=Job.State.WAITING) | Q(pk__in=lost, state=Job.State.RUNNING)).update(
        state=Job.State.STOPPED, message=noop("Stopped on request."), made_of={}, updated_at=now
    )
    jobs.filter(state=Job.State.RUNNING).update(asked_to_stop=True)


# Requesting jobs and starting them again.
#
# The worker does them in `assess.jobs.background`; `assess.worker` says what each kind of job does.


def enqueue_job(*, actor: User, campaign: Campaign, kind: str, arguments: dict[str, Any]) -> Job:
    """Request a job, which runs as soon as a worker is free.

    ``arguments`` are JSON values for the job's function. Raises `Invalid` for an unknown kind, and `Conflict` while
    another job of the kind waits or runs; for a kind with ``in_line``, only while one with the same arguments does.
    """
    with transaction.atomic():
        _require_alone(campaign.pk, kind, arguments)
        job = Job.objects.create(campaign=campaign, kind=kind, arguments=arguments, started_by=actor)
        send_job(job)
    return job


def ask_for_job(*, actor: User, campaign: Campaign, kind: str, arguments: dict[str, Any]) -> Job:
    """Return the one job with these arguments, which all requests share; request it again if it is done.

    A job that failed or was stopped stays so until somebody starts it again. Its kind must have ``in_line``.
    """
    same = Job.objects.filter(campaign=campaign, kind=kind, arguments=arguments)
    if (found := same.first()) is not None and found.state != Job.State.DONE:
        return found
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        found = same.first()
        if found is None:
            found = Job.objects.create(campaign=campaign, kind=kind, arguments=arguments, started_by=actor)
        elif found.state == Job.State.DONE:
            found.state, found.asked_to_stop = Job.State.WAITING, False
            found.started_by, found.message, found.issues, found.done, found.total = actor, "", [], 0, None
            found.save()
        else:
            return found
        send_job(found)
    return found


def stop_job(job: Job) -> Job:
    """Ask a job to stop after its current step; a job that waits or has lost its worker is stopped at once."""
    stop_jobs(Job.objects.filter(pk=job.pk))
    job.refresh_from_db()
    return job


def restart_job(*, actor: User, job: Job) -> Job:
    """Start a stopped, failed or lost job again; it continues where it left off.

    Raises `Conflict` for a job in another state, and what `enqueue_job` raises.
    """
    with transaction.atomic():
        _require_alone(job.campaign_id, job.kind, job.arguments, besides=job)
        locked = Job.objects.select_for_update(no_key=True).get(pk=job.pk)
        if locked.state not in (Job.State.STOPPED, Job.State.FAILED) and not locked.is_lost():
            raise Conflict(
                gettext("The job is %(state)s, so it can't be started again.") % {"state": locked.get_state_display()}
            )
        locked.state, locked.asked_to_stop = Job.State.WAITING, False
        locked.started_by, locked.message, locked.issues = actor, "", []
        locked.save()
        send_job(locked)
    return locked


def _require_alone(campaign_id: int, kind: str, arguments: dict[str, Any], *, besides: Job | None = None) -> None:
    """Raise what `enqueue_job` raises for a new job, or for the job ``besides`` if it is started again.

    Other requests wait until this transaction ends.
    """
    if kind not in job_kinds():
        raise Invalid(
            gettext("There is no job “%(kind)s”. Use one of: %(job_kinds)s.")
            % {"kind": kind, "job_kinds": ", ".join(job_kinds())}
        )
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)
    under_way = Job.objects.filter(campaign=campaign_id, kind=kind, state__in=Job.UNDER_WAY)
    if job_kinds()[kind].in_line:
        under_way = under_way.filter(arguments=arguments)
    if besides is not None:
        under_way = under_way.exclude(pk=besides.pk)
    if (other := under_way.first()) is None:
        return
    if other.is_lost():
        raise Conflict(
            gettext("A job of this kind has lost its worker; the next one goes on with it. Wait, or stop it.")
        )
    raise Conflict(gettext("The same kind of job is under way already. Wait until it is done, or stop it."))


def send_job(job: Job) -> None:
    """Send a waiting job to the worker as soon as this transaction ends. Sending it twice does nothing more."""
    kind = job_kinds().get(job.kind)
    queued = run_work.using(queue_name=LONG if kind is None else kind.queue)
    transaction.on_commit(lambda: queued.enqueue(job.pk))


# Lost jobs: their worker was killed, or their row in the queue is missing.

logger = logging.getLogger(__name__)

MOST_TAKEN_UP = 5
"""A job is given up after this many workers have died during it, since it would probably end the next one, too."""


def take_up_lost_jobs() -> None:
    """Take up jobs whose worker was lost: the next worker continues each of them where it left off.

    A lost job that somebody asked to stop is recorded as stopped instead, and one that has lost its worker too often as
    failed. Afterwards no row of the queue is running without a worker, and no job waits without a row. Two queries if
    nothing is lost.
    """
    unended = DBTaskResult.objects.filter(task_path=run_work.module_path).exclude(status__in=["SUCCESSFUL", "FAILED"])
    rows = {int(row.args_kwargs["args"][0]): row for row in unended}
    for pk, row in rows.items():
        if row.status == "RUNNING" and not is_held(pk):
            DBTaskResult.objects.filter(pk=row.pk, status="RUNNING").update(status="READY")
    for job in Job.objects.filter(state__in=Job.UNDER_WAY):
        if job.state == Job.State.WAITING and job.pk not in rows:
            send_job(job)
        elif job.is_lost():
            _take_up(job, rows.get(job.pk))


def _take_up(job: Job, row: DBTaskResult[Any, Any] | None) -> None:
    lost = Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, updated_at=job.updated_at)
    if job.asked_to_stop:
        lost.update(state=Job.State.STOPPED, message=noop("Stopped; its worker had ended."))
        return
    if row is not None and len(row.worker_ids) >= MOST_TAKEN_UP:
        message = Sentence(
            "%(workers)s workers ended while they did this job. Whoever runs the site finds more in its log.",
            workers=MOST_TAKEN_UP,
        )
        lost.update(state=Job.State.FAILED, message=message, made_of=message.made_of)
        return
    logger.warning("job %s of campaign %s has lost its worker; it is taken up again", job.kind, job.campaign_id)
    with transaction.atomic():
        if lost.update(state=Job.State.WAITING, message="") and row is None:
            send_job(job)


ROWS_STAY = timedelta(days=14)
"""How long the queue's row of a job that ended stays; the job itself stays for good."""
FORGOTTEN_AT_ONCE = 1_000


def forget_ended_rows() -> None:
    """Delete the rows of the queue whose jobs ended long ago, since each look for work reads the whole queue.

    Batches are committed one by one, so that nobody waits long for the first look at an old site.
    """
    ended = DBTaskResult.objects.finished().filter(finished_at__lt=timezone.now() - ROWS_STAY).order_by()
    while ids := list(ended.values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE]):
        DBTaskResult.objects.filter(pk__in=ids).delete()
