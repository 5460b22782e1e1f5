"""A BioGen question in a real browser, by keyboard: a run looked at before it is submitted, then every stage judged."""

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
from nuggets.classes.export import answer_classes, instance_judgments
from tests import factories
from tests.browser.conftest import SignIn
from tests.tracks import track_folder
from tracks.biogen2024 import TRACK

pytestmark = pytest.mark.browser

FIRST = "Chamomile tea may help you fall asleep a little sooner."
SHORTER = "In one trial people who drank it fell asleep 14 minutes sooner."
NECESSITY = {  # key to press
    FIRST: "1",
    SHORTER: "1",
    "Another study found no effect of chamomile on sleep.": "1",
    "Do not drink it if you are allergic to ragweed.": "1",
    "Many people find an evening routine calming.": "2",
    "Tea is drunk all over the world.": "3",
    "Studies of chamomile do not agree with each other.": "3",
    "You can drink twenty cups a night without any risk.": "4",
}
VALUES = {"1": 3, "2": 2, "3": 1, "4": 0}

Open = Callable[[str], Page]


@pytest.fixture
def campaign(site: LiveServer, organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    """The campaign in small, loaded by the command and ready to be judged."""
    settings.DATA_DIR = tmp_path
    return track_folder.load(TRACK, organiser=organiser, slug="health")


@pytest.fixture
def bench(sign_in: SignIn, site: LiveServer, campaign: Campaign) -> Open:
    """Opens the work of a stage on the question about chamomile."""
    assessor = factories.member(campaign, "assessor", Role.ASSESSOR)
    page = sign_in(assessor)

    def opened(stage: str) -> Page:
        work = factories.assignment(campaign.topics.get(number="901"), stage, assessor)
        page.goto(f"{site.url}/c/health/work/{work.pk}/")
        return page

    return opened


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def values(campaign: Campaign, criterion: str) -> dict[tuple[str, str], int | None]:
    rows = Judgment.objects.filter(assignment__campaign=campaign, criterion=criterion).select_related("item")
    return {(row.item.text, row.item.docno): row.value for row in rows.order_by("id")}


def judge_sentences(page: Page) -> None:
    for number in range(1, len(NECESSITY) + 1):
        expect(page.locator(".bench-thing .thing-label").first).to_have_text(f"SENTENCE {number} of {len(NECESSITY)}")
        page.keyboard.press(NECESSITY[page.locator("[data-answer]").inner_text()])
    saved(page)


def test_answers_by_keyboard(bench: Open, campaign: Campaign) -> None:
    page = bench("answers")
    expect(page.locator(".thing-label")).to_have_text("ANSWER 1 of 4")
    for number in range(1, 5):
        expect(page.locator(".thing-label")).to_have_text(f"ANSWER {number} of 4")
        text = page.locator("[data-response]").inner_text()
        page.keyboard.press("2" if "twenty cups" in text else "1")
    saved(page)
    found = values(campaign, "accuracy")
    assert [len(found), sorted(map(str, found.values()))] == [4, ["0", "1", "1", "1"]]
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    assert Assignment.objects.get(campaign=campaign, stage="answers").state == "done"


def test_an_abstract_opens_beside_the_sentence_of_an_answer(bench: Open) -> None:
    page = bench("answers")
    expect(page.locator(".thing-label")).to_have_text("ANSWER 1 of 4")
    page.keyboard.press("d")
    expect(page.locator("[data-text]")).to_contain_text("PMID 9000001")
    expect(page.locator("main")).to_contain_text("lies awake for an hour")  # the narrative, beside the work


def test_sentences_and_aspects_by_keyboard(bench: Open, campaign: Campaign) -> None:
    page = bench("sentences")
    expect(page.locator("[data-around]")).to_contain_text(page.locator("[data-answer]").inner_text())
    judge_sentences(page)
    assert values(campaign, "necessity") == {(text, ""): VALUES[key] for text, key in NECESSITY.items()}
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))

    page = bench("aspects")
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 4 grouped · 0 classes")
    page.set_viewport_size({"width": 390, "height": 844})  # both lists fill the window, whatever is told of the topic
    widths = page.eval_on_selector_all(".bench-list, .bench-thing", "all => all.map(each => each.offsetWidth)")
    assert widths == [390, 390]
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator("[data-here] .words")).to_contain_text("Another study")
    for key in ("j", "Space", "j", "j", "Space", "n"):  # the two that say the same
        page.keyboard.press(key)
    expect(page.locator("[data-label-field]")).to_have_value(FIRST)
    page.keyboard.type("A little sooner")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_have_text("2 required sentences in the new class 1 “A little sooner”")
    page.keyboard.press("A")  # the others stand alone
    expect(page.locator("[data-progress-words]")).to_have_text("4 of 4 grouped · 3 classes")
    saved(page)
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    assert len(list(answer_classes(Snapshot(campaign)))) == 3
    together = {each.text for each in instance_judgments(Snapshot(campaign)) if each.answer_class == "1"}
    assert together == {FIRST, SHORTER}


def test_citations_by_keyboard_with_their_evidence(bench: Open, campaign: Campaign) -> None:
    page = bench("citations")
    for _ in range(12):
        if (page.locator("[data-answer]").inner_text(), page.locator(".doc-bar .docno").inner_text()) == (
            SHORTER,
            "900000101",
        ):
            break
        before = page.locator(".thing-label").first.inner_text()
        page.keyboard.press("j")
        expect(page.locator(".thing-label").first).not_to_have_text(before)
    sentence = "Adults who drank chamomile tea fell asleep 14 minutes sooner than those who drank hot water."
    expect(page.locator("[data-text]")).to_contain_text(sentence)
    page.keyboard.press("v")  # the likeliest sentence
    expect(page.locator("[data-did]")).to_contain_text("likely 1 of 4: “Adults who drank")
    page.keyboard.press("Enter")
    expect(page.locator("[data-snippets] q")).to_have_text(sentence)
    page.keyboard.press("1")
    saved(page)
    row = Judgment.objects.filter(assignment__campaign=campaign, criterion="support").latest("id")
    assert (row.item.text, row.item.docno, row.value) == (SHORTER, "900000101", 4)
    assert [snippet["quote"] for snippet in row.evidence] == [sentence]


def test_a_participant_sees_how_the_answers_were_cut(
    sign_in: SignIn, site: LiveServer, organiser: User, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    campaign = factories.campaign(organiser=organiser, slug="health", track=TRACK.key)
    campaign.topics.all().delete()
    for number in ("901", "902", "903", "904", "905"):
        factories.topic(campaign, number, "Does it help?", task="question")
    page = sign_in(factories.member(campaign, "heron", Role.PARTICIPANT, team="Marsh"))
    page.goto(f"{site.url}/c/health/runs/new/")
    page.locator("input[type=file]").set_input_files(track_folder.folder_of(TRACK) / "runs" / "good" / "Heron.json")
    page.get_by_role("button", name="Check only").press("Enter")
    expect(page.locator(".notice.good")).to_contain_text("The file passes the check with 1 warning.")
    rows = page.locator("#preview-table tbody tr")
    expect(rows.nth(0)).to_contain_text("dropped at character 1: before any sentence")
    expect(rows.nth(1)).to_have_text(re.compile(rf"901\s*sentence 1 · cites 900000101, 900000102\s*{re.escape(FIRST)}"))
    assert campaign.runs.count() == 0
