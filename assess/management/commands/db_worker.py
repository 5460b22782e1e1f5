"""Run the background worker, which does one job after another and survives failures of the database."""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import OperationalError, close_old_connections, connections
from django.db.migrations.executor import MigrationExecutor
from django.utils.crypto import get_random_string
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from assess.base.files import sweep_unfinished
from assess.base.newer_database import refuse_newer_database
from assess.base.outages import outage_of
from assess.jobs.domain import forget_ended_rows, take_up_lost_jobs
from assess.jobs.progress import ENDING
from assess.jobs.workers import QUEUES, keep_beating
from assess.mails.domain import send_notices
from assess.management.command import ExampleCommand
from assess.management.supervising import pause_after
from assess.people.domain.accounts import forget_ended_sessions, forget_old_logins
from assess.releases.domain.site_jobs import drop_uploads, take_up_lost_site_jobs
from assess.uploads import drop_unneeded_uploads
from assess.webhooks.domain import send_webhooks
from scoring.reading.scratch import sweep_scratch

logger = logging.getLogger(__name__)

BEHIND = 5
"""The worker's niceness. When processors are busy, people who judge or open a page are served first."""
LOOK_EVERY = 2.0
"""How many seconds pass between two looks whether the tables are there."""
SWEEP_EVERY = 24 * 3600.0
"""Seconds from one look for what killed programs left behind to the next."""
GRACE = 20.0
"""Seconds after which a worker that was asked to end does so, even in the middle of a step."""


class Command(ExampleCommand):
    """`manage.py db_worker`: run django-tasks' worker, which resumes lost jobs and can end between two steps of a
    job.
    """

    help = "Does background jobs until it is stopped. `serve` starts it, too."
    example = "db_worker"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for how often the worker looks, and whether it ends when no job is waiting."""
        parser.add_argument("--interval", type=float, default=2.0, metavar="SECONDS", help="how often to look for jobs")
        parser.add_argument("--queue", choices=QUEUES, help="only take jobs of this queue (default: both)")
        parser.add_argument("--batch", action="store_true", help="do the waiting jobs, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do jobs until a signal arrives or, with --batch, until none waits. A second signal ends it at once."""
        os.setpriority(os.PRIO_PROCESS, 0, max(BEHIND, os.getpriority(os.PRIO_PROCESS, 0)))
        keep_beating([queue] if (queue := options["queue"]) else QUEUES)
        worker = new_worker(queue)
        worker.configure_signals()
        wait_for_tables()
        work_on(worker, interval=options["interval"], batch=options["batch"])


def wait_for_tables() -> None:
    """Wait until every migration of this program is applied. Another process may be setting up or updating the site at
    this moment. Refuse a database that a newer version has already changed.
    """
    is_told = False
    while not ENDING.is_set():
        try:
            refuse_newer_database()
            executor = MigrationExecutor(connections["default"])
            if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
                return
        except OperationalError:
            connections.close_all()
        if not is_told:
            logger.warning("the worker waits until the database answers and is up to date: manage.py migrate, or serve")
        is_told = True
        ENDING.wait(LOOK_EVERY)


def new_worker(queue: str | None = None) -> JobWorker:
    """Return a worker for one queue, or for all of them, which ends its round when no job is waiting."""
    return JobWorker(
        queue_names=[queue or "*"],
        interval=0,
        batch=True,
        backend_name="default",
        startup_delay=False,
        max_tasks=None,
        worker_id=get_random_string(32),
        excluded_queue_names=[],
    )


def work_on(worker: Worker, *, interval: float, batch: bool = False) -> None:
    """Do jobs until the worker is told to end or, with ``batch``, until no job is waiting.

    If the database can't be reached for a while, try again after pauses that grow.
    """
    failures, next_sweep = 0, 0.0
    while worker.running:
        try:
            if time.monotonic() >= next_sweep:
                next_sweep = time.monotonic() + SWEEP_EVERY
                _sweep()
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
    """A django-tasks worker that can end between two steps of a job, and not only between two jobs."""

    def shutdown(self, signum: int, frame: FrameType | None) -> None:
        """End after the current step, and in any case within `GRACE` seconds. End at once when asked a second time."""
        if not self.running:
            os._exit(1)
        self.running = False
        ENDING.set()
        last = threading.Timer(GRACE, os._exit, [1])
        last.daemon = True
        last.start()


def _sweep() -> None:
    """Remove what killed programs left behind (unfinished files, scratch folders, uploads that nothing needs), and rows
    that only grow in number: ended sessions, old logins, and the queue's rows of ended jobs.
    """
    sweep_unfinished()
    sweep_scratch("assay-")
    for place in (Path(settings.DATA_DIR), Path(settings.DATA_DIR) / "backups"):
        sweep_scratch(".assay-", place=place)
    drop_uploads()
    drop_unneeded_uploads()
    forget_ended_rows()
    forget_ended_sessions()
    forget_old_logins()


def _do_what_waits(worker: Worker) -> None:
    """Do the waiting jobs, and send webhooks and notices.

    Look for jobs before taking SQLite's only write lock, so that an idle worker delays nobody. Take no job once a newer
    version has changed the database.
    """
    close_old_connections()
    take_up_lost_jobs()
    take_up_lost_site_jobs()
    if worker.process_all_queues:
        waiting = DBTaskResult.objects.ready()
    else:
        waiting = DBTaskResult.objects.ready().filter(queue_name__in=worker.queue_names)
    if waiting.exists():
        refuse_newer_database()
        worker.run()
    send_webhooks()
    send_notices()
    close_old_connections()
