"""Whatever a call of the API brings that its description does not name is refused by its name, and nothing is done.

All operations are walked by docs/openapi.yaml, by the organiser of a judged campaign, or by whom they are for.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import resolve

from assess.models import Activity, Campaign, Item, Run, Topic
from assess.web.problems import PROBLEM_TYPE
from assess.web.strict_calls import described_parameters
from tests import factories
from tests.api_paths import PERSONS, REFUSED, real_paths
from tests.api_shapes import description

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

BASE = "/api/v1/campaigns/opinions/"
UNDESCRIBED = {"/api/v1/schema/"}


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and description of every operation."""
    every = description()["paths"].items()
    return [
        (path, method.upper(), said)
        for path, methods in every
        for method, said in methods.items()
        if method in ("get", "post", "put", "patch", "delete") and path not in UNDESCRIBED
    ]


def rows() -> list[tuple[str, int]]:
    """How many rows every ledger has: whatever is done leaves one."""
    with connection.cursor() as cursor:
        tables = [each for each in connection.introspection.table_names(cursor) if each.startswith(("assess", "nugg"))]
        counts = []
        for each in tables:
            cursor.execute(f'SELECT COUNT(*) FROM "{each}"')
            counts.append((each, cursor.fetchone()[0]))
    return counts


def test_what_no_description_names_is_refused_by_every_operation(
    addresses: dict[str, str],
    squishy_items: list[Item],
) -> None:
    every = operations()
    paths = real_paths({path for path, _, _ in every}, addresses)
    clients = {name: Client() for name in PERSONS}
    for name, client in clients.items():
        client.force_login(User.objects.get(username=name))
    before, wrong = rows(), []
    for path, method, said in every:
        address = path.format(**paths[path])
        bodies = said.get("requestBody", {"content": {"application/json": None}})["content"]
        kind = next(iter(bodies))
        sent: list[tuple[str, Any]] = [(f"{address}?misspelt=1", None)]
        sent += [(address, {"misspelt": 1} if kind == "application/json" else {"misspelt": "1"})] * (method != "GET")
        for where, body in sent:
            answers: list[tuple[int, list[str]]] = []
            for client in clients.values():  # until somebody may
                answers.append(call(client, method, where, body, kind))
                if answers[-1][0] not in REFUSED:
                    break
            if answers[-1][0] != 422 or "misspelt" not in answers[-1][1]:
                wrong.append((method, where, body, answers))
    assert wrong == []
    assert rows() == before


def call(client: Client, method: str, address: str, body: Any, kind: str) -> tuple[int, list[str]]:
    """The status, and the fields that the problem names."""
    content = {} if body is None else {"data": body, "content_type": kind}
    if body is not None and kind == "multipart/form-data":
        content = {"data": body}
    answer = client.generic(method, address) if body is None else getattr(client, method.lower())(address, **content)
    is_problem = answer.get("Content-Type") == PROBLEM_TYPE
    return answer.status_code, [each["field"] for each in answer.json().get("errors", [])] if is_problem else []


def test_the_parameters_that_are_taken_are_those_of_the_description(
    addresses: dict[str, str],
    rf: Any,
) -> None:
    paths, wrong = real_paths({path for path, _, _ in operations()}, addresses), []
    for path, method, said in operations():
        match = resolve(path.format(**paths[path]))
        view = match.func.cls(**match.func.initkwargs)  # type: ignore[attr-defined]
        view.setup(rf.generic(method, path), *match.args, **match.kwargs)
        view.action = match.func.actions[method.lower()]  # type: ignore[attr-defined]
        described = (
            {each["name"] for each in said["parameters"] if each["in"] == "query"} if "parameters" in said else set()
        )
        if described_parameters(view) != described:
            wrong.append((method, path, described_parameters(view), described))
    assert wrong == []


@pytest.mark.parametrize("address", ["state", "guidelines", "runs", "tokens"])
def test_a_post_without_its_last_slash_does_nothing_and_says_so(
    campaign: Campaign, organiser: User, client: Client, address: str
) -> None:
    client.force_login(organiser)
    path = "/api/v1/tokens" if address == "tokens" else f"{BASE}{address}"
    before = Activity.objects.count()
    answer = client.post(path, {"state": "judging"}, content_type="application/json", follow=True)
    assert (answer.status_code, answer["Content-Type"], answer.json()["code"]) == (404, PROBLEM_TYPE, "no-last-slash")
    assert f"{path}/" in answer.json()["detail"]
    assert Activity.objects.count() == before
    assert client.get(f"{BASE}topics", follow=True).status_code == 200  # who only reads is sent on


