"""What programs that watch the site are told, and what a line of the log says."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.utils import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries

from assay_site.logs import JsonFormatter, PlainFormatter
from assay_site.middleware import AdmissionMiddleware
from assess.base.process import REQUEST_ID
from assess.jobs.workers import LONG, SHORT, beat, keep_beating, seconds_since_beat
from assess.management.command import is_behind
from assess.management.commands.db_worker import BEHIND
from assess.models import Activity

ROOT = Path(__file__).resolve().parents[2]
READY = {"ready": True, "database": "ok", "migrations": "ok", "worker": "ok"}


@pytest.fixture
def data_folder(tmp_path: Path, settings) -> Path:
    """A data folder in which no worker was seen."""
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_healthz_asks_nobody_and_begins_no_session(client: Client) -> None:  # no database here: a query would fail
    answer = client.get("/healthz")
    assert (answer.status_code, answer.content, answer.cookies) == (200, b"ok\n", {})
    assert "no-store" in answer.headers["Cache-Control"]
    assert client.post("/healthz").status_code == 405


@pytest.mark.django_db
def test_readyz_is_200_where_all_is_there(
    client: Client, data_folder: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    beat()
    client.get("/readyz")  # once, for what is kept as long as the process lives
    with django_assert_num_queries(2):
        answer = client.get("/readyz")
    assert (answer.status_code, answer.json(), answer.cookies) == (200, READY, {})


@pytest.mark.django_db
def test_readyz_says_that_no_worker_was_seen(client: Client, data_folder: Path) -> None:
    never = client.get("/readyz")
    assert (never.status_code, never.json()["ready"]) == (503, False)
    assert never.json()["worker"].startswith("never seen: manage.py serve starts one")
    beat()
    seen = data_folder / "worker-seen"
    assert seen.stat().st_mode & 0o777 == 0o600
    os.utime(seen, (seen.stat().st_mtime - 90,) * 2)
    gone = client.get("/readyz")
    assert gone.status_code == 503
    assert gone.json()["worker"] in {f"not seen for {seconds} seconds" for seconds in range(89, 150)}


@pytest.mark.django_db
def test_readyz_asks_for_a_worker_of_each_queue(client: Client, data_folder: Path) -> None:
    beat([SHORT])
    assert client.get("/readyz").json()["worker"].startswith("never seen")
    beat([LONG])
    assert client.get("/readyz").json() == READY
    for gone in ("worker-seen", "worker-seen-short"):
        beat()
        os.utime(data_folder / gone, (time.time() - 90,) * 2)
        assert client.get("/readyz").json()["worker"].startswith("not seen for")


@pytest.mark.django_db
def test_readyz_counts_what_is_not_applied(client: Client, data_folder: Path) -> None:
    beat()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'nuggets'")
    left_out = sum(app == "nuggets" for app, _ in MigrationLoader(None).disk_migrations)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {**READY, "ready": False, "migrations": f"{left_out} to be applied: manage.py migrate"}


def replaced() -> set[tuple[str, str]]:
    """The migrations that the squashed ones stand for, and those that came after them."""
    there = MigrationLoader(None).disk_migrations
    later = {key for key, each in there.items() if key[0] in ("assess", "nuggets") and not each.replaces}
    return later.union(*(each.replaces for each in there.values()))


@pytest.mark.django_db
def test_a_site_that_has_all_that_was_squashed_goes_on_without_a_step(client: Client, data_folder: Path) -> None:
    beat()
    MigrationRecorder.Migration.objects.filter(app__in=("assess", "nuggets")).delete()
    for key in replaced():
        MigrationRecorder(connection).record_applied(*key)
    assert client.get("/readyz").json() == READY
    assert not is_behind()


@pytest.mark.django_db
def test_readyz_says_that_the_database_is_away(client: Client, data_folder: Path) -> None:
    beat()

    def away(*_: object) -> None:
        raise OperationalError("could not connect to 10.0.0.7 as assay")

    with connection.execute_wrapper(away):
        answer = client.get("/readyz")
    said = "the database does not answer"
    assert answer.status_code == 503
    assert answer.json() == {**READY, "ready": False, "database": said, "migrations": said}


def test_a_worker_says_by_itself_that_it_is_there(data_folder: Path) -> None:
    assert seconds_since_beat() is None
    beat()
    first = seconds_since_beat()
    assert first is not None
    assert first < 60
    os.utime(data_folder / "worker-seen", times=(time.time() + 3600,) * 2)  # then the clock was set back
    assert (seconds_since_beat() or 0) > 3500
    (data_folder / "worker-seen").unlink()
    (data_folder / "worker-seen").mkdir()
    beat()  # what can't be written ends no worker


def test_it_goes_on_saying_so(data_folder: Path) -> None:
    stop = keep_beating(every=0.01)
    try:
        for _ in range(2):
            wait_for(data_folder / "worker-seen")
            (data_folder / "worker-seen").unlink()
    finally:
        stop.set()


def wait_for(path: Path) -> None:
    for _ in range(30_000):  # only a test that fails waits so long
        if path.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{path} did not come")


def test_the_command_of_the_worker_begins_to_say_so_and_stands_back(tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_text("k" * 50)  # by which it is the folder of a site
    env = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path), "ASSAY_DATABASE": ""}
    with subprocess.Popen(
        [sys.executable, "manage.py", "db_worker"], cwd=ROOT, env=env, stderr=subprocess.DEVNULL
    ) as it:
        try:
            wait_for(tmp_path / "worker-seen")
            assert os.getpriority(os.PRIO_PROCESS, it.pid) >= BEHIND
        finally:
            it.kill()


# ---------------------------------------------------------------- the log


def record(message: str, *, broken: bool = False) -> logging.LogRecord:
    try:
        raise ValueError("inside")
    except ValueError:
        info = sys.exc_info() if broken else None
    made = logging.LogRecord("assess.x", logging.WARNING, "x.py", 1, message, None, info)
    made.created, made.msecs = 1_777_896_000.12, 120.0
    return made


def test_a_line_has_time_level_and_request_and_is_one_line() -> None:
    token = REQUEST_ID.set("3f2a9c1d")
    try:
        line = PlainFormatter().format(record("asked for\n2026 ERROR forged"))
        told = json.loads(JsonFormatter().format(record("asked for\nmore", broken=True)))
    finally:
        REQUEST_ID.reset(token)
    assert line == "2026-05-04T12:00:00.120Z WARNING 3f2a9c1d assess.x: asked for\\n2026 ERROR forged"
    assert "ValueError: inside" in told.pop("error")
    assert told == {
        "time": "2026-05-04T12:00:00.120Z",
        "level": "WARNING",
        "request_id": "3f2a9c1d",
        "logger": "assess.x",
        "message": "asked for\nmore",
    }


def test_without_a_request_there_is_no_id() -> None:
    token = REQUEST_ID.set("")
    try:
        assert PlainFormatter().format(record("begun")) == "2026-05-04T12:00:00.120Z WARNING - assess.x: begun"
    finally:
        REQUEST_ID.reset(token)


def test_a_browser_finds_the_icon_where_a_page_names_none(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/static/icon.svg")


@pytest.mark.django_db
def test_each_answer_has_the_id_that_its_lines_have(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(PlainFormatter().format(record))

    handler = Kept()
    logging.getLogger("django.request").addHandler(handler)
    try:
        answers = [client.get("/nowhere/"), client.get("/nowhere/\x00"), client.post("/healthz")]
    finally:
        logging.getLogger("django.request").removeHandler(handler)
    ids = [answer.headers["X-Request-Id"] for answer in answers]
    assert len(set(ids)) == 3
    assert [line.split()[2] for line in lines] == ids
    assert Activity.objects.count() == 0


@pytest.mark.django_db
def test_a_cookie_with_a_nul_is_as_none(client: Client) -> None:
    """PostgreSQL takes none."""
    for path in ("/", "/login/", "/api/v1/campaigns/"):
        assert client.get(path, headers={"cookie": 'sessionid="\\000aaaaaaaaaaaa"'}).status_code < 500
    request = RequestFactory().get("/", headers={"cookie": 'sessionid="\\000aaaaaaaaaaaa"; theme=dark'})
    AdmissionMiddleware(lambda each: HttpResponse(",".join(each.COOKIES)))(request)
    assert list(request.COOKIES) == ["theme"]
