"""What changes while a bench is open: the next key says so in an assessor's words, and nothing judged is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.assignments import open_assignment
from assess.models import Assignment, Campaign, Document, Item, Judgment, Pool, PoolItem
from assess.organising.design_versions import change_design
from assess.organising.stop_work import resume_judging, stop_judging
from assess.topics.domain.amending import amend_topic
from assess.topics.domain.changing import drop_topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, saved
from tests.browser.on_the_way import on_the_way, pass_on
from tests.browser.waiting import wait_until
from tests.tracks.designs.campaigns import survey

pytestmark = pytest.mark.browser

DESIGN = """design = 1
key = "three"
title = "Three"

[[stages]]
key = "documents"
work = "grade"

[[stages.questions]]
key = "relevant"
ask = "Is it relevant?"
grades = [{ value = 2, press = "2", name = "yes" }, { value = 1, press = "1", name = "partly" }]
"""
FULLY = DESIGN.replace("grades = [", 'grades = [{ value = 3, press = "3", name = "fully" }, ')
"""A design with a further grade, which is taken away again."""


@pytest.fixture
def work(organiser: User, settings: Any, tmp_path: Path) -> Assignment:
    """Work of ada, an assessor, in a campaign of the design."""
    settings.DATA_DIR = tmp_path / "data"
    campaign = survey(organiser, tmp_path, DESIGN)
    ada = factories.member(campaign, "ada", "assessor")
    return factories.assignment(campaign.topics.get(number="1"), "documents", ada, state="open")


def did(page: Page, words: str) -> None:
    expect(page.locator("[data-did]")).to_contain_text(words)


def press_and_wait(page: Page, key: str) -> None:
    """Press a key after which the page comes anew by itself."""
    with page.expect_navigation():
        page.keyboard.press(key)
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)


def test_a_bench_asks_anew_that_sends_by_itself_while_it_is_read_what_is_asked(
    sign_in: SignIn, site: LiveServer, organiser: User, work: Assignment
) -> None:
    """What waited is sent again every few seconds, so it may be saved before the page is told that all is read."""
    campaign, page = work.campaign, sign_in(work.assessor)
    clicks, news = on_the_way(page, "**/judge/"), on_the_way(page, "**/work/notices/")
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    change_design(actor=organiser, campaign=campaign, text=FULLY)
    page.keyboard.press("1")
    expect(page.locator("#notices")).to_contain_text("What is asked was changed.")
    held: dict[str, Route] = {}

    def hold_what_was_read(route: Route) -> None:
        if route.request.method == "GET":
            held["news"] = route
        else:
            route.continue_()

    clicks.meets = lambda route: held.setdefault("click", route)
    wait_until(page, lambda: "click" in held, "it is not sent again")
    news.meets = hold_what_was_read
    with page.expect_navigation():
        page.keyboard.press("z")
        wait_until(page, lambda: "news" in held, "it is not asked what is new")
        held["click"].continue_()
        saved(page)
        news.meets = pass_on
        held["news"].continue_()
    expect(page.get_by_role("button", name="fully")).to_be_visible()


def test_the_next_key_says_what_changed(sign_in: SignIn, site: LiveServer, organiser: User, work: Assignment) -> None:
    campaign, topic, ada = work.campaign, work.topic, work.assessor
    open_assignment(actor=ada, assignment=work)
    page = sign_in(ada)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)

    def stored() -> list[int | None]:
        return list(Judgment.objects.order_by("id").values_list("value", flat=True))

    page.keyboard.press("2")
    saved(page)
    Campaign.objects.update(state="frozen")
    came(page)
    page.keyboard.press("2")
    did(page, "The campaign is frozen, so nothing can be judged now.")
    page.reload()
    came(page)
    page.keyboard.press("2")  # takes nothing, and says why
    did(page, "The campaign is frozen, so nothing can be judged now.")
    Campaign.objects.update(state="judging")
    press_and_wait(page, "2")  # takes nothing either, but the bench is open again
    assert stored() == [2]

    change_design(actor=organiser, campaign=campaign, text=FULLY)
    page.keyboard.press("1")
    notices = page.locator("#notices")
    expect(notices).to_contain_text("What is asked was changed.")
    press_and_wait(page, "z")  # it is saved, and the bench asks anew
    assert stored() == [2, 1]
    expect(page.get_by_role("button", name="fully")).to_be_visible()
    change_design(actor=organiser, campaign=campaign, text=DESIGN)
    page.keyboard.press("3")
    expect(notices).to_contain_text("What is asked was changed.")
    page.keyboard.press("z")
    expect(page.locator("[data-save-status]")).not_to_contain_text("saved yet")
    page.reload()
    came(page)
    assert stored() == [2, 1]

    known = Item.objects.filter(topic=topic).values("docno")
    new = Document.objects.filter(campaign=campaign).exclude(docno__in=known).order_by("pk")[0]
    item = Item.objects.create(topic=topic, kind="document", key=new.docno, docno=new.docno, document=new)
    PoolItem.objects.create(pool=Pool.objects.latest("pk"), item=item)
    page.evaluate("() => { dispatchEvent(new Event('focus')); }")
    did(page, "1 item came in: it is in the list now.")
    expect(page.locator("[data-progress-words]")).to_have_text("2 of 7 judged")

    stop_judging(actor=organiser, campaign=campaign, reason="No money is left")
    page.keyboard.press("1")
    did(page, "An organiser stopped the judging of this work. The reason: “No money is left”. What was judged is kept")
    resume_judging(actor=organiser, campaign=campaign)
    came(page)
    page.keyboard.press("1")
    saved(page)
    drop_topic(actor=organiser, campaign=campaign, number="1", reason="Nobody can say what is asked.")
    came(page)
    page.keyboard.press("1")
    did(page, "Topic 1 was dropped, so nothing can be judged in it. What was judged in it is kept.")
    assert stored() == [2, 1, 1]


def test_amended_words_of_a_topic_come_to_the_open_bench(
    sign_in: SignIn, site: LiveServer, organiser: User, work: Assignment
) -> None:
    campaign, page = work.campaign, sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    page.keyboard.press("1")
    saved(page)
    amend_topic(actor=organiser, campaign=campaign, number="1", wording={"text": "Blue bees at sea"}, reason="clearer")
    page.keyboard.press("2")
    expect(page.locator("#notices")).to_contain_text("clearer")
    page.keyboard.press("z")
    expect(page.locator(".bench-head h1")).to_contain_text("Blue bees at sea")
    expect(page.locator("#topic-amended")).to_contain_text("Changed since you began")
    wait_until(page, lambda: Judgment.objects.filter(value=2).exists(), "what waited is stored")
