"""Jobs that somebody waits for have a worker of their own, so that a long import never holds them up."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django_tasks_db.models import DBTaskResult

from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import POOL_COUNTS, job_kinds
from assess.jobs.workers import LONG, SHORT
from assess.management.commands import db_worker
from assess.management.commands.db_worker import new_worker, wait_for_tables, work_on
from assess.management.commands.serve import children
from assess.models import Campaign, Job
from tests.assess.jobs.docno_jobs import ask

pytestmark = pytest.mark.database


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def states() -> dict[str, str]:
    return dict(Job.objects.values_list("kind", "state"))


@pytest.mark.usefixtures("committed_db")
def test_each_worker_does_the_jobs_of_its_queue_and_one_alone_does_all(campaign: Campaign, organiser: User) -> None:
    ask(campaign, organiser)
    enqueue_job(actor=organiser, campaign=campaign, kind=POOL_COUNTS, arguments={"pools": []})
    assert sorted(DBTaskResult.objects.values_list("queue_name", flat=True)) == [LONG, SHORT]
    work_on(new_worker(SHORT), interval=0, batch=True)
    assert states() == {"docnos": "waiting", POOL_COUNTS: "done"}
    work_on(new_worker(LONG), interval=0, batch=True)
    assert states() == {"docnos": "done", POOL_COUNTS: "done"}

    ask(campaign, organiser, b"D3\n")
    enqueue_job(actor=organiser, campaign=campaign, kind=POOL_COUNTS, arguments={"pools": [0]})
    work_on(new_worker(), interval=0, batch=True)
    assert {*states().values()} == {"done"}

    enqueue_job(actor=organiser, campaign=campaign, kind=POOL_COUNTS, arguments={"pools": [1]})
    MigrationRecorder(connection).record_applied("assess", "9999_later")
    with pytest.raises(CommandError, match=r"of a newer version of Assay: it has assess\.9999_later"):
        work_on(new_worker(), interval=0, batch=True)
    MigrationRecorder(connection).record_unapplied("assess", "9999_later")
    assert Job.objects.latest("id").state == "waiting"


def test_what_a_person_waits_for_is_short_and_every_queue_has_a_worker() -> None:
    short = {key for key, kind in job_kinds().items() if kind.queue == SHORT}
    assert short == {"draft-uses", "pool-counts", "pool-quality", "check-run", "agreement", "exports", "scores"}
    served = [word for command in children(host="::1", port=1, workers=1, threads=1).values() for word in command]
    assert {LONG, SHORT} < {*served}


@pytest.mark.django_db
def test_a_worker_waits_until_the_tables_are_those_of_its_program(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    recorder, waits = MigrationRecorder(connection), []
    newest = max(name for app, name in recorder.applied_migrations() if app == "nuggets")
    recorder.record_unapplied("nuggets", newest)

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            recorder.record_applied("nuggets", newest)

    monkeypatch.setattr(db_worker.ENDING, "wait", wait)
    wait_for_tables()
    assert waits == [db_worker.LOOK_EVERY] * 2
    assert caplog.text.count("until the database answers and is up to date") == 1


@pytest.mark.django_db
def test_a_worker_that_starts_while_the_database_is_away_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [OperationalError("away"), OperationalError("away"), None]
    plan = MigrationExecutor.migration_plan

    def answer(executor: MigrationExecutor, targets: object) -> object:
        if (error := answers.pop(0)) is not None:
            raise error
        return plan(executor, targets)

    monkeypatch.setattr(MigrationExecutor, "migration_plan", answer)
    monkeypatch.setattr(db_worker.connections, "close_all", lambda: None)  # the test's own stays
    monkeypatch.setattr(db_worker.ENDING, "wait", lambda seconds: None)
    wait_for_tables()
    assert answers == []
