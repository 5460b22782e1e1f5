"""Loading documents and document lists: what is wanted, once, in batches, with every problem named."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import BadFile, Conflict, Invalid
from assess.documents.domain import loading as module
from assess.documents.domain.loading import LoadedDocuments
from assess.documents.queries.documents import document_list, package_of_top_documents
from assess.jobs.progress import JobProgress
from assess.models import Campaign, Document, DocumentBody, Item, ListedDocument, Topic
from scoring.records import Issue
from tests import factories
from tests.assess.documents.blog_documents import PAGE, docnos, load, load_list, name, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two collection files: D1 to D3 plain, D4 and D5 gzipped in a folder below."""
    place = tmp_path / "documents"
    (place / "more").mkdir(parents=True)
    (place / "a.trec").write_bytes(record("D1") + record("D2") + record("D3"))
    (place / "more" / "b.gz").write_bytes(gzip.compress(record("D4") + record("D5")))
    return place


def faults(loaded: LoadedDocuments) -> list[Issue]:
    """All that is said of a load but its notes."""
    return [issue for issue in loaded.report.issues if issue.severity != "note"]


def test_named_documents_are_stored_with_their_page_text_and_place(
    campaign: Campaign, organiser: User, folder: Path, rigid: Topic
) -> None:
    item = factories.item(rigid, "bikes", docno="D4")
    run = factories.run(campaign, "Harbor1", organiser)
    factories.response(run, rigid, [item])
    name(campaign, organiser, "D2")
    loaded = load(campaign, organiser, folder)
    assert (loaded.read, loaded.stored, loaded.passed_over, loaded.missing) == (5, 2, 3, 0)
    assert docnos(campaign) == ["D2", "D4"]
    document = Document.objects.get(docno="D4")
    assert (document.title, document.url, document.media_type, document.charset, document.status) == (
        "Bikes & D4",
        "http://blog.example/D4",
        "text/html",
        "utf-8",
        "ok",
    )
    assert (document.source_file, document.source_offset) == ("documents/more/b.gz", 0)
    body = DocumentBody.objects.get(document=document)
    assert zlib.decompress(bytes(body.raw)).decode() == PAGE.format(name="D4")
    assert body.text == "I like D4."
    assert b"<script" not in zlib.decompress(bytes(body.page or b""))
    item.refresh_from_db()
    assert item.document == document


def test_all_documents_are_stored_when_asked(campaign: Campaign, organiser: User, folder: Path) -> None:
    loaded = load(campaign, organiser, folder, wanted="all")
    assert (loaded.stored, loaded.statuses) == (5, {"ok": 5})
    assert docnos(campaign) == ["D1", "D2", "D3", "D4", "D5"]
    assert loaded.sentence() == "5 documents stored, 0 stored before."


