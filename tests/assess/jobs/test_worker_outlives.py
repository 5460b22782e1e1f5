"""The worker goes on whatever keeps it from the database for a while, and leaves no row of the queue running."""

from __future__ import annotations

from pathlib import Path
from threading import Timer

import pytest
from django.contrib.auth.models import User
from django_tasks_db.models import DBTaskResult

from assess.management.commands.db_worker import new_worker, work_on
from assess.models import Campaign, Job, ValidDocno
from tests.assess.jobs.docno_jobs import ask
from tests.held import held_database, hurried

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("committed_db")]


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def statuses() -> list[str]:
    return list(DBTaskResult.objects.values_list("status", flat=True))


def test_the_row_of_a_job_that_ended_before_its_worker_never_stays_running(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    Job.objects.update(state="done")
    DBTaskResult.objects.update(status="RUNNING")
    work_on(new_worker(), interval=0, batch=True)
    work.refresh_from_db()
    assert (work.state, statuses(), ValidDocno.objects.count()) == ("done", ["SUCCESSFUL"], 0)


def test_the_worker_outlives_a_lock(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    held = held_database(everything=True)
    held.__enter__()
    Timer(0.4, held.__exit__, (None, None, None)).start()
    with hurried():
        work_on(new_worker(), interval=0.05, batch=True)
    work.refresh_from_db()
    assert (work.state, statuses()) == ("done", ["SUCCESSFUL"])
