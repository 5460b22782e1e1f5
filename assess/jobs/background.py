"""What the background worker calls, and how it does a job. `manage.py db_worker` does them one after another.

The path of `run_work` is stored in the rows of waiting jobs.
"""

from __future__ import annotations

import logging

from django.utils import timezone
from django.utils.translation import gettext_noop as noop
from django_tasks import task

from assess.base.errors import BadFile, Refused
from assess.base.file_issues import Report
from assess.base.outages import DiskFull, outage_of
from assess.base.sentences import Sentence
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.jobs.progress import Stopped, Watch
from assess.jobs.workers import holding

PATIENCE = 5.0
"""The number of seconds that a worker waits for another one that is just ending with the same job."""

logger = logging.getLogger(__name__)


@task()
def run_work(job_id: int) -> None:
    """Do the job with this id."""
    do_job(job_id)


def do_job(job_id: int) -> None:
    """Do a waiting job; called by the worker. A job that was stopped or is being done elsewhere is left alone.

    If the worker is told to end, or the database is locked or does not answer, the job waits again, and the next worker
    continues it.
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
    if kind is None:  # the job was requested in another version of the site
        message = Sentence("This version of Assay has no job “%(kind)s”.", kind=job.kind)
        watch.end(state=Job.State.FAILED, message=message)
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
    """Record why a job ended early; after an outage other than a full disk, make it wait for the next worker instead.

    Return whether the error must be raised again, so that the worker's log has it: all errors but refusals.
    """
    outage = outage_of(error)
    if isinstance(outage, DiskFull):
        message = Sentence("%(cause)s Start the job again when there is room.", cause=Sentence(outage.logged))
        watch.end(state=Job.State.FAILED, message=message)
    elif outage is not None:
        _wait_again(watch, Sentence("%(cause)s The job goes on by itself.", cause=Sentence(outage.logged)))
    elif isinstance(error, Refused):
        report = Report(issues=error.issues, errors=error.total) if isinstance(error, BadFile) else None
        watch.end(state=Job.State.FAILED, message=error.sentence, report=report)
        return False
    else:
        message = Sentence(
            "The job broke off: %(error)s. Whoever runs the site finds more in its log.", error=str(error)
        )
        watch.end(state=Job.State.FAILED, message=message)
        logger.exception("job %s of campaign %s broke off", watch.job.kind, watch.job.campaign.slug)
    return True


def _end_stopped(watch: Watch, *, message: str, report: Report | None = None) -> None:
    """Record a job as stopped by a person; if it stopped because the worker ends, make it wait for the next worker."""
    if watch.is_ending:
        _wait_again(watch, noop("The site was stopped. The job goes on by itself when it is started again."))
    else:
        watch.end(state=Job.State.STOPPED, message=message, report=report)


def _wait_again(watch: Watch, message: str) -> None:
    watch.end(state=Job.State.WAITING, message=message)
