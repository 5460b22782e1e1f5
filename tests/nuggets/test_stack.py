"""Second assessors take the next topic from the stack."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import return_assignment
from assess.base.errors import Conflict, NotAllowed
from assess.models import Assignment, Campaign, Membership
from assess.work.domain import take_from_stack
from assess.work.queries.stack import stack_of
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def stacked(workshop: Campaign, author: User) -> Campaign:
    """Topics d1, d2 and d3 have their author, d4 has none."""
    for place in (2, 3, 4):
        factories.topic(workshop, f"d{place}", "What?", task="definition", ordinal=10 + place)
    for number in ("d1", "d2", "d3"):
        factories.assignment(workshop.topics.get(number=number), "write", author, state="done")
        factories.assignment(workshop.topics.get(number=number), "find", author, state="open")
    return workshop


def numbers(campaign: Campaign, person: User | None = None) -> list[str]:
    return [topic.number for topic in stack_of(campaign, person) or []]


def finish(person: User) -> None:
    Assignment.objects.filter(assessor=person).update(state="done")


def test_the_next_topic_comes_with_all_its_second_stages(stacked: Campaign, other: User) -> None:
    assert numbers(stacked) == ["d1", "d2", "d3"]
    made = take_from_stack(actor=other, campaign=stacked)
    assert [(each.topic.number, each.stage, each.role, each.state) for each in made] == [
        ("d1", "write", "second", "open"),
        ("d1", "find", "second", "open"),
    ]
    assert numbers(stacked) == ["d2", "d3"]


def test_one_topic_at_a_time_until_the_stack_is_empty(stacked: Campaign, other: User) -> None:
    for number in ("d1", "d2", "d3"):
        assert take_from_stack(actor=other, campaign=stacked)[0].topic.number == number
        with pytest.raises(Conflict, match=f"You have {number} from the stack"):
            take_from_stack(actor=other, campaign=stacked)
        finish(other)
    with pytest.raises(Conflict, match="The stack is empty"):
        take_from_stack(actor=other, campaign=stacked)
    assert Assignment.objects.filter(assessor=other).count() == 6


def test_nobody_is_second_to_themselves(stacked: Campaign, author: User) -> None:
    assert numbers(stacked, author) == []
    with pytest.raises(Conflict, match="no topic waits for you"):
        take_from_stack(actor=author, campaign=stacked)


def test_what_was_given_back_goes_to_somebody_else(stacked: Campaign, other: User) -> None:
    for each in take_from_stack(actor=other, campaign=stacked):
        return_assignment(actor=other, assignment=each)
    assert numbers(stacked) == ["d1", "d2", "d3"]
    assert take_from_stack(actor=other, campaign=stacked)[0].topic.number == "d2"
    third = factories.member(stacked, "third", "assessor")
    assert take_from_stack(actor=third, campaign=stacked)[0].topic.number == "d1"


def test_refusals(stacked: Campaign, stranger: User, organiser: User, other: User, campaign: Campaign) -> None:
    for person in (stranger, organiser):
        with pytest.raises(NotAllowed):
            take_from_stack(actor=person, campaign=stacked)
    Membership.objects.create(campaign=campaign, user=other, role="assessor")
    with pytest.raises(Conflict, match="has no stack"):
        take_from_stack(actor=other, campaign=campaign)
    Campaign.objects.filter(pk=stacked.pk).update(state="frozen")
    with pytest.raises(Conflict, match="is frozen"):
        take_from_stack(actor=other, campaign=stacked)
    assert not Assignment.objects.filter(assessor=other).exists()


def test_page_api_and_command_take(stacked: Campaign, other: User, organiser: User, client: Client) -> None:
    client.force_login(other)
    address = reverse("work", args=["workshop"])
    assert "Take the next from the stack (3 left)" in page_of(client.get(address))
    client.post(reverse("work-take", args=["workshop"]))
    assert [each.topic.number for each in Assignment.objects.filter(assessor=other)] == ["d1", "d1"]
    finish(other)
    answer = client.post("/api/v1/campaigns/workshop/assignments/take/", {}, "application/json")
    assert [row["topic"] for row in answer.json()] == ["d2", "d2"]
    refused = client.post("/api/v1/campaigns/workshop/assignments/take/", {}, "application/json")
    assert (refused.status_code, refused.json()["detail"][:11]) == (409, "You have d2")
    with pytest.raises(CommandError, match="You have d2"):
        call_command("assign", "workshop", "--stack", "other", "--organiser", "organiser")
    finish(other)
    call_command("assign", "workshop", "--stack", "other", "--organiser", "organiser")
    assert "The stack is empty." in page_of(client.get(address))
    client.force_login(organiser)
    shown = page_of(client.get(reverse("assignments", args=["workshop"])))
    assert "The stack is empty: every topic that has a primary assessor has a second assessor." in shown


def test_done_work_stands_folded_below_what_is_left(stacked: Campaign, other: User, client: Client) -> None:
    take_from_stack(actor=other, campaign=stacked)
    finish(other)
    take_from_stack(actor=other, campaign=stacked)
    client.force_login(other)
    shown = page_of(client.get(reverse("work", args=["workshop"])))
    first = shown[shown.index("Definition: Write nuggets") : shown.index("Definition: Find nuggets")]
    assert first.index(">d2<") < first.index("<details") < first.index(">d1<")
    assert "<summary>1 done</summary>" in first


def test_the_next_is_taken_when_the_one_in_hand_is_done(
    stacked: Campaign, other: User, organiser: User, client: Client
) -> None:
    take_from_stack(actor=other, campaign=stacked)
    client.force_login(other)
    shown = page_of(client.get(reverse("work", args=["workshop"])))
    assert "Finish d1, which you took, first." in shown
    assert reverse("work-take", args=["workshop"]) not in shown
    Assignment.objects.all().delete()
    assert "stack" not in page_of(client.get(reverse("work", args=["workshop"])))
    client.force_login(organiser)
    shown = page_of(client.get(reverse("assignments", args=["workshop"])))
    assert "The stack is empty: no topic has a primary assessor yet." in shown
