"""The API against its own description: whatever a program sends to any operation, the answer is no server error.

Bodies, queries and paths are made from docs/openapi.yaml, the same ones every time. Each call is sent twice: to the
path that was made, which seldom leads anywhere, and to one that leads to rows of the campaign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings

from assess.domain.people.accounts import create_token
from config.wsgi import application
from tests.test_access import addresses  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SCHEMA = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"
EXAMPLES = 5
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
    schema.app = application
    for each in schema.get_all_operations():
        yield each.ok()


def real_paths(templates: set[str], addresses: dict[str, str]) -> dict[str, dict[str, str]]:  # noqa: F811
    """What to put into each path so that it leads somewhere: each address belongs to its plainest template."""
    found: dict[str, dict[str, str]] = {}
    for address in (each.split("?")[0] for each in addresses.values()):
        for template in sorted(templates, key=lambda each: each.count("{")):
            match = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", template), address)
            if match:
                found.setdefault(template, match.groupdict())
                break
    return found


def status(case: Any, token: str) -> int:
    """What the API answers; what the call wrote is taken back."""
    point = transaction.savepoint()
    try:
        return int(case.call(headers={"Authorization": f"Token {token}"}).status_code)
    finally:
        transaction.savepoint_rollback(point)


@pytest.mark.parametrize("person", ["organiser", "assessor"])
def test_no_call_breaks_the_server(person: str, addresses: dict[str, str], connection_kept: None) -> None:  # noqa: F811
    token = create_token(actor=User.objects.get(username=person))
    every = list(operations())
    paths = real_paths({each.path for each in every}, addresses)
    assert {each.path for each in every} == set(paths)
    answered: dict[str, set[int]] = {}
    broken: list[tuple[str, int, str]] = []

    def call(case: Any) -> None:
        for values in (dict(case.path_parameters), paths[case.path]):
            case.path_parameters = values
            got = status(case, token)
            answered.setdefault(case.operation.label, set()).add(got)
            if got >= 500:
                broken.append((case.operation.label, got, case.as_curl_command()))

    for operation in every:
        BOUNDED(given(case=operation.as_strategy())(call))()
    assert broken == []
    assert all(answered[each.label] - {401, 403} for each in every)
