"""Jobs whose worker was killed, told to end or kept from the database: the next worker goes on with them."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from django.utils.translation import override
from django_tasks_db.models import DBTaskResult

from assess.base.outages import Locked
from assess.jobs.background import do_job
from assess.jobs.domain import MOST_TAKEN_UP, stop_job, take_up_lost_jobs
from assess.jobs.progress import ENDING, JobProgress, Watch
from assess.jobs.workers import holding, is_held
from assess.models import Campaign, Job, ValidDocno
from tests.assess.jobs.docno_jobs import ask, before_each_step
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


@pytest.fixture
def ending() -> Iterator[Callable[[], None]]:
    yield ENDING.set
    ENDING.clear()


def send_off() -> None:
    """What was asked for arrives at the queue, as at the end of a request."""
    waiting, connection.run_on_commit = connection.run_on_commit, []
    for _, send, *_ in waiting:
        send()


def lost(campaign: Campaign, organiser: User, *, workers: int = 1) -> Job:
    """A job as a worker leaves it that is killed in it."""
    work = ask(campaign, organiser)
    send_off()
    Job.objects.filter(pk=work.pk).update(state="running", message="1 docno read")
    DBTaskResult.objects.update(status="RUNNING", worker_ids=[f"w{number}" for number in range(workers)])
    work.refresh_from_db()
    return work


def statuses() -> list[str]:
    return list(DBTaskResult.objects.order_by("enqueued_at").values_list("status", flat=True))


def test_a_killed_worker_s_job_is_taken_up_at_once(campaign: Campaign, organiser: User) -> None:
    work = lost(campaign, organiser)
    take_up_lost_jobs()
    work.refresh_from_db()
    assert (work.state, statuses()) == ("waiting", ["READY"])
    run_worker()
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("done", 2)


def test_a_job_that_somebody_does_is_left_alone(campaign: Campaign, organiser: User) -> None:
    work = lost(campaign, organiser)
    with holding(work.pk) as is_ours:
        assert (is_ours, is_held(work.pk)) == (True, True)
        take_up_lost_jobs()
        work.refresh_from_db()
        assert (work.state, statuses()) == ("running", ["RUNNING"])
        with holding(work.pk) as is_ours_too:
            assert not is_ours_too
    assert not is_held(work.pk)


def test_a_job_that_never_reached_the_queue_is_sent_again(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    connection.run_on_commit = []  # the process was killed between the commit and what follows it
    take_up_lost_jobs()
    run_worker()
    work.refresh_from_db()
    assert work.state == "done"


def test_a_job_that_kills_its_workers_is_given_up(campaign: Campaign, organiser: User) -> None:
    work = lost(campaign, organiser, workers=MOST_TAKEN_UP)
    take_up_lost_jobs()
    work.refresh_from_db()
    assert (work.state, work.message.split(" while")[0]) == ("failed", f"{MOST_TAKEN_UP} workers ended")


def test_a_lost_job_that_somebody_had_asked_to_stop_is_stopped(campaign: Campaign, organiser: User) -> None:
    work = lost(campaign, organiser)
    with holding(work.pk):
        assert stop_job(work).state == "running"
    take_up_lost_jobs()
    work.refresh_from_db()
    assert work.state == "stopped"


def test_a_job_stops_at_its_next_step_when_its_worker_is_to_end(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch, ending: Callable[[], None]
) -> None:
    work = ask(campaign, organiser, b"D1\nD2\nD3\n")
    with before_each_step(monkeypatch, ending):
        do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("waiting", 0)
    assert work.message == "The site was stopped. The job goes on by itself when it is started again."
    ENDING.clear()
    connection.run_on_commit = []
    take_up_lost_jobs()
    run_worker()
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("done", 3)


def test_a_clock_that_is_set_back_neither_freezes_progress_nor_hides_a_stop(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = ask(campaign, organiser)
    Job.objects.update(state="running")
    work.refresh_from_db()
    watch = Watch(work)
    monkeypatch.setattr("assess.jobs.progress.TELL_EVERY", 0.0)
    watch.tell(JobProgress(done=1, unit="docnos"))
    earlier = timezone.now() - timedelta(hours=3)
    monkeypatch.setattr("django.utils.timezone.now", lambda: earlier)
    watch.tell(JobProgress(done=2, unit="docnos"))
    with holding(work.pk):
        stop_job(work)
        watch.tell(JobProgress(done=3, unit="docnos"))
    work.refresh_from_db()
    assert (work.done, watch.should_stop()) == (3, True)


@pytest.mark.parametrize(
    ("error", "state", "words"),
    [
        (
            Locked(),
            "waiting",
            "The site is busy with other work and could not do this in time. The job goes on by itself.",
        ),
        (
            OSError(errno.ENOSPC, "full"),
            "failed",
            "The disk of the site is full. Start the job again when there is room.",
        ),
    ],
)
def test_what_keeps_a_job_from_the_database_or_the_disk_is_said(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch, error: Exception, state: str, words: str
) -> None:
    def fail() -> None:
        raise error

    work = ask(campaign, organiser)
    with before_each_step(monkeypatch, fail), pytest.raises(type(error)):
        do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, work.message) == (state, words)
    with override("de"):
        assert work.words.endswith(("geht von selbst weiter.", "wenn wieder Platz ist.")) and "The " not in work.words
