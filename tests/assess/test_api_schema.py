"""The committed schema is the one that the code gives; refusals, paging and narrowing are the same everywhere."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client

from assess.base.process import forget_everything
from assess.models import Campaign, Run
from tests import factories
from tests.api_shapes import description

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
BASE = "/api/v1/campaigns/opinions/"
PROBLEM = ["code", "detail", "status", "title", "type"]


@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="the limits of numbers in the schema are SQLite's, the default"
)
def test_the_committed_schema_is_current(tmp_path: Path) -> None:
    made = tmp_path / "openapi.yaml"
    call_command("spectacular", file=str(made), validate=True, fail_on_warn=True, stdout=io.StringIO())
    assert made.read_text() == SCHEMA.read_text(), "run make openapi and commit docs/openapi.yaml"


@pytest.mark.django_db
def test_the_site_makes_its_description_once_in_a_process(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask() -> list[tuple[bytes, str, str]]:
        answers = [client.get("/api/v1/schema/", headers={"Accept": kind}) for kind in ("*/*", "application/json")]
        return [(each.content, each["Content-Type"], each["Content-Disposition"]) for each in answers]

    forget_everything()
    as_yaml, as_json = first = ask()
    assert (as_yaml[1], as_json[1]) == ("application/vnd.oai.openapi; charset=utf-8", "application/json")
    assert yaml.load(as_yaml[0], Loader=yaml.CSafeLoader) == json.loads(as_json[0])
    monkeypatch.delattr("drf_spectacular.generators.SchemaGenerator.get_schema")  # nothing can be made any more
    assert ask() == first


@pytest.mark.django_db
def test_who_is_unknown_gets_the_same_shape_of_refusal(client: Client) -> None:
    answer = client.get("/api/v1/campaigns/")
    assert (answer.status_code, answer.json()["code"]) == (401, "not-authenticated")
    assert answer["WWW-Authenticate"] == "Token"


@pytest.mark.django_db
def test_a_body_that_is_no_json_is_refused_in_the_same_shape(client: Client, organiser: User) -> None:
    client.force_login(organiser)
    answer = client.post("/api/v1/campaigns/x/state/", "{", content_type="application/json")
    assert (answer.status_code, sorted(answer.json())) == (404, PROBLEM)


@pytest.mark.django_db
def test_a_page_holds_no_more_than_500_rows(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    answer = client.get(BASE + "topics/?limit=500").json()
    assert (answer["count"], len(answer["results"])) == (3, 3)
    assert client.get(BASE + "topics/?limit=501").status_code == 422
    assert client.get(BASE + "topics/?limit=2").json()["next"].endswith("?limit=2&offset=2")


@pytest.mark.django_db
def test_lists_are_narrowed_by_allowed_names_alone(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    factories.run(campaign, "Alder1", organiser)
    factories.run(campaign, "Birch1", organiser)
    tags = [[row["tag"] for row in client.get(BASE + "runs/" + query).json()["results"]] for query in QUERIES]
    assert tags == [["Birch1"], ["Alder1"], ["Alder1", "Birch1"], []]


QUERIES = ("?team=Birch", "?q=ald", "", "?state=rejected")


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_a_call_takes_one_type_of_body() -> None:
    bodies = {name: list(each["requestBody"]["content"]) for name, each in operations() if "requestBody" in each}
    assert {name: types for name, types in bodies.items() if len(types) != 1} == {}
    assert {types[0] for types in bodies.values()} == {"application/json", "multipart/form-data"}


VERBS = {"get": ("list", "retrieve"), "post": ("create",), "patch": ("partial_update",), "delete": ("destroy",)}


def test_operations_are_named_by_resource_and_act() -> None:
    """The tag, what the address names further, and the verb where that is all or the address takes several methods."""
    wrong = []
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            (tag,) = operation["tags"]
            place = f"{path.removeprefix('/api/v1/').partition(f'{tag}/')[2]}"
            names = [each for each in (tag, *place.strip("/").split("/")) if each and not each.startswith("{")]
            verbs = VERBS[method] if len(names) == 1 or len(methods) > 1 else ("",)
            fitting = {"_".join(filter(None, (*names, verb))).replace("-", "_") for verb in verbs}
            if operation["operationId"] not in fitting:
                wrong.append((method, path, operation["operationId"], fitting))
    assert wrong == []


def test_every_operation_describes_what_it_refuses() -> None:
    always, writes = {"401", "403", "404", "409", "422", "503"}, {"400", "413", "415", "507"}
    lacking = {
        name: missing
        for name, each in operations()
        if (missing := (always if name.startswith("get ") else always | writes) - each["responses"].keys())
    }
    assert lacking == {}


@pytest.mark.django_db
def test_the_answers_of_a_run_may_be_one_part_of_the_form(
    campaign: Campaign, organiser: User, client: Client, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    client.force_login(organiser)
    for fields, status in (('{"documents": "collection"}', 201), ("[1]", 422), ("{", 422), ("[" * 200_000, 422)):
        file = SimpleUploadedFile("Harbor1.txt", b"1.1 Harbor1 D1 blue\n1.2 Harbor1 D1 They are light.\n")
        answer = client.post(BASE + "runs/", {"file": file, "team": "Harbor", "priority": 1, "fields": fields})
        assert (answer.status_code, fields) == (status, fields)
    assert Run.objects.get().fields == {"documents": "collection"}
