"""Two assessors who judged the same instances, and what they said."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.models import Assignment, Campaign, Item, Judgment, Topic
from tests import factories

TEXTS = [f"bicycle {number}" for number in range(8)]
FIRST = (1, 1, 1, 1, -1, -1, 2, 3)
SECOND = (1, 1, 1, -1, -1, -1, 1, None)
"""Of eight instances; the second judged seven of them."""


def judge(assignment: Assignment, item: Item, value: int, criterion: str = "correctness") -> None:
    Judgment(
        item=item, criterion=criterion, value=value, assessor=assignment.assessor, assignment=assignment,
        client_key=uuid4(), how="key",
    ).save()  # fmt: skip


@pytest.fixture
def compared(campaign: Campaign, rigid: Topic, assessor: User, second_assessor: User) -> Campaign:
    """The campaign with question 1.1 judged by an author and another assessor."""
    items = factories.pooled(rigid, TEXTS)
    author = factories.assignment(rigid, "instances", assessor)
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    for item, first, second in zip(items, FIRST, SECOND, strict=True):
        judge(author, item, first)
        if second is not None:
            judge(other, item, second)
    return campaign
