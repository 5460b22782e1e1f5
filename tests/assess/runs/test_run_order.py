"""Ranks that go against the scores are said of a run wherever it is scored or pooled, not on its own page alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.runs.queries import order_warnings
from assess.scores.domain import score_campaign
from assess.scores.states import last_kept, scoring_state
from tests.assess.commands import run_command
from tests.assess.pooling import build, grade, submit, work
from tests.pages import page_of
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

TIED = "Tied scores against the ranks in 1 topic: 2 documents have the score of the document ranked before."


@pytest.fixture
@remembered
def judged(retrieval: Campaign, organiser: User, assessor: User, tmp_path: Path) -> Campaign:
    """A campaign of five runs, of which two give each document the same score; one document is judged."""
    submit(retrieval, organiser, "cape1", "Cape", {"1": "abc"}, score="7")
    submit(retrieval, organiser, "cape2", "Cape", {"1": "bcd"}, score="7")
    build(retrieval, organiser, strategy="depth", depth=3)
    grade(work(retrieval, "1", assessor), "a", 1)
    return retrieval


def test_it_is_said_with_the_scores_and_the_plan_of_the_pool(judged: Campaign, organiser: User, client: Client) -> None:
    (issue,) = score_campaign(Snapshot(judged)).issues
    assert (issue.code, issue.severity) == ("tied-scores", "warning")
    assert issue.message.startswith(f"cape1: {TIED} ")
    assert "in topic 1 the order used is Db, Da, not that of the ranks" in issue.message
    assert issue.message.endswith("The same holds of 1 more: cape2.")
    client.force_login(organiser)
    for address in (reverse("scores", args=["ranked"]), reverse("pool-plan", args=["ranked", "ranking"])):
        assert f"cape1: {TIED}" in page_of(client.get(address))
    for command in (("score", "ranked"), ("build_pool", "ranked", "--strategy", "depth", "--depth", 3)):
        status, _, told = run_command(*command)
        assert (status, told.startswith(f"\twarning\ttied-scores\tcape1: {TIED}")) == (0, True)


def test_it_is_no_problem_of_the_judgments_for_which_all_topics_are_scored_again(judged: Campaign) -> None:
    score_campaign(Snapshot(judged))
    kept = last_kept(scoring_state(Snapshot(judged)))
    assert kept is not None and kept.issues == ()


def test_reports_of_runs_are_read_at_once(judged: Campaign, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    runs = list(scoring_state(Snapshot(judged)).runs)
    with django_assert_num_queries(1):
        assert len(order_warnings(judged, runs)) == 1
