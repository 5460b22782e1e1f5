"""A database that is locked, full or away is answered as such, in the form asked for; afterwards all goes on."""

from __future__ import annotations

import errno
import gc
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.base.outages import DiskFull, outage_of
from assess.models import Campaign, Judgment, Topic
from tests import factories
from tests.held import held_database, hurried
from tests.pages import page_of
from tests.small_disk import small_disk

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("committed_db")]

PASSWORD = "a long pass phrase"
ROWS = [(table, event) for table in ("assess_judgment", "django_session") for event in ("INSERT", "UPDATE")]
FULL = {
    "sqlite": "CREATE TRIGGER full_{0}_{1} BEFORE {1} ON {0} BEGIN INSERT INTO filler VALUES (zeroblob(9999999)); END",
    "postgresql": "CREATE TRIGGER full_{0}_{1} BEFORE {1} ON {0} EXECUTE FUNCTION refuse_as_full()",
}
GONE = {"sqlite": "DROP TRIGGER full_{0}_{1}", "postgresql": "DROP TRIGGER full_{0}_{1} ON {0}"}
REFUSE = """CREATE FUNCTION refuse_as_full() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$"""


def execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@contextmanager
def locked() -> Iterator[None]:
    """Another program holds the database, and this one waits for it a tenth of a second."""
    with hurried(), held_database():
        yield


