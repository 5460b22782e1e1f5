"""What is said of a document above it: title, date, source, address and all that its collection says besides."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.documents.domain.indexing import index_documents
from assess.documents.domain.preparing import prepare_documents
from assess.documents.queries.search import search_documents
from assess.models import Assignment, Campaign, Document, Topic
from scoring.collections.guesses import Guess, guess_members
from scoring.collections.members import Members
from tests import factories
from tests.assess.documents.blog_documents import load, name
from tests.pages import page_of
from tests.scoring.collections.shard_files import warc_record

pytestmark = pytest.mark.django_db

NEWS = (
    "<DOC>\n<DOCNO> BLOG06-20060101-000-0000000001 </DOCNO>\n<DATE>910514\n</DATE>\n<HEADLINE>\nThree bridges\n"
    "</HEADLINE>\n<TEXT>\nOne.\n</TEXT>\n<PUB>The Financial Times\n</PUB>\n<PAGE>\nLondon Page 22\n</PAGE>\n</DOC>\n"
)


@pytest.fixture
def news(campaign: Campaign, organiser: User, tmp_path: Path) -> Document:
    (tmp_path / "ft.txt").write_text(NEWS)
    loaded = load(campaign, organiser, tmp_path / "ft.txt", wanted="all")
    (note,) = loaded.report.issues
    assert note.message == "Further fields are kept and shown beside the documents that have them: PAGE (1)."
    return campaign.documents.get()


def test_they_stand_above_a_document_on_the_bench_and_where_it_is_read(
    client: Client, assessor: User, campaign: Campaign, news: Document, rigid: Topic
) -> None:
    factories.pooled(rigid, ["a bridge"])
    work = factories.assignment(rigid, "instances", assessor)
    client.force_login(assessor)
    for page in (bench_of(client, work), page_of(client.get(reverse("document", args=[campaign.slug, news.docno])))):
        for words in ("Three bridges", "910514", "The Financial Times", "1 further field", "PAGE", "London Page 22"):
            assert words in page, words


def bench_of(client: Client, work: Assignment) -> str:
    return page_of(client.get(reverse("workbench", args=["opinions", work.pk])))


def test_they_stand_in_lists_and_search_and_the_title_is_searched(
    client: Client, assessor: User, organiser: User, campaign: Campaign, news: Document, rigid: Topic
) -> None:
    name(campaign, organiser, news.docno)
    client.force_login(assessor)
    listed = page_of(client.get(reverse("document-list", args=[campaign.slug, rigid.number])))
    found = page_of(client.get(reverse("search", args=[campaign.slug]), {"q": "bridges"}))
    for page in (listed, found):
        assert "Three bridges" in page and "910514" in page and "The Financial Times" in page
    told = client.get(f"/api/v1/campaigns/{campaign.slug}/documents/{news.docno}/").json()
    assert (told["date"], told["source"], told["fields"]["PAGE"]) == ("910514", "The Financial Times", "London Page 22")


def test_a_title_that_is_not_in_the_text_is_found(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "d1", "title": "Viaducts", "text": "Words about water.", "date": "2020", "lang": "en"}')
    guess = guess_members(file)
    assert isinstance(guess, Guess)
    load(campaign, organiser, file, wanted="all", members=guess.members)
    (hit,) = search_documents(campaign, "viaduct").hits
    assert (hit.title, hit.date) == ("Viaducts", "2020")
    index_documents(campaign, everything=True)
    assert search_documents(campaign, "viaduct").total == 1


def test_preparing_pages_again_keeps_titles_that_are_fields(
    campaign: Campaign, organiser: User, news: Document
) -> None:
    campaign.documents.update(page_version="2")
    prepare_documents(actor=organiser, campaign=campaign)
    assert campaign.documents.get().title == "Three bridges"


def test_what_tells_of_runs_and_what_is_too_long_is_named_and_not_kept(
    campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    long = "x" * 10_001
    (tmp_path / "a.txt").write_text(NEWS.replace("<DATE>", f"<SCORE>2.5</SCORE>\n<LONG>{long}</LONG>\n<DATE>"))
    loaded = load(campaign, organiser, tmp_path / "a.txt", wanted="all")
    assert {"SCORE", "LONG"}.isdisjoint(campaign.documents.get().fields)
    notes = {issue.code: issue.message for issue in loaded.report.issues}
    assert notes["fields-not-kept"].startswith("Fields that are not kept: ") and "SCORE (1)" in notes["fields-not-kept"]


def test_a_load_ends_with_how_many_show_nothing_or_are_no_text(
    campaign: Campaign, organiser: User, tmp_path: Path
) -> None:
    pages = {"w-1": "<p></p>", "w-2": "<p>Words.</p>", "w-3": "%PDF-1.4 and more"}
    (tmp_path / "a.warc").write_bytes(b"".join(warc_record(docno, page) for docno, page in pages.items()))
    loaded = load(campaign, organiser, tmp_path / "a.warc", wanted="all", members=Members(form="warc"))
    assert loaded.sentence() == (
        "3 documents stored, 0 stored before, 1 of them shows no text (w-1), 1 of them can't be shown (w-3)."
    )
    assert campaign.documents.get(docno="w-3").note.endswith(
        "its bytes are a PDF file, not the page that it is called."
    )
