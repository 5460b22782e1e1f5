"""Home and Work say what waits: disagreements for adjudicators; questions, failed checks and topics for organisers."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.models import Assignment, Campaign, HelpRequest, Topic
from assess.work.queries.own_work import waiting_of
from tests import factories
from tests.assess import compared as two
from tests.pages import page_of

compared = two.compared
pytestmark = pytest.mark.django_db


def seen(client: Client, person: User, name: str, *arguments: str) -> str:
    client.force_login(person)
    return " ".join(page_of(client.get(reverse(name, args=arguments))).split())


def test_an_adjudicator_reads_how_many_disagreements_wait(
    compared: Campaign, adjudicator: User, client: Client
) -> None:
    for page in (seen(client, adjudicator, "home"), seen(client, adjudicator, "work", compared.slug)):
        assert "2 disagreements to adjudicate." in page
        assert f'href="{reverse("adjudication", args=[compared.slug])}"' in page
        assert "No work has been handed to you yet" not in page and "No work yet" not in page


def test_who_has_no_disagreement_to_settle_reads_what_was_read_before(
    campaign: Campaign, adjudicator: User, client: Client
) -> None:
    assert "No work has been handed to you yet" in seen(client, adjudicator, "home")
    assert "No work yet" in seen(client, adjudicator, "work", campaign.slug)


def test_what_somebody_may_not_settle_does_not_wait_for_them(compared: Campaign, second_assessor: User) -> None:
    compared.memberships.create(user=second_assessor, role="adjudicator")
    assert waiting_of(second_assessor, [(compared, ["adjudicator"])]) == {}


def test_nothing_is_settled_where_judging_is_not_open(compared: Campaign, adjudicator: User) -> None:
    compared.state = Campaign.State.FROZEN
    assert waiting_of(adjudicator, [(compared, ["adjudicator"])]) == {}


def test_an_organiser_reads_what_waits_in_each_campaign(
    campaign: Campaign, organiser: User, assessor: User, rigid: Topic, squishy: Topic, client: Client
) -> None:
    factories.pooled(rigid, ["blue"])
    factories.pooled(squishy, ["light"])
    work = factories.assignment(rigid, "instances", assessor)
    HelpRequest.objects.create(assignment=work, text="What is blue?", client_key=uuid4())
    failed = factories.run(campaign, "Harbor1", organiser)
    failed.state = "rejected"
    failed.save()
    page = seen(client, organiser, "home")
    for text in (
        "1 question from assessors to answer.",
        "1 run failed the check, with no accepted version yet.",
        "1 topic with nobody to judge.",
    ):
        assert text in page
    Assignment.objects.filter(pk=work.pk).update(state="returned")
    assert "2 topics with nobody to judge." in seen(client, organiser, "home")


def test_who_judges_what_counts_topics_as_home_does_or_stages_where_a_topic_has_several(
    organiser: User, rigid: Topic, client: Client
) -> None:
    ranked = Campaign.objects.create(slug="ranked", title="Ranked", track="adhoc", state=Campaign.State.JUDGING)
    ranked.memberships.create(user=organiser, role="organiser")
    for number in ("1", "2"):
        factories.pooled(factories.topic(ranked, number, "Bicycles", task="ranking"), ["blue"])
    for name, arguments in (("home", []), ("assignments", ["ranked"]), ("overview", ["ranked"])):
        assert "2 topics with nobody to judge." in seen(client, organiser, name, *arguments), name
    several = seen(client, organiser, "assignments", rigid.campaign.slug)
    assert re.search(r"\b\d stages of 2 topics with nobody to judge\.", several)


def test_what_waits_costs_the_same_for_any_number_of_campaigns(
    organiser: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    many = [(factories.campaign(organiser=organiser, slug=f"c{number}"), ["organiser"]) for number in range(4)]
    with django_assert_num_queries(3):
        waiting_of(organiser, many[:1])
    with django_assert_num_queries(3):
        waiting_of(organiser, many)


def test_disagreements_are_counted_in_a_few_campaigns_alone(
    organiser: User, adjudicator: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made = [factories.campaign(organiser=organiser, slug=f"c{number}") for number in range(6)]
    with django_assert_num_queries(4):
        found = waiting_of(adjudicator, [(each, ["adjudicator"]) for each in made])
    assert {pk: [each.text for each in waits] for pk, waits in found.items()} == {
        each.pk: ["Disagreements may wait for you."] for each in made[3:]
    }
