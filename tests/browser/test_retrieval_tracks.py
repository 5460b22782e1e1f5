"""Ad hoc retrieval, and answers with nuggets, over their data folders in a real browser, by keyboard alone."""

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
from assess.models import Assignment, Campaign, Document, DocumentBody, Item, Judgment
from assess.people.domain.members import add_member
from nuggets.models import NuggetList, NuggetMatch
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.tracks import track_folder
from tracks import ADHOC
from tracks.rag_nuggets import TRACK as RAG_NUGGETS

pytestmark = pytest.mark.browser

Open = Callable[[Assignment], Page]


@pytest.fixture
def load(site: LiveServer, settings: Any, tmp_path: Path) -> Callable[[Any], tuple[Campaign, User, User]]:
    """Loads the folder of a track: the campaign, its organiser, an assessor."""
    settings.DATA_DIR = tmp_path

    def loaded(track: Any) -> tuple[Campaign, User, User]:
        organiser, assessor = factories.user("organiser"), factories.user("assessor")
        campaign = track_folder.load(track, organiser=organiser, slug="small")
        add_member(actor=organiser, campaign=campaign, user=assessor, role="assessor")
        return campaign, organiser, assessor

    return loaded


@pytest.fixture
def opened(sign_in: SignIn, site: LiveServer) -> Open:
    def open_work(work: Assignment) -> Page:
        page = sign_in(work.assessor)
        page.goto(f"{site.url}/c/small/work/{work.pk}/")
        return page

    return open_work


def work_on(campaign: Campaign, organiser: User, assessor: User, *, stage: str, topic: str) -> Assignment:
    return create_assignment(
        actor=organiser, campaign=campaign, topic=campaign.topics.get(number=topic), stage=stage, assessor=assessor
    )


def values(work: Assignment) -> dict[str, int | None]:
    return {row.item.docno: row.value for row in Judgment.objects.filter(assignment=work).select_related("item")}


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def test_documents_are_graded_by_keyboard(load: Any, opened: Open) -> None:
    campaign, organiser, assessor = load(ADHOC)
    work = work_on(campaign, organiser, assessor, stage="documents", topic="2")
    page = opened(work)
    expect(page.locator("body")).to_contain_text("What happened in a flood is related only where")
    given: dict[str, int | None] = {}
    for grade in (3, 0, 2, 1, 3):
        docno = page.locator(".doc-bar .docno").inner_text()
        given[docno] = grade
        page.keyboard.press(str(grade))
        if len(given) < 5:
            expect(page.locator(".doc-bar .docno")).not_to_have_text(docno)
    saved(page)
    assert values(work) == given
    assert set(given) == {f"RIVER-0{number}" for number in range(1, 6)}
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))


def test_docnos_of_judged_documents_can_be_read_in_the_list(load: Any, opened: Open) -> None:
    campaign, organiser, assessor = load(ADHOC)
    long = "BLOG06-20060101-000-0000000001"
    Item.objects.filter(topic__number="2", docno="RIVER-05").update(docno=long)
    Document.objects.update(title="")  # a document without title and text is called by its docno
    DocumentBody.objects.update(text="")
    page = opened(work_on(campaign, organiser, assessor, stage="documents", topic="2"))
    page.set_viewport_size({"width": 1366, "height": 768})
    for left in range(5, 0, -1):
        expect(page.locator("[data-state=open]")).to_have_count(left)
        came(page)
        page.keyboard.press("3")
    saved(page)
    is_cut = "each => each.scrollWidth > each.clientWidth"
    for line in page.locator("[data-work-list] a").all():
        docno, said = line.locator(".words"), line.locator(".said")
        assert said.evaluate(is_cut)
        expect(said).to_have_text("perfectly relevant")
        expect(said).to_have_attribute("title", "perfectly relevant")
        expect(said).to_be_in_viewport()
        is_long = docno.inner_text() == long
        assert docno.evaluate(is_cut) == is_long
        assert (
            not is_long or docno.evaluate("each => each.clientWidth / parseFloat(getComputedStyle(each).fontSize)") > 6
        )
    page.reload()
    expect(page.locator("[data-work-list] .said").first).to_have_attribute("title", "perfectly relevant")


def test_nuggets_are_written_then_found_in_answers(load: Any, opened: Open) -> None:
    campaign, organiser, assessor = load(RAG_NUGGETS)
    work = work_on(campaign, organiser, assessor, stage="nuggets", topic="7_2")
    page = opened(work)
    expect(page.locator("body")).to_contain_text("who cannot swim well")
    for number, text in enumerate(("cold water", "stay near the shore"), 1):
        page.keyboard.press("n")
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} written")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("is vital")
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/work/$"))
    assert NuggetList.objects.get(topic__number="7_2").is_frozen

    marking = work_on(campaign, organiser, assessor, stage="matches", topic="7_2")
    page = opened(marking)
    expect(page.locator("[data-words-key]")).to_be_visible()
    for _ in range(3):
        text = page.locator("[data-string][aria-current] [data-words]:visible").inner_text()
        if "near the shore" in text:
            page.keyboard.press("2")
        page.keyboard.press("Enter")
    expect(page.locator("[data-progress-words]")).to_have_text("3 of 3 responses looked at")
    saved(page)
    found = NuggetMatch.objects.filter(value="full").select_related("item", "nugget")
    assert {(row.nugget.number, "shore" in row.item.text) for row in found} == {(2, True)}
    assert found.count() == 2
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))


def test_support_is_judged_by_keyboard(load: Any, opened: Open) -> None:
    campaign, organiser, assessor = load(RAG_NUGGETS)
    work = work_on(campaign, organiser, assessor, stage="support", topic="3")
    page = opened(work)
    for place, grade in enumerate((2, 1, 0, 2, 2), 1):
        expect(page.locator(".bench-thing .thing-label")).to_have_text(re.compile(r"CITATION \d of 5"))
        came(page)
        page.keyboard.press(str(grade))
        expect(page.locator("[data-progress-words]")).to_have_text(f"{place} of 5 judged")
    saved(page)
    assert sorted(Judgment.objects.filter(assignment=work).values_list("value", flat=True)) == [0, 1, 2, 2, 2]
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
