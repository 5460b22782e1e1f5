"""The background worker: does jobs one after another, and outlives whatever keeps it from the database."""

from __future__ import annotations

import logging
import os
import threading
from types import FrameType
from typing import Any

from django.core.management.base import CommandParser
from django.db import close_old_connections, connections
from django.utils.crypto import get_random_string
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from assess.base.files import sweep_unfinished
from assess.base.outages import outage_of
from assess.jobs.domain import take_up_lost_jobs
from assess.jobs.progress import ENDING
from assess.jobs.workers import keep_beating
from assess.mails.domain import send_notices
from assess.management.command import ExampleCommand
from assess.management.supervising import pause_after
from assess.webhooks.domain import send_webhooks

logger = logging.getLogger(__name__)

BEHIND = 5
"""How far the worker stands back where processors are short: whoever judges or opens a page comes first."""
GRACE = 20.0
"""A worker that was told to end ends after so many seconds even where a step of its job takes longer."""


class Command(ExampleCommand):
    """`manage.py db_worker`: django-tasks' worker, which takes up what another left, and ends between two steps."""

    help = "Does background jobs until it is stopped. `serve` starts it, too."
    example = "db_worker"

    def add_arguments(self, parser: CommandParser) -> None:
        """How often it looks, and whether it ends when nothing waits."""
        parser.add_argument("--interval", type=float, default=2.0, metavar="SECONDS", help="how often to look for jobs")
        parser.add_argument("--batch", action="store_true", help="do what waits, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Work until a signal comes. A second signal ends it at once."""
        os.setpriority(os.PRIO_PROCESS, 0, max(BEHIND, os.getpriority(os.PRIO_PROCESS, 0)))
        keep_beating()
        sweep_unfinished()
        worker = new_worker()
        worker.configure_signals()
        work_on(worker, interval=options["interval"], batch=options["batch"])


def new_worker() -> JobWorker:
    """Return a worker for all queues, which ends its round when nothing waits."""
    return JobWorker(
        queue_names=["*"],
        interval=0,
        batch=True,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id=get_random_string(32),
        excluded_queue_names=[],
    )


def work_on(worker: Worker, *, interval: float, batch: bool = False) -> None:
    """Do jobs until the worker is told to end, or, in a ``batch``, until none waits. What keeps it from the database
    for a while it outlives, and tries again after growing pauses.
    """
    failures = 0
    while worker.running:
        try:
            _do_what_waits(worker)
            failures = 0
        except Exception as error:
            outage = outage_of(error)
            if outage is None:
                raise
            failures += 1
            logger.warning("the worker waits: %s %s", outage.cause, outage.details)
            connections.close_all()
        if batch and not failures:
            return
        ENDING.wait(pause_after(failures) if failures else interval)


class JobWorker(Worker):
    """django-tasks' worker, which ends between two steps of a job and not only between two jobs."""

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        """End after the present step, and in any case before `GRACE` is over; at once when asked a second time."""
        if not self.running:
            os._exit(1)
        self.running = False
        ENDING.set()
        last = threading.Timer(GRACE, os._exit, [1])
        last.daemon = True
        last.start()


def _do_what_waits(worker: Worker) -> None:
    """Looks before it takes SQLite's only lock for writing, so that a worker without work holds up nobody."""
    close_old_connections()
    take_up_lost_jobs()
    if DBTaskResult.objects.ready().exists():
        worker.run()
    send_webhooks()
    send_notices()
    close_old_connections()