def test_a_form_without_its_last_slash_says_so(client: Client) -> None:
    answer = client.post("/login", {"username": "organiser"})
    assert (answer.status_code, "Send the same to /login/" in answer.content.decode()) == (404, True)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("topics/?limit=ten", "limit"),
        ("topics/?limit=0", "limit"),
        ("topics/?limit=-1", "limit"),
        ("topics/?limit=501", "limit"),
        ("topics/?limit=1.5", "limit"),
        ("topics/?offset=-1", "offset"),
        ("topics/?offset=many", "offset"),
        ("topics/?limit=5&limit=6", "limit"),
        ("topics/?ordering=number", "ordering"),
        ("topics/?page=2", "page"),
        ("topics/?format=csv", "format"),
        ("topics/?q=" + "x" * 201, "q"),
        ("topics/?q=a%00", "q"),
        ("runs/?state=nonsense", "state"),
        ("runs/?submitted_by__password=x", "submitted_by__password"),
        ("search/?q=a&limit=x", "limit"),
        ("search/?q=a&own=perhaps", "own"),
        ("significance/?seed=x", "seed"),
        ("agreement/?per_topic=perhaps", "per_topic"),
        ("assignments/?topic=9.9", "topic"),
        ("assignments/?stage=picks", "stage"),
        ("assignments/?assessor=nobody", "assessor"),
        ("progress/?state=nonsense", "state"),
        ("progress/?stage=picks", "stage"),
        ("progress/?assessor=nobody", "assessor"),
        ("progress/?topic=9.9", "topic"),
        ("document-clusters/?topic=9.9", "topic"),
        ("disagreements/?topic=9.9", "topic"),
        ("topics/?task=picks", "task"),
        ("pools/?task=picks", "task"),
        ("runs/?team=Nobody", "team"),
        ("jobs/?kind=nonsense", "kind"),
        ("activity/?action=nonsense", "action"),
        ("activity/?actor=nobody", "actor"),
        ("scores/?run=Nobody1", "run"),
        ("scores/?topic=9.9", "topic"),
        ("scores/?measure=nonsense", "measure"),
    ],
)
def test_a_wrong_value_in_the_address_is_refused_by_its_name(
    campaign: Campaign, organiser: User, client: Client, query: str, field: str
) -> None:
    client.force_login(organiser)
    factories.run(campaign, "Alder1", organiser)
    answer = client.get(BASE + query)
    assert (answer.status_code, [each["field"] for each in answer.json().get("errors", [])]) == (422, [field])


def test_a_value_that_names_something_is_taken_whether_the_list_has_rows_or_not(
    campaign: Campaign, organiser: User, participant: User, assessor: User, rigid: Topic, client: Client
) -> None:
    """To others than organisers what exists and what does not looks the same."""
    factories.run(campaign, "Alder1", organiser)
    client.force_login(organiser)
    for query in (
        f"assignments/?topic={rigid.number}&stage=votes&assessor=assessor",
        f"progress/?topic={rigid.number}&stage=votes&assessor=assessor&state=done",
        "pools/?task=rigid",
        "runs/?team=Alder",
        "jobs/?kind=pool",
        "activity/?action=campaign.freeze&actor=assessor",
        f"scores/?run=Alder1&topic={rigid.number}",
    ):
        answer = client.get(BASE + query)
        assert (answer.status_code, answer.json()["results"]) == (200, []) or "runs/" in query, query
    client.force_login(assessor)
    assert client.get(f"{BASE}assignments/?topic={rigid.number}&assessor=assessor").status_code == 200
    refused = [client.get(f"{BASE}assignments/?assessor={name}").json()["errors"] for name in ("organiser", "nobody")]
    assert [each[0]["detail"] for each in refused] == [
        "There is nobody called “organiser” here.",
        "There is nobody called “nobody” here.",
    ]
    client.force_login(participant)
    for number in (rigid.number, "9.9"):
        assert client.get(f"{BASE}assignments/?topic={number}").status_code == 422
    for team in ("Alder", "Nobody"):
        assert client.get(f"{BASE}runs/?team={team}").status_code == 422


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"state": "judging", "stat": 1, "reson": ""}, ["stat", "reson"]),
        ({"state": "judging", "reason": 5, "x": {}}, ["reason", "x"]),
        ([], [""]),
    ],
)
def test_a_body_of_other_members_or_types_is_refused_by_their_names(
    campaign: Campaign, organiser: User, client: Client, body: Any, fields: list[str]
) -> None:
    client.force_login(organiser)
    answer = client.post(BASE + "state/", body, content_type="application/json")
    assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (422, fields)


def test_members_that_stand_twice_are_refused(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    answer = client.post(BASE + "state/", '{"state": "setup", "state": "judging"}', content_type="application/json")
    assert (answer.status_code, "“state” is given twice" in answer.json()["detail"]) == (400, True)


def test_parts_of_a_form_that_nobody_reads_or_that_stand_twice_are_refused(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    answer = client.post(BASE + "runs/", {"team": ["Alder", "Birch"], "priorty": "1", "csrfmiddlewaretoken": "x"})
    named = [each["field"] for each in answer.json()["errors"]]
    assert (answer.status_code, named[:2]) == (422, ["team", "priorty"])
    assert Run.objects.count() == 0


def test_a_list_of_a_body_has_a_bound(campaign: Campaign, organiser: User) -> None:
    """No query takes lists without end, and who reads one entry by entry is long at it."""
    client = Client()
    client.force_login(organiser)
    endless = [f"{number}" for number in range(300_000)]
    calls = (
        ("assignments/bulk/", {"act": "take-back", "pieces": list(range(300_000))}, "pieces"),
        ("assignments/bulk/", {"act": "take-back", "topics": endless}, "topics"),
        ("judged-topics/", {"numbers": endless}, "numbers"),
        ("stop/", {"reason": "over", "topics": endless}, "topics"),
    )
    for call, body, name in calls:
        answer = client.post(f"{BASE}{call}", body, content_type="application/json")
        assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (422, [name]), call
