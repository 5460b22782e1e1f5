"""Work on which nothing is done goes back by itself, and can be taken up again while nobody else has it."""

from __future__ import annotations

import io
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.assignments.domain.assignments import (
    create_assignment,
    finish_assignment,
    open_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.assignments.domain.held_work import renew_lease
from assess.assignments.domain.leases import Lapsed, change_work_rules, return_lapsed, take_up_again
from assess.assignments.queries.work_items import handle_of
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.models import Activity, Assignment, Campaign, Item, Judgment, Topic
from assess.organising.domain import change_state
from assess.work.domain import hand_over
from assess.work.queries.own_work import lapsed_work
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def leased(campaign: Campaign, organiser: User) -> Campaign:
    return change_work_rules(actor=organiser, campaign=campaign, lease_hours=48, takes_primary=False)


@pytest.fixture
def piece(leased: Campaign, rigid: Topic, rigid_items: list[Item], assessor: User, organiser: User) -> Assignment:
    """Opened work with one of three judged."""
    made = create_assignment(actor=organiser, campaign=leased, topic=rigid, stage="instances", assessor=assessor)
    open_assignment(actor=assessor, assignment=made)
    judging.judge(made, "blue bicycle", 1)
    made.refresh_from_db()
    made.campaign = leased
    return made


def expire(piece: Assignment, *, before: timedelta = HOUR) -> Assignment:
    """The work when its lease has run out."""
    Assignment.objects.filter(pk=piece.pk).update(lease_until=timezone.now() - before)
    return return_lapsed(campaign=piece.campaign)[0]


def test_work_goes_back_when_its_lease_runs_out_and_what_was_judged_stays(piece: Assignment) -> None:
    assert [each.pk for each in return_lapsed(campaign=piece.campaign, now=timezone.now() + 49 * HOUR)] == [piece.pk]
    piece.refresh_from_db()
    assert (piece.state, piece.has_lapsed) == ("returned", True)
    assert Judgment.objects.filter(assignment=piece).count() == 1
    act = Activity.objects.first()
    assert act is not None
    assert (act.action, act.actor, act.object_id) == ("assignment.lapse", None, str(piece.pk))
    assert return_lapsed(campaign=piece.campaign) == []


def test_nothing_goes_back_before_its_time_or_without_leases(piece: Assignment, organiser: User) -> None:
    assert return_lapsed(campaign=piece.campaign, now=timezone.now() + 47 * HOUR) == []
    change_work_rules(actor=organiser, campaign=piece.campaign, lease_hours=None, takes_primary=False)
    assert return_lapsed(campaign=piece.campaign, now=timezone.now() + 1000 * HOUR) == []


def test_who_judges_keeps_the_work(piece: Assignment, rigid_items: list[Item]) -> None:
    late = timezone.now() + HOUR
    Assignment.objects.filter(pk=piece.pk).update(lease_until=late)
    judging.judge(piece, "green bicycle", 2)
    piece.refresh_from_db()
    assert piece.lease_until is not None
    assert piece.lease_until > late + 40 * HOUR


def test_a_lease_is_written_only_when_a_tenth_of_it_is_gone(piece: Assignment) -> None:
    begun = piece.lease_until
    assert begun is not None
    renew_lease(piece, now=begun - 45 * HOUR)
    piece.refresh_from_db()
    assert piece.lease_until == begun
    renew_lease(piece, now=begun - 43 * HOUR)
    assert piece.lease_until == begun + 5 * HOUR


def test_work_that_waits_for_an_earlier_stage_does_not_go_back(
    piece: Assignment, rigid: Topic, assessor: User, organiser: User
) -> None:
    waiting = create_assignment(
        actor=organiser, campaign=piece.campaign, topic=rigid, stage="classes", assessor=assessor
    )
    assert [each.pk for each in return_lapsed(campaign=piece.campaign, now=timezone.now() + 49 * HOUR)] == [piece.pk]
    waiting.refresh_from_db()
    assert waiting.state == "open"


def test_finishing_a_stage_begins_the_leases_of_what_waited_for_it(
    piece: Assignment, rigid: Topic, assessor: User, organiser: User
) -> None:
    waiting = create_assignment(
        actor=organiser, campaign=piece.campaign, topic=rigid, stage="classes", assessor=assessor
    )
    Assignment.objects.filter(pk=waiting.pk).update(lease_until=timezone.now() - HOUR)
    for text in ("green bicycle", "red bicycle"):
        judging.judge(piece, text, 1)
    finish_assignment(actor=assessor, assignment=piece)
    assert return_lapsed(campaign=piece.campaign) == []


def test_finished_work_never_goes_back(piece: Assignment, assessor: User) -> None:
    Assignment.objects.filter(pk=piece.pk).update(state="done", lease_until=None)
    assert return_lapsed(campaign=piece.campaign, now=timezone.now() + 1000 * HOUR) == []
    piece.refresh_from_db()
    assert reopen_assignment(actor=assessor, assignment=piece).lease_until is not None


def test_nothing_goes_back_while_nobody_can_judge(piece: Assignment, organiser: User) -> None:
    change_state(actor=organiser, campaign=piece.campaign, state="setup")
    Assignment.objects.filter(pk=piece.pk).update(lease_until=timezone.now() - HOUR)
    assert return_lapsed(campaign=piece.campaign) == []
    change_state(actor=organiser, campaign=piece.campaign, state="judging")
    assert return_lapsed(campaign=piece.campaign) == []


def test_work_that_went_back_is_taken_up_again_with_everything_in_it(piece: Assignment, assessor: User) -> None:
    lapsed = expire(piece)
    with pytest.raises(Lapsed, match="went back because nothing was done on it for 48 hours"):
        judging.judge(lapsed, "green bicycle", 2)
    again = take_up_again(actor=assessor, assignment=lapsed)
    assert (again.pk, again.state) == (piece.pk, "started")
    assert judging.judge(again, "green bicycle", 2).assignment_id == piece.pk
    assert take_up_again(actor=assessor, assignment=again) == again


def test_work_that_somebody_else_took_is_not_taken_up_again(
    piece: Assignment, rigid: Topic, assessor: User, second_assessor: User, organiser: User
) -> None:
    lapsed = expire(piece)
    create_assignment(
        actor=organiser, campaign=piece.campaign, topic=rigid, stage="instances", assessor=second_assessor
    )
    with pytest.raises(Conflict, match="Somebody else has this work by now"):
        take_up_again(actor=assessor, assignment=lapsed)


def test_only_what_went_back_by_itself_is_taken_up_again_and_only_by_its_assessor(
    piece: Assignment, assessor: User, second_assessor: User, organiser: User
) -> None:
    lapsed = expire(piece)
    with pytest.raises(NotAllowed):
        take_up_again(actor=second_assessor, assignment=lapsed)
    taken_back = return_assignment(actor=organiser, assignment=lapsed)
    assert not taken_back.has_lapsed
    with pytest.raises(Conflict, match="An organiser took this work back"):
        take_up_again(actor=assessor, assignment=taken_back)


@pytest.mark.parametrize("hours", [0, -3, 100_000])
def test_a_lease_has_a_length_that_makes_sense(campaign: Campaign, organiser: User, hours: int) -> None:
    with pytest.raises(Invalid):
        change_work_rules(actor=organiser, campaign=campaign, lease_hours=hours, takes_primary=False)


def test_the_page_says_what_happened_and_one_press_takes_the_work_up_again(
    client: Client, piece: Assignment, assessor: User
) -> None:
    expire(piece)
    client.force_login(assessor)
    address = reverse("workbench", args=[piece.campaign.slug, piece.pk])
    page = client.get(address)
    assert page.status_code == 409
    assert "went back because nothing was done on it for 48 hours" in page_of(page)
    again = reverse("work-again", args=[piece.campaign.slug, piece.pk])
    assert again in page_of(page)
    assert client.post(again).headers["Location"] == address
    assert "1 of 3 judged" in page_of(client.get(address))


def test_the_page_says_when_somebody_else_has_it(
    client: Client, piece: Assignment, rigid: Topic, assessor: User, second_assessor: User, organiser: User
) -> None:
    expire(piece)
    create_assignment(
        actor=organiser, campaign=piece.campaign, topic=rigid, stage="instances", assessor=second_assessor
    )
    client.force_login(assessor)
    page = page_of(client.get(reverse("workbench", args=[piece.campaign.slug, piece.pk])))
    assert "Somebody else has this work by now" in page
    assert "second_assessor" not in page


def test_a_click_on_work_that_went_back_is_answered_so_that_the_browser_keeps_it(
    client: Client, piece: Assignment, assessor: User, rigid_items: list[Item]
) -> None:
    expire(piece)
    client.force_login(assessor)
    fields = {
        "item": handle_of(piece, rigid_items[1].pk),
        "criterion": "correctness",
        "value": "2",
        "client_key": str(uuid4()),
    }
    address = reverse("judge", args=[piece.campaign.slug, piece.pk])
    answer = client.post(address, fields, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (409, "lapsed")
    client.post(reverse("work-again", args=[piece.campaign.slug, piece.pk]))
    assert client.post(address, fields, headers={"Accept": "application/json"}).status_code == 200


def test_lists_of_work_give_back_what_ran_out(client: Client, piece: Assignment, assessor: User) -> None:
    Assignment.objects.filter(pk=piece.pk).update(lease_until=timezone.now() - HOUR)
    client.force_login(assessor)
    page = page_of(client.get(reverse("work", args=[piece.campaign.slug])))
    piece.refresh_from_db()
    assert piece.has_lapsed
    assert reverse("work-again", args=[piece.campaign.slug, piece.pk]) in page


def test_a_command_gives_back_what_ran_out_in_every_campaign(piece: Assignment, organiser: User) -> None:
    factories.campaign(organiser=organiser, slug="other")
    Assignment.objects.filter(pk=piece.pk).update(lease_until=timezone.now() - HOUR)
    said = io.StringIO()
    call_command("return_lapsed", stdout=said)
    assert said.getvalue() == "opinions\t1.1\tinstances\tassessor\n"
    again = io.StringIO()
    call_command("return_lapsed", "opinions", stdout=again)
    assert again.getvalue() == ""


@pytest.mark.parametrize(("role", "is_offered"), [("second", False), ("adjudicator", False), ("primary", True)])
def test_what_is_offered_again_can_be_taken_up(
    leased: Campaign,
    rigid: Topic,
    rigid_items: list[Item],
    assessor: User,
    second_assessor: User,
    organiser: User,
    role: str,
    is_offered: bool,
) -> None:
    """Somebody else got the stage since: in the same role it is theirs now, in another it is no bar."""
    other = {"second": "second", "adjudicator": "adjudicator", "primary": "second"}[role]
    piece = create_assignment(
        actor=organiser, campaign=leased, topic=rigid, stage="instances", assessor=assessor, role=role
    )
    lapsed = expire(piece)
    create_assignment(
        actor=organiser, campaign=leased, topic=rigid, stage="instances", assessor=second_assessor, role=other
    )
    offered = lapsed_work(leased, assessor)
    assert offered == ([lapsed] if is_offered else [])
    if offered:
        assert take_up_again(actor=assessor, assignment=offered[0]).state == "open"
    else:
        with pytest.raises(Conflict, match="Somebody else has this work by now"):
            take_up_again(actor=assessor, assignment=lapsed)


def test_work_that_its_assessor_got_anew_is_not_offered_again(
    piece: Assignment, rigid: Topic, assessor: User, organiser: User
) -> None:
    Assignment.objects.filter(pk=piece.pk).update(role="second")
    lapsed = expire(piece)
    create_assignment(
        actor=organiser, campaign=piece.campaign, topic=rigid, stage="instances", assessor=assessor, role="adjudicator"
    )
    assert lapsed_work(piece.campaign, assessor) == []
    with pytest.raises(Conflict, match="Somebody else has this work by now"):
        take_up_again(actor=assessor, assignment=lapsed)


def test_one_hour_is_said_as_one(client: Client, piece: Assignment, assessor: User, organiser: User) -> None:
    change_work_rules(actor=organiser, campaign=piece.campaign, lease_hours=1, takes_primary=False)
    expire(piece)
    client.force_login(assessor)
    for address in (
        reverse("work", args=[piece.campaign.slug]),
        reverse("workbench", args=[piece.campaign.slug, piece.pk]),
    ):
        page = page_of(client.get(address))
        assert re.search(r"nothing was done on it for 1 hour\b", page)


def test_what_another_primary_assessor_judged_since_and_lapsed_too_is_not_taken_up_again(
    piece: Assignment, rigid: Topic, adjudicator: User, assessor: User, second_assessor: User, organiser: User
) -> None:
    first = expire(piece)
    other = create_assignment(
        actor=organiser, campaign=piece.campaign, topic=rigid, stage="instances", assessor=second_assessor
    )
    judging.judge(open_assignment(actor=second_assessor, assignment=other), "blue bicycle", -1)
    expire(other)
    assert lapsed_work(piece.campaign, assessor) == []
    with pytest.raises(Conflict, match="Somebody else has this work by now"):
        take_up_again(actor=assessor, assignment=first)
    with pytest.raises(Conflict, match="Somebody else has this work by now"):
        hand_over(actor=organiser, assignment=first, to=adjudicator)
    assert len(lapsed_work(piece.campaign, second_assessor)) == 1
