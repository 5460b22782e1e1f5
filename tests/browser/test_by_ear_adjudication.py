"""Disagreements of every kind decided by what a screen reader says alone."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.campaigns.queries import stage_of
from assess.judging.queries.picked import official_pickers, ranking_of
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.picks.record import record_picks
from assess.models import Assignment, Campaign, Judgment
from nuggets.models import ClassEdit, NuggetMatch, NuggetVote
from tests import factories
from tests.benches import Benches
from tests.browser.by_ear import Ear
from tests.browser.conftest import SignIn
from tests.browser.disagreement import sought as sought
from tests.browser.disagreement import whole as whole
from tests.nuggets.settled import votes_settled as votes_settled

pytestmark = pytest.mark.browser


def test_marks_and_votes(
    sign_in: SignIn, site: LiveServer, sought: Campaign, adjudicator: User, votes_settled: None
) -> None:
    ear = Ear(sign_in(adjudicator))
    ear.open(f"{site.url}/c/opinions/adjudication/matches/match/")
    yes = ear.key_of("button", "yes")
    ear.at(words="It is cheap and light.", description="Its price is low left ")
    assert ear.press(yes) == "“nugget 1 · It is cheap and light.”: yes"
    ear.at(words="It broke in a week.", description="It does not last left ")
    assert ear.press(yes) == "“nugget 3 · It broke in a week.”: yes. All are decided."
    assert ear.press(ear.key_of("button", "undo")) == "Undone: “nugget 3 · It broke in a week.” is undecided"
    ear.at(words="It broke in a week.")

    ear.open(f"{site.url}/c/opinions/adjudication/votes/importance/")
    vital = ear.key_of("button", "vital")
    ear.at(words="Its price is low", description="take it ← right")
    assert ear.press(vital) == "“1 Its price is low”: vital"
    ear.at(words="It weighs little")
    assert ear.press(side_of(ear, "okay")) == "“2 It weighs little”: okay. All are decided."
    expect(ear.page.get_by_role("status").filter(has_text="saved ✓")).to_have_count(1)
    for ledger, number in ((NuggetMatch, 3), (NuggetVote, 2)):
        assert ledger.objects.filter(assignment__role="adjudicator").count() == number


def side_of(ear: Ear, label: str) -> str:
    """The key of the side that says this; which side is left is drawn for each thing."""
    left, _, right = ear.at(description="take it ← right").description.partition(" right ")
    assert (label in left) != (label in right)
    return "ArrowLeft" if label in left else "ArrowRight"


def decide(ear: Ear, key: str, words: str) -> None:
    """Press a key that loads the page anew, where this is read first."""
    with ear.page.expect_navigation():
        ear.page.keyboard.press(key)
    ear.at(words=words)


def test_lists_and_groupings(sign_in: SignIn, site: LiveServer, whole: Campaign, adjudicator: User) -> None:
    ear = Ear(sign_in(adjudicator))
    for stage, name, topic in (("nuggets", "list", "1.2 "), ("classes", "grouping", "1.1 ")):
        ear.open(f"{site.url}/c/opinions/adjudication/{stage}/{name}/")
        ear.at(words=topic)
        for place in ("left", "right"):
            expect(ear.page.get_by_role("group", name=place).get_by_role("listitem").first).to_be_visible()
        decide(ear, "ArrowRight", "Decided: what is on the right counts.")
    decide(ear, ear.key_of("button", "take the decision back"), "1.1 ")
    expect(ear.page.get_by_role("status").filter(has_text="1.1: undone")).to_have_count(1)
    assert ClassEdit.objects.filter(assignment__role="adjudicator").exists()


def test_picks(benches: Benches, sign_in: SignIn, site: LiveServer) -> None:
    campaign, (one, two, *_) = benches.campaign, benches.items("figure")
    other = factories.member(campaign, "other", "assessor")
    second = factories.assignment(benches.topic, "figures", other, role="second")
    record_picks(actor=benches.assessor, assignment=benches.work["figures"], items=[two, one], client_key=uuid4())
    record_picks(actor=other, assignment=second, items=[one], client_key=uuid4())
    ear = Ear(sign_in(factories.member(campaign, "settler", "adjudicator")))
    ranking = ranking_of(stage_of(campaign, "figures")[1]).key
    ear.open(f"{site.url}/c/benches/adjudication/figures/{ranking}/")
    ear.at(words="7-1 ")
    decide(ear, ear.key_of("button", "take it"), "Decided: what is on the left counts.")
    assert list(official_pickers(Snapshot(campaign), ranking)) == ["7-1"]


def test_what_stands_in_documents_and_responses(benches: Benches, sign_in: SignIn, site: LiveServer) -> None:
    """Items without a text of their own, and those whose grade comes with snippets."""
    campaign = benches.campaign
    other = factories.member(campaign, "other", "assessor")
    ear = Ear(sign_in(factories.member(campaign, "settler", "adjudicator")))
    for stage in ("passages", "responses", "citations"):
        criterion = stage_of(campaign, stage)[1].criteria[0]
        item = benches.items(stage[:-1])[0]
        low, high = criterion.grades[0].value, criterion.grades[-1].value
        second = factories.assignment(benches.topic, stage, other, role="second")
        for work, value in ((benches.work[stage], low), (second, high)):
            note = "So it says." if value == high else ""
            made = JudgmentInput(item=item, criterion=criterion.key, value=value, note=note, client_key=uuid4())
            record_judgment(actor=work.assessor, assignment=work, judgment=made)
        ear.open(f"{site.url}/c/benches/adjudication/{stage}/{criterion.key}/")
        left = ear.at(description="So it says.").description.partition(" right ")[0]
        best = "ArrowLeft" if "So it says." in left else "ArrowRight"  # later stages ask only for what was found good
        assert ear.press(best).endswith("All are decided.")
    assert Judgment.objects.filter(assignment__role="adjudicator").count() == 3
    assert Assignment.objects.filter(role="adjudicator").count() == 3
