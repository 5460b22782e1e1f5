"""Scores of a campaign: of what counts at a ledger point, and the edge cases of the formulas."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid, NotFound
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign
from assess.organising.domain import change_settings
from assess.pools.domain.building import build_pool
from assess.runs.domain.deciding import withdraw_run
from assess.scores.domain import explain_score, score_campaign
from nuggets.models import NuggetList
from tests import factories
from tests.assess.commands import run_command
from tests.assess.judged_campaign import (
    AMBER,
    BASIL,
    CHEAP,
    KIND,
    WEEK,
    group,
    judge,
    mark,
    pool_all,
    submit,
    vote,
    work,
    write_list,
)
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

CHEAP_LENGTH = len(CHEAP.replace(" ", ""))
LONG = "x" * (100 - CHEAP_LENGTH)  # with CHEAP exactly the allowance of one nugget


@pytest.fixture
@remembered
def judged(campaign: Campaign, organiser: User, settings, tmp_path: Path) -> Campaign:
    """Three runs: Coral1 answers 1.2 with exactly 100 characters, the allowance of one nugget."""
    settings.DATA_DIR = tmp_path / "data"
    submit(campaign, organiser, "Amber1", AMBER)
    submit(campaign, organiser, "Basil1", BASIL)
    submit(campaign, organiser, "Coral1", f"1.1 Coral1 D9 none\n1.2 Coral1 D1 {CHEAP}\n1.2 Coral1 D1 {LONG}\n")
    pool_all(campaign, organiser)
    return campaign


@pytest.fixture
def grading(judged: Campaign, assessor: User) -> Assignment:
    """Blue and red are correct and distinct answers; the blue one is non-exact, green incorrect, none unjudged."""
    grading = work(judged, "1.1", "instances", assessor)
    for text, value in [("blue", 1), ("red", 1), ("the blue one", 3), ("green", -1)]:
        judge(grading, text, value)
    grouping = work(judged, "1.1", "classes", assessor)
    group(grouping, "blue", "blue")
    group(grouping, "red", "red")
    return grading


@pytest.fixture
def frozen(judged: Campaign, assessor: User) -> NuggetList:
    """Nuggets 1 (vital), 2 (okay), 3 (vital); 1 is in Amber1 and Coral1, 2 in Amber1."""
    frozen = write_list(work(judged, "1.2", "nuggets", assessor), cheap="vital", frail="okay", friendly="vital")
    marking = work(judged, "1.2", "matches", assessor)
    mark(marking, frozen, 1, CHEAP)
    mark(marking, frozen, 2, WEEK)
    return frozen


def values(campaign: Campaign, topic: str, *measures: str, as_of: int | None = None) -> dict[str, list[object]]:
    """Run -> the values of these measures on a topic."""
    table = score_campaign(Snapshot(campaign, as_of)).tables.of_topic(topic)
    return {row.name: [row.cells[measure].value for measure in measures] for row in table.rows()}


def f(recall: Fraction, precision: Fraction, beta: int = 3) -> float:
    return float((beta**2 + 1) * precision * recall / (beta**2 * precision + recall))


# ---------------------------------------------------------------- values


def test_rigid_questions_count_distinct_correct_answers(grading: Assignment) -> None:
    assert values(grading.campaign, "1.1", "IR", "IP", "F", "instances", "unjudged") == {
        "Amber1": [1.0, 1.0, 1.0, 2.0, 0.0],
        "Basil1": [0.5, pytest.approx(1 / 3), pytest.approx(0.4), 3.0, 0.0],
        "Coral1": [0.0, 0.0, 0.0, 1.0, 1.0],
    }


def test_squishy_questions_weigh_nuggets_against_length(frozen: NuggetList) -> None:
    campaign = frozen.topic.campaign
    found = values(campaign, "1.2", "NR", "NP", "F", "length")
    assert found["Amber1"] == [0.5, 1.0, pytest.approx(f(Fraction(1, 2), Fraction(1))), 33.0]
    assert found["Basil1"] == [0.0, 0.0, 0.0, len(KIND.replace(" ", ""))]


def test_a_length_equal_to_the_allowance_costs_nothing(frozen: NuggetList, organiser: User) -> None:
    campaign = frozen.topic.campaign
    assert values(campaign, "1.2", "NP", "length")["Coral1"] == [1.0, 100.0]
    change_settings(actor=organiser, campaign=campaign, values={"allowance": 99})
    assert values(campaign, "1.2", "NP", "length")["Coral1"] == [0.99, 100.0]


def test_series_and_run_are_means_over_types_and_series(grading: Assignment, frozen: NuggetList) -> None:
    squishy = f(Fraction(1, 2), Fraction(1))
    combined = pytest.approx((1 + squishy) / 2)
    series = values(grading.campaign, "1", "rigid", "squishy", "combined")["Amber1"]
    assert series == values(grading.campaign, "all", "rigid", "squishy", "combined")["Amber1"]
    assert series == [1.0, pytest.approx(squishy), combined]


def test_votes_of_several_assessors_are_the_weights(frozen: NuggetList, second_assessor: User) -> None:
    campaign = frozen.topic.campaign
    voting = work(campaign, "1.2", "votes", second_assessor, role="second")
    for number, importance in [(1, "okay"), (2, "vital"), (3, "vital")]:
        vote(voting, frozen, number, importance)
    # vital votes 1, 1, 2 of at most 2: Amber1 returned 1 and 2
    assert values(campaign, "1.2", "NR", "NR_vitalokay")["Amber1"] == [0.5, 0.5]
    assert values(campaign, "1.2", "NR", "NR_vitalokay")["Coral1"] == [0.25, 0.5]


# ---------------------------------------------------------------- edge cases


def test_a_list_without_a_vital_nugget_is_undefined_and_left_out_of_means(
    judged: Campaign, grading: Assignment, assessor: User
) -> None:
    frozen = write_list(work(judged, "1.2", "nuggets", assessor), cheap="okay")
    mark(work(judged, "1.2", "matches", assessor), frozen, 1, CHEAP)
    assert values(judged, "1.2", "NR", "F", "F_vitalokay")["Amber1"] == [None, None, None]
    assert values(judged, "1", "squishy", "combined", "excluded")["Amber1"] == [None, 1.0, 1.0]
    run = score_campaign(Snapshot(judged)).tables.of_topic().part(rows=["Amber1"]).rows()[0].cells
    assert (run["combined"].value, run["combined"].topics) == (1.0, 1)
    assert (run["squishy"].value, run["squishy"].topics) == (None, 0)
    assert run["excluded"].value == 1.0


def test_votes_that_are_all_okay_leave_the_weights_undefined(frozen: NuggetList, second_assessor: User) -> None:
    campaign = frozen.topic.campaign
    own = work(campaign, "1.2", "votes", frozen.owner, role="second")
    other = work(campaign, "1.2", "votes", second_assessor, role="second")
    for voting in (own, other):
        for number in (1, 2, 3):
            vote(voting, frozen, number, "okay")
    found = values(campaign, "1.2", "NR", "F", "F_vitalokay")["Amber1"]
    assert found == [None, None, pytest.approx(f(Fraction(1, 2), Fraction(1)))]
    vote(other, frozen, 2, "vital")
    assert values(campaign, "1.2", "NR")["Amber1"] == [1.0]


def test_a_question_without_answers_yet_is_undefined(judged: Campaign) -> None:
    assert values(judged, "1.1", "IR", "F")["Amber1"] == [None, None]
    assert values(judged, "all", "combined", "excluded")["Amber1"] == [None, 2.0]


def test_a_question_that_a_run_did_not_answer_is_zero(judged: Campaign, organiser: User, assessor: User) -> None:
    factories.topic(judged, "1.3", "Which sizes?", task="rigid", parent=judged.topics.get(number="1"), ordinal=3)
    submit(judged, organiser, "Dune1", "1.1 Dune1 D1 blue\n1.2 Dune1 D1 cheap\n1.3 Dune1 D1 small\n")
    pool_all(judged, organiser)
    judge(work(judged, "1.3", "instances", assessor), "small", 1)
    group(work(judged, "1.3", "classes", assessor), "small", "small")
    assert values(judged, "1.3", "F", "instances") == {
        "Amber1": [0.0, 0.0],
        "Basil1": [0.0, 0.0],
        "Coral1": [0.0, 0.0],
        "Dune1": [1.0, 1.0],
    }


def test_correct_instances_in_no_class_are_said_and_count_for_nothing(judged: Campaign, assessor: User) -> None:
    judge(work(judged, "1.1", "instances", assessor), "blue", 1)
    assert [(issue.code, issue.severity) for issue in score_campaign(Snapshot(judged)).issues] == [
        ("no-answer-class", "warning")
    ]
    assert values(judged, "1.1", "F")["Amber1"] == [None]


# ---------------------------------------------------------------- when, which runs, settings


def test_an_earlier_point_scores_what_was_said_then(grading: Assignment) -> None:
    campaign, point = grading.campaign, ledger_point(grading.campaign)
    before = score_campaign(Snapshot(campaign))
    judge(grading, "red", -1, again=1)
    assert values(campaign, "1.1", "IR")["Basil1"] == [1.0]
    assert values(campaign, "1.1", "IR", as_of=point)["Basil1"] == [0.5]
    assert score_campaign(Snapshot(campaign, point)).scores == before.scores
    with pytest.raises(Invalid, match="no ledger point"):
        score_campaign(Snapshot(campaign, ledger_point(campaign) + 1))


def test_settings_and_withdrawn_runs_change_scores_at_once(frozen: NuggetList, organiser: User) -> None:
    campaign = frozen.topic.campaign
    assert values(campaign, "1.2", "F")["Amber1"] == [pytest.approx(f(Fraction(1, 2), Fraction(1)))]
    change_settings(actor=organiser, campaign=campaign, values={"beta": 1})
    assert values(campaign, "1.2", "F")["Amber1"] == [pytest.approx(2 / 3)]
    withdraw_run(actor=organiser, run=campaign.runs.get(tag="Basil1"))
    assert list(values(campaign, "1.2", "F")) == ["Amber1", "Coral1"]


def test_every_value_is_explained_and_others_are_not_found(grading: Assignment, frozen: NuggetList) -> None:
    campaign = grading.campaign
    for score in score_campaign(Snapshot(campaign)).scores:
        assert explain_score(Snapshot(campaign), score.run, score.topic, score.measure).value == score.value
    for run, topic, measure in [("Amber1", "1.1", "NR"), ("Amber1", "7.7", "F"), ("Nobody1", "1.1", "F")]:
        with pytest.raises(NotFound):
            explain_score(Snapshot(campaign), run, topic, measure)


def test_the_command_prints_what_the_site_shows(grading: Assignment, frozen: NuggetList) -> None:
    found = score_campaign(Snapshot(grading.campaign))
    status, out, _ = run_command("score", "opinions")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0
    assert [row[:3] for row in rows] == [[score.run, score.topic, score.measure] for score in found.scores]
    assert ["Amber1", "1.1", "F", "1.000000"] in rows
    as_json = json.loads(run_command("score", "opinions", "--format", "json")[1])
    assert [each["value"] for each in as_json] == [score.value for score in found.scores]
    assert ["Amber1", "1.1", "F", "undefined"] in [
        line.split("\t") for line in run_command("score", "opinions", "--as-of", 0)[1].splitlines()
    ]
    assert run_command("score", "opinions", "--as-of", 10**6)[0] == 1
    assert run_command("score", "nothing")[0] == 2


def test_runs_of_a_pool_that_came_with_a_release_were_pooled(judged: Campaign) -> None:
    for task in ("rigid", "squishy"):
        runs = [[tag, f"the file of {tag}"] for tag in judged.runs.values_list("tag", flat=True)]
        judged.pools.create(task=task, digest="as released", recipe={"runs": runs})
    assert score_campaign(Snapshot(judged)).issues == ()


def test_runs_that_were_not_pooled_are_named(judged: Campaign, organiser: User) -> None:
    assert score_campaign(Snapshot(judged)).issues == ()
    submit(judged, organiser, "Amber3", AMBER.replace("Amber1", "Amber3").replace("blue", "teal"))
    issues = score_campaign(Snapshot(judged)).issues
    assert [(issue.code, issue.severity) for issue in issues] == [("not-pooled", "warning")] * 2
    assert "Rigid list: Amber3 was not pooled" in " ".join(issue.message for issue in issues)
    assert "Amber1" not in " ".join(issue.message for issue in issues)
    build_pool(actor=organiser, campaign=judged, task="rigid", priorities=[1, 2, 3])
    assert ["Rigid" in issue.message for issue in score_campaign(Snapshot(judged)).issues] == [False]


def test_judged_answers_that_left_the_pool_stay_in_the_answer_set(
    judged: Campaign, grading: Assignment, organiser: User
) -> None:
    withdraw_run(actor=organiser, run=judged.runs.get(tag="Amber1"))  # the only run that returned red
    with pytest.raises(Conflict, match="1 judged item would leave the pool of"):
        build_pool(actor=organiser, campaign=judged, task="rigid")
    build_pool(actor=organiser, campaign=judged, task="rigid", drop_judged=True)
    assert values(judged, "1.1", "IR")["Basil1"] == [0.5]
