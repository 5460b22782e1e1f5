"""Which documents a load stores where runs are ranked lists, which stay in their files; what it says without any."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from assess.base.errors import Invalid
from assess.documents.domain.loading import LoadedDocuments, load_documents
from assess.models import Campaign, Document, Run
from assess.organising.domain import change_settings
from assess.pools.domain.wanted_documents import docnos_to_store, wanted_docnos
from tests.assess import pooling
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db
retrieval = pooling.retrieval


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Documents Da to Dz."""
    path = tmp_path / "collection.sgml"
    pages = (f"<DOC>\n<DOCNO> D{letter} </DOCNO>\n<TEXT>\nAbout {letter}.\n</TEXT>\n</DOC>\n" for letter in LETTERS)
    path.write_text("".join(pages))
    return path


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def load(campaign: Campaign, actor: User, path: Path, **more: Any) -> LoadedDocuments:
    wanted = docnos_to_store(campaign, "named")
    return load_documents(actor=actor, campaign=campaign, sources=[path], wanted=wanted, **more)


def stored() -> str:
    return "".join(docno[1:] for docno in Document.objects.order_by("docno").values_list("docno", flat=True))


def test_ranked_runs_name_their_documents_to_the_depth_of_the_pool(
    retrieval: Campaign, organiser: User, collection: Path
) -> None:
    change_settings(actor=organiser, campaign=retrieval, values={"pool_depth": 2})
    loaded = load(retrieval, organiser, collection)
    assert (loaded.stored, loaded.missing, stored()) == (8, 0, "abcklstx")
    assert loaded.passed_over == 26 - 8


def test_a_pool_says_by_itself_what_is_needed(retrieval: Campaign, organiser: User, collection: Path) -> None:
    pooling.build(retrieval, organiser, strategy="depth", depth=1)
    load(retrieval, organiser, collection)
    assert stored() == "aklsx"


def test_it_can_be_stopped_while_the_runs_are_read(retrieval: Campaign, organiser: User, collection: Path) -> None:
    loaded = load(retrieval, organiser, collection, should_stop=lambda: True)
    assert (loaded.stopped, loaded.stored, stored()) == (True, 0, "")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("rejected", "No run is accepted yet (3 runs rejected), and no topic, pool or document list names a document."),
        ("checking", "No run is accepted yet (3 runs still being checked), and no topic, pool or document list"),
        ("accepted", "3 runs are accepted, but they name no document for a topic that is judged."),
    ],
)
def test_what_is_missing_is_said_as_it_is(
    retrieval: Campaign, organiser: User, collection: Path, state: str, said: str
) -> None:
    Run.objects.update(state=state)
    if state == "accepted":
        retrieval.topics.update(task="")
    with pytest.raises(Invalid) as refusal:
        load(retrieval, organiser, collection)
    assert refusal.value.message.startswith(said)
    assert refusal.value.message.endswith("Or store all documents of the files.")


def test_topics_come_first(retrieval: Campaign, organiser: User, collection: Path) -> None:
    Run.objects.all().delete()
    retrieval.topics.all().delete()
    with pytest.raises(Invalid, match="The campaign has no topics yet"):
        load(retrieval, organiser, collection)


@pytest.mark.parametrize("way", ["page", "api", "command"])
def test_what_a_later_pool_may_need_is_stored_so_that_documents_are_loaded_once(
    way: str, retrieval: Campaign, organiser: User, client: Client, collection: Path
) -> None:
    pooling.build(retrieval, organiser, strategy="depth", depth=1)
    client.force_login(organiser)
    sent = {"file": SimpleUploadedFile("collection.sgml", collection.read_bytes()), "wanted": "ranked"}
    if way == "page":
        assert client.post("/c/ranked/documents/load/", sent).status_code == 302
        run_worker()
    elif way == "api":
        assert client.post("/api/v1/campaigns/ranked/documents/", sent).status_code == 201
        run_worker()
    else:
        call_command("load_documents", "ranked", str(collection), "--ranked")
    assert stored() == "abcdefghklmnopqrstuvwxyz"  # all that runs rank; nobody ranks i and j
    assert wanted_docnos(retrieval) == {"Da", "Dk", "Dl", "Ds", "Dx"}
