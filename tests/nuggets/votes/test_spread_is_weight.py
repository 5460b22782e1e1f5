"""Votes that differ where their spread is the weight: no disagreement by page, API and command, and nobody waits."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.adjudication.queries.disagreements import adjudicated_stages, disputed_questions
from assess.kinds.base import Tally
from assess.models import Assignment, Campaign
from assess.work.queries.own_work import waiting_disagreements
from nuggets.votes.tally import missing_votes, tally_votes
from tests.nuggets.settled import importances, rows_of, settle
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def test_votes_of_a_pyramid_are_no_disagreements(
    client: Client, campaign: Campaign, voted: Assignment, adjudicator: User
) -> None:
    assert "votes" not in {stage.key for _, stage in adjudicated_stages(campaign)}
    assert (disputed_questions(campaign), waiting_disagreements(campaign, adjudicator)) == ([], None)
    client.force_login(adjudicator)
    assert "Vote on nuggets" not in page_of(client.get(reverse("adjudication", args=[campaign.slug])))
    bench = reverse("adjudicate", args=[campaign.slug, "votes", "importance"])
    assert client.get(bench).status_code == 404
    address = reverse("api-disagreement-list", args=[campaign.slug])
    assert client.get(address).json()["results"] == []
    out = io.StringIO()
    call_command("disagreements", campaign.slug, stdout=out)
    assert "votes" not in out.getvalue()
    given = ["--stage=votes", "--criterion=importance", f"--adjudicator={adjudicator}"]
    with pytest.raises(CommandError, match="Name a stage and one of its criteria"):
        call_command("decide", campaign.slug, *given, "--thing=1-1", "--value=1")


def test_a_vote_that_an_adjudicator_cast_counts_and_leaves_nothing_to_do(
    client: Client, campaign: Campaign, voted: Assignment, adjudicator: User
) -> None:
    settle(adjudicator, campaign, "votes", rows_of(campaign, "votes")[1], 1)  # as it could be cast before
    assert importances(campaign) == {1: "vital", 2: "vital", 3: "okay"}
    work = campaign.assignments.get(role="adjudicator")
    assert tally_votes([work])[work.pk] == Tally(done=1, total=1, unit="disagreements")
    assert missing_votes(work) == ""
    client.force_login(adjudicator)
    assert client.get(reverse("workbench", args=[campaign.slug, work.pk])).status_code == 200
