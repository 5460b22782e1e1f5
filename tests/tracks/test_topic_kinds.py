"""Topic files of a track that has several kinds: told by content or by task on the page, in the API, by commands."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.campaigns.domain import create_campaign
from assess.models import Campaign
from assess.protocol.files import topic_kind
from tests.pages import page_of
from tracks.context25 import TRACK

pytestmark = pytest.mark.django_db

GROUNDING = {"id": "g1", "claim": "Kites climb.", "citekey": "okafor2021kites", "dataset": "d"}
EVIDENCE = {"id": "e1", "claim": "Bread rises.", "dataset": "d", "necessary_pages": ["a.png", "b.png", "c.png"]}
BOTH = GROUNDING | EVIDENCE
FITS = "but fits the kind “grounding” (Claims for the grounding task)"


@pytest.fixture
def campaign(organiser: User) -> Campaign:
    return create_campaign(actor=organiser, slug="claims", title="Claims", track="context25")


@pytest.fixture
def desk(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def written(folder: Path, name: str, *claims: dict[str, Any]) -> Path:
    path = folder / name
    path.write_text(json.dumps(claims), encoding="utf-8")
    return path


def run(*words: object) -> tuple[str, str]:
    """(what the command refused with, "" where it did not; what it wrote)"""
    out = io.StringIO()
    try:
        call_command(*map(str, words), "--organiser", "organiser", stdout=out, stderr=out)
    except CommandError as error:
        return str(error), out.getvalue()
    return "", out.getvalue()


def tasks(campaign: Campaign) -> list[str]:
    return sorted(campaign.topics.values_list("task", flat=True))


@pytest.mark.parametrize(
    ("name", "claims", "task", "kind"),
    [
        ("task1-train-dev.json", [GROUNDING], None, "grounding"),
        ("task2-train-dev.json", [EVIDENCE], None, "evidence"),
        ("claims.json", [GROUNDING], "evidence", "grounding"),
        ("claims.json", [BOTH], None, "evidence"),
        ("claims.json", [BOTH], "grounding", "grounding"),
        ("task2.json", [BOTH], None, "grounding"),
        ("claims.json", [*(GROUNDING | {"id": each} for each in "abc"), {"id": "g3"}], None, "grounding"),
        ("claims.json", [{"id": "x"}], None, "evidence"),
        ("claims.json", [{"id": "x"}], "grounding", "grounding"),
    ],
)
def test_content_tells_the_kind_then_the_task_then_the_name(
    name: str, claims: list[Any], task: str | None, kind: str
) -> None:
    file = io.BytesIO(json.dumps(claims).encode())
    assert topic_kind(file, name=name, kinds=TRACK.topic_files, task=task).key == kind
    assert file.tell() == 0


def test_a_command_tells_a_file_by_its_content_or_by_task(campaign: Campaign, tmp_path: Path) -> None:
    assert run("load_topics", "claims", written(tmp_path, "task1.json", GROUNDING))[0] == ""
    assert tasks(campaign) == ["grounding"]
    both = written(tmp_path, "both.json", BOTH)
    assert run("load_topics", "claims", both, "--task", "grounding")[0] == ""
    assert tasks(campaign) == ["grounding", "grounding"]
    assert run("load_topics", "claims", both)[0] == ""
    assert tasks(campaign) == ["evidence", "grounding", "grounding"]
    refused, _ = run("load_topics", "claims", both, "--task", "x")
    assert refused.endswith("has no task “x”. Use one of: evidence, grounding.")


def test_a_refusal_names_the_kind_that_would_fit(campaign: Campaign, tmp_path: Path) -> None:
    path = written(tmp_path, "x.json", GROUNDING)
    refused, _ = run("load_topics", "claims", path, "--kind", "evidence")
    assert refused.startswith("x.json has 1 error, so nothing of it was stored.")
    assert FITS in refused
    refused, _ = run("load_topics", "claims", written(tmp_path, "y.json", {"id": "y"}))
    assert refused.endswith("Correct the file and load it again.")


def test_the_api_tells_a_file_by_its_content_or_by_task(campaign: Campaign, desk: Client) -> None:
    def send(claim: dict[str, Any], **more: str) -> tuple[int, str]:
        file = SimpleUploadedFile("task1.json", json.dumps([claim]).encode())
        answer = desk.post("/api/v1/campaigns/claims/topics/", {"file": file, **more})
        return answer.status_code, answer.json().get("detail", "")

    assert send(GROUNDING)[0] == 201
    assert send(BOTH, task="grounding")[0] == 201
    assert tasks(campaign) == ["grounding", "grounding"]
    status, detail = send(GROUNDING, kind="evidence")
    assert (status, FITS in detail) == (422, True)


def test_the_page_tells_a_file_by_its_content(campaign: Campaign, desk: Client) -> None:
    page = page_of(desk.get(reverse("topics", args=["claims"])))
    assert '<option value="" selected>as its content tells</option>' in page
    file = SimpleUploadedFile("task1.json", json.dumps([GROUNDING]).encode())
    answer = desk.post(reverse("topics-load", args=["claims"]), {"file_key": "", "file": file})
    assert (answer.status_code, tasks(campaign)) == (302, ["grounding"])


@pytest.mark.parametrize("name", ["task1-x.json", "claims.json"])
def test_a_folder_is_loaded_whatever_its_topic_file_is_called(organiser: User, tmp_path: Path, name: str) -> None:
    written(tmp_path, name, GROUNDING)
    _, out = run("load_campaign", tmp_path, "--track", "context25", "--slug", "folder")
    assert f"topics: {name}: 1 added, 0 changed, 0 as before" in out.splitlines()
    assert tasks(Campaign.objects.get(slug="folder")) == ["grounding"]


@pytest.mark.parametrize("claims", [[], [{"id": "x"}]], ids=["no file", "errors"])
def test_a_campaign_without_topics_is_not_left_behind(organiser: User, tmp_path: Path, claims: list[Any]) -> None:
    if claims:
        written(tmp_path, "task1.json", *claims)
    refused, out = run("load_campaign", tmp_path, "--track", "context25", "--slug", "folder")
    assert (refused != "", "made" in out) == (True, False)
    assert not Campaign.objects.filter(slug="folder").exists()
