"""Releases imported and backups made by the API: who may, what came of it, and what is refused."""

# ruff: noqa: F811 - what pytest calls a fixture is an argument of the same name

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override
from django_tasks_db.models import DBTaskResult

from assess.base.files import nothing_dropped, stored_path, write_zip
from assess.jobs.workers import holding
from assess.models import Activity, Campaign
from assess.releases.domain import backups
from assess.releases.domain.site_jobs import (
    MOST_TAKEN_UP,
    backup_path,
    drop_uploads,
    start_backup,
    take_up_lost_site_jobs,
)
from assess.releases.models import SiteJob
from tests import factories
from tests.assess.releases.small_release import folder, site, store  # noqa: F401
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db
IMPORTS, BACKUPS = "/api/v1/imports/", "/api/v1/backups/"


def program(person: User, scopes: str) -> Client:
    return Client(headers={"Authorization": f"Token {factories.api_token(person, scopes)}"})


def send(client: Client, content: bytes, slug: str = "copy") -> tuple[int, Any]:
    answer = client.post(IMPORTS, {"file": SimpleUploadedFile("hives.zip", content), "slug": slug})
    return answer.status_code, answer.json()


def packed(folder: Path) -> bytes:
    made = io.BytesIO()
    write_zip(folder, made)
    return made.getvalue()


@pytest.fixture
def staff(db: None) -> User:
    return factories.user("olga", is_staff=True)


def test_a_release_becomes_a_campaign_of_who_sent_it(folder: Path, staff: User, organiser: User) -> None:
    client = program(staff, "read organise")
    status, made = send(client, packed(folder))
    assert (status, made["state"], made["slug"], made["started_by"]) == (202, "waiting", "copy", "olga")
    assert send(client, b"no zip", "other")[0] == 202
    refused = SiteJob.objects.get(arguments__slug="other").arguments["sha256"]
    run_worker()
    listed = client.get(IMPORTS).json()["results"]
    assert [(each["slug"], each["state"]) for each in listed] == [("other", "failed"), ("copy", "done")]
    assert listed[0]["message"] == "Nothing was loaded: the file is no zip that can be read: File is not a zip file."
    assert client.get(f"{IMPORTS}{made['id']}/").json()["message"] == "The campaign “copy” is made: 4 topics, 3 runs."
    assert client.get("/api/v1/campaigns/copy/").json()["state"] == "frozen"
    assert not stored_path(refused).exists()
    assert send(client, packed(folder))[1]["code"] == "conflict"
    other = program(factories.user("otto", is_staff=True), "read organise")
    assert other.get(IMPORTS).json()["count"] == 0
    assert other.get(f"{IMPORTS}{made['id']}/").status_code == 404
    assert program(organiser, "read organise").get(IMPORTS).status_code == 404


def test_what_an_import_lacks_is_refused_at_once(staff: User, settings: Any) -> None:
    client = program(staff, "organise")
    assert send(client, b"no zip", "No slug!")[1]["errors"][0]["field"] == "slug"
    settings.ASSAY_UPLOAD_MB = 0
    assert send(client, b"a zip")[1]["errors"][0]["field"] == "file"
    assert not SiteJob.objects.exists()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup of the test's own transaction, which no other connection sees."""

    def back_up(target: Path) -> backups.Backup:
        with tarfile.open(target, "x"):
            return backups.Backup(tables={"assess_campaign": 2}, files=1, size=10)

    monkeypatch.setattr("assess.releases.domain.site_jobs.back_up", back_up)


