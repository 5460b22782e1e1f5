"""What a worker removes at its start and once a day, so that a site of many years stays as quick as a new one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from axes.models import AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from assess.jobs.background import run_work
from assess.jobs.domain import ROWS_STAY
from assess.management.commands.db_worker import new_worker, work_on
from assess.models import Campaign, Job
from tests.assess.jobs.docno_jobs import ask

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("committed_db")]


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def test_the_queue_forgets_jobs_that_ended_long_ago_and_keeps_the_jobs(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.jobs.domain.FORGOTTEN_AT_ONCE", 2)
    job = ask(campaign, organiser)
    work_on(new_worker(), interval=0, batch=True)
    long_ago = timezone.now() - ROWS_STAY - timedelta(minutes=1)
    for _ in range(2):
        run_work.enqueue(job.pk)
    waits = run_work.enqueue(job.pk).id
    ended = list(DBTaskResult.objects.exclude(pk=waits).values_list("pk", flat=True))
    DBTaskResult.objects.filter(pk__in=ended).update(status="SUCCESSFUL", finished_at=long_ago)
    DBTaskResult.objects.filter(pk=ended[0]).update(status="FAILED")
    lately = run_work.enqueue(job.pk).id
    DBTaskResult.objects.filter(pk=lately).update(status="SUCCESSFUL", finished_at=timezone.now())
    work_on(new_worker(), interval=0, batch=True)
    assert {str(pk) for pk in DBTaskResult.objects.values_list("pk", flat=True)} == {waits, lately}
    assert Job.objects.get().state == "done"


def test_sessions_that_ended_go_with_what_is_known_of_them(organiser: User) -> None:
    now = timezone.now()
    for key, until in (("over", now - timedelta(days=1)), ("open", now + timedelta(days=1))):
        Session.objects.create(session_key=key, session_data="x", expire_date=until)
        UserSession.objects.create(user=organiser, ip="127.0.0.1", session_key=key, user_agent="")
    work_on(new_worker(), interval=0, batch=True)
    assert [list(rows.values_list("session_key", flat=True)) for rows in (Session.objects, UserSession.objects)] == [
        ["open"],
        ["open"],
    ]


@pytest.mark.parametrize(("days", "stay"), [(30, ["lately"]), (0, ["lately", "long ago"])])
def test_the_addresses_of_logins_go_after_the_days_of_the_setting(settings: Any, days: int, stay: list[str]) -> None:
    settings.ASSAY_LOGINS_DAYS = days
    for model in (AccessLog, AccessFailureLog):
        for name, ago in (("lately", 29), ("long ago", 31)):
            row = model.objects.create(username=name, ip_address="192.0.2.1", user_agent="x", path_info="/login/")
            model.objects.filter(pk=row.pk).update(attempt_time=timezone.now() - timedelta(days=ago))
    work_on(new_worker(), interval=0, batch=True)
    for model in (AccessLog, AccessFailureLog):
        assert sorted(model.objects.values_list("username", flat=True)) == stay


def test_what_a_killed_restore_unpacked_goes(tmp_path: Path) -> None:
    left, other = tmp_path / ".assay-restore-abcdefgh.scratch", tmp_path / "notes"
    for folder in (left, other):
        folder.mkdir()
        (folder / "database.sqlite3").write_bytes(b"half")
    work_on(new_worker(), interval=0, batch=True)
    assert [path.exists() for path in (left, other)] == [False, True]
