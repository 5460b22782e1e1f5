"""Whom work is handed out to: people who can log in, not machines nor accounts that keep published judgments."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.who_can_be_given_work import assessors_of
from assess.machines.domain import machine_account
from assess.models import Assignment, Campaign
from assess.organising.queries.overview import campaign_counts, next_steps
from assess.work.domain import balance_work
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of
from tests.tracks.track_folder import folder_of
from tracks import TRACKS

ADHOC = next(track for track in TRACKS if track.key == "adhoc")


@pytest.fixture
def nobody(campaign: Campaign) -> User:
    """An account as published judgments make it."""
    person = factories.member(campaign, "published", "assessor")
    person.set_unusable_password()
    person.save()
    return person


def test_who_cannot_log_in_is_given_nothing(campaign: Campaign, organiser: User, assessor: User, nobody: User) -> None:
    closed = factories.member(campaign, "closed", "assessor")
    closed.is_active = False
    closed.save()
    made = balance_work(actor=organiser, campaign=campaign)
    assert {each.assessor for each in made} == {assessor}
    assert assessors_of(campaign) == [assessor]


def test_a_token_is_a_way_in_too(campaign: Campaign, nobody: User) -> None:
    factories.api_token(nobody)
    assert assessors_of(campaign) == [nobody]


def test_nobody_judges_yet_where_nobody_can_log_in(campaign: Campaign, nobody: User) -> None:
    counts = campaign_counts(campaign)
    assert counts.assessors == 0
    assert "Nobody judges yet." in [step.text for step in next_steps(campaign, counts)]


def test_a_machine_judge_is_no_member(campaign: Campaign, organiser: User, assessor: User, client: Client) -> None:
    machine = machine_account(actor=organiser, campaign=campaign, name="machine-A")
    client.force_login(organiser)
    page = client.get(reverse("people", args=[campaign.slug])).content.decode()
    listed = client.get(reverse("api-member-list", args=[campaign.slug])).json()["results"]
    assert machine.username not in page and assessor.username in page
    assert {each["username"] for each in listed} == {"organiser", "assessor"}


def test_people_says_who_cannot_log_in(campaign: Campaign, organiser: User, nobody: User, client: Client) -> None:
    client.force_login(organiser)
    assert "nobody can log in" in page_of(client.get(reverse("people", args=[campaign.slug])))
    listed = client.get(reverse("api-member-list", args=[campaign.slug])).json()["results"]
    assert {each["username"]: each["can_log_in"] for each in listed} == {"organiser": True, "published": False}


def test_published_judgments_open_nothing_and_say_what_they_did(organiser: User) -> None:
    folder = folder_of(ADHOC) / "published"
    load = ("load_campaign", "--track", "adhoc", folder, "--slug", "bees", "--organiser", "organiser")
    status, out, err = run_command(*load)
    campaign = Campaign.objects.get(slug="bees")
    assert (status, campaign.state) == (0, Campaign.State.SETUP), err
    said = [line for line in out.splitlines() if line.startswith(("judgments:", "judging:"))]
    assert said[-2:] == [
        "judgments: kept under 2 accounts that nobody can log in to, nor is given work: first@bees, second@bees",
        "judging: still closed; when all is ready, open it by Change state on the Overview page",
    ]
    assert not campaign.activities.filter(action="campaign.state").exists()
    anna = factories.member(campaign, "anna", "assessor")
    assert {each.assessor for each in balance_work(actor=organiser, campaign=campaign)} <= {anna}
    held = Assignment.objects.count()
    assert run_command(*load)[0] == 0 and Assignment.objects.count() == held
