"""The texts of documents that may no longer be kept go for good; what was judged of them stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.documents.domain.preparing import prepare_documents
from assess.documents.domain.withholding import withhold_texts
from assess.documents.queries.search import search_documents
from assess.models import Activity, Campaign, Document, DocumentBody, DocumentTranslation, Item, Judgment
from tests import factories
from tests.assess import pooling
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db

REASON = "Taken out at the publisher's request."


@pytest.fixture
def judged(retrieval: Campaign, organiser: User, assessor: User) -> Campaign:
    """A pooled and judged document with a translation, and another one."""
    for docno in ("Da", "Db"):
        factories.document(retrieval, docno)
        Item.objects.filter(key=docno).update(document=Document.objects.get(docno=docno))
    DocumentTranslation.objects.create(campaign=retrieval, docno="Da", language="de", sha256="0" * 64, text="Ein Satz.")
    pooling.build(retrieval, organiser, strategy="depth", depth=3)
    pooling.grade(pooling.work(retrieval, "1", assessor), "a", 1)
    return retrieval


def exports(campaign: Campaign, folder: Path) -> dict[str, bytes]:
    point = Judgment.objects.latest("id").pk
    assert run_command("export", campaign.slug, folder, "--as-of", point)[0] == 0
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_text_page_bytes_and_translations_go_and_judgments_stay(
    judged: Campaign, organiser: User, tmp_path: Path
) -> None:
    Campaign.objects.filter(pk=judged.pk).update(state="released")
    words = DocumentBody.objects.get(document__docno="Da").text.split()[0]
    before, exported = list(Judgment.objects.values()), exports(judged, tmp_path / "before")
    told = withhold_texts(actor=organiser, campaign=judged, docnos=["Da"], reason=REASON)
    document = Document.objects.select_related("body").get(docno="Da")
    assert (told.documents, told.stored, document.status, document.note) == (1, (), "withheld", REASON)
    assert (document.title, document.fields, document.body.text, document.body.page) == ("", {}, "", None)
    assert DocumentTranslation.objects.get().text == ""
    assert "Da" not in [hit.docno for hit in search_documents(judged, words, limit=9).hits]
    assert (list(Judgment.objects.values()), Item.objects.filter(document=document).exists()) == (before, True)
    assert exports(judged, tmp_path / "after") == exported
    assert Activity.objects.filter(action="documents.withhold").get().data == {"docnos": ["Da"], "reason": REASON}
    Document.objects.update(page_version="older")
    assert prepare_documents(actor=organiser, campaign=judged).documents == 1
    document.refresh_from_db()
    assert document.note == REASON


def test_whoever_opens_it_reads_why(judged: Campaign, organiser: User, client: Client) -> None:
    withhold_texts(actor=organiser, campaign=judged, docnos=["Da"], reason=REASON)
    client.force_login(organiser)
    for view in ("", "?view=page", "?view=source"):
        answer = client.get(reverse("document", args=[judged.slug, "Da"]) + view)
        assert (answer.status_code, "request." in page_of(answer)) == (200, True)
    assert "text taken out" in page_of(client.get(reverse("documents", args=[judged.slug])))


@pytest.mark.parametrize(("docnos", "reason"), [(["Da", "Dx"], REASON), (["Da"], "  "), (["Da"], "x" * 501)])
def test_what_is_wrong_is_refused_and_nothing_is_changed(
    docnos: list[str], reason: str, judged: Campaign, organiser: User
) -> None:
    with pytest.raises(Invalid):
        withhold_texts(actor=organiser, campaign=judged, docnos=docnos, reason=reason)
    assert not Document.objects.filter(status="withheld").exists()


def test_the_command_asks_for_yes_and_says_where_copies_may_be(judged: Campaign) -> None:
    asked = ("withhold_documents", judged.slug, "Da", "--reason", REASON)
    status, _, refused = run_command(*asked)
    assert (status, "--yes" in refused, Document.objects.filter(status="withheld").exists()) == (2, True, False)
    status, said, _ = run_command(*asked, "--yes")
    assert (status, said.splitlines()[0]) == (0, "1 document without text now.")


@pytest.mark.django_db(transaction=True)
def test_no_file_of_the_database_holds_the_text_any_more(campaign: Campaign, organiser: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("a server keeps its files to itself")
    said = "a text that nobody may keep"
    factories.document(campaign, "D1", text=said)
    database = Path(connection.settings_dict["NAME"])
    files = [database, database.with_name(f"{database.name}-wal")]
    assert any(said.encode() in file.read_bytes() for file in files)
    withhold_texts(actor=organiser, campaign=campaign, docnos=["D1"], reason=REASON)
    assert [file.name for file in files if said.encode() in file.read_bytes()] == []
