"""Agreement about matches is told apart by the order in which the bench showed the nuggets."""

from __future__ import annotations

from itertools import count
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.models import Campaign, Item, Topic
from assess.organising.domain import change_settings
from nuggets.matches.offered import in_list_order
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.assess.pages import page_text

pytestmark = pytest.mark.django_db

HEADING = "By the order that the bench shows"


def match_twice(topic: Topic, items: list[Item], people: list[User], *, found: list[int]) -> None:
    """Both finish all strings of the topic with one nugget, which each marks in this many of the first ones."""
    write = factories.assignment(topic, "nuggets", people[0])
    drafted = start_list(actor=people[0], assignment=write)
    add_nugget(actor=people[0], nugget_list=drafted, text="cheap", importance="vital", client_key=uuid4())
    nugget = freeze_list(actor=people[0], nugget_list=drafted, client_key=uuid4()).nuggets.get()
    for person, role, marked in zip(people, ("primary", "second"), found, strict=True):
        work = factories.assignment(topic, "matches", person, role=role)
        for item in items[:marked]:
            match = MatchInput(nugget=nugget, item=item, value="full", quote="", client_key=uuid4())
            record_match(actor=person, assignment=work, match=match)
        review_items(actor=person, assignment=work, items=items, client_key=uuid4())


def test_both_orders_are_compared(
    client: Client, campaign: Campaign, squishy: Topic, organiser: User, assessor: User, second_assessor: User
) -> None:
    change_settings(actor=organiser, campaign=campaign, values={"list_order_share": 0.5})
    is_first_listed = bool(in_list_order(campaign, [squishy.number]))
    number = next(f"{n}.1" for n in count(30) if bool(in_list_order(campaign, [f"{n}.1"])) != is_first_listed)
    other = factories.topic(campaign, number, "Why?", task=squishy.task, parent=squishy.parent, ordinal=30)
    people = [assessor, second_assessor]
    match_twice(squishy, factories.pooled(squishy, ["a", "b", "c", "d"]), people, found=[2, 2])
    client.force_login(organiser)
    query = "?question=matches/match&judge=primary&judge=second"
    assert HEADING not in page_text(client, campaign, query, name="agreement")  # one order alone
    match_twice(other, factories.pooled(other, ["e", "f", "g", "h"]), people, found=[1, 2])
    page = page_text(client, campaign, query, name="agreement")
    table = page.partition(HEADING)[2].partition("</table>")[0]
    likely, listed = table.partition("In the order of the list")[::2]
    agree, differ = (listed, likely) if is_first_listed else (likely, listed)
    assert "1.000" in agree
    assert "0.750" in differ and "0.750" not in agree
