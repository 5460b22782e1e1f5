"""What many judges say of an item is read once, and not once for each of the others."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import QuerySet

from assess.judging.queries.current import majority_rows
from assess.judging.snapshots import Snapshot
from assess.models import Judgment, Topic
from tests import factories
from tests.tracks.received import number_from_afar

pytestmark = pytest.mark.django_db


def judged(rigid: Topic, *, values: list[int], primary: int = -1) -> QuerySet[Judgment]:
    """The rows that count where each of these grades is somebody's, one of them the primary assessor's."""
    (item,) = factories.pooled(rigid, [f"by {len(values)}"])
    for place, value in enumerate(values):
        user = factories.user(f"judge-{len(values)}-{place}")
        role = "primary" if place == primary else "second"
        Judgment(
            item=item, criterion="correctness", value=value, assessor=user, client_key=uuid4(), how="key",
            assignment=factories.assignment(rigid, "instances", user, role=role),
        ).save()  # fmt: skip
    return majority_rows(Judgment.objects.filter(item=item), at=Snapshot(rigid.campaign))


@pytest.mark.parametrize("primary", [0, 1, 2])
def test_of_equally_frequent_grades_the_primary_assessors_counts(primary: int, rigid: Topic) -> None:
    number_from_afar()
    assert [row.value for row in judged(rigid, values=[0, 1, 2], primary=primary)] == [primary]


def counted(rigid: Topic, *, judges: int) -> tuple[list[int], int]:
    """The values that count, and how many hundreds of steps the database took to find them."""
    rows = judged(rigid, values=[place % 3 // 2 for place in range(judges)]).values_list("value", flat=True)
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


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="counts SQLite's steps")
def test_twice_as_many_judges_take_twice_as_long(rigid: Topic) -> None:
    (few, first), (many, second) = counted(rigid, judges=20), counted(rigid, judges=40)
    assert few == many == [0]
    assert second < 3 * first
