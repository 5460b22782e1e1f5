"""Numbers of nuggets and classes that are typed digit by digit: they belong to what was in hand at the first digit."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.campaigns.queries import stage_of
from assess.models import Assignment, Topic
from nuggets.classes.current import grouping_of
from nuggets.models import ClassEdit, NuggetMatch
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.browser.by_ear import Ear
from tests.browser.conftest import SignIn
from tests.browser.keyboard import picture, saved
from tests.browser.look import violations
from tests.browser.on_the_way import on_the_way, pass_on
from tests.browser.waiting import wait_until
from tests.nuggets.conftest import judge

pytestmark = pytest.mark.browser

STRINGS = ["first string", "second string", "third string"]


def matching_work(topic: Topic, assessor: User, organiser: User, *, nuggets: int) -> Assignment:
    """Work on matches in one response of three strings, with a frozen list of so many nuggets."""
    items = factories.pooled(topic, STRINGS)
    factories.response(factories.run(topic.campaign, "Harbor1", organiser), topic, items)
    writing = factories.assignment(topic, "nuggets", assessor)
    made = start_list(actor=assessor, assignment=writing)
    for number in range(1, nuggets + 1):
        add_nugget(actor=assessor, nugget_list=made, text=f"fact {number}", importance="vital", client_key=uuid4())
    freeze_list(actor=assessor, nugget_list=made, client_key=uuid4())
    Assignment.objects.filter(pk=writing.pk).update(state="done")
    return factories.assignment(topic, "matches", assessor)


@pytest.fixture
def ten(site: LiveServer, squishy: Topic, assessor: User, organiser: User) -> Assignment:
    return matching_work(squishy, assessor, organiser, nuggets=10)


@pytest.fixture
def grouping(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    """Twelve correct answers, each of which may get a class of its own."""
    factories.document(rigid.campaign, "BLOG06-20060101-000-0000000001", "I like the blue bicycle.")
    grading = factories.assignment(rigid, "instances", assessor)
    for number in range(12):
        judge(factories.item(rigid, f"{chr(97 + number)}nswer"), grading, 1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    return factories.assignment(rigid, "classes", assessor)


def bench(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-key='j'], [data-key='j ArrowDown']").first).to_be_visible()
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def in_hand(page: Page) -> str:
    return page.locator("[data-string][aria-current] [data-words]:visible").inner_text()


def marked() -> list[tuple[str, int]]:
    rows = NuggetMatch.objects.filter(value="full").order_by("id").select_related("item", "nugget")
    return [(row.item.text, row.nugget.number) for row in rows]


def shown_as(page: Page, words: str) -> None:
    expect(page.locator("[data-save-status]")).to_have_text(f"{words} is not saved yet")
    expect(page.locator("[data-did][role=status]")).to_contain_text(words[1:])


def test_space_after_a_number_only_takes_it(sign_in: SignIn, site: LiveServer, ten: Assignment) -> None:
    page = bench(sign_in(ten.assessor), site, ten)
    press(page, "1", "Space")  # 10 begins with it, so it waited
    press(page, "3", "Space")  # no other begins with it, so it was taken already
    saved(page)
    assert marked() == [(STRINGS[0], 1), (STRINGS[0], 3)]
    press(page, "Space")
    saved(page)
    assert NuggetMatch.objects.latest("id").nugget.number == 3
    assert NuggetMatch.objects.count() == 3


@pytest.mark.in_firefox_too(in_test_all=True)
def test_a_number_belongs_to_the_string_where_it_was_begun(sign_in: SignIn, site: LiveServer, ten: Assignment) -> None:
    page = bench(sign_in(ten.assessor), site, ten)
    first = in_hand(page)
    press(page, "1", "Enter")
    second = in_hand(page)
    assert second != first
    saved(page)
    assert marked() == [(first, 1)]
    press(page, "1")
    page.locator("[data-string] [data-words]:visible", has_text=first).click()
    assert in_hand(page) == first
    saved(page)
    assert marked() == [(first, 1), (second, 1)]


def test_a_number_that_nothing_continues_is_taken_at_once(sign_in: SignIn, site: LiveServer, ten: Assignment) -> None:
    ear = Ear(sign_in(ten.assessor))
    page = ear.page
    ear.open(f"{site.url}/c/opinions/work/{ten.pk}/")
    string = in_hand(page)
    press(page, "2")
    saved(page)
    press(page, "1", "0")
    saved(page)
    press(page, "1")
    assert ear.press("3") == (  # there is no 13: it is 1, and then 3, and of each one hears what became of it
        "Nugget 1 “fact 1” is in [a]. Nugget 3 “fact 3” is in [a]"
    )
    saved(page)
    assert marked() == [(string, number) for number in (2, 10, 1, 3)]
    press(page, "0")
    expect(page.locator("[data-did]")).to_have_text("There is no nugget 0.")


def test_three_of_forty_two(sign_in: SignIn, site: LiveServer, squishy: Topic, assessor: User, organiser: User) -> None:
    work = matching_work(squishy, assessor, organiser, nuggets=42)
    page = bench(sign_in(assessor), site, work)
    first = in_hand(page)
    press(page, "3", "Enter")
    second = in_hand(page)
    press(page, "4", "1")
    saved(page)
    assert marked() == [(first, 3), (second, 41)]


@pytest.mark.usefixtures("own_context")
def test_no_clock_takes_what_is_being_typed(sign_in: SignIn, site: LiveServer, ten: Assignment) -> None:
    page = sign_in(ten.assessor)
    page.clock.install()
    bench(page, site, ten)
    press(page, "1")
    shown_as(page, "nugget 1_")
    page.clock.run_for(3_600_000)
    shown_as(page, "nugget 1_")
    picture(page, "typed-number")
    assert not marked()
    assert violations(page) == []
    press(page, "Escape")
    expect(page.locator("[data-did]")).to_have_text("Nugget 1_ dropped: nothing was marked.")
    expect(page.locator("[data-save-status]")).to_have_text("")
    press(page, "Enter")
    saved(page)
    assert not marked()


@pytest.mark.parametrize("leaving", ["reload", "blur", "undo", "finish"])
def test_what_was_typed_is_kept_however_it_ends(
    sign_in: SignIn, site: LiveServer, ten: Assignment, leaving: str
) -> None:
    page = bench(sign_in(ten.assessor), site, ten)
    page.on("dialog", lambda dialog: dialog.accept())
    press(page, "Enter", "Enter", "Enter")
    string = in_hand(page)
    saved(page)
    press(page, "1")
    shown_as(page, "nugget 1_")
    if leaving == "reload":
        page.reload()
        wait_until(page, marked, "neither the page that was left nor this one sends it")
    elif leaving == "blur":
        page.evaluate("window.dispatchEvent(new Event('blur'))")
    elif leaving == "undo":
        press(page, "u")
        expect(page.locator("[data-did]")).to_have_text(
            "Nugget 1 “fact 1” is in [c]. Undone: nugget 1 is not marked any more in [c]"
        )
    else:
        press(page, "f")
        page.wait_for_url(re.compile(r"/work/$"))
        ten.refresh_from_db()
        assert ten.state == "done"
    if leaving in ("blur", "undo"):
        saved(page)
    assert marked() == [(string, 1)]


def test_a_page_that_was_made_before_the_last_number_was_saved_shows_it_all_the_same(
    sign_in: SignIn, site: LiveServer, ten: Assignment
) -> None:
    page = sign_in(ten.assessor)
    page.on("dialog", lambda dialog: dialog.accept())
    sent = on_the_way(page, re.compile(r"/work/\d+/(matches/)?$"))
    bench(page, site, ten)
    held: dict[str, Route] = {}

    def hold_first(route: Route) -> None:
        if held.setdefault(route.request.method, route) is not route:
            route.continue_()

    sent.meets = hold_first
    press(page, "1")
    shown_as(page, "nugget 1_")
    page.evaluate("() => { setTimeout(() => location.reload()); }")
    wait_until(page, lambda: len(held) == 2, "the page is not left, or sends nothing")
    made_before = held["GET"].fetch()
    held["POST"].fulfill(response=held["POST"].fetch())
    sent.meets = pass_on
    with page.expect_navigation():
        held["GET"].fulfill(response=made_before)
    expect(page.locator("[data-nugget] [data-said=full]")).to_have_count(1)
    saved(page)
    press(page, "1", " ")
    expect(page.locator("[data-did]")).to_contain_text("is not marked any more")
    saved(page)
    newest = NuggetMatch.objects.order_by("id").last()
    assert newest is not None
    assert (newest.value, NuggetMatch.objects.count()) == (None, 2)


@pytest.mark.in_firefox_too
def test_an_answer_goes_into_the_class_that_was_typed_on_it(
    sign_in: SignIn, site: LiveServer, grouping: Assignment
) -> None:
    page = bench(sign_in(grouping.assessor), site, grouping)
    press(page, "A")
    expect(page.locator("[data-progress-words]")).to_have_text("12 of 12 grouped · 12 classes")
    page.locator("[data-number='4']").locator("[name=item]").focus()
    before = ClassEdit.objects.count()
    press(page, "1")
    shown_as(page, "class 1_")
    press(page, "j")
    expect(page.locator("[data-did]")).to_contain_text("1 answer put into 1 “")
    saved(page)
    assert ClassEdit.objects.count() == before + 1
    _, stage = stage_of(grouping.campaign, grouping.stage)
    views = {
        view.number: sorted(member.item.text for member in view.members)
        for view in grouping_of(grouping, stage).classes
    }
    assert views[1] == ["answer", "dnswer"]


def test_a_number_of_no_class_is_said(sign_in: SignIn, site: LiveServer, grouping: Assignment) -> None:
    page = bench(sign_in(grouping.assessor), site, grouping)
    press(page, "7")
    expect(page.locator("[data-did]")).to_have_text("There is no class 7.")
    assert not ClassEdit.objects.exists()
