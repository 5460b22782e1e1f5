"""The API against its own description: whatever a program sends to any operation, the answer is no server error, and
its status, its type and its shape are as described.

Bodies, queries and paths are made from docs/openapi.yaml, the same ones every time. Each call is sent twice: to the
path that was made, which seldom leads anywhere, and to one that leads to rows of the campaign, where somebody must get
through to what the operation does. In `make test` there are two bodies of each; one person alone asks for the made
path, nobody asks after somebody got through (whom it lets through says tests/test_access.py), and what takes no body is
asked once. In `make test-all` there are five of each, and everybody asks for everything.
ASSAY_PROPERTY_EXAMPLES=50 makes fifty.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Item
from assess.people.models import ApiToken
from assess.web.problems import PROBLEM_TYPE
from assess.web.scopes import SCOPES
from nuggets.models import AnswerClass
from tests import factories
from tests.api_paths import PERSONS, REFUSED, real_paths
from tests.assess import judged_campaign as judging

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SCHEMA = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"
EXAMPLES = int(os.environ.get("ASSAY_PROPERTY_EXAMPLES", "2"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
DEEP = "[" * 200_000
BOUNDED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def connection_kept() -> Iterator[None]:
    """The end of a call would close the connection, and with it the transaction of the test."""
    signals = (request_started, request_finished)
    for each in signals:
        each.disconnect(close_old_connections)
    yield
    for each in signals:
        each.connect(close_old_connections)


def operations() -> Iterator[Any]:
    """Every operation of the description; a description that cannot be used fails here."""
    schema = schemathesis.openapi.from_path(SCHEMA)
    schema.app = get_wsgi_application()
    for each in schema.get_all_operations():
        yield each.ok()


def known_query(real: dict[str, str], path: str, addresses: dict[str, str]) -> dict[str, str]:
    """What an address that leads somewhere asks for."""
    found = (each.partition("?") for each in addresses.values())
    return next((dict(parse_qsl(query)) for address, _, query in found if address == path.format(**real)), {})


def known_names(addresses: dict[str, str], strings: list[Item]) -> Callable[[str], dict[str, Any]]:
    """What a body may name rows by, since made ones seldom name one that is there. The class is made here."""

    def handle(name: str, item: Item) -> int:
        """The number of an item in the work that an address leads to."""
        return handle_of(Assignment.objects.get(pk=int(addresses[name].split("/")[-3])), item.pk)

    work = Assignment.objects.get(pk=int(addresses["api-class-list"].split("/")[-3]))
    item = Item.objects.get(topic=work.topic, text="blue bicycle")
    judging.group(work, "blue", item.text)
    made = AnswerClass.objects.get().pk
    people = {"username": "assessor", "assessor": "assessor"}
    rows = {"topic": work.topic.number, "stage": "instances", "criterion": "correctness", "nugget": 1}
    everywhere = (
        people | rows | {"items": [handle_of(work, item.pk)], "answer_class": made, "into": made, "others": [made]}
    )
    campaign = "POST /api/v1/campaigns/{slug}/"
    own: dict[str, dict[str, Any]] = {
        campaign + "assignments/{id}/hand-over/": {"to": "second_assessor"},
        campaign + "members/remove/": {"role": "assessor"},
        campaign + "assignments/{assignment_pk}/matches/": {"item": handle("api-match-list", strings[0])},
        campaign + "assignments/{assignment_pk}/reviews/": {"items": [handle("api-review-list", strings[0])]},
        campaign + "assignments/{id}/judgments/": {"item": handle("api-assignment-judgments", item)},
    }
    return lambda label: everywhere | own.get(label, {})


def called(case: Any, token: str) -> tuple[int, str]:
    """The status of the answer, and what of it is not as described; what the call wrote is taken back."""
    point = transaction.savepoint()
    try:
        answer = case.call(headers={"Authorization": f"Token {token}"})
        case.validate_response(answer, checks=CHECKS)
    except FailureGroup as failures:
        return int(answer.status_code), "; ".join(map(str, failures.exceptions))
    finally:
        transaction.savepoint_rollback(point)
    return int(answer.status_code), ""


def test_every_answer_is_as_described(
    addresses: dict[str, str],
    squishy_items: list[Item],
    connection_kept: None,
) -> None:
    people = {name: factories.api_token(User.objects.get(username=name), " ".join(SCOPES)) for name in PERSONS}
    every = list(operations())
    paths = real_paths({each.path for each in every}, addresses)
    assert {each.path for each in every} == set(paths)
    own = ApiToken.objects.filter(user__username=PERSONS[0]).latest("pk")
    paths["/api/v1/tokens/{id}/"] = {"id": str(own.pk)}  # a token can revoke itself alone
    names = known_names(addresses, squishy_items)
    queries = {path: known_query(paths[path], path, addresses) for path in paths}
    reached: set[str] = set()
    closed: set[tuple[str, str]] = set()  # whom an operation knows nothing of, where somebody else gets through
    broken: list[tuple[str, int, str]] = []

    def call(case: Any) -> None:
        made, real = dict(case.path_parameters), paths[case.path]
        label = case.operation.label
        for name in people:
            if (label, name) in closed:
                continue
            lost = made != real and (name == PERSONS[0] or EXAMPLES > 2)
            sent = [(made, case.query, case.body)] * lost + [(real, case.query, case.body)]
            if label not in reached:
                known = names(label)
                body = (
                    {key: known.get(key, case.body[key]) for key in case.body} if type(case.body) is dict else case.body
                )
                sent.append((real, queries[case.path] or case.query, body))
            through = False
            for path, case.query, case.body in sent:
                case.path_parameters = path
                got, wrong = called(case, people[name])
                through |= path is real and got not in REFUSED
                if wrong:
                    broken.append((label, got, wrong))
            if through:
                reached.add(label)
                if EXAMPLES <= 2:
                    break
            elif label in reached:
                closed.add((label, name))

    for operation in every:
        bounded = BOUNDED if operation.body or EXAMPLES > 2 else settings(BOUNDED, max_examples=1)
        bounded(given(case=operation.as_strategy())(call))()
    assert broken == [], "\n\n".join(f"{label} {got}: {wrong[:700]}" for label, got, wrong in broken)
    assert {each.label for each in every} - reached == set()


def test_a_body_nested_without_end_is_refused_by_every_operation(
    addresses: dict[str, str],
    squishy_items: list[Item],
    connection_kept: None,
) -> None:
    client, every = Client(), [each for each in operations() if each.method.upper() in ("POST", "PATCH")]
    paths = real_paths({each.path for each in every}, addresses)
    deep = [each for each in every if any(body.media_type == "application/json" for body in each.body)]
    assert len(deep) > 40
    for each in deep:
        address, answers = each.path.format(**paths[each.path]), {}
        for name in PERSONS:
            client.force_login(User.objects.get(username=name))
            answer = client.generic(each.method.upper(), address, DEEP, content_type="application/json")
            answers[name] = (answer.status_code, answer["Content-Type"])
            if answer.status_code == 400:  # somebody got through to the body, which is what is asked here
                break
        assert (400, PROBLEM_TYPE) in answers.values(), (each.label, answers)
        assert {kind for _, kind in answers.values()} == {PROBLEM_TYPE}, (each.label, answers)
