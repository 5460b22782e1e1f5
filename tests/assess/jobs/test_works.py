"""Long jobs: asked for, done by the worker, stopped and started again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop as noop
from django.utils.translation import override

from assess.base.errors import Conflict, Invalid
from assess.base.files import store_file
from assess.jobs.background import do_job
from assess.jobs.domain import enqueue_job, restart_job, stop_job
from assess.jobs.progress import JobProgress, Watch
from assess.jobs.queries import shown_jobs
from assess.jobs.workers import holding
from assess.models import Campaign, Job, ValidDocno, WebhookCall
from assess.organising.queries.freezing import freeze_state
from tests.assess.documents.blog_documents import docnos, record
from tests.assess.jobs.docno_jobs import ask, before_each_step
from tests.assess.jobs.job_arguments import stored
from tests.assess.worker import run_worker
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _data_dir(settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def test_the_worker_does_what_was_asked(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    assert (work.state, ValidDocno.objects.count()) == ("waiting", 0)
    run_worker()
    work.refresh_from_db()
    assert (work.state, work.message, work.done) == ("done", "2 docnos read; the list docnos.txt has 2.", 2)
    assert work.issues == []
    assert ValidDocno.objects.count() == 2


def test_a_list_with_errors_stores_nothing_and_keeps_its_report(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser, b"D1\nD2\nnot a docno\n")
    run_worker()
    work.refresh_from_db()
    assert work.state == "failed"
    assert [row["code"] for row in work.issues] == ["docno-form"]
    assert ValidDocno.objects.count() == 0


def test_the_present_step_is_said_in_the_reader_s_language(client: Client, campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    Job.objects.filter(pk=work.pk).update(state="running")
    work.refresh_from_db()
    with holding(work.pk):
        Watch(work).tell(
            JobProgress(done=3, unit="lines", note=noop("writing %(name)s"), values={"name": "qrels_100%.txt"})
        )
        client.force_login(organiser)
        page = client.get(reverse("works", args=[campaign.slug]), headers={"Accept-Language": "de"})
    work.refresh_from_db()
    assert work.message == "writing qrels_100%.txt"
    assert "schreibt qrels_100%.txt" in page_of(page)


def test_uploaded_documents_are_loaded_under_their_names(campaign: Campaign, organiser: User) -> None:
    kept = store_file(io.BytesIO(record("D1") + record("D2")))
    files = [{"sha256": kept.sha256, "name": "blogs.trec"}]
    work = enqueue_job(
        actor=organiser, campaign=campaign, kind="documents", arguments={"files": files, "wanted": "all"}
    )
    do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, work.done, docnos(campaign)) == ("done", 2, ["D1", "D2"])
    assert campaign.documents.first().source_file == "blogs.trec"  # type: ignore[union-attr]


def test_a_second_job_of_the_kind_waits_its_turn(campaign: Campaign, organiser: User) -> None:
    ask(campaign, organiser)
    with pytest.raises(Conflict, match="under way"):
        ask(campaign, organiser)
    with pytest.raises(Invalid, match="documents, documents-out, clusters, pages, docnos"):
        enqueue_job(actor=organiser, campaign=campaign, kind="coffee", arguments={})


def test_a_job_that_waits_is_stopped_at_once_and_can_be_started_again(campaign: Campaign, organiser: User) -> None:
    work = stop_job(ask(campaign, organiser))
    assert work.state == "stopped"
    do_job(work.pk)
    assert ValidDocno.objects.count() == 0
    assert restart_job(actor=organiser, job=work).state == "waiting"
    run_worker()
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("done", 2)


def test_a_running_job_is_asked_to_stop(campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    work = ask(campaign, organiser, b"D1\nD2\nD3\n")
    with before_each_step(monkeypatch, lambda: stop_job(Job.objects.get())):
        do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("stopped", 0)
    do_job(restart_job(actor=organiser, job=work).pk)
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count(), work.asked_to_stop) == ("done", 3, False)


def test_a_worker_whose_job_was_given_to_another_stops_and_writes_nothing_more(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = ask(campaign, organiser, b"D1\nD2\nD3\n")

    def given_away() -> None:
        Job.objects.filter(pk=work.pk).update(state="waiting", message="", updated_at=timezone.now())

    with before_each_step(monkeypatch, given_away):
        do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, work.message, work.done, ValidDocno.objects.count()) == ("waiting", "", 0, 0)
    do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, ValidDocno.objects.count()) == ("done", 3)


def test_a_job_that_is_refused_says_why(campaign: Campaign, organiser: User) -> None:
    files = [{"sha256": store_file(io.BytesIO(record("D1"))).sha256, "name": "a.trec"}]
    work = enqueue_job(actor=organiser, campaign=campaign, kind="documents", arguments={"files": files})
    do_job(work.pk)
    work.refresh_from_db()
    assert work.state == "failed"
    assert "No run is accepted yet, and no topic, pool or document list names a document." in work.message


def test_a_job_of_a_kind_that_this_version_has_no_more_ends_and_says_so(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    """An earlier version was asked for a rehearsal, and updated before it was played."""
    work = Job.objects.create(campaign=campaign, kind="rehearsal", started_by=organiser)
    do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, work.message) == ("failed", "This version of Assay has no job “rehearsal”.")
    client.force_login(organiser)
    assert work.message in page_of(client.get(reverse("works", args=[campaign.slug])))
    with pytest.raises(Invalid, match="There is no job “rehearsal”"):
        restart_job(actor=organiser, job=work)


def test_a_job_whose_worker_was_lost_can_be_started_again(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    lose(work)
    with holding(work.pk), pytest.raises(Conflict, match="running"):
        restart_job(actor=organiser, job=work)
    do_job(restart_job(actor=organiser, job=work).pk)
    work.refresh_from_db()
    assert work.state == "done"


def lose(work: Job) -> None:
    """Leave the job as a worker does that is killed."""
    Job.objects.filter(pk=work.pk).update(state="running")


def test_a_job_whose_worker_was_lost_is_stopped_at_once(campaign: Campaign, organiser: User) -> None:
    work = ask(campaign, organiser)
    lose(work)
    with pytest.raises(Conflict, match=r"lost its worker; the next one goes on with it\. Wait, or stop it"):
        ask(campaign, organiser)
    assert [issue.count for issue in freeze_state(campaign).issues if issue.code == "jobs"] == [1]
    stopped = stop_job(work)
    assert (stopped.state, stopped.message) == ("stopped", "Stopped on request.")
    assert [issue for issue in freeze_state(campaign).issues if issue.code == "jobs"] == []


def test_what_cannot_be_asked_for_cannot_be_started_again(campaign: Campaign, organiser: User) -> None:
    older = stop_job(ask(campaign, organiser))
    newer = ask(campaign, organiser)
    with pytest.raises(Conflict, match="under way"):
        restart_job(actor=organiser, job=older)
    do_job(newer.pk)
    assert restart_job(actor=organiser, job=older).state == "waiting"


def test_the_page_starts_lost_jobs_again_and_only_those(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    work, page = ask(campaign, organiser), reverse("works", args=[campaign.slug])
    again, stop = (reverse(f"work-{verb}", args=[campaign.slug, work.pk]) for verb in ("restart", "stop"))

    def shown() -> tuple[bool, ...]:
        text = page_of(client.get(page))
        return tuple(words in text for words in (again, stop, "every 2s", "worker was lost"))

    lose(work)
    with holding(work.pk):
        assert shown() == (False, True, True, False)
    assert shown() == (True, True, False, True)
    assert client.post(again).status_code == 302
    run_worker()
    assert (shown(), ValidDocno.objects.count()) == ((False, False, False, False), 2)


def test_a_page_is_told_when_a_job_that_it_watched_has_ended(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    work, works = ask(campaign, organiser), reverse("works", args=[campaign.slug])
    page = page_of(client.get(reverse("documents", args=[campaign.slug])))
    assert f'hx-get="{works}?watched={work.pk}&amp;"' in page
    assert 'id="anew" hidden>' in page and '<a href="">Load the page again</a>' in page

    def told() -> str | None:
        answer = client.get(works, {"watched": work.pk}, headers={"HX-Request": "true"})
        assert 'id="anew"' not in page_of(answer)
        return answer.headers.get("HX-Trigger")

    assert told() is None
    run_worker()
    assert told() == "job-ended"
    assert "HX-Trigger" not in client.get(works, headers={"HX-Request": "true"}).headers
    assert 'id="anew"' not in page_of(client.get(reverse("documents", args=[campaign.slug])))


def test_the_answer_to_a_form_stays_and_names_its_page(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    ask(campaign, organiser)
    page = page_of(client.post(reverse("documents-load", args=[campaign.slug]), {}))
    assert 'id="anew" data-stays hidden>' in page
    assert f'<a href="{reverse("documents", args=[campaign.slug])}">Load the page again</a>' in page


def test_other_pages_and_the_api_say_of_their_job_that_it_is_lost(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    work = enqueue_job(actor=organiser, campaign=campaign, kind="release", arguments={})
    page = reverse("release", args=[campaign.slug])
    api = f"/api/v1/campaigns/{campaign.slug}/jobs/{work.pk}/"
    lose(work)
    with holding(work.pk):
        told = "worker was lost" in page_of(client.get(page)), client.get(api).json()["is_lost"]
        assert told == (False, False)
    assert ("worker was lost" in page_of(client.get(page)), client.get(api).json()["is_lost"]) == (True, True)


def test_the_jobs_that_are_shown_are_found_without_reading_all_that_ended(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("steps are counted by SQLite")
    hook = campaign.webhooks.create(url="https://a.org/", events="release", told=0, created_by=organiser)
    Job.objects.bulk_create(
        Job(campaign=campaign, kind="scores", state="done", started_by=organiser) for _ in range(3000)
    )
    WebhookCall.objects.bulk_create(WebhookCall(webhook=hook, event="release", body={}) for _ in range(3000))
    client.force_login(organiser)
    steps: list[int] = []
    page = reverse("webhook", args=[campaign.slug, hook.pk])
    for read in (lambda: shown_jobs(campaign), lambda: client.get(page)):
        steps.clear()
        connection.connection.set_progress_handler(lambda: steps.append(1) and None, 100)
        read()
        connection.connection.set_progress_handler(None, 100)
        assert len(steps) < 300  # a row that is read and sorted costs some twenty steps


def test_what_is_under_way_is_shown_before_what_ended_later(campaign: Campaign, organiser: User) -> None:
    first = ask(campaign, organiser)
    lose(first)
    for _ in range(6):
        Job.objects.create(campaign=campaign, kind="documents", state="done", started_by=organiser)
    shown = shown_jobs(campaign)
    assert (shown[0], len(shown), [work.pk for work in shown[1:]]) == (
        first, 5, sorted((work.pk for work in shown[1:]), reverse=True)
    )  # fmt: skip


def test_nothing_is_loaded_into_a_frozen_campaign(
    client: Client, campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    client.force_login(organiser)
    addresses = [reverse(name, args=[campaign.slug]) for name in ("documents-load", "docnos-load")]
    addresses += [f"/api/v1/campaigns/{campaign.slug}/{name}/" for name in ("documents", "docnos")]
    for address in addresses:
        sent = {"file": SimpleUploadedFile("some.txt", b"D1\n")} | ({} if "docnos" in address else {"wanted": "all"})
        assert client.post(address, sent).status_code == 409, address
    assert (Job.objects.exists(), list(tmp_path.rglob("*"))) == (False, [])


def test_why_a_job_failed_is_said_in_the_readers_language(campaign: Campaign, organiser: User) -> None:
    arguments = {"sha256": stored("1,2\n3 4 5\n"), "name": "docnos.txt"}
    job = Job.objects.create(campaign=campaign, kind="docnos", arguments=arguments, started_by=organiser)
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == (
        "failed",
        "docnos.txt has 1 error, so nothing of it was stored. Correct the file and load it again.",
    )
    with override("de"):
        assert job.words.startswith("docnos.txt hat 1 Fehler, daher wurde nichts davon gespeichert. Berichtigen Sie")
