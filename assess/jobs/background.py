"""What the background worker calls, and how it does a job. `manage.py db_worker` runs them one after another.

The path of `run_work` is kept in the rows of jobs that wait.
"""

from __future__ import annotations

import logging

from django.utils import timezone
from django_tasks import task

from assess.base.errors import BadFile, Refused
from assess.base.file_issues import Report
from assess.base.outages import DiskFull, outage_of
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.jobs.progress import Stopped, Watch
from assess.jobs.workers import holding

PATIENCE = 5.0
"""How many seconds a worker waits for another that is just ending with the same job."""

logger = logging.getLogger(__name__)


@task()
def run_work(job_id: int) -> None:
    """Do the job with this id."""
    do_job(job_id)


def do_job(job_id: int) -> None:
    """Do a job that waits; called by the worker. One that was stopped or is being done elsewhere is left alone.

    It waits again where the worker is told to end, or the database is locked or away: the next worker goes on with it.
    """
    with holding(job_id, patience=PATIENCE) as is_ours:
        if is_ours:
            _do(job_id)


def _do(job_id: int) -> None:
    claimed = Job.objects.filter(pk=job_id, state=Job.State.WAITING)
    if not claimed.update(state=Job.State.RUNNING, updated_at=timezone.now()):
        return
    job = Job.objects.select_related("campaign", "started_by").get(pk=job_id)
    kind, watch = job_kinds().get(job.kind), Watch(job)
    if kind is None:  # an earlier version of the site was asked for it
        watch.end(state=Job.State.FAILED, message=f"This version of Assay has no job “{job.kind}”.")
        return
    try:
        outcome = kind.do(job, watch)
    except Stopped:
        _end_stopped(watch, message=kind.stopped)
    except Exception as error:
        if _break_off(watch, error):
            raise
    else:
        if outcome.stopped:
            _end_stopped(watch, message=outcome.message, report=outcome.report)
        else:
            watch.end(state=Job.State.DONE, message=outcome.message, report=outcome.report)


def _break_off(watch: Watch, error: Exception) -> bool:
    """Write down why a job ended early. True where that is for the log, too: all but a refusal."""
    outage = outage_of(error)
    if isinstance(outage, DiskFull):
        watch.end(state=Job.State.FAILED, message=f"{outage.cause} Start the job again when there is room.")
    elif outage is not None:
        _wait_again(watch, f"{outage.cause} The job goes on by itself.")
    elif isinstance(error, Refused):
        report = Report(issues=error.issues, errors=error.total) if isinstance(error, BadFile) else None
        watch.end(state=Job.State.FAILED, message=error.message, report=report)
        return False
    else:
        message = f"The job broke off: {error}. Whoever runs the site finds more in its log."
        watch.end(state=Job.State.FAILED, message=message)
        logger.exception("job %s of campaign %s broke off", watch.job.kind, watch.job.campaign.slug)
    return True


def _end_stopped(watch: Watch, *, message: str, report: Report | None = None) -> None:
    """Stopped is what somebody stopped; what stops because the worker is to end waits for the next one."""
    if watch.is_ending:
        _wait_again(watch, "The site was stopped. The job goes on by itself when it is started again.")
    else:
        watch.end(state=Job.State.STOPPED, message=message, report=report)


def _wait_again(watch: Watch, message: str) -> None:
    watch.end(state=Job.State.WAITING, message=message)
