"""A turn of iKAT 2023 judged in a real browser by keyboard: passages, statements by two people, responses."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.assignments import create_assignment
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Judgment
from assess.people.domain.members import add_member
from assess.scores.domain import score_campaign
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.tracks import track_folder
from tracks.ikat2023 import TRACK

pytestmark = pytest.mark.browser

TURN = "1-1_2"
GOOD, FAIR = "clueweb22-assay-00-00006:0", "clueweb22-assay-00-00006:1"

SHARE_OF_LONG_TALK = """() => {
  const topic = document.querySelector("[data-context-body]");
  topic.lastElementChild.style.minHeight = "2000px";
  return topic.clientHeight / innerHeight;
}"""
"""How much of the window's height what belongs to the topic has where it is long."""

Open = Callable[[Assignment], Page]


@pytest.fixture
def organiser(site: LiveServer) -> User:
    return factories.user("organiser")


@pytest.fixture
def campaign(organiser: User, settings: Any, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path
    return track_folder.load(TRACK, organiser=organiser, slug="small")


@pytest.fixture
def people(campaign: Campaign, organiser: User) -> list[User]:
    found = [factories.user(name) for name in ("assessor", "colleague")]
    for person in found:
        add_member(actor=organiser, campaign=campaign, user=person, role="assessor")
    return found


@pytest.fixture
def opened(sign_in: SignIn, site: LiveServer) -> Open:
    def open_work(work: Assignment) -> Page:
        page = sign_in(work.assessor)
        page.goto(f"{site.url}/c/small/work/{work.pk}/")
        expect(page.locator("[data-progress-words]")).to_be_visible()
        return page

    return open_work


def handed_out(campaign: Campaign, organiser: User, assessor: User, stage: str) -> Assignment:
    topic = campaign.topics.get(number=TURN)
    return create_assignment(actor=organiser, campaign=campaign, topic=topic, stage=stage, assessor=assessor)


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def said(work: Assignment) -> dict[str, dict[str, int | None]]:
    """Item key -> criterion -> value."""
    found: dict[str, dict[str, int | None]] = {}
    for row in Judgment.objects.filter(assignment=work).select_related("item"):
        found.setdefault(row.item.key, {})[row.criterion] = row.value
    return found


def grade_passages(page: Page, grades: dict[str, int], count: int) -> None:
    """Press each passage's grade, 0 where none is given, and finish."""
    for place in range(1, count + 1):
        docno = page.locator(".doc-bar .docno").inner_text()
        page.keyboard.press(str(grades.get(docno, 0)))
        expect(page.locator("[data-progress-words]")).to_have_text(f"{place} of {count} judged")
        if place < count:
            expect(page.locator(".doc-bar .docno")).not_to_have_text(docno)
    saved(page)
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))


def test_a_turn_is_judged_from_passages_to_responses(
    campaign: Campaign, organiser: User, people: list[User], opened: Open
) -> None:
    first = people[0]
    passages = handed_out(campaign, organiser, first, "passages")
    responses = handed_out(campaign, organiser, first, "responses")
    count = passages.topic.items.filter(kind="passage", pool_items__isnull=False).count()

    page = opened(passages)
    shown = page.locator("body").inner_text()
    assert "How do I clean it?" in shown
    assert "My bicycle's chain jumps when I push hard." in shown  # what was said before
    assert "I have asthma." in shown  # what is known of the user
    assert "given that I have asthma and no yard" in shown  # the turn by itself
    assert "Use a citrus degreaser and a brush" not in shown  # the canonical response
    assert "squealing" not in shown  # a later turn
    assert shown.index("Before this turn") < shown.index("About the user")
    assert page.evaluate(SHARE_OF_LONG_TALK) > 0.3
    grade_passages(page, {GOOD: 4, FAIR: 1}, count)
    assert said(passages)[GOOD] == {"relevance": 4}

    page = opened(responses)  # open, since its passages are graded
    assert page.evaluate(SHARE_OF_LONG_TALK) > 0.35
    for text in page.locator("[data-work-list] .words").all_inner_texts():
        assert not any(tag in text for tag in ("lamp_first", "moss_two", "reed_by_hand"))
    active = page.locator("[data-criterion][data-active]")
    todo = page.locator("[data-work-list] li").count()
    assert todo == 2  # lamp_first and moss_two say the same
    for place in range(1, todo + 1):
        expect(active).to_have_attribute("data-criterion", "response_relevance")
        came(page)
        page.keyboard.press("3")
        expect(active).to_have_attribute("data-criterion", "conciseness")
        page.keyboard.press("2")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{place} of {todo} judged")
    saved(page)
    assert list(said(responses).values()) == [{"response_relevance": 3, "conciseness": 2}] * todo
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    values = {
        (score.run, score.measure): score.value
        for score in score_campaign(Snapshot(campaign)).scores
        if score.topic == TURN
    }
    assert {values[run, "response_relevance"] for run in ("lamp_first", "moss_two", "reed_by_hand")} == {3.0}
    assert values["lamp_first", "nDCG@1"] == 1.0


def test_statements_are_judged_by_two_people(
    campaign: Campaign, organiser: User, people: list[User], opened: Open
) -> None:
    first, second = people
    page = opened(handed_out(campaign, organiser, first, "ptkb"))
    given: dict[str, str] = {}
    for place in range(1, 6):
        text = page.locator("[data-answer]").inner_text()
        given[text] = "1" if text in ("I have asthma.", "I live on the third floor and have no yard.") else "0"
        page.keyboard.press(given[text])
        expect(page.locator("[data-progress-words]")).to_have_text(f"{place} of 5 judged")
        if place < 5:
            expect(page.locator("[data-answer]")).not_to_have_text(text)
    saved(page)
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    work = Assignment.objects.get(stage="ptkb", assessor=first)
    assert {key: values["ptkb"] for key, values in said(work).items()} == {"1": 1, "2": 1, "3": 0, "4": 0, "5": 0}

    other = create_assignment(
        actor=organiser, campaign=campaign, topic=work.topic, stage="ptkb", assessor=second, role="second"
    )
    page = opened(other)
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 5 judged")
    for place in range(1, 6):
        came(page)
        page.keyboard.press("1")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{place} of 5 judged")
    saved(page)
    files = track_folder.exported(campaign, organiser=organiser)
    assert files["ptkb_qrels.txt"].decode().splitlines() == [
        f"{TURN} 0 {key} {value}" for key, value in zip("12345", "11000", strict=True)
    ]
    assert files["ptkb_qrels_second.txt"].decode().splitlines() == [f"{TURN} 0 {key} 1" for key in "12345"]


def test_a_turn_without_a_relevant_passage_has_no_response_to_judge(
    campaign: Campaign, organiser: User, people: list[User], opened: Open
) -> None:
    passages = handed_out(campaign, organiser, people[0], "passages")
    responses = handed_out(campaign, organiser, people[0], "responses")
    count = passages.topic.items.filter(kind="passage", pool_items__isnull=False).count()
    grade_passages(opened(passages), {}, count)
    page = opened(responses)
    expect(page.locator("[data-work-list] li")).to_have_count(0)
    expect(page.locator("[data-bench-item]")).to_contain_text("Nothing to judge")
