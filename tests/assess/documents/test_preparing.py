"""Pages of another version are made anew; the stored text, and all that counts its characters, stays."""

from __future__ import annotations

import signal
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from assess.base.errors import Conflict
from assess.documents.domain.preparing import BATCH, prepare_documents, start_preparing
from assess.documents.queries.bodies import page_of
from assess.documents.queries.documents import with_older_pages
from assess.documents.queries.search import search_documents
from assess.jobs.background import do_job
from assess.models import Activity, Campaign, Document, DocumentBody, DocumentWords, Job, UnfinishedImport
from assess.rendering.processes import _Worker
from assess.rendering.rendered import PAGE_VERSION
from assess.rendering.spans import check_span, make_span
from tests import factories
from tests.assess.commands import run_command
from tests.assess.documents.blog_documents import load, record
from tests.assess.pages import page_of as shown

pytestmark = pytest.mark.django_db

HOSTILE = "<p>I like <a {x}href='javascript:alert(1)'>tea</a>.</p><p style='opacity:0'>Unseen.</p>\n"
OF_VERSION_2 = '<p>I like <a href="javascript:alert(1)">tea</a>.</p>'
"""What version 2 made of the link."""


def make_old(documents: Any, page: str = OF_VERSION_2) -> None:
    """As an earlier version of the site stored them."""
    documents.update(page_version="2", note="from before")
    DocumentBody.objects.filter(document__in=documents.values("pk")).update(page=zlib.compress(page.encode()))


@pytest.fixture
def old(campaign: Campaign, organiser: User, tmp_path: Path) -> Campaign:
    (tmp_path / "a.trec").write_bytes(record("D1", HOSTILE) + record("D2"))
    load(campaign, organiser, tmp_path / "a.trec", wanted="all")
    make_old(campaign.documents.all())
    return campaign


def all_but_pages() -> list[tuple[object, ...]]:
    """What people read, quote and find of each document."""
    columns = ("docno", "text_sha256", "text_version", "language", "sha256", "title", "body__text")
    words = list(DocumentWords.objects.order_by("pk").values_list("pk", "words"))
    return [*Document.objects.order_by("docno").values_list(*columns), *words]


def test_an_old_page_is_made_anew_and_its_text_and_spans_stay(old: Campaign, organiser: User) -> None:
    text = DocumentBody.objects.get(document__docno="D1").text
    span, before = make_span(text, start=2, end=10), all_but_pages()
    done = prepare_documents(actor=organiser, campaign=old)
    assert done.sentence() == "2 pages prepared again."
    body = DocumentBody.objects.select_related("document").get(document__docno="D1")
    assert "javascript" not in page_of(body)
    assert "tea</a>" in page_of(body)
    assert (body.document.page_version, body.document.note, body.document.status) == (PAGE_VERSION, "", "ok")
    assert all_but_pages() == before
    assert (check_span(body.text, span), span.quote) == (None, "like tea")
    row = Activity.objects.latest("id")
    assert (row.action, row.data) == ("documents.prepare", {"documents": 2, "other_texts": 0, "failed": 0})
    assert prepare_documents(actor=organiser, campaign=old).documents == 0
    assert Activity.objects.latest("id") == row


def test_a_text_that_would_be_another_today_stays_and_is_told(old: Campaign, organiser: User) -> None:
    """What was judged was judged on the text that was shown, and its places are counted in it."""
    earlier = "I like tea.\n\nUnseen."
    span = make_span(earlier, start=13, end=20)
    Document.objects.filter(docno="D1").update(text_sha256=span.text_sha256, text_version="1")
    DocumentBody.objects.filter(document__docno="D1").update(text=earlier)
    before = all_but_pages()
    done = prepare_documents(actor=organiser, campaign=old)
    assert done.sentence() == (
        "2 pages prepared again; 1 of them would have another text today; the text that was stored stays."
    )
    assert [(issue.where, issue.code, issue.severity) for issue in done.report.issues] == [("D1", "other-text", "note")]
    assert all_but_pages() == before
    assert check_span(DocumentBody.objects.get(document__docno="D1").text, span) is None
    assert "javascript" not in page_of(DocumentBody.objects.get(document__docno="D1"))