def test_loading_again_stores_and_prepares_nothing(
    campaign: Campaign, organiser: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(campaign, organiser, folder, wanted="all")
    ids = list(campaign.documents.values_list("pk", flat=True))
    monkeypatch.setattr(module.RenderPool, "map", None)
    loaded = load(campaign, organiser, folder, wanted="all")
    assert (loaded.stored, loaded.unchanged, loaded.report.errors, loaded.report.warnings) == (0, 5, 0, 0)
    assert list(campaign.documents.values_list("pk", flat=True)) == ids


def test_an_item_that_missed_its_document_has_it_after_the_next_load(
    campaign: Campaign, organiser: User, folder: Path
) -> None:
    """As where another process added the item at the moment in which its document was stored."""
    load(campaign, organiser, folder, wanted="all")
    docno = campaign.documents.values_list("docno", flat=True)[0]
    missed = factories.item(campaign.topics.get(number="1.1"), "blue", docno)
    Item.objects.filter(pk=missed.pk).update(document=None)
    load(campaign, organiser, folder, wanted="all")
    missed.refresh_from_db()
    assert missed.document is not None and missed.document.docno == docno


def test_a_load_that_was_stopped_goes_on(
    campaign: Campaign, organiser: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    seen: list[JobProgress] = []
    stopped = load(campaign, organiser, folder, wanted="all", progress=seen.append, should_stop=lambda: True)
    assert (stopped.stored, stopped.stopped, docnos(campaign)) == (2, True, ["D1", "D2"])
    assert (seen[-1].done, seen[-1].sentence) == (2, "file 1 of 2, 2 documents read")
    done = load(campaign, organiser, folder, wanted="all")
    assert (done.stored, done.unchanged, done.stopped) == (3, 2, False)


@pytest.mark.parametrize("is_meanwhile", [False, True])
def test_other_content_under_a_stored_docno_is_reported_and_not_taken(
    campaign: Campaign,
    organiser: User,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_meanwhile: bool,
) -> None:
    """Also if another load stores it between the look for what is stored and the storing."""
    store = module.store_documents

    def store_after_the_other(**said: Any) -> list[Document]:
        monkeypatch.setattr(module, "store_documents", store)
        load(campaign, organiser, folder, wanted="all")
        return store(**said)

    if is_meanwhile:
        monkeypatch.setattr(module, "store_documents", store_after_the_other)
    else:
        load(campaign, organiser, folder, wanted="all")
    changed = tmp_path / "changed.trec"
    changed.write_bytes(record("D9") + record("D1", "<p>Something else</p>\n") + record("D2"))
    loaded = load(campaign, organiser, changed, wanted="all")
    assert (loaded.stored, loaded.unchanged, loaded.report.errors, loaded.report.warnings) == (1, 1, 1, 1)
    assert [(issue.code, str(issue.where).split(":")[0]) for issue in faults(loaded)] == [
        ("document-differs", "changed.trec"),
        ("document-twice", "changed.trec"),
    ]
    assert "documents/a.trec" in loaded.report.issues[0].message
    assert DocumentBody.objects.get(document__docno="D1").text == "I like D1."


def test_two_of_a_docno_in_one_batch_are_told_apart(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    file = tmp_path / "twice.trec"
    file.write_bytes(record("D1") + record("D1") + record("D1", "<p>other</p>\n"))
    loaded = load(campaign, organiser, file, wanted="all")
    assert (loaded.stored, loaded.unchanged) == (1, 1)
    assert [issue.code for issue in faults(loaded)] == ["document-differs", "document-twice"]


def test_bad_records_are_reported_and_stop_nothing(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    place = tmp_path / "bad"
    place.mkdir()
    (place / "a.trec").write_bytes(b"<DOC>\n<DOCNO></DOCNO>\n<DOCHDR>\n</DOCHDR>\nx\n</DOC>\n" + record("D1"))
    (place / "b.gz").write_bytes(gzip.compress(record("D2") + record("D3"))[:-20])
    (place / "c.trec").write_bytes(record("D4"))
    loaded = load(campaign, organiser, place, wanted="all")
    assert {"D1", "D4"} <= set(docnos(campaign))
    assert {str(issue.where).split(":")[0] for issue in faults(loaded)} == {"bad/a.trec", "bad/b.gz"}
    assert loaded.report.errors >= 2


def test_a_page_that_can_not_be_prepared_is_stored_with_its_text(
    campaign: Campaign, organiser: User, tmp_path: Path, settings
) -> None:
    settings.ASSAY_RENDER_SECONDS = 1.0
    file = tmp_path / "hard.trec"
    file.write_bytes(record("D1", "<div>" * 30_000 + "deep words\n") + record("D2"))
    loaded = load(campaign, organiser, file, wanted="all")
    assert loaded.stored == 2
    document = Document.objects.get(docno="D1")
    assert (document.status, document.note != "") == ("text-only", True)
    assert DocumentBody.objects.get(document=document).page is None
    assert "deep words" in DocumentBody.objects.get(document=document).text


def test_documents_that_no_file_holds_are_counted(campaign: Campaign, organiser: User, folder: Path) -> None:
    name(campaign, organiser, "D2", "D77", "D66")
    loaded = load(campaign, organiser, folder)
    assert (loaded.stored, loaded.missing, loaded.missing_docnos) == (1, 2, ("D66", "D77"))
    assert "2 named documents are still missing (D66, D77)" in loaded.sentence()


def test_a_document_of_an_earlier_file_is_not_missing(
    campaign: Campaign, organiser: User, folder: Path, tmp_path: Path
) -> None:
    name(campaign, organiser, "D2", "D66")
    load(campaign, organiser, folder)
    later = tmp_path / "later.trec"
    later.write_bytes(record("D9"))
    assert load(campaign, organiser, later).missing_docnos == ("D66",)


def test_what_can_not_be_loaded_is_refused(campaign: Campaign, organiser: User, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="No run is accepted yet, and no topic, pool or document list"):
        load(campaign, organiser, folder)
    with pytest.raises(Invalid, match="no file or folder nowhere"):
        load(campaign, organiser, tmp_path / "nowhere", wanted="all")
    with pytest.raises(Invalid, match="named"):
        load(campaign, organiser, folder, wanted="some")
    campaign.state = Campaign.State.RELEASED
    with pytest.raises(Conflict):
        load(campaign, organiser, folder, wanted="all")


def test_text_and_newswire_come_in_as_well(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    place = tmp_path / "mixed"
    place.mkdir()
    (place / "note-7.txt").write_text("Plain words.\n")
    (place / "wire.sgml").write_text(
        "<DOC>\n<DOCNO> APW1.0001 </DOCNO>\n<HEADLINE>\nTrains\n</HEADLINE>\n<TEXT>\nThey run.\n</TEXT>\n</DOC>\n"
    )
    loaded = load(campaign, organiser, place, wanted="all")
    assert (loaded.stored, loaded.report.errors) == (2, 0)
    assert docnos(campaign) == ["APW1.0001", "note-7"]
    assert "They run." in DocumentBody.objects.get(document__docno="APW1.0001").text


def test_a_list_is_kept_to_its_top_thousand_and_replaced_whole(campaign: Campaign, organiser: User) -> None:
    lines = "".join(f"1 {rank} D{rank} {2000 - rank}.5\n" for rank in range(1, 1102))
    loaded = load_list(campaign, organiser, lines)
    assert (loaded.targets, loaded.documents, loaded.report.warnings) == (1, 1000, 1)
    topic = campaign.topics.get(number="1")
    assert topic.listed_documents.last().docno == "D1000"
    assert load_list(campaign, organiser, lines).unchanged == 1
    assert load_list(campaign, organiser, "1 1 D5 3.0\n1 2 D4 2\n").targets == 1
    assert [(each.rank, each.docno, each.score) for each in document_list(topic)] == [(1, "D5", 3.0), (2, "D4", 2.0)]


def test_of_a_list_in_any_order_the_best_thousand_are_kept(campaign: Campaign, organiser: User) -> None:
    ranks = [rank * 1_009 % 3_001 for rank in range(1, 3_001)]  # each of 1 to 3,000 once
    loaded = load_list(campaign, organiser, "".join(f"1 {rank} D{rank} {4000 - rank}\n" for rank in ranks))
    assert (loaded.targets, loaded.documents) == (1, 1000)
    kept = campaign.topics.get(number="1").listed_documents.order_by("rank").values_list("rank", "docno")
    assert list(kept) == [(rank, f"D{rank}") for rank in range(1, 1_001)]


def test_a_list_with_errors_stores_nothing(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(BadFile) as refusal:
        load_list(campaign, organiser, "1 1 D1 3.0\n01 1 D2 2\n01 2 D3 1\n1 2 D2\n1 3 D1 1\n")
    assert [issue.code for issue in refusal.value.issues] == ["unknown-target", "columns", "duplicate-docid"]
    assert refusal.value.issues[0].message == "There is no target “01”, but there is 1: write both alike."
    assert campaign.topics.get(number="1").listed_documents.count() == 0


def test_the_package_holds_the_texts_of_the_top_documents(campaign: Campaign, organiser: User, folder: Path) -> None:
    name(campaign, organiser, "D2", "D9", "D1", "D3")
    load(campaign, organiser, folder)
    pieces = list(package_of_top_documents(campaign, depth=3))
    package = zipfile.ZipFile(io.BytesIO(b"".join(pieces)))
    assert package.testzip() is None
    assert package.namelist() == [
        "001-1/list.txt",
        "001-1/not-stored.txt",
        "001-1/0001-D2.txt",
        "001-1/0001-D2.html",
        "001-1/0003-D1.txt",
        "001-1/0003-D1.html",
        "001-1/documents.jsonl",
    ]
    told = [json.loads(line) for line in package.read("001-1/documents.jsonl").decode().splitlines()]
    assert [(each["docno"], each["title"]) for each in told] == [("D2", "Bikes & D2"), ("D1", "Bikes & D1")]
    assert told[0]["fields"] == {"PERMALINK": "http://blog.example/D2"}
    assert package.read("001-1/list.txt") == b"1 1 D2 8.0\n1 2 D9 7.0\n1 3 D1 6.0\n"
    assert package.read("001-1/not-stored.txt") == b"D9\n"
    assert package.read("001-1/0001-D2.txt") == b"I like D2."
    assert package.read("001-1/0001-D2.html").decode() == PAGE.format(name="D2")
    assert b"".join(pieces) == b"".join(package_of_top_documents(campaign, depth=3))


def test_participants_get_the_whole_list_in_its_own_format(
    campaign: Campaign, organiser: User, participant: User, client: Client
) -> None:
    """II: "NIST will provide the ranking of the top 1000 documents … qnum rank docid rsv"."""
    given = "".join(f"1 {rank} D{rank} {2000.5 - rank!r}\n" for rank in range(1, 1001))
    load_list(campaign, organiser, given)
    client.force_login(participant)
    for address in (
        reverse("document-list-file", args=[campaign.slug]),
        "/api/v1/campaigns/opinions/document-lists-file/",
    ):
        answer = client.get(address)
        assert answer["Content-Disposition"] == 'attachment; filename="opinions-document-lists.txt"'
        assert b"".join(answer.streaming_content).decode() == given  # type: ignore[arg-type]


def test_a_list_for_a_question_is_refused(campaign: Campaign, organiser: User) -> None:
    """II: "NIST will not provide document lists for individual questions"; "qnum is the target number"."""
    with pytest.raises(BadFile) as refusal:
        load_list(campaign, organiser, "1 1 D1 3.0\n1.1 1 D2 2\n1.1 2 D3 1\n")
    (issue,) = refusal.value.issues
    assert (issue.code, issue.message) == (
        "list-of-question",
        "1.1 is a question; document lists are for whole targets. Use its target's number: 1.",
    )
    assert ListedDocument.objects.count() == 0


def test_rank_and_rsv_that_disagree_are_warned_of(campaign: Campaign, organiser: User) -> None:
    """II: "larger is better", and "most similar doc is rank 1"."""
    loaded = load_list(campaign, organiser, "1 3 D3 7.5\n1 1 D1 3.0\n1 2 D2 3.0\n")
    (warning,) = loaded.report.issues
    assert (warning.severity, warning.code, warning.message) == (
        "warning",
        "rsv-order",
        "Target 1: rank 3 has a larger rsv than rank 2. A larger rsv is better, so one of the two columns is wrong. "
        "The ranks count.",
    )


def test_names_in_the_package_lead_nowhere(campaign: Campaign, organiser: User) -> None:
    factories.document(campaign, "../../etc/passwd")
    name(campaign, organiser, "../../etc/passwd")
    package = zipfile.ZipFile(io.BytesIO(b"".join(package_of_top_documents(campaign))))
    assert package.namelist()[1] == "001-1/0001-_.._etc_passwd.txt"
