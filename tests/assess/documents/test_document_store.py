"""Where the bodies of documents are kept: the same is read and shown wherever that is."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import InMemoryStorage
from django.test import Client
from django.urls import reverse

from assess.base.files import stored_path
from assess.documents.domain.bodies import keep_body
from assess.documents.domain.loading import load_documents
from assess.documents.queries.bodies import page_of, raw_of
from assess.documents.queries.documents import package_of_top_documents
from assess.models import Campaign, DocumentBody, ListedDocument, Topic
from assess.releases.domain.backups import back_up

MEMORY = "tests.assess.documents.test_document_store.Elsewhere"
STORES = ["database", "files", MEMORY]
PAGE = "<html><body><script>var x;</script><p>I like {}, the longest of all words.</p></body></html>"
RECORD = (
    "<DOC>\n<DOCNO>{0}</DOCNO>\n<DOCHDR>\nhttp://blog.example/{0} 0 0 10\nHTTP/1.1 200 OK\n"
    "Content-Type: text/html\n</DOCHDR>\n{1}\n</DOC>\n"
)


class Elsewhere(InMemoryStorage):
    """Speaks the API of storages as those of django-storages do, without a network; may be away."""

    is_away = False
    kept: dict[str, bytes] = {}

    def __init__(self, bucket_name: str) -> None:
        super().__init__()
        self.bucket_name = bucket_name

    def exists(self, name: str) -> bool:
        self._reach()
        return name in self.kept

    def _save(self, name: str, content: Any) -> str:
        self._reach()
        self.kept[name] = content.read()
        return name

    def _open(self, name: str, mode: str = "rb") -> Any:
        self._reach()
        if name not in self.kept:
            raise FileNotFoundError(name)
        return io.BytesIO(self.kept[name])

    def _reach(self) -> None:
        if self.is_away:
            raise ConnectionError(f"no answer from {self.bucket_name}")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, settings: Any) -> type[Elsewhere]:
    settings.ASSAY_DOCUMENT_STORE_OPTIONS = {"bucket_name": "assay"}
    monkeypatch.setattr(Elsewhere, "kept", {})
    monkeypatch.setattr(Elsewhere, "is_away", False)
    return Elsewhere


def load(campaign: Campaign, organiser: User, folder: Path, *docnos: str) -> None:
    path = folder / f"{'-'.join(docnos)}.trec"
    path.write_text("".join(RECORD.format(docno, PAGE.format(docno)) for docno in docnos))
    loaded = load_documents(actor=organiser, campaign=campaign, sources=[path], wanted=None)
    assert loaded.stored == len(docnos), loaded.report


@pytest.mark.parametrize("store", STORES)
def test_a_document_is_read_shown_and_packed_wherever_it_is_kept(
    campaign: Campaign,
    rigid: Topic,
    organiser: User,
    client: Client,
    tmp_path: Path,
    settings: Any,
    elsewhere: type[Elsewhere],
    store: str,
) -> None:
    settings.ASSAY_DOCUMENT_STORE = store
    load(campaign, organiser, tmp_path, "D1")
    body = DocumentBody.objects.get()
    assert (bytes(body.raw)[:1] == b"=", len(elsewhere.kept)) == (store != "database", 2 * (store == MEMORY))
    assert raw_of(body).decode() == PAGE.format("D1") + "\n" * raw_of(body).endswith(b"\n")
    assert "I like D1" in page_of(body) and "<script" not in page_of(body)
    client.force_login(organiser)
    address = reverse("document", args=[campaign.slug, "D1"])
    assert client.get(reverse("document-raw", args=[campaign.slug, "D1"])).content == raw_of(body)
    assert client.get(f"/api/v1/campaigns/{campaign.slug}/documents/D1/raw/").content == raw_of(body)
    assert client.get(address, {"view": "source"}).context["pane"].source == raw_of(body).decode()
    shown = client.get(client.get(address).context["pane"].frame_url)
    assert "I like D1" in shown.content.decode()
    ListedDocument.objects.create(topic=rigid, rank=1, docno="D1", score=1.0)
    package = zipfile.ZipFile(io.BytesIO(b"".join(package_of_top_documents(campaign))))
    assert package.read(next(name for name in package.namelist() if name.endswith(".html"))) == raw_of(body)


def test_what_was_stored_before_the_setting_changed_is_read_as_ever(
    campaign: Campaign, organiser: User, tmp_path: Path, settings: Any, elsewhere: type[Elsewhere]
) -> None:
    for number, store in enumerate(STORES):
        settings.ASSAY_DOCUMENT_STORE = store
        load(campaign, organiser, tmp_path, f"D{number}")
    texts = {body.document.docno: raw_of(body) for body in DocumentBody.objects.select_related("document")}
    assert {docno: PAGE.format(docno) in raw.decode() for docno, raw in texts.items()} == dict.fromkeys(
        ("D0", "D1", "D2"), True
    )


def test_the_same_bytes_are_kept_once_and_other_bytes_are_never_shown(
    db: None, settings: Any, elsewhere: type[Elsewhere]
) -> None:
    settings.ASSAY_DOCUMENT_STORE = MEMORY
    assert keep_body(b"the same") == keep_body(b"the same")
    assert len(elsewhere.kept) == 1
    settings.ASSAY_DOCUMENT_STORE = "files"
    body = DocumentBody(raw=keep_body(b"the same"))
    stored_path(bytes(body.raw)[1:].decode()).write_bytes(b"other")
    with pytest.raises(Exception, match="was changed in the store"):
        raw_of(body)


def test_while_the_storage_is_away_pages_say_so_and_nothing_is_half_stored(
    campaign: Campaign,
    organiser: User,
    client: Client,
    tmp_path: Path,
    settings: Any,
    elsewhere: type[Elsewhere],
) -> None:
    settings.ASSAY_DOCUMENT_STORE = MEMORY
    load(campaign, organiser, tmp_path, "D1")
    elsewhere.is_away = True
    client.force_login(organiser)
    answer = client.get(reverse("document-raw", args=[campaign.slug, "D1"]))
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "The store of the documents does not answer." in answer.content.decode()
    assert client.get(f"/c/{campaign.slug}/documents/").status_code == 200
    with pytest.raises(Exception, match="store of the documents does not answer"):
        load(campaign, organiser, tmp_path, "D2")
    assert list(campaign.documents.values_list("docno", flat=True)) == ["D1"]


def test_a_backup_holds_the_documents_that_are_files(committed_db: None, tmp_path: Path, settings: Any) -> None:
    settings.ASSAY_DOCUMENT_STORE = "files"
    kept = keep_body(b"the bytes of a document")
    back_up(tmp_path / "backup.tar")
    assert kept[1:] in (tmp_path / "backup.tar").read_bytes()
