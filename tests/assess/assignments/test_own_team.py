"""Nobody is given, takes or opens work in which runs of their own team are judged."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.domain.assignments import create_assignment, open_assignment
from assess.assignments.domain.leases import change_work_rules
from assess.assignments.own_teams import own_team_conflicts, own_teams
from assess.base.errors import Conflict
from assess.models import Assignment, Campaign, Item, Membership, Topic
from assess.work.domain import balance_work, hand_over, take_from_stack
from assess.work.queries.balance import balance_plan
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def join(campaign: Campaign, person: User, team: str = "Harbor") -> None:
    Membership.objects.create(campaign=campaign, user=person, role="participant", team=team)


@pytest.fixture
def returned(
    campaign: Campaign,
    organiser: User,
    rigid: Topic,
    squishy: Topic,
    rigid_items: list[Item],
    squishy_items: list[Item],
) -> Campaign:
    """A run of the team Harbor returned a pooled item of 1.1, and something for 1.2 that is not pooled."""
    run = factories.run(campaign, "Harbor1", organiser)
    factories.response(run, rigid, rigid_items[:1])
    factories.response(run, squishy, [factories.item(squishy, "not in the pool")])
    return campaign


def test_own_topics_are_those_where_the_teams_run_returned_something_pooled(
    returned: Campaign, assessor: User, second_assessor: User, rigid: Topic
) -> None:
    join(returned, assessor)
    join(returned, second_assessor, "Pier")
    assert {pk: each.topics for pk, each in own_teams(returned).items()} == {assessor.pk: {rigid.pk: "Harbor"}}
    assert own_teams(returned, [second_assessor.pk]) == {}


def test_before_there_is_a_pool_whatever_a_team_returned_counts(
    campaign: Campaign, organiser: User, assessor: User, rigid: Topic
) -> None:
    join(campaign, assessor)
    factories.response(factories.run(campaign, "Harbor1", organiser), rigid, [factories.item(rigid, "blue bicycle")])
    assert own_teams(campaign)[assessor.pk].topics == {rigid.pk: "Harbor"}


def test_of_one_topic_only_that_topic_is_looked_at(
    campaign: Campaign, organiser: User, assessor: User, rigid: Topic, squishy: Topic
) -> None:
    join(campaign, assessor)
    run = factories.run(campaign, "Harbor1", organiser)
    for topic in (rigid, squishy):
        factories.response(run, topic, [factories.item(topic, "blue bicycle")])
    assert own_teams(campaign)[assessor.pk].topics == {rigid.pk: "Harbor", squishy.pk: "Harbor"}
    assert own_teams(campaign, topic=squishy.pk)[assessor.pk].topics == {squishy.pk: "Harbor"}


@pytest.mark.parametrize("state", ["rejected", "withdrawn", "checking"])
def test_runs_that_were_not_accepted_bar_nobody(returned: Campaign, assessor: User, state: str) -> None:
    join(returned, assessor)
    returned.runs.update(state=state)
    assert own_teams(returned) == {}


def test_work_on_ones_own_team_is_not_handed_out(
    returned: Campaign, organiser: User, assessor: User, rigid: Topic, squishy: Topic
) -> None:
    join(returned, assessor)
    with pytest.raises(Conflict, match=r"assessor takes part for the team Harbor.* topic 1.1.*Nobody judges their own"):
        create_assignment(actor=organiser, campaign=returned, topic=rigid, stage="instances", assessor=assessor)
    assert Assignment.objects.count() == 0
    made = create_assignment(actor=organiser, campaign=returned, topic=squishy, stage="nuggets", assessor=assessor)
    assert made.assessor == assessor


def test_work_on_ones_own_team_is_not_handed_over(
    returned: Campaign, organiser: User, assessor: User, second_assessor: User, rigid: Topic
) -> None:
    work = create_assignment(actor=organiser, campaign=returned, topic=rigid, stage="instances", assessor=assessor)
    join(returned, second_assessor)
    with pytest.raises(Conflict, match="Nobody judges their own team's runs"):
        hand_over(actor=organiser, assignment=work, to=second_assessor)
    work.refresh_from_db()
    assert (work.state, work.assessor) == ("open", assessor)


def test_work_on_ones_own_team_is_not_opened_when_somebody_joins_the_team_later(
    client: Client, returned: Campaign, organiser: User, assessor: User, rigid: Topic
) -> None:
    work = create_assignment(actor=organiser, campaign=returned, topic=rigid, stage="instances", assessor=assessor)
    join(returned, assessor)
    with pytest.raises(Conflict, match=r"You take part for the team Harbor.*ask the organiser"):
        open_assignment(actor=assessor, assignment=work)
    client.force_login(assessor)
    assert client.get(reverse("workbench", args=[returned.slug, work.pk])).status_code == 409


def test_the_stack_leaves_out_topics_of_ones_own_team(
    returned: Campaign, organiser: User, assessor: User, squishy: Topic
) -> None:
    change_work_rules(actor=organiser, campaign=returned, lease_hours=None, takes_primary=True)
    join(returned, assessor)
    taken = take_from_stack(actor=assessor, campaign=returned, role="primary")
    assert {each.topic for each in taken} == {squishy}


def test_balancing_passes_over_who_takes_part(
    returned: Campaign, organiser: User, assessor: User, second_assessor: User, rigid: Topic, squishy: Topic
) -> None:
    join(returned, assessor)
    made = balance_work(actor=organiser, campaign=returned)
    assert {each.assessor for each in made if each.topic == rigid} == {second_assessor}
    assert balance_plan(returned).blocked == []


def test_balancing_says_what_nobody_can_get(
    client: Client, returned: Campaign, organiser: User, assessor: User, rigid: Topic, squishy: Topic
) -> None:
    join(returned, assessor)
    plan = balance_plan(returned)
    assert [(topic.number, stage) for topic, stage in plan.blocked] == [("1.1", "instances"), ("1.1", "classes")]
    assert {each.topic for each in plan.handouts} == {squishy}
    client.force_login(organiser)
    page = page_of(client.get(reverse("assignments-balance", args=[returned.slug])))
    assert "2 stages can be given to nobody" in page


def test_the_organiser_sees_conflicts_that_came_later(
    client: Client, returned: Campaign, organiser: User, assessor: User, rigid: Topic
) -> None:
    work = create_assignment(actor=organiser, campaign=returned, topic=rigid, stage="instances", assessor=assessor)
    assert own_team_conflicts(returned) == []
    join(returned, assessor)
    assert own_team_conflicts(returned) == [(work, "Harbor")]
    client.force_login(organiser)
    page = page_of(client.get(reverse("people", args=[returned.slug])))
    assert "1 assignment is with somebody whose own team" in page
    assert reverse("assignment-hand-over", args=[returned.slug, work.pk]) in page
