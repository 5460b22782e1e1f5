"""How many questions to the database one click costs, from the address to the answer."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Item
from nuggets.classes.record import create_class
from nuggets.models import NuggetList

pytestmark = pytest.mark.django_db
Say = Callable[..., int]
MORE_NUMBERS = 0 if connection.vendor == "sqlite" else 1
"""PostgreSQL takes the numbers of several rows by two statements."""


@pytest.fixture
def costs(client: Client) -> Say:
    """How many questions a call costs that adds something, after one that had done so before; twice the same number."""

    def say(work: Assignment, path: str, **said: object) -> int:
        client.force_login(work.assessor)
        address = f"/api/v1/campaigns/{work.campaign.slug}/assignments/{work.pk}/{path}/"
        counts = []
        for _ in range(3):
            with CaptureQueriesContext(connection) as asked:
                answer = client.post(address, {**said, "client_key": str(uuid4())}, content_type="application/json")
            assert answer.status_code in (200, 201), answer.content
            counts.append(len(asked))
        assert counts[1] == counts[2]
        return counts[2]

    return say


def test_what_a_judgment_costs(costs: Say, grading: Assignment, rigid_items: list[Item]) -> None:
    """Session and person; work; what its write depends on, and the item; the key; number and row; begin and end."""
    item = handle_of(grading, rigid_items[0].pk)
    assert costs(grading, "judgments", item=item, criterion="correctness", value=1) == 9


def test_what_a_mark_costs(costs: Say, matching: Assignment, squishy_items: list[Item]) -> None:
    item = handle_of(matching, squishy_items[0].pk)
    assert costs(matching, "matches", item=item, nugget=1) == 12


def test_what_a_vote_costs(costs: Say, voting: Assignment) -> None:
    assert costs(voting, "votes", nugget=1, importance="okay") == 12


def test_what_an_edit_of_a_list_costs(costs: Say, draft: NuggetList) -> None:
    assert costs(draft.assignment, "nugget-list/edit", number=1, importance="vital") == 19


def test_what_an_edit_of_a_grouping_costs(costs: Say, grouping: Assignment, rigid_items: list[Item]) -> None:
    item, other = (handle_of(grouping, item.pk) for item in rigid_items[:2])
    made = create_class(
        actor=grouping.assessor, assignment=grouping, items=rigid_items[:1], client_key=uuid4()
    ).answer_class
    assert made is not None
    assert costs(grouping, "classes/assign", items=[item, other], answer_class=made.pk) == 19 + MORE_NUMBERS
