"""Whoever refuses a call of the API, a view or what stands around it, the answer is a problem in one form."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.base.errors import Refused
from assess.models import Campaign
from assess.web.problems import PROBLEM_TYPE, problem_of_status
from tests import factories

pytestmark = pytest.mark.django_db
BASE = "/api/v1/campaigns/opinions/"
ROOT = Path(__file__).resolve().parent.parent.parent
DEEP = "[" * 200_000
MANY = str(64 << 20)

CALLS: dict[str, tuple[int, str, Callable[[Client], Any]]] = {
    "an address that is none": (404, "not-found", lambda client: client.get("/api/v1/nothing/")),
    "one inside a campaign": (404, "not-found", lambda client: client.post(BASE + "nothing/1/")),
    "one with a NUL": (404, "not-found", lambda client: client.get(BASE + "top%00ics/")),
    "a row that is none": (404, "not-found", lambda client: client.get(BASE + "runs/1/")),
    "a method that is none": (405, "method-not-allowed", lambda client: client.put(BASE + "topics/")),
    "a body without end": (400, "parse-error", lambda client: client.post(BASE + "state/", DEEP, "application/json")),
    "a body of another type": (
        415,
        "unsupported-media-type",
        lambda client: client.post(BASE + "state/", "state=frozen", "text/plain"),
    ),
    "a body that is too large": (
        413,
        "too-large",
        lambda client: client.generic("POST", BASE + "state/", content_type="application/json", CONTENT_LENGTH=MANY),
    ),
    "a value that is wrong": (422, "invalid", lambda client: client.post(BASE + "state/", {}, "application/json")),
    "a state that has moved on": (
        409,
        "conflict",
        lambda client: client.post(BASE + "state/", {"state": "released"}, "application/json"),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_refusal_has_one_form(name: str, campaign: Campaign, organiser: User, client: Client) -> None:
    status, code, call = CALLS[name]
    client.force_login(organiser)
    answer = call(client)
    told = answer.json()
    assert (answer.status_code, answer["Content-Type"]) == (status, PROBLEM_TYPE)
    assert (told["type"], told["status"], told["code"]) == (f"urn:assay:problem:{code}", status, code)
    assert int(answer.get("Content-Length", len(answer.content))) == len(answer.content)
    assert told["title"]
    assert told["detail"].endswith(".")


def test_who_has_no_token_of_a_form_is_told_so(campaign: Campaign, organiser: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(organiser)
    answer = client.post(BASE + "state/", {"state": "frozen"}, "application/json")
    assert (answer.status_code, answer["Content-Type"]) == (403, PROBLEM_TYPE)


def test_a_mistake_of_the_site_is_a_problem_too(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("assess.organising.api.campaigns.move_campaign", fail)
    client = Client(raise_request_exception=False)
    client.force_login(organiser)
    answer = client.post(BASE + "state/", {"state": "frozen"}, "application/json")
    assert (answer.status_code, answer["Content-Type"], answer.json()) == (500, PROBLEM_TYPE, problem_of_status(500))
    assert re.fullmatch("[0-9a-f]{16}", answer["X-Request-Id"])


def test_each_field_that_is_wrong_is_named(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    sent = {"client_key": "none", "invitations": [{"role": "assessor"}, {"note": "x" * 201}]}
    told = client.post(BASE + "invitations/many/", sent, "application/json").json()
    assert [each["field"] for each in told["errors"]] == ["client_key", "invitations.1.role", "invitations.1.note"]
    assert all(each["detail"] in told["detail"] for each in told["errors"])


def test_a_file_with_errors_names_their_lines(
    campaign: Campaign, organiser: User, client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    client.force_login(organiser)
    told = client.post(BASE + "topics/", {"file": SimpleUploadedFile("q.xml", b"<trecqa>\n<target>")}).json()
    assert (told["code"], told["total"], [set(each) for each in told["issues"]]) == (
        "bad-file",
        1,
        [{"where", "severity", "code", "message"}],
    )


def test_a_page_tells_its_script_in_the_same_form(campaign: Campaign, client: Client) -> None:
    client.force_login(factories.member(campaign, "reader", "assessor"))
    answer = client.post(reverse("judge", args=["opinions", 1]), {"item": "1"}, headers={"accept": "application/json"})
    assert (answer.status_code, answer["Content-Type"], answer.json()["code"]) == (404, PROBLEM_TYPE, "not-found")


PAGES_ALONE = {"provider-away", "unread"}
"""Codes of refusals that no call of the API gets: logging in by a provider, and notices that a page showed."""
BASES = {"refused", "still-making"}


def source(module: ModuleType) -> str:
    return Path(module.__file__).read_text() if module.__file__ else ""


def codes_of_refusals() -> set[str]:
    """The codes that the program gives: those of classes, and those given where one is raised."""
    classes = [Refused]
    for each in classes:
        classes += each.__subclasses__()
    names, found = {each.__name__ for each in classes}, {each.code for each in classes}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in {"assess", "nuggets", "tracks"} or "code=" not in (text := source(module)):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                given = (each.value for each in node.keywords if each.arg == "code")
                found |= {each.value if isinstance(each, ast.Constant) else vars(module)[each.id] for each in given}
    return found


def test_every_code_stands_in_the_guide() -> None:
    rows = re.findall(r"^\| \d{3} \| (.*?) \|", (ROOT / "docs/api.md").read_text(), re.MULTILINE)
    assert codes_of_refusals() - BASES - PAGES_ALONE <= {code for row in rows for code in row.split(", ")}
