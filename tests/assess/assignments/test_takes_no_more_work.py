"""Who takes no more work. Issue 10: "only people who can log in, who are members and willing count"."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.who_takes_work import set_takes_work
from assess.base.errors import Conflict, NotFound
from assess.models import Assignment, Campaign, Membership, Topic
from assess.people.domain.members import add_member, change_role
from assess.work.domain import balance_work, hand_out_assignments, hand_over
from assess.work.queries.double_judging import Sample, double_plan
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of

pytestmark = pytest.mark.django_db
SENTENCE = "assessor takes no more work. Choose somebody else; or ask them, and let them take work again under People."


def refuse_more(campaign: Campaign, person: User) -> None:
    set_takes_work(actor=person, campaign=campaign, user=person, takes=False)


def test_an_even_hand_out_leaves_them_out_and_says_so(
    campaign: Campaign,
    rigid: Topic,
    organiser: User,
    assessor: User,
    second_assessor: User,
    client: Client,
) -> None:
    refuse_more(campaign, assessor)
    client.force_login(organiser)
    page = page_of(client.get(reverse("assignments-balance", args=[campaign.slug])))
    assert "Left out, since they take no more work: assessor." in page
    assert {each.assessor for each in balance_work(actor=organiser, campaign=campaign)} == {second_assessor}
    plan = double_plan(campaign, stages=["instances"], sample=Sample())
    assert {work.assessor for work in plan.works} == {None}
    Assignment.objects.all().delete()
    refuse_more(campaign, second_assessor)
    assert "Nobody takes more work" in page_of(client.get(reverse("assignments-balance", args=[campaign.slug])))
    with pytest.raises(Conflict, match="All who judge in the campaign take no more work"):
        balance_work(actor=organiser, campaign=campaign)


def test_by_name_they_are_handed_nothing_by_page_api_and_command(
    campaign: Campaign, rigid: Topic, organiser: User, assessor: User, client: Client
) -> None:
    refuse_more(campaign, assessor)
    client.force_login(organiser)
    form = {"assessor": assessor.pk, "role": "primary", "cell": f"{rigid.pk}:instances"}
    answer = client.post(reverse("assignments-hand-out", args=[campaign.slug]), form)
    assert answer.status_code == 422
    assert SENTENCE in answer.content.decode()
    assert "assessor, takes no more work" in page_of(answer)
    body = {"assessor": "assessor", "topic": rigid.number, "stage": "instances"}
    answer = client.post(reverse("api-assignment-list", args=[campaign.slug]), body, content_type="application/json")
    assert (answer.status_code, answer.json()["detail"]) == (409, SENTENCE)
    with pytest.raises(CommandError, match="assessor takes no more work"):
        call_command("assign", campaign.slug, "--topic", rigid.number, "--assessor", "assessor")
    assert not Assignment.objects.exists()


def test_what_they_have_stays_theirs_and_is_handed_over_to_none_of_them(
    campaign: Campaign, rigid: Topic, organiser: User, assessor: User, second_assessor: User
) -> None:
    mine = factories.assignment(rigid, "instances", assessor)
    refuse_more(campaign, assessor)
    again = hand_out_assignments(actor=organiser, campaign=campaign, pieces=[(rigid, "instances")], assessor=assessor)
    assert again == [mine]
    refuse_more(campaign, second_assessor)
    with pytest.raises(Conflict, match="second_assessor takes no more work"):
        hand_over(actor=organiser, assignment=mine, to=second_assessor)
    assert list(campaign.assignments.all()) == [mine]
    made = hand_over(actor=organiser, assignment=mine, to=second_assessor, is_recorded=True)  # done elsewhere already
    assert made.assessor == second_assessor


def test_they_say_so_on_their_own_page_and_take_nothing_from_a_stack(
    campaign: Campaign, rigid: Topic, assessor: User, client: Client
) -> None:
    Campaign.objects.update(takes_primary=True)
    client.force_login(assessor)
    work, address = reverse("work", args=[campaign.slug]), reverse("work-takes", args=[campaign.slug])
    assert "Take the next topic as primary assessor" in page_of(client.get(work))
    assert client.post(address, {"takes": "no"}).status_code == 302
    page = page_of(client.get(work))
    assert "You are given no more work." in page and "Take the next topic as primary assessor" not in page
    answer = client.post(reverse("work-take", args=[campaign.slug]), {"role": "primary"})
    assert answer.status_code == 409
    assert "You are given no work at present. Choose “Give me work again”" in page_of(answer)
    client.post(address, {"takes": "yes"})
    assert client.post(reverse("work-take", args=[campaign.slug]), {"role": "primary"}).status_code == 302
    assert client.post(address, {"takes": "perhaps"}).status_code == 422
    said = campaign.activities.filter(action="member.takes_work").order_by("id")
    assert [each.data for each in said] == [{"user": assessor.pk, "takes_work": takes} for takes in (False, True)]


def test_organisers_say_it_of_others_and_see_it(
    campaign: Campaign, organiser: User, assessor: User, client: Client
) -> None:
    client.force_login(organiser)
    member = campaign.memberships.get(user=assessor)
    address = reverse("member-takes-work", args=[campaign.slug, member.pk])
    assert page_of(client.post(address, {"takes": "no"}, follow=True)).count("<strong>no more</strong>") == 1
    listed = client.get(reverse("api-member-list", args=[campaign.slug])).json()["results"]
    assert {each["username"]: each["takes_work"] for each in listed} == {"organiser": True, "assessor": False}
    assert run_command("call", "members_takes_work", campaign.slug, "username=assessor", "takes_work=true")[0] == 0
    member.refresh_from_db()
    assert member.takes_work
    told = run_command("call", "members_takes_work", campaign.slug, "username=organiser", "takes_work=false")
    assert "organiser does not judge in this campaign" in told[2]


def test_the_api_lets_each_speak_for_themselves_alone(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, client: Client
) -> None:
    address = reverse("api-member-takes-work", args=[campaign.slug])

    def say(username: str) -> int:
        body = {"username": username, "takes_work": False}
        return client.post(address, body, content_type="application/json").status_code

    client.force_login(assessor)
    assert (say("assessor"), say("second_assessor"), say("nobody")) == (204, 404, 404)
    assert campaign.memberships.get(user=second_assessor).takes_work
    client.force_login(organiser)
    assert (say("second_assessor"), say("organiser"), say("nobody")) == (204, 404, 404)
    assert set(campaign.memberships.filter(takes_work=False).values_list("user", flat=True)) == {
        assessor.pk,
        second_assessor.pk,
    }


def test_it_holds_in_every_role_in_which_they_judge(campaign: Campaign, organiser: User, assessor: User) -> None:
    refuse_more(campaign, assessor)
    refuse_more(campaign, assessor)  # the same again changes nothing
    assert campaign.activities.filter(action="member.takes_work").count() == 1
    made = add_member(actor=organiser, campaign=campaign, user=assessor, role="adjudicator")
    assert not made.takes_work
    changed = add_member(actor=organiser, campaign=campaign, user=assessor, role="participant", team="Harbor")
    assert changed.takes_work
    change_role(actor=organiser, campaign=campaign, user=assessor, role="participant", to="organiser")
    set_takes_work(actor=organiser, campaign=campaign, user=assessor, takes=True)
    assert set(Membership.objects.filter(user=assessor).values_list("takes_work", flat=True)) == {True}


def test_a_machine_and_who_does_not_judge_have_no_say(
    campaign: Campaign, organiser: User, assessor: User, stranger: User
) -> None:
    Membership.objects.filter(user=assessor).update(is_machine=True)
    for person in (stranger, organiser, assessor):
        with pytest.raises(NotFound, match="does not judge in this campaign"):
            set_takes_work(actor=organiser, campaign=campaign, user=person, takes=False)
