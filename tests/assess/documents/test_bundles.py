"""A bundle that `find` wrote, loaded as any file of documents: by page, command and API, pages as they came."""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.documents.domain.loading import Source, load_documents
from assess.jobs.background import do_job
from assess.models import Campaign, Document, DocumentBody, Job, Topic
from scoring.collections.bundle import Prepared
from scoring.collections.finding import FindRequest, find_documents
from scoring.collections.model import Collection
from tests import factories
from tests.scoring.collections.shard_files import warc_record

pytestmark = pytest.mark.django_db

PAGE = "<title>Ferry {0}</title><p onclick=x()>The ferry {0} stopped in May.</p><script>y()</script>"


def bundle(folder: Path, *, pages: bool = True, count: int = 3) -> Path:
    """The folder of a bundle of the documents d-0, d-1 …"""
    shards = folder / "shards"
    shards.mkdir()
    (shards / "a.warc").write_bytes(b"".join(warc_record(f"d-{n}", PAGE.format(n)) for n in range(count)))
    collection = Collection(name="c", folder=str(shards), shards=("a.warc",), form="warc")
    request = FindRequest(docnos=frozenset(f"d-{n}" for n in range(count)), pages=pages)
    found = find_documents(collection=collection, request=request, out=folder / "BUNDLE")
    assert (found.documents, found.issues) == (count, [])
    return folder / "BUNDLE"


def stored(campaign: Campaign) -> list[tuple[object, ...]]:
    """What the site keeps of each document, but for when and from which file."""
    found = []
    for document in campaign.documents.order_by("docno"):
        body = DocumentBody.objects.get(document=document)
        page = zlib.decompress(bytes(body.page)) if body.page else b""
        told = (document.docno, document.title, document.url, document.media_type, document.charset, document.fields)
        versions = (document.status, document.text_sha256, document.page_version, document.text_version)
        found.append((*told, *versions, document.sha256, page, body.text, zlib.decompress(bytes(body.raw))))
    return found


def test_pages_made_by_find_are_those_that_the_site_makes(
    campaign: Campaign, organiser: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = factories.campaign(organiser=organiser, slug="other")
    for place, pages, into in ((tmp_path / "with", True, campaign), (tmp_path / "without", False, other)):
        place.mkdir()
        made = bundle(place, pages=pages)
        with monkeypatch.context() as patch:
            if pages:  # no process is started for what came prepared
                patch.setattr("assess.rendering.processes._Worker", None)
            loaded = load_documents(actor=organiser, campaign=into, sources=[made], wanted=None)
        assert (loaded.stored, loaded.report.errors) == (3, 0)
    assert stored(campaign) == stored(other)
    assert stored(campaign)[1][-2] == "The ferry 1 stopped in May."
    assert Document.objects.filter(campaign=campaign).values_list("source_file", flat=True).distinct().get() == (
        "BUNDLE/documents.parquet"
    )
    assert campaign.documents.get(docno="d-1").fields["SHARD"] == "a.warc"


def test_items_are_linked_and_only_named_documents_stored(
    campaign: Campaign, organiser: User, rigid: Topic, tmp_path: Path
) -> None:
    item = factories.item(rigid, "May", docno="d-2")
    factories.response(factories.run(campaign, "Harbor1", organiser), rigid, [item])
    call_command("load_documents", campaign.slug, str(bundle(tmp_path)))
    item.refresh_from_db()
    assert item.document is not None
    assert (item.document.docno, campaign.documents.count()) == ("d-2", 1)
    call_command("load_documents", campaign.slug, str(tmp_path / "BUNDLE"), "--all")
    assert campaign.documents.count() == 3


def test_by_page_and_by_api(campaign: Campaign, organiser: User, client: Client, tmp_path: Path) -> None:
    content = (bundle(tmp_path) / "documents.parquet").read_bytes()
    client.force_login(organiser)
    answer = client.post(
        reverse("documents-load", args=[campaign.slug]),
        {"file": SimpleUploadedFile("found.parquet", content), "wanted": "all"},
    )
    assert answer.status_code == 302
    do_job(Job.objects.get(campaign=campaign).pk)
    assert Job.objects.get(campaign=campaign).message.startswith("3 documents stored, 0 stored before")
    file = SimpleUploadedFile("again.parquet", content)
    again = client.post(f"/api/v1/campaigns/{campaign.slug}/documents/", {"file": file, "wanted": "all"})
    assert again.status_code == 201
    do_job(again.json()["id"])
    assert Job.objects.get(pk=again.json()["id"]).message.startswith("0 documents stored, 3 stored before")


def test_parquet_that_is_no_bundle_is_refused_at_once(campaign: Campaign, organiser: User, client: Client) -> None:
    target = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"docno": ["d-1"]}), target)
    client.force_login(organiser)
    for content, said in ((target.getvalue(), "no bundle of documents"), (b"PAR1 and more", "cut off or damaged")):
        file = SimpleUploadedFile("found.parquet", content)
        answer = client.post(reverse("documents-load", args=[campaign.slug]), {"file": file, "wanted": "all"})
        assert said in answer.content.decode()
    assert not Job.objects.filter(campaign=campaign).exists()


def changed(folder: Path, column: str, value: object) -> Path:
    """A bundle whose first row says something else."""
    path = bundle(folder) / "documents.parquet"
    table = pyarrow.parquet.read_table(path)
    rows = table.to_pylist()
    rows[0][column] = value
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=table.schema), path)
    return path


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("bytes", b"other", "digest"),
        ("text", "other", "digest"),
        ("status", "fine", "type"),
        ("fields", "[1]", "type"),
        ("url", None, "type"),
        ("url", "http://x/\0", "nul-byte"),
        ("docno", "two words", "bad-docno"),
        ("signature", b"short", "type"),
    ],
)
def test_a_row_that_is_wrong_is_told_and_the_rest_is_stored(
    campaign: Campaign, organiser: User, tmp_path: Path, column: str, value: object, code: str
) -> None:
    path = changed(tmp_path, column, value)
    sources = [Source(path, "found.parquet")]
    loaded = load_documents(actor=organiser, campaign=campaign, sources=sources, wanted=None)
    assert (loaded.stored, [issue.code for issue in loaded.report.issues]) == (2, [code])


def test_pages_of_another_version_are_made_anew(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    path = changed(tmp_path, "page_version", "0")
    load_documents(actor=organiser, campaign=campaign, sources=[path], wanted=None)
    assert campaign.documents.get(docno="d-0").page_version == Document.objects.get(docno="d-1").page_version != "0"


def test_a_page_that_was_uploaded_is_sanitised_again(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    path = changed(tmp_path, "page", "<p>The ferry.</p><script>x()</script>")
    other = factories.campaign(organiser=organiser, slug="other")
    load_documents(actor=organiser, campaign=campaign, sources=[Source(path, "found.parquet")], wanted=None)
    load_documents(actor=organiser, campaign=other, sources=[path], wanted=None)
    kept, trusted = (zlib.decompress(bytes(_body(each).page or b"")) for each in (campaign, other))
    assert (b"The ferry 0 stopped in May." in kept, b"script" in kept) == (True, False)
    assert b"<script>x()" in trusted


def _body(campaign: Campaign) -> DocumentBody:
    return DocumentBody.objects.get(document__campaign=campaign, document__docno="d-0")


def test_a_prepared_row_has_every_field_of_a_rendering() -> None:
    from dataclasses import fields

    from assess.rendering.rendered import Rendering

    assert {each.name for each in fields(Prepared)} == {each.name for each in fields(Rendering)}
