"""A client generated from docs/openapi.yaml can be imported as it is, and runs a campaign from nothing to a release."""

from __future__ import annotations

import importlib
import json
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django.live_server_helper import LiveServer

from assess.webhooks.domain import send_webhooks
from tests import factories
from tests.assess.worker import run_worker
from tests.generated_client import Caller, generate, model, modules, upload
from tests.search_server import search_server, send

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("generated-client")]
FOLDER = Path(__file__).resolve().parent / "data" / "tracks" / "adhoc"
SLUG = "bees"


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """What the generator said; while the tests run, the client can be imported."""
    folder = tmp_path_factory.mktemp("client")
    said = generate(folder)
    sys.path.insert(0, str(folder))
    yield said
    sys.path.remove(str(folder))
    for name in [each for each in sys.modules if each.split(".")[0] == "assay_client"]:
        del sys.modules[name]


def test_the_generator_leaves_nothing_out(said: str) -> None:
    assert said == ""


def test_every_module_can_be_imported(said: str) -> None:
    names = list(modules(importlib.import_module("assay_client")))
    assert [name for name in names if not importlib.import_module(name)] == []
    assert len(names) > 300


def test_a_campaign_from_nothing_to_its_release(said: str, site: LiveServer, settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    organiser = Caller(site.url, factories.api_token(factories.user("organiser", is_staff=True)))
    assessor = Caller(site.url, factories.api_token(factories.user("assessor")))

    with search_server(send(b"")) as hooks:
        settings.ASSAY_WEBHOOKS, settings.ASSAY_WEBHOOKS_PRIVATE = [hooks.address], True
        whole_campaign(organiser, assessor, tmp_path, hooks.address)
        send_webhooks()
    told = [body["event"] for _, _, _, body in hooks.asked]
    assert told == ["run-checked", *["topic-finished"] * 4, "release", "release"]


def whole_campaign(organiser: Caller, assessor: Caller, folder: Path, hooks: str) -> None:
    """From nothing to a published release; the address is told of what happens."""
    prepare(organiser, folder, hooks)
    pool = organiser("pools_create", SLUG, body=model("PoolInRequest", task="ranking"))
    assert organiser("pools_retrieve", SLUG, pool.id).items > 0
    judging = model("StateInRequest", state="judging")
    assert organiser("campaigns_state", SLUG, body=judging).state.value == "judging"
    work = hand_out(organiser)
    judged = sum(judge(assessor, each) for each in work)
    assert judged == organiser("pools_retrieve", SLUG, pool.id).items

    exported = organiser("exports_retrieve", SLUG, "qrels.txt")
    assert len(exported.splitlines()) == judged
    scores = organiser("scores_list", SLUG, run="maple", topic="all", measure="AP")
    assert [(each.run, each.measure, each.value) for each in scores.results] == [("maple", "AP", 1.0)]

    release(organiser)


def prepare(organiser: Caller, folder: Path, hooks: str) -> None:
    """The campaign with its webhook, assessor, topics, documents and a run."""
    made = organiser("campaigns_create", body=model("CampaignInRequest", slug=SLUG, title="Bees", track="adhoc"))
    assert (made.slug, made.state.value) == (SLUG, "setup")
    events = [model("EventsEnum", value=each) for each in ("run-checked", "topic-finished", "release")]
    hook = organiser("webhooks_create", SLUG, body=model("WebhookInRequest", url=hooks, events=events))
    assert len(hook.secret) == 48
    member = model("MemberInRequest", username="assessor", role="assessor")
    assert organiser("members_create", SLUG, body=member).role.value == "assessor"
    loaded = organiser("topics_create", SLUG, body=model("TopicsInRequest", file=upload(FOLDER / "topics.txt")))
    assert (loaded.added, loaded.report.errors) == (4, 0)
    collection = model("DocumentsInRequest", file=upload(documents(folder)), wanted=model("WantedEnum", value="all"))
    organiser("documents_create", SLUG, body=collection)
    run_worker()
    works = organiser("jobs_list", SLUG).results
    assert {each.state.value for each in works} == {"done"}
    assert organiser("documents_list", SLUG).count == 13
    run = model(
        "RunInRequest",
        file=upload(FOLDER / "runs" / "good" / "maple.txt"),
        team="maple",
        tag="maple",
        fields=model("RunInRequestFields"),
    )
    assert organiser("runs_check", SLUG, body=run).errors == 0
    run.file = upload(FOLDER / "runs" / "good" / "maple.txt")
    assert organiser("runs_create", SLUG, body=run).state.value == "accepted"


def documents(folder: Path) -> Path:
    """The documents of the folder as one file of TREC's markup."""
    texts = ((path.stem, path.read_text()) for path in sorted((FOLDER / "documents").iterdir()))
    made = "".join(f"<DOC>\n<DOCNO> {name} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n" for name, text in texts)
    file = folder / "documents.sgml"
    file.write_text(made)
    return file


def hand_out(organiser: Caller) -> list[int]:
    """The assignments, one a topic, all of the same assessor."""
    topics = organiser("topics_list", SLUG).results
    assert {each.parent for each in topics} == {None}
    made = []
    for topic in topics:
        wanted = model("AssignmentInRequest", topic=topic.number, stage="documents", assessor="assessor")
        made.append(organiser("assignments_create", SLUG, body=wanted).id)
    return made


def judge(assessor: Caller, work: int) -> int:
    """Grade every document of an assignment, and finish it; how many there were."""
    assessor("assignments_open", SLUG, work)
    items = assessor("assignments_items", SLUG, work).results
    said = [
        model("JudgmentInRequest", item=item.id, criterion="relevance", value=1, client_key=uuid4()) for item in items
    ]
    assert assessor("assignments_judgments_create", SLUG, work, body=said[0]).value == 1
    batch = model("JudgmentsInRequest", entries=said)  # the first one again is the same row
    answers = assessor("assignments_judgments_batch", SLUG, work, body=batch).answers
    assert [(each.status, each.saved.value, each.problem) for each in answers] == [(201, 1, None)] * len(items)
    assert assessor("assignments_judgments_list", SLUG, work).count == len(items)
    assert assessor("assignments_finish", SLUG, work).state.value == "done"
    return len(items)


def release(organiser: Caller) -> None:
    """Freeze the campaign, release it and publish the release."""
    frozen = model("StateInRequest", state="frozen", reason="all is judged")
    assert organiser("campaigns_state", SLUG, body=frozen).state.value == "frozen"
    made = organiser("releases_create", SLUG, body=model("ReleaseInRequest"))
    archive = organiser("releases_file", SLUG, made.id).payload.read()
    with zipfile.ZipFile(BytesIO(archive)) as files:
        assert json.loads(files.read("manifest.json"))["campaign"]["slug"] == SLUG
    assert organiser("releases_publish", SLUG, made.id).published is True


def test_a_refusal_is_read_as_a_problem(said: str, site: LiveServer) -> None:
    client = importlib.import_module("assay_client").AuthenticatedClient(
        base_url=site.url, token=factories.api_token(factories.user("organiser")), prefix="Token"
    )
    module = importlib.import_module("assay_client.api.campaigns.campaigns_retrieve")
    answer = module.sync_detailed("none", client=client)
    assert (answer.status_code, answer.parsed.code, answer.parsed.status) == (404, "not-found", 404)