@contextmanager
def full() -> Iterator[None]:
    """The database can't grow: SQLite is held to its present size, and PostgreSQL says what it says on a full disk."""
    begin = "CREATE TABLE filler (t)" if connection.vendor == "sqlite" else REFUSE
    execute(begin, *[FULL[connection.vendor].format(*row) for row in ROWS])
    if connection.vendor == "sqlite":  # only now: what refuses may itself need a page
        with connection.cursor() as cursor:
            pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        execute(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        if connection.vendor == "sqlite":
            execute("PRAGMA max_page_count = 1073741823", "DROP TABLE filler")
        for row in ROWS:
            execute(GONE[connection.vendor].format(*row))
        if connection.vendor == "postgresql":
            execute("DROP FUNCTION refuse_as_full")


STATES: dict[str, tuple[Callable[[], AbstractContextManager[None]], int, str]] = {
    "locked": (locked, 503, "busy"),
    "full": (full, 507, "disk-full"),
}


@pytest.fixture(params=STATES)
def outage(request: pytest.FixtureRequest) -> tuple[Callable[[], AbstractContextManager[None]], int, str]:
    return STATES[request.param]


@pytest.fixture
def click(rigid: Topic, assessor: User) -> tuple[str, dict[str, object]]:
    """Where a judgment is posted, and what of it."""
    (item,) = factories.pooled(rigid, ["blue bicycle"])
    work = factories.assignment(rigid, "instances", assessor)
    sent = {"item": handle_of(work, item.pk), "criterion": "correctness", "value": 1, "client_key": str(uuid4())}
    return work.pk, sent


def said(answer: HttpResponse) -> tuple[int, str, bool]:
    body = answer.json()
    return answer.status_code, body["code"], int(answer["Retry-After"]) > 0 and "stored" in body["detail"]


def test_judging_is_answered_as_a_problem_and_stored_when_it_is_sent_again(outage, click, assessor: User) -> None:
    (state, status, code), (work, sent) = outage, click
    client = Client(raise_request_exception=False)
    client.force_login(assessor)
    bench = reverse("judge", args=["opinions", work])
    api = f"/api/v1/campaigns/opinions/assignments/{work}/judgments/"
    with state():
        answers = [
            client.post(bench, sent, headers={"Accept": "application/json"}),
            client.post(api, sent, content_type="application/json"),
        ]
        assert [said(answer) for answer in answers] == [(status, code, True)] * 2
        assert {answer["Content-Type"] for answer in answers} == {"application/problem+json"}
        assert not Judgment.objects.exists()
    assert client.post(bench, sent, headers={"Accept": "application/json"}).status_code == 200
    assert client.post(api, sent, content_type="application/json").status_code in (200, 201)
    assert [str(row.client_key) for row in Judgment.objects.all()] == [sent["client_key"]]


def test_login_says_so_on_a_page_of_its_own_and_works_afterwards(outage, assessor: User) -> None:
    state, status, _ = outage
    assessor.set_password(PASSWORD)
    assessor.save()
    client = Client(raise_request_exception=False)
    sent = {"username": "assessor", "password": PASSWORD}
    with state():
        page = client.post(reverse("login"), sent)
        assert (page.status_code, page["Content-Type"]) == (status, "text/html; charset=utf-8")
        words = {503: "The site is busy with other work", 507: "The disk of the site is full"}
        assert words[status] in page_of(page)
        assert "go back: what you typed still stands in the form" in page_of(page)
        part = client.post(reverse("login"), sent, headers={"HX-Request": "true"})
        assert (part.status_code, "<html" in page_of(part)) == (status, False)
    assert client.post(reverse("login"), sent).status_code == 302
    assert client.get(reverse("home")).status_code == 200


def test_what_fails_around_a_view_is_answered_alike(outage, assessor: User, settings) -> None:
    """The session of a page is stored after its view: nobody's view can answer for that."""
    settings.SESSION_SAVE_EVERY_REQUEST = True
    state, status, _ = outage
    client = Client(raise_request_exception=False)
    client.force_login(assessor)
    with state():
        page = client.get(reverse("home"))
        assert (page.status_code, page.headers.get("Retry-After", "").isdecimal()) == (status, True)
        assert '<meta http-equiv="refresh"' in page_of(page)
    assert client.get(reverse("home")).status_code == 200


def test_a_mistake_of_the_site_is_no_outage(assessor: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(assessor)
    execute("ALTER TABLE assess_assignment RENAME TO elsewhere")
    try:
        assert client.get(reverse("home")).status_code == 500
    finally:
        execute("ALTER TABLE elsewhere RENAME TO assess_assignment")


def test_half_an_upload_is_removed_at_once(campaign: Campaign, organiser: User, settings, tmp_path: Path) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(organiser)
    gc.disable()
    try:
        with small_disk(tmp_path / "disk", megabytes=1, writers=lambda: [os.getpid()]) as disk:
            settings.FILE_UPLOAD_TEMP_DIR = disk.path
            sent = {"file": SimpleUploadedFile("docnos.txt", b"D1\n" * 1_500_000)}
            disk.fill()
            answer = client.post(reverse("docnos-load", args=[campaign.slug]), sent)
            disk.free()
            assert (answer.status_code, list(disk.path.iterdir())) == (507, [])
    finally:
        gc.enable()


def test_a_disk_that_became_read_only_is_an_outage(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "site")) as own:
        own.execute("CREATE TABLE filler (id)")
    with (
        closing(sqlite3.connect(f"file:{tmp_path}/site?mode=ro", uri=True)) as own,
        pytest.raises(sqlite3.Error) as said,
    ):
        own.execute("INSERT INTO filler VALUES (1)")
    for error in (said.value, OSError(errno.EROFS, os.strerror(errno.EROFS))):
        outage = outage_of(error)
        assert outage is not None
        assert (outage.status, outage.code, outage.logged) == (
            503,
            "unavailable",
            "The disk of the site can't be written to.",
        )


def test_a_full_disk_is_seen_where_sqlite_writes_a_backup(tmp_path: Path) -> None:
    with (
        small_disk(tmp_path / "disk", megabytes=1, writers=lambda: [os.getpid()]) as disk,
        closing(sqlite3.connect(":memory:")) as source,
        closing(sqlite3.connect(disk.path / "copy")) as copy,
    ):
        source.execute("CREATE TABLE filler AS SELECT zeroblob(100000)")
        disk.fill()
        with pytest.raises(sqlite3.Error) as full:
            source.backup(copy)
        disk.free()
    assert isinstance(outage_of(full.value), DiskFull)
