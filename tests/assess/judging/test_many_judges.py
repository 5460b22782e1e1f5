"""What many judges say of an item is read once, and not once for each of the others."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection

from assess.judging.queries.current import majority_rows
from assess.judging.snapshots import Snapshot
from assess.models import Judgment, Topic
from tests import factories

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="counts SQLite's steps"),
]


def counted(rigid: Topic, *, judges: int) -> tuple[list[int], int]:
    """The values that count, and how many hundreds of steps the database took to find them."""
    (item,) = factories.pooled(rigid, [f"by {judges}"])
    said = []
    for place in range(judges):
        user = factories.user(f"judge-{judges}-{place}")
        work = factories.assignment(rigid, "instances", user, role="second")
        said.append(
            Judgment(
                item=item, criterion="correctness", value=place % 3 // 2, assessor=user, assignment=work,
                client_key=uuid4(), how="key",
            )
        )  # fmt: skip
    for each in said:
        each.save()
    rows = majority_rows(Judgment.objects.filter(item=item), at=Snapshot(rigid.campaign)).values_list(
        "value", flat=True
    )
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.connection.set_progress_handler(step, 100)
    try:
        return list(rows), steps
    finally:
        connection.connection.set_progress_handler(None, 0)


def test_twice_as_many_judges_take_twice_as_long(rigid: Topic) -> None:
    (few, first), (many, second) = counted(rigid, judges=20), counted(rigid, judges=40)
    assert few == many == [0]
    assert second < 3 * first
