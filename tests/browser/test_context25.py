"""Claims in a real browser, by keyboard: figures picked, a claim grounded in quotes, texts of runs rated."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Judgment, Role
from nuggets.writing.export import annotated_topics
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import follow, go_to, press_button
from tests.browser.look import violations
from tests.tracks import track_folder
from tracks.context25 import TRACK
from tracks.context25.gold import evidence_claims, grounding_claims

pytestmark = pytest.mark.browser

Open = Callable[[str, str], Page]


@pytest.fixture
def campaign(site: LiveServer, organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """The campaign in small, loaded by the command and ready to be judged."""
    settings.DATA_DIR = tmp_path
    return track_folder.load(TRACK, organiser=organiser, slug="claims")


@pytest.fixture
def bench(sign_in: SignIn, site: LiveServer, campaign: Campaign) -> Open:
    """Opens the work of a stage on a claim."""
    assessor = factories.member(campaign, "assessor", Role.ASSESSOR)
    page = sign_in(assessor)

    def opened(stage: str, number: str) -> Page:
        work = factories.assignment(campaign.topics.get(number=number), stage, assessor)
        page.goto(f"{site.url}/c/claims/work/{work.pk}/")
        return page

    return opened


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def finish(page: Page, campaign: Campaign, stage: str) -> None:
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    assert Assignment.objects.get(campaign=campaign, stage=stage).state == "done"


def test_figures_are_picked_by_keyboard(bench: Open, campaign: Campaign) -> None:
    page = bench("figures", "kite-9Lm4-b")
    expect(page.locator("body")).not_to_contain_text("annotated")
    page.keyboard.press("i")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_have_text("Type a part of a label, or choose one with ↓ and ↑.")
    page.keyboard.type("tab 1")
    page.keyboard.press("Enter")
    page.keyboard.type("fig 2")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.type("Supplementary Fig. s1")
    page.keyboard.press("Enter")
    expect(page.locator(".picked-label")).to_have_text(["TAB 1", "FIG 2", "SUPP FIG S1"])
    saved(page)
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.get_by_text("is not stored here")).to_be_visible()  # kites-p6.png is missing
    finish(page, campaign, "figures")
    claims = evidence_claims(
        annotated_topics(Snapshot(campaign), task="evidence", kind="figure", criteria=("support",))
    )
    found = {claim.id: claim for claim in claims}["kite-9Lm4-b"]
    assert (found.findings, found.is_annotated) == (("TAB 1", "FIG 2", "SUPP FIG S1"), True)


def test_of_a_claim_given_twice_the_findings_that_count_are_chosen_by_keyboard(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, organiser: User
) -> None:
    topic = campaign.topics.get(number="kite-9Lm4-b")
    topic.fields["gold"] = {"findings": ["FIG 2"], "others": [["TAB 1"]]}
    topic.save()
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/claims/topics/")
    follow(page, "Given twice")
    expect(page.get_by_text("Now counts: FIG 2.")).to_be_visible()
    assert violations(page) == []
    setting = page.get_by_label("As the setting says (last)")
    go_to(page, setting)
    expect(setting).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("The first")).to_be_checked()
    press_button(page, "Save the choices")
    expect(page.get_by_text("Now counts: TAB 1.")).to_be_visible()
    expect(page.get_by_label("The first")).to_be_checked()
    campaign.refresh_from_db()
    assert campaign.settings["claims_chosen"] == ["kite-9Lm4-b=first"]


def test_a_claim_is_grounded_in_quotes_by_keyboard(bench: Open, campaign: Campaign) -> None:
    page = bench("context", "quiz-8Hs0-q.context")
    expect(page.locator(".opened-document")).to_have_attribute("data-opened-docno", "haddad2019quizzes")
    expect(page.locator("[data-text] mark.here").first).to_be_in_viewport()
    page.keyboard.press("t")
    expect(page.locator("[data-did]")).to_contain_text(", likely 1 of ")
    page.keyboard.press("Home")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 1 of")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.locator("[data-did]")).to_contain_text("Two parallel classes")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_contain_text("Press n for a new")
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value(re.compile("^Two parallel classes"))
    page.keyboard.press("Control+a")
    page.keyboard.type("two classes of one school")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_contain_text("written")
    expect(page.locator("[data-text]")).to_be_focused()  # where one goes on
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/work/$"))
    assert Assignment.objects.get(campaign=campaign, stage="context").state == "done"
    claims = grounding_claims(annotated_topics(Snapshot(campaign), task="grounding"))
    found = {claim.id: claim for claim in claims}["quiz-8Hs0-q"]
    assert [(entity.text, entity.kind) for entity in found.entities or ()] == [("two classes of one school", "who")]
    (quote,) = found.snippets or ()
    paper = (track_folder.folder_of(TRACK) / "documents" / "haddad2019quizzes.txt").read_text("utf-8")
    assert quote.startswith("Two parallel classes")
    assert quote in paper


def test_descriptions_and_snippets_are_rated_blind_by_keyboard(bench: Open, campaign: Campaign) -> None:
    page = bench("rate-descriptions", "bread-3Xc8.context")
    expect(page.locator("main")).to_contain_text("Sourdough at 26 degrees rose faster")
    expect(page.locator(".thing-label").first).to_have_text("DESCRIPTION 1 of 3")
    for number in range(1, 4):
        expect(page.locator(".thing-label").first).to_have_text(f"DESCRIPTION {number} of 3")
        assert not re.search("Dahlia|Ember|Fathom|Alpaca|Badger", page.content())
        page.keyboard.press("3")
        page.keyboard.press("2")
    saved(page)
    rows = Judgment.objects.filter(assignment__stage="rate-descriptions").order_by("id")
    values = [(row.criterion, row.value) for row in rows]
    assert sorted(values) == [("description-correct", 2)] * 3 + [("description-specific", 1)] * 3
    finish(page, campaign, "rate-descriptions")

    page = bench("rate-snippets", "bread-3Xc8.context")
    expect(page.locator(".thing-label").first).to_have_text("SNIPPET 1 of 2")
    expect(page.frame_locator("iframe[data-frame]").locator("body")).to_contain_text("How fast does a sourdough rise?")
    page.keyboard.press("1")
    expect(page.locator(".thing-label").first).to_have_text("SNIPPET 2 of 2")
    page.keyboard.press("3")
    saved(page)
    rated = Judgment.objects.filter(assignment__stage="rate-snippets").order_by("id")
    assert [row.value for row in rated] == [0, 2]
    finish(page, campaign, "rate-snippets")
