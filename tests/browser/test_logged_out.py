"""Logged out, somebody else logged in, or the work given away while a bench is open: told truly, nothing lost."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import items_in_order, own_order
from assess.models import Assignment, Judgment, Topic
from tests import factories
from tests.browser.conftest import PATIENCE_MS, SignIn
from tests.browser.every_bench import DOCNO, Makers
from tests.browser.keyboard import came, finish, picture
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser

STATUS, NOTICE = "[data-save-status]", "[data-login-again]"
PASSWORD = "a bicycle of Velora"
MANY, PLACE = 240, 150
"""The lines of a list of which the page holds only a part, and the one in hand, with none of the others judged."""


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    assessor.set_password(PASSWORD)
    assessor.save()
    factories.pooled(rigid, ["blue bicycle", "green bicycle", "red bicycle", "silver bicycle"])
    return factories.assignment(rigid, "instances", assessor, state="open")


def opened(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    page.wait_for_load_state("networkidle")
    return page


def log_out(page: Page) -> None:
    page.context.clear_cookies(name="sessionid")


def log_in(page: Page, password: str = PASSWORD) -> None:
    page.keyboard.press("!")
    page.keyboard.type(password)
    page.keyboard.press("Enter")


def stored() -> list[int | None]:
    return list(Judgment.objects.order_by("id").values_list("value", flat=True))


def test_who_is_logged_out_is_told_while_reading_and_goes_on_on_the_spot(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = opened(sign_in(work.assessor), site, work)
    log_out(page)
    page.keyboard.press("j")  # it was fetched ahead, those after it can't be
    notice = page.locator(NOTICE)
    expect(notice).to_contain_text("You are logged out. Nothing is lost")
    expect(notice.locator("[name=username]")).to_have_value(work.assessor.username)
    picture(page, "logged-out")
    assert violations_by_day_and_night(page) == []
    page.keyboard.press("g")
    expect(page.locator("#side-body")).to_have_text("You are logged out. Log in above, and open this again.")
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    expect(page.locator(STATUS)).to_contain_text("You are logged out: log in above, and it is sent.")
    assert stored() == []

    second = page.locator("[data-work-list] a").nth(1)
    second.focus()
    log_in(page, "not this one")
    expect(notice.locator("[data-login-refused]")).to_be_visible()
    picture(page, "logged-out-refused")
    page.keyboard.type(PASSWORD)  # over what was wrong
    page.keyboard.press("Enter")
    expect(page.locator(STATUS)).to_have_text("saved ✓")
    expect(notice).to_have_count(0)
    expect(second).to_be_focused()
    came(page)
    assert stored() == [1]
    page.keyboard.press("g")
    expect(page.locator("#side-body .prose")).to_be_visible()
    page.keyboard.press("Escape")
    for _ in range(3):
        came(page)
        page.keyboard.press("1")
    finish(page)  # by a form of the page from before
    work.refresh_from_db()
    assert (work.state, len(stored())) == ("done", 4)


def test_where_somebody_else_is_logged_in_nothing_is_said_to_be_gone(
    sign_in: SignIn, site: LiveServer, work: Assignment, second_assessor: User
) -> None:
    page = opened(sign_in(work.assessor), site, work)
    sign_in(second_assessor)  # in another tab of the same browser
    for _ in range(3):
        page.keyboard.press("j")
    expect(page.locator(NOTICE)).to_contain_text("Somebody else is logged in here now")
    expect(page.locator(".bench-thing")).not_to_contain_text("not here any more")
    log_in(page, "not this one")
    expect(page.locator("[data-login-refused]")).to_be_visible()
    home = page.request.get(f"{site.url}/").text()
    assert f'data-person="{second_assessor.pk}"' in home  # who is logged in stays so until a password is accepted
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(NOTICE)).to_have_count(0)
    came(page)
    expect(page.locator("[data-answer]")).to_be_visible()


def test_work_that_was_given_away_is_said_to_be(
    sign_in: SignIn, site: LiveServer, work: Assignment, second_assessor: User
) -> None:
    page = opened(sign_in(work.assessor), site, work)
    page.wait_for_load_state("networkidle")  # the next items are there
    Assignment.objects.filter(pk=work.pk).update(state="returned", lease_until=None)
    theirs = factories.assignment(work.topic, "instances", second_assessor)
    Assignment.objects.filter(pk=theirs.pk).update(taken_over=work)
    said = "This work was given to somebody else. What you judged before that is kept."
    page.context.set_offline(True)
    page.keyboard.press("4")
    page.keyboard.press("1")
    page.context.set_offline(False)
    expect(page.locator("[data-did]")).to_have_text(re.compile(f"^Not saved \\(2 in all\\): 2 “.*”. {said}$"))
    for words in page.locator("[data-work-list] .words").all_inner_texts()[3:]:  # of which some had come before
        page.keyboard.press("j")
        expect(page.locator("[data-work-list] [aria-current]")).to_contain_text(words)
        came(page)
        expect(page.locator(".bench-thing")).to_have_text(said)
        expect(page.locator(".bench-thing > [role=alert]")).to_be_focused()  # not the head of the page
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text("Nothing to undo.")
    picture(page, "given-away")
    expect(page.locator(NOTICE)).to_have_count(0)
    assert stored() == []


def test_thirty_items_in_the_middle_of_a_long_list_are_judged_without_a_network_and_logged_out(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User
) -> None:
    assessor.set_password(PASSWORD)
    assessor.save()
    factories.document(rigid.campaign, DOCNO, "I like the bicycle of Velora.")
    factories.pooled(rigid, [f"bicycle {number}" for number in range(MANY)])
    work = factories.assignment(rigid, "instances", assessor)
    item = items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])[PLACE - 1]
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/?item={handle_of(work, item.pk)}")
    came(page)
    expect(page.locator(".bench-wings iframe")).to_have_count(30, timeout=2 * PATIENCE_MS)  # they come one by one
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    said = page.locator("[data-did]")
    expect(said).to_have_text("No network. Go on: what you judge is sent later, and the next 30 are here.")
    for place in range(PLACE, PLACE + 31):
        came(page)
        expect(page.locator("[data-position]")).to_have_text(f" {place} of {MANY}")
        expect(page.frame_locator("[data-frame]").locator("mark").first).to_have_text("bicycle")
        page.keyboard.press("1")
    expect(page.locator(STATUS)).to_contain_text("31 waiting")
    expect(page.locator("[data-progress-words]")).to_have_text(f"31 of {MANY} judged")
    picture(page, "thirty-offline")
    assert stored() == []
    log_out(page)
    page.context.set_offline(False)
    expect(page.locator(NOTICE)).to_contain_text("You are logged out. Nothing is lost")
    expect(page.locator(STATUS)).not_to_contain_text("saved ✓")
    log_in(page)
    expect(page.locator(STATUS)).to_have_text("saved ✓")
    assert stored() == [-1] * 31


def test_the_key_to_log_in_waits_for_nothing_and_no_password_is_shown(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("nuggets")
    bench.person.set_password(PASSWORD)
    bench.person.save()
    page = bench.open(sign_in(bench.person), site)
    page.context.set_offline(True)
    page.keyboard.press("n")
    page.keyboard.type("late hours\n")
    page.keyboard.press("x")  # of the nugget that is not saved yet
    expect(page.locator("[data-did]")).to_have_text("Saving first. Then comes: x")
    log_out(page)
    page.context.set_offline(False)
    expect(page.locator(NOTICE)).to_be_visible()
    page.keyboard.press("!")
    expect(page.locator(f"{NOTICE} [name=password]")).to_be_focused()
    page.keyboard.type(f"{PASSWORD}\n")
    expect(page.locator(NOTICE)).to_have_count(0)
    expect(page.locator(STATUS)).to_have_text("saved ✓")
    expect(page.locator("[data-did]")).to_contain_text("Nugget 4 retired")
    assert [row[0] for row in bench.rows()] == ["add", "retire"]