def test_a_backup_is_made_taken_and_removed_by_who_administers_the_site(
    campaign: Campaign, organiser: User, written: None, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    boss = User.objects.create_superuser("boss")
    client = program(boss, "administer")
    made = client.post(BACKUPS)
    assert (made.status_code, made.json()["state"]) == (202, "waiting")
    one = f"{BACKUPS}{made.json()['id']}/"
    assert client.post(BACKUPS).json()["detail"] == "A backup is under way already. Wait until it is done."
    assert client.get(f"{one}file/").json()["code"] == "conflict"
    assert client.delete(one).status_code == 409
    run_worker()
    told = client.get(one).json()
    path = backup_path(SiteJob.objects.get())
    assert (told["state"], told["message"], told["size"]) == (
        "done",
        "The backup is made: 2 rows, 1 stored file.",
        path.stat().st_size,
    )
    file = client.get(f"{one}file/")
    assert (b"".join(file), file["Content-Type"]) == (path.read_bytes(), "application/octet-stream")
    for other in (program(boss, "read judge submit organise"), program(organiser, "read administer")):
        for address in (BACKUPS, one, f"{one}file/"):
            assert other.get(address).status_code in (403, 404)
        assert other.post(BACKUPS).status_code in (403, 404)
        assert other.delete(one).status_code in (403, 404)
    assert client.delete(one).status_code == 204
    assert (path.exists(), client.get(one).status_code) == (False, 404)
    acts = Activity.objects.filter(action__startswith="backup.").order_by("id")
    assert [(each.action, each.actor) for each in acts] == [
        ("backup.make", boss),
        ("backup.take", boss),
        ("backup.remove", boss),
    ]


@pytest.mark.django_db(transaction=True)
def test_what_came_of_a_job_is_said_in_the_readers_language(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    boss = User.objects.create_superuser("boss")
    job = start_backup(actor=boss)
    backup_path(job).parent.mkdir()
    backup_path(job).write_bytes(b"")
    run_worker()
    failed = SiteJob.objects.get()
    assert failed.message == f"{backup_path(job)} is there already. Name a new file."
    with override("de"):
        assert failed.words == f"{backup_path(job)} gibt es schon. Nennen Sie eine neue Datei."
    backup_path(job).unlink()
    start_backup(actor=boss)
    run_worker()
    done = SiteJob.objects.latest("pk")
    assert done.message.startswith("The backup is made: ")
    with override("de"):
        assert done.words.startswith("Die Sicherung ist fertig: ")


def test_a_job_that_broke_off_or_was_lost_is_told_and_may_be_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    client = program(User.objects.create_superuser("boss"), "administer")

    def broken(target: Path) -> None:
        raise ValueError("no tar here")

    monkeypatch.setattr("assess.releases.domain.site_jobs.back_up", broken)
    client.post(BACKUPS)
    run_worker()
    assert SiteJob.objects.values_list("state", "message").get() == ("failed", "The job broke off: no tar here.")
    SiteJob.objects.update(state="running")  # as a worker leaves it that was killed
    take_up_lost_site_jobs()
    assert SiteJob.objects.get().message.startswith("It broke off: its worker ended, or ")
    SiteJob.objects.update(state="running")
    assert client.get(BACKUPS).json()["results"][0]["is_lost"] is True
    assert client.post(BACKUPS).status_code == 202


def killed(workers: int = 1) -> SiteJob:
    """The one job as a worker leaves it that is killed in it."""
    run_site_jobs_later()
    SiteJob.objects.update(state="running")
    DBTaskResult.objects.update(status="RUNNING", worker_ids=[f"w{number}" for number in range(workers)])
    return SiteJob.objects.get()


def run_site_jobs_later() -> None:
    waiting, connection.run_on_commit = connection.run_on_commit, []
    for _, send, *_ in waiting:
        send()


def test_an_import_whose_worker_was_killed_is_done_by_the_next_one(folder: Path, staff: User) -> None:
    send(program(staff, "organise"), packed(folder))
    job = killed()
    file = stored_path(job.arguments["sha256"])
    with CaptureQueriesContext(connection) as queries, holding(job.name):
        take_up_lost_site_jobs()
    assert (SiteJob.objects.get().state, len(queries), file.exists()) == ("running", 2, True)
    take_up_lost_site_jobs()
    assert (SiteJob.objects.get().state, DBTaskResult.objects.get().status) == ("waiting", "READY")
    run_worker()
    job = SiteJob.objects.get()
    assert (job.state, job.arguments.get("sha256"), file.exists()) == ("done", None, False)
    assert Campaign.objects.filter(slug="copy").exists()


def test_an_import_that_kills_its_workers_is_given_up_and_its_file_goes(staff: User) -> None:
    client = program(staff, "organise")
    send(client, b"no zip")
    file = stored_path(killed(MOST_TAKEN_UP).arguments["sha256"])
    with nothing_dropped():  # a backup is made just now
        take_up_lost_site_jobs()
    assert (SiteJob.objects.get().state, file.exists()) == ("failed", True)
    send(client, b"another", "other")
    drop_uploads()
    assert (file.exists(), SiteJob.objects.filter(arguments__has_key="sha256").count()) == (False, 1)
    run_worker()
    run_worker()
    assert SiteJob.objects.filter(state="failed").count() == 2


def test_a_job_whose_row_of_the_queue_is_missing_is_sent_again(staff: User) -> None:
    send(program(staff, "organise"), b"no zip")
    connection.run_on_commit = []  # the process was killed between the commit and what follows it
    take_up_lost_site_jobs()
    run_worker()
    assert SiteJob.objects.get().message.startswith("Nothing was loaded: ")


def test_the_page_loads_a_release_and_says_what_came_of_it(folder: Path, staff: User, client: Client) -> None:
    client.force_login(staff)
    assert "No import yet" in page_of(client.get("/imports/"))

    def posted(content: bytes, slug: str) -> HttpResponse:
        return client.post("/imports/", {"file": SimpleUploadedFile("hives.zip", content), "slug": slug, "title": ""})

    assert posted(packed(folder), "copy").status_code == 302
    assert posted(b"no zip", "other").status_code == 302
    for slug, words in (("", "Give a short name."), ("a b", "slug")):
        refused = posted(b"no zip", slug)
        assert (refused.status_code, words in page_of(refused)) == (422, True)
    under_way = page_of(client.get("/imports/"))
    assert 'hx-trigger="every 2s"' in under_way
    run_worker()
    part = page_of(client.get("/imports/", headers={"HX-Request": "true"}))
    assert "<h1>" not in part and "every 2s" not in part
    assert 'href="/c/copy/">Open it' in part and "Nothing was loaded: " in part
    assert posted(packed(folder), "copy").status_code == 422
    assert "already" in page_of(posted(packed(folder), "copy"))


def test_the_page_makes_hands_out_and_removes_backups(
    client: Client, written: None, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    client.force_login(User.objects.create_superuser("boss"))
    assert client.post("/backups/").status_code == 302
    assert client.post("/backups/").status_code == 409
    run_worker()
    job = SiteJob.objects.get()
    page = page_of(client.get("/backups/"))
    assert f'href="/backups/{job.pk}/file/"' in page and "The file has" in page
    answer = client.get(f"/backups/{job.pk}/file/")
    assert b"".join(answer.streaming_content) == backup_path(job).read_bytes()  # type: ignore[arg-type]
    assert client.post(f"/backups/{job.pk}/remove/").status_code == 302
    assert SiteJob.objects.exists(), "the box was not ticked"
    client.post(f"/backups/{job.pk}/remove/", {"sure": "yes"})
    assert (SiteJob.objects.exists(), backup_path(job).exists()) == (False, False)


@pytest.mark.parametrize(("kind", "address"), [("import", "/imports/"), ("backup", "/backups/")])
def test_the_pages_cost_as_many_queries_for_many_rows(kind: str, address: str, client: Client) -> None:
    boss = User.objects.create_superuser("boss")
    client.force_login(boss)

    def asked(rows: int) -> int:
        for number in range(rows):
            SiteJob.objects.create(kind=kind, state="done", arguments={"slug": f"s{number}"}, started_by=boss)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    assert (asked(1), asked(3)) == (4, 4)