def test_what_cannot_be_prepared_in_time_keeps_its_page_and_is_tried_again(
    old: Campaign, organiser: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    give = _Worker.give

    def give_to_one_that_stands_still(worker: _Worker, slot: Any, seconds: float) -> None:
        if not slot.reason:
            worker.process.send_signal(signal.SIGSTOP)
        give(worker, slot, seconds)

    settings.ASSAY_RENDER_SECONDS = 0.000001
    with monkeypatch.context() as patch:
        patch.setattr(_Worker, "give", give_to_one_that_stands_still)
        done = prepare_documents(actor=organiser, campaign=old)
    assert (done.documents, done.failed, done.left) == (0, 2, 2)
    assert done.sentence() == "0 pages prepared again; 2 could not be prepared, so the old page stays."
    assert [(issue.where, issue.code) for issue in done.report.issues] == [
        (each, "not-prepared") for each in ("D1", "D2")
    ]
    assert {page_of(body) for body in DocumentBody.objects.all()} == {OF_VERSION_2}
    assert not Activity.objects.filter(action="documents.prepare").exists()
    settings.ASSAY_RENDER_SECONDS = 60
    assert prepare_documents(actor=organiser, campaign=old).documents == 2


def test_bytes_that_are_not_what_was_stored_are_told_and_the_rest_is_prepared(
    campaign: Campaign, organiser: User, tmp_path: Path, settings: Settings
) -> None:
    settings.ASSAY_DOCUMENT_STORE = "files"
    settings.DATA_DIR = tmp_path
    (tmp_path / "a.trec").write_bytes(record("D1", HOSTILE) + record("D2"))
    load(campaign, organiser, tmp_path / "a.trec", wanted="all")
    campaign.documents.update(page_version="2")
    digest = bytes(DocumentBody.objects.get(document__docno="D1").raw).removeprefix(b"=").decode()
    (path,) = (each for each in tmp_path.rglob(f"*{digest[2:]}") if each.is_file())
    path.chmod(0o600)
    path.write_bytes(zlib.compress(b"something else"))
    done = prepare_documents(actor=organiser, campaign=campaign)
    assert (done.documents, done.failed, [issue.where for issue in done.report.issues]) == (1, 1, ["D1"])
    assert "changed in the store" in done.report.issues[0].message
    assert [each.docno for each in with_older_pages(campaign)] == ["D1"]


def test_batches_are_bounded_by_number_and_size_and_what_was_stopped_goes_on(
    campaign: Campaign, organiser: User
) -> None:
    for number in range(BATCH + 2):
        factories.document(campaign, f"M{number:03}", f"Words of {number}.")
    campaign.documents.update(page_version="2")
    job = start_preparing(actor=organiser, campaign=campaign)
    Job.objects.filter(pk=job.pk).update(asked_to_stop=True)
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("stopped", BATCH, BATCH + 2)
    assert job.message == f"Stopped: {BATCH} pages prepared again; 2 left. Start again to go on."
    with_older_pages(campaign).update(size=9_000_000)
    second = prepare_documents(actor=organiser, campaign=campaign, should_stop=lambda: True)
    assert (second.documents, second.left) == (1, 1)
    third = prepare_documents(actor=organiser, campaign=campaign, should_stop=lambda: True)
    assert (third.documents, third.left, third.stopped) == (1, 0, False)


def test_page_api_and_command_count_them_and_prepare_them_in_a_frozen_campaign_too(
    client: Client, old: Campaign, organiser: User
) -> None:
    """No judgment changes by it, and a campaign that nobody can change is read as ever."""
    Campaign.objects.filter(pk=old.pk).update(state="frozen")
    client.force_login(organiser)
    address, api = reverse("documents", args=["opinions"]), reverse("api-documents-prepared", args=["opinions"])
    first = shown(client.get(address))
    assert 'Pages of another version of the site</dt><dd><span class="number">2</span>' in first
    assert "Prepare them again</button>" in first
    assert "Texts, dates, sources and further fields stay as they were loaded." in first
    assert client.get(api).json() == {"documents": 2, "older_pages": 2}
    answer = client.post(reverse("documents-prepare", args=["opinions"]), follow=True)
    assert "being prepared again in the background" in shown(answer)
    with pytest.raises(Conflict, match="under way already"):
        start_preparing(actor=organiser, campaign=old)
    job = Job.objects.get()
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total, job.message) == ("done", 2, 2, "2 pages prepared again.")
    assert "Pages of another version" not in shown(client.get(address))
    refused = client.post(api)
    assert (refused.status_code, "nothing to prepare" in refused.content.decode()) == (409, True)
    UnfinishedImport.objects.create(campaign=factories.campaign(organiser=organiser, slug="half-loaded"))
    code, out, _ = run_command("prepare_documents")
    assert (code, out.strip()) == (0, "opinions: every page was made by this version of the site.")
    make_old(old.documents.filter(docno="D1"))
    made: Any = client.post(api)
    assert (made.status_code, made.json()["kind"]) == (201, "pages")
    do_job(made.json()["id"])
    make_old(old.documents.filter(docno="D1"))
    assert run_command("prepare_documents", "opinions")[:2] == (0, "opinions: 1 page prepared again.\n")


def test_a_page_without_an_encoding_is_kept_found_and_prepared_again_in_its_own(
    campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    """Earlier versions took what declares none for windows-1252."""
    russian = "Все люди рождаются свободными и равными в своем достоинстве и правах."
    html = f"<title>{russian}</title><p>{russian}</p>\n".encode("koi8-r")
    (tmp_path / "a.trec").write_bytes(record("D1", "PAGE", "Content-Type: text/html").replace(b"PAGE", html))
    load(campaign, organiser, tmp_path / "a.trec", wanted="all")
    document = campaign.documents.select_related("body").get()
    assert (document.title, document.body.text, document.language) == (russian, russian, "ru")
    assert [hit.docno for hit in search_documents(campaign, "люди").hits] == ["D1"]
    earlier = russian.encode("koi8-r").decode("cp1252")
    make_old(campaign.documents.all(), f"<p>{earlier}</p>")
    campaign.documents.update(title=earlier, text_sha256="of another text")
    done = prepare_documents(actor=organiser, campaign=campaign)
    document.refresh_from_db()
    assert (document.title, done.other_texts) == (russian, 1)
    assert russian in page_of(DocumentBody.objects.select_related("document").get())
