"""Jobs that nobody does any more: their worker was killed, or what sends them to the worker never arrived."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django_tasks_db.models import DBTaskResult

from assess.jobs.domain.queue import send_work
from assess.jobs.locks import is_held
from assess.jobs.models import Work

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
