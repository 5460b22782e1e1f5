"""Files of documents that no reader fits are refused, and documents of a wrong load are taken out again."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.base.errors import Conflict, Invalid
from assess.documents.domain.loading import load_documents
from assess.documents.domain.start_jobs import start_taking_out
from assess.documents.domain.taking_out import BATCH, take_out_documents
from assess.documents.queries.dependent_rows import taking_out
from assess.documents.queries.search import search_documents
from assess.jobs.background import do_job
from assess.jobs.progress import JobProgress
from assess.models import Activity, Assignment, Campaign, Document, DocumentBody, Item, Job, Topic
from nuggets.models import Nugget, NuggetSource
from nuggets.writing.lists import start_list
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db

LINES = b'{"docid": "A1", "text": "It rains."}\n{"docid": "A2", "text": "It shines."}\n'
UNFIT = {
    "lines.jsonl": (LINES, "JSON in no form that is known"),
    "lines.txt": (LINES, "pubmed-json takes lines"),
    "array.json": (b'[\n  {"docid": "A1"}\n]\n', "full-texts takes one object"),
    "feed.xml": (b'<?xml version="1.0"?>\n<feed><entry>It rains.</entry></feed>\n', "pubmed-xml takes"),
    "pubmed.txt": (b"<PubmedArticleSet><PubmedArticle></PubmedArticle></PubmedArticleSet>", "format pubmed-xml"),
    "paper.txt": (b"%PDF-1.7\n1 0 obj\n", "a PDF file"),
    "rubbish.txt": (bytes(range(256)) * 9, "a binary file"),
    "pages.warc": (b"WARC/1.0\r\nWARC-Type: response\r\n", "a WARC archive"),
    "corpus.jsonl": (LINES.splitlines()[0], "load it as a file of records"),
    "beir.jsonl": (b'{"_id": "d1", "title": "T", "text": "one", "metadata": {}}\n', "load_documents --records"),
    "abstracts.jsonl": (b'{"paper_id": "7", "abstract": "one"}\n', "load it as a file of records"),
    "crawl.warc": (b"WARC/1.0\r\nWARC-Type: response\r\n", "load it as a file of records"),
    "qrels.txt": (b"1 0 D1 1\n1 0 D2 0\n2 0 D1 2\n", "This is a file of another kind: qrels"),
    "run.gz": (gzip.compress(b"1 Q0 D1 1 9.5 r\n1 Q0 D2 2 8.5 r\n"), "not documents. Submit it under “Runs”"),
    "topics.txt": (b"<top>\n<num> Number: 1\n<title> bees\n</top>\n", "Load it under “Topics”"),
    "topics.jsonl": (b'{"id": "1", "title": "bees", "narrative": "Which"}\n' * 2, "Load it under “Topics”"),
    "collection.tsv": (b"0\tOne passage.\n1\tAnother.\n", "This is a table"),
    "metadata.csv": (b"cord_uid,title,abstract\nz1,T,Words\n", "load it as a file of records"),
}


def upload(name: str, content: bytes) -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


@pytest.mark.parametrize("name", UNFIT)
def test_what_is_no_text_is_refused_with_the_readers_that_fit(
    client: Client, campaign: Campaign, organiser: User, tmp_path: Path, name: str
) -> None:
    content, said = UNFIT[name]
    client.force_login(organiser)
    page = client.post(
        reverse("documents-load", args=["opinions"]), {"wanted": "all", "file": upload(name, content)}, follow=True
    )
    api = client.post(
        reverse("api-document-list-all", args=["opinions"]), {"wanted": "all", "file": upload(name, content)}
    )
    (tmp_path / name).write_bytes(content)
    code, *printed = run_command("load_documents", "opinions", tmp_path / name, "--all")
    out = " ".join(printed)
    texts = [page_of(page).replace("&quot;", '"'), page_of(api), out]
    assert [said in text for text in texts] == [True] * 3, texts
    assert ["blog06, trec-sgml, text" in text for text in texts] == [True] * 3
    assert (page.status_code, api.status_code, code) == (422, 422, 1)
    assert (Document.objects.count(), Job.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "{curly} [brackets]",
        "Dear all,\tgood day\nNo tab here\n",
        "One, two,\nthree, four\n",
        '["a list", of words]',
        "<b>It</b> rains.",
        "Käse\tund\x0cBrot",
        "\ufeff{ }x",
    ],
)
def test_plain_texts_still_come_in(campaign: Campaign, organiser: User, tmp_path: Path, text: str) -> None:
    (tmp_path / "note.txt").write_text(text, encoding="utf-8")
    load_documents(actor=organiser, campaign=campaign, sources=[tmp_path / "note.txt"], wanted=None)
    assert list(Document.objects.values_list("docno", flat=True)) == ["note"]


def test_an_empty_file_is_no_document(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    (tmp_path / "nothing.txt").touch()
    (tmp_path / "note.txt").write_text("So.")
    loaded = load_documents(actor=organiser, campaign=campaign, sources=[tmp_path], wanted=None)
    assert list(Document.objects.values_list("docno", flat=True)) == ["note"]
    assert [(issue.code, issue.message) for issue in loaded.report.issues] == [
        ("empty-file", "The file is empty. Check that the right file was chosen.")
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_documents_of_a_collection_in_utf_16_are_not_one_text(
    campaign: Campaign, organiser: User, tmp_path: Path, encoding: str
) -> None:
    text = "<DOC>\n<DOCNO>A1</DOCNO>\n<TEXT>It rains.</TEXT>\n</DOC>\n<DOC>\n<DOCNO>A2</DOCNO>\n</DOC>\n"
    (tmp_path / "wide.sgml").write_text(text, encoding=encoding)
    found = load_documents(actor=organiser, campaign=campaign, sources=[tmp_path / "wide.sgml"], wanted=None)
    assert (found.stored, [issue.code for issue in found.report.issues]) == (0, ["not-plain-text"])
    assert found.report.issues[0].message.endswith(f"in {encoding.upper()[:6]}. Save it as UTF-8, and load it again.")


def test_text_in_utf_16_is_text(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    (tmp_path / "wide.txt").write_text("It rains.", encoding="utf-16")
    loaded = load_documents(actor=organiser, campaign=campaign, sources=[tmp_path / "wide.txt"], wanted=None)
    assert (loaded.stored, loaded.report.errors) == (1, 0)


# ---------------------------------------------------------------- taking out


@pytest.fixture
def loaded(campaign: Campaign, organiser: User, tmp_path: Path) -> Campaign:
    """Two texts of a folder, and one file beside it."""
    (tmp_path / "wrong").mkdir()
    for name in ("wrong/W1.txt", "wrong/W2.txt", "wrongly.txt"):
        (tmp_path / name).write_text(f"Words of {name}.")
    sources = [tmp_path / "wrong", tmp_path / "wrongly.txt"]
    load_documents(actor=organiser, campaign=campaign, sources=sources, wanted=None)
    return campaign


def docnos() -> list[str]:
    return list(Document.objects.order_by("docno").values_list("docno", flat=True))


def test_a_wrong_load_is_taken_out_and_can_come_in_again(
    loaded: Campaign, organiser: User, squishy: Topic, tmp_path: Path
) -> None:
    Item.objects.create(topic=squishy, kind="x", key="k", docno="W1", document=Document.objects.get(docno="W1"))
    found = taking_out(loaded, "wrong/")
    assert (found.source, found.documents, found.items, found.holds) == ("wrong", 2, 1, ())
    done = take_out_documents(actor=organiser, campaign=loaded, source="wrong")
    assert done.sentence() == "2 documents of wrong taken out."
    assert docnos() == ["wrongly"]
    assert DocumentBody.objects.count() == 1
    assert search_documents(loaded, "words", limit=9).total == 1
    assert Item.objects.get(key="k").document is None
    row = Activity.objects.latest("id")
    assert (row.action, row.data) == ("documents.take_out", {"source": "wrong", "documents": 2, "left": 0})
    load_documents(actor=organiser, campaign=loaded, sources=[tmp_path / "wrong"], wanted=None)
    assert Item.objects.get(key="k").document == Document.objects.get(docno="W1")


def test_what_is_pooled_judged_or_quoted_stays(
    loaded: Campaign, organiser: User, nugget_writing: Assignment, squishy_items: list[Item]
) -> None:
    first = Document.objects.get(docno="W1")
    item = squishy_items[0]
    Item.objects.filter(pk=item.pk).update(document=first)
    with pytest.raises(Conflict, match=r"work stands on them: 1 pool item\. Nothing .* withhold_documents"):
        take_out_documents(actor=organiser, campaign=loaded, source="wrong")
    Item.objects.filter(pk=item.pk).update(document=None)
    draft = start_list(actor=nugget_writing.assessor, assignment=nugget_writing)
    nugget = Nugget.objects.create(nugget_list=draft, number=1, text="cheap", importance="vital", position=1)
    NuggetSource.objects.create(nugget=nugget, document=first, quote="Words")
    with pytest.raises(Conflict, match=r"1 nugget source\."):
        start_taking_out(actor=organiser, campaign=loaded, source="wrong/W1.txt")
    Item.objects.filter(pk=item.pk).update(document=first)
    NuggetSource.objects.create(nugget=nugget, item=item, quote="Words")
    assert [(hold.count, hold.noun) for hold in taking_out(loaded, "wrong").holds] == [
        (2, "nugget sources"),  # those that name the item and those that name the document, in one line
        (1, "pool item"),
    ]
    Item.objects.filter(pk=item.pk).update(document=None)
    NuggetSource.objects.all().delete()
    Topic.objects.filter(pk=nugget_writing.topic_id).update(fields={"pages": ["W9", "W2"]})
    with pytest.raises(Conflict, match=r"work stands on them: 1 assignment that shows them\."):
        take_out_documents(actor=organiser, campaign=loaded, source="wrong")
    Assignment.objects.filter(pk=nugget_writing.pk).update(state="open")
    assert taking_out(loaded, "wrong").holds == ()
    with pytest.raises(Invalid, match="No document was loaded from"):
        take_out_documents(actor=organiser, campaign=loaded, source="wron")
    assert len(docnos()) == 3


def test_page_api_and_command_say_how_many_and_take_them_out(client: Client, loaded: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    address = reverse("documents-take-out", args=["opinions"])
    listed = client.get(address).content.decode()
    assert [name in listed for name in ("wrong/W1.txt", "wrong/W2.txt", "wrongly.txt")] == [True] * 3
    assert "Take 2 documents out" in page_of(client.get(address, {"source": "wrong"}))
    asked = client.get(reverse("api-documents-taken-out", args=["opinions"]), {"source_file": "wrong"}).json()
    assert asked == {"source_file": "wrong", "documents": 2, "items": 0, "holds": []}
    assert run_command("take_out_documents", "opinions", "wrong")[1].startswith("2 documents of wrong;")
    assert len(docnos()) == 3
    client.post(address, {"source": "wrong/W1.txt"})
    do_job(Job.objects.get().pk)
    assert docnos() == ["W2", "wrongly"]
    assert Job.objects.get().message == "1 document of wrong/W1.txt taken out."
    made: Any = client.post(
        reverse("api-documents-taken-out", args=["opinions"]),
        json.dumps({"source_file": "wrong"}),
        content_type="application/json",
    )
    assert (made.status_code, made.json()["kind"]) == (201, "documents-out")
    do_job(made.json()["id"])
    assert docnos() == ["wrongly"]
    code, *printed = run_command("take_out_documents", "opinions", "wrongly.txt", "--yes")
    out = " ".join(printed)
    assert (code, docnos()) == (0, []), out


def test_not_while_documents_are_loaded(loaded: Campaign, organiser: User) -> None:
    Job.objects.create(campaign=loaded, kind="documents", arguments={}, started_by=organiser)
    with pytest.raises(Conflict, match="being loaded"):
        start_taking_out(actor=organiser, campaign=loaded, source="wrong")


def test_many_documents_go_in_batches_and_what_is_stopped_goes_on(campaign: Campaign, organiser: User) -> None:
    one = factories.document(campaign, "D0")
    fields = {
        field.name: getattr(one, field.name) for field in Document._meta.fields if field.name not in ("id", "docno")
    }
    fields["source_file"] = "many.trec"
    made = Document.objects.bulk_create(Document(docno=f"M{n}", **fields) for n in range(2 * BATCH + 1))
    DocumentBody.objects.bulk_create(DocumentBody(document=each, raw=b"", text="words") for each in made)
    with CaptureQueriesContext(connection) as first:
        stopped = take_out_documents(actor=organiser, campaign=campaign, source="many.trec", should_stop=lambda: True)
    assert (stopped.documents, stopped.left) == (BATCH, BATCH + 1)
    assert "Start again to go on." in stopped.sentence()
    recorded: list[tuple[int, int]] = []

    def look(progress: JobProgress) -> None:  # here a killed process would end, and nothing more would be recorded
        row = Activity.objects.filter(action="documents.take_out").latest("id")
        recorded.append((row.data["documents"], row.data["left"]))

    with CaptureQueriesContext(connection) as second:
        rest = take_out_documents(actor=organiser, campaign=campaign, source="many.trec", progress=look)
    assert recorded == [(BATCH, 1), (1, 0)]
    assert (rest.documents, rest.left) == (BATCH + 1, 0)
    assert docnos() == ["D0"]
    assert len(second) < 3 * len(first), "queries grow with batches, not with documents"
