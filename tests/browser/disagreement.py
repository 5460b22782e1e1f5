"""What two people disagree on in the browser's campaigns."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Campaign, Topic
from nuggets.matches.record import MatchInput, record_match, review_items
from tests import factories
from tests.assess import judged_campaign as judging

DOCNO = "BLOG06-20060101-000-0000000001"
ANSWERS = ["blue bicycle", "green bicycle", "red bicycle", "silver bicycle"]


@pytest.fixture
def sought(site: LiveServer, squishy: Topic, assessor: User, second_assessor: User) -> Campaign:
    """Two strings in which two people looked for three nuggets, on which both voted; they differ on two of each."""
    factories.document(squishy.campaign, DOCNO, "It is cheap and light. 😀 But it broke in a week.")
    items = factories.pooled(squishy, ["It is cheap and light.", "It broke in a week."])
    made = judging.write_list(
        factories.assignment(squishy, "nuggets", assessor),
        **{"Its price is low": "vital", "It weighs little": "okay", "It does not last": "okay"},
    )
    author = factories.assignment(squishy, "matches", assessor)
    other = factories.assignment(squishy, "matches", second_assessor, role="second")
    for work, number, item, quote in ((author, 1, items[0], "cheap"), (other, 3, items[1], "broke in a week")):
        match = MatchInput(nugget=made.nuggets.get(number=number), item=item, quote=quote, client_key=uuid4())
        record_match(actor=work.assessor, assignment=work, match=match)
    for work in (author, other):
        review_items(actor=work.assessor, assignment=work, items=items, client_key=uuid4())
    voting = factories.assignment(squishy, "votes", second_assessor, role="second")
    for number, importance in ((1, "okay"), (2, "vital"), (3, "okay")):
        judging.vote(voting, made, number, importance)
    return squishy.campaign


@pytest.fixture
def whole(sought: Campaign, rigid: Topic, squishy: Topic, assessor: User, second_assessor: User) -> Campaign:
    """Two lists of nuggets, and two groupings of four correct answers."""
    writing = factories.assignment(squishy, "nuggets", second_assessor, role="second")
    texts = {"Its price is low": "vital", "Donaudampfschifffahrtsgesellschaft trägt es gern": "okay"}
    judging.write_list(writing, **texts)
    factories.pooled(rigid, ANSWERS)
    grading = factories.assignment(rigid, "instances", assessor)
    for text in ANSWERS:
        judging.judge(grading, text, 1)
    author = factories.assignment(rigid, "classes", assessor)
    other = factories.assignment(rigid, "classes", second_assessor, role="second")
    judging.group(author, "cold colours", *ANSWERS[:2])
    judging.group(author, "warm colours", *ANSWERS[2:])
    for text in ANSWERS:
        judging.group(other, text, text)
    Assignment.objects.filter(stage="classes").update(state="done")
    return sought
