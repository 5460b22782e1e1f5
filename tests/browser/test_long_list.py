"""The list of a bench with a thousand items: windows of it come as it is scrolled, and keys go through all of it."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import items_in_order, own_order
from assess.models import Assignment, Item, Pool, PoolItem, Topic
from tests import factories
from tests.assess import judged_campaign as judging
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, saved
from tests.browser.on_the_way import on_the_way, pass_on
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser
MANY = 1000
JUDGED = 60
FAR = 700  # in no window that the bench begins with


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    """A thousand instances, of which the first sixty are judged."""
    factories.pooled(rigid, [f"colour {number}" for number in range(MANY)])
    work = factories.assignment(rigid, "instances", assessor)
    for item in in_order(work)[:JUDGED]:
        judging.judge(work, item.text, 1)
    return work


def in_order(work: Assignment) -> list[Item]:
    return items_in_order(own_order(work, stage_of(work.campaign, work.stage)[1])[0])


def open_bench(sign_in: SignIn, site: LiveServer, work: Assignment, asked: str = "") -> Page:
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/{asked}")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    return page


def at(page: Page, place: int) -> Locator:
    return page.locator(f'[data-item]:has(.place:text-is("{place}"))')


def answer(page: Page) -> Locator:
    return page.locator("[data-answer]")


def test_windows_come_as_the_list_is_scrolled(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    items = in_order(work)
    asked: list[str] = []
    page = sign_in(work.assessor)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(answer(page)).to_have_text(items[JUDGED].text)
    expect(page.locator("[data-progress-words]")).to_have_text(f"{JUDGED} of {MANY} judged")
    expect(at(page, JUDGED + 1).locator("a")).to_have_attribute("aria-current", "true")
    assert page.locator("[data-item]").count() <= 120
    for share, place in ((1.0, MANY), (0.5, MANY // 2), (0.0, 1)):
        page.locator(".bench-list").evaluate("(list, share) => { list.scrollTop = list.scrollHeight * share; }", share)
        expect(at(page, place)).to_be_visible()
        assert at(page, place).get_attribute("aria-posinset") == str(place)
        assert at(page, place).get_attribute("aria-setsize") == str(MANY)
        expect(at(page, place).locator(".words")).to_have_text(items[place - 1].text)
        assert page.locator("[data-item]").count() <= 120
    lists = [url for url in asked if "/lines/" in url]
    assert lists
    assert all(re.search(r"[?&](from|near|after|like)=", url) for url in lists), lists
    at(page, 2).locator("a").click()
    expect(answer(page)).to_have_text(items[1].text)


def stand_on(line: Locator) -> None:
    """Focus a line: a window that comes in the same moment brings another element for it."""
    for _ in range(20):
        line.focus()
        if line.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError("The line does not keep the focus.")


def test_keys_go_through_the_whole_list(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    items = in_order(work)
    page = open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    page.keyboard.press("k")  # nothing stands before the first
    came(page)
    expect(answer(page)).to_have_text(items[0].text)
    page.keyboard.press("i")  # sixty places on
    expect(answer(page)).to_have_text(items[JUDGED].text)
    came(page)
    expect(at(page, JUDGED + 1).locator("a")).to_have_attribute("aria-current", "true")
    page.keyboard.press("4")
    expect(answer(page)).to_have_text(items[JUDGED + 1].text)
    expect(page.locator("[data-did]")).to_have_text(f"{JUDGED + 1} “{items[JUDGED].text}”: correct")
    came(page)
    stand_on(at(page, JUDGED + 1).locator("a"))
    page.keyboard.press("End")
    expect(at(page, MANY)).to_be_in_viewport()
    expect(at(page, MANY).locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(answer(page)).to_have_text(items[-1].text)
    came(page)
    page.keyboard.press("j")
    came(page)
    expect(answer(page)).to_have_text(items[-1].text)
    page.keyboard.press("k")
    expect(answer(page)).to_have_text(items[-2].text)
    came(page)
    page.keyboard.press("j")
    expect(answer(page)).to_have_text(items[-1].text)
    came(page)
    page.keyboard.press("4")  # the next that is open, going round
    expect(answer(page)).to_have_text(items[JUDGED + 1].text)
    came(page)
    page.keyboard.press("u")
    expect(answer(page)).to_have_text(items[-1].text)
    came(page)
    saved(page)
    expect(page.locator("[data-progress-words]")).to_have_text(f"{JUDGED + 1} of {MANY} judged")
    stand_on(at(page, MANY).locator("a"))
    page.keyboard.press("Home")
    expect(at(page, 1)).to_be_in_viewport()  # else the window around what is in sight would come in its place
    expect(at(page, 1).locator("a")).to_be_focused()
    page.reload()
    expect(answer(page)).to_have_text(items[-1].text)
    expect(page.locator("[data-progress-words]")).to_have_text(f"{JUDGED + 1} of {MANY} judged")
    assert set(work.judgments.filter(item=items[JUDGED]).values_list("value", flat=True)) == {1}


def test_keys_that_come_before_the_line_that_another_leads_to_count_one_by_one(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = sign_in(work.assessor)
    lines = on_the_way(page, re.compile(r"/lines/\?.*after="))
    held: list[Route] = []
    lines.meets = held.append
    open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    for key in "iij":
        page.keyboard.press(key)
    lines.meets = pass_on
    for route in held:
        route.continue_()
    expect(answer(page)).to_have_text(items[JUDGED + 2].text)


def test_a_key_for_the_next_open_line_leads_to_the_last_one_however_often_it_is_pressed(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User
) -> None:
    factories.pooled(rigid, [f"colour {number}" for number in range(210)])
    work = factories.assignment(rigid, "instances", assessor)
    items = in_order(work)
    for item in items[:-1]:
        judging.judge(work, item.text, 1)
    page = sign_in(assessor)
    lines = on_the_way(page, re.compile(r"/lines/\?.*after="))
    held: list[Route] = []
    lines.meets = held.append
    open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    page.keyboard.press("i")
    page.keyboard.press("i")
    lines.meets = pass_on
    for route in held:
        route.continue_()
    expect(answer(page)).to_have_text(items[-1].text)


def focused(page: Page) -> Locator:
    return page.locator("[data-item] > a:focus")


def test_the_focus_goes_with_the_line_in_hand_into_other_windows(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    stand_on(at(page, 1).locator("a"))
    page.keyboard.press("End")
    expect(at(page, MANY).locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(answer(page)).to_have_text(items[-1].text)
    came(page)
    page.keyboard.press("i")
    expect(answer(page)).to_have_text(items[JUDGED].text)
    came(page)
    expect(at(page, JUDGED + 1).locator("a")).to_be_focused()
    expect(focused(page)).to_be_in_viewport()
    page.keyboard.press("End")
    expect(at(page, MANY).locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(answer(page)).to_have_text(items[-1].text)
    came(page)
    for key, place in (("k", MANY - 1), ("1", MANY), ("i", JUDGED + 1), ("u", MANY - 1)):
        page.keyboard.press(key)
        expect(answer(page)).to_have_text(items[place - 1].text)
        came(page)
        expect(at(page, place)).to_be_in_viewport()
    expect(at(page, MANY - 1).locator("a")).to_be_focused()
    expect(focused(page)).to_be_in_viewport()


STILL = """(list) => new Promise((resolve) => {
  let timer = setTimeout(resolve, 400);
  list.addEventListener("scroll", () => { clearTimeout(timer); timer = setTimeout(resolve, 400); });
})"""
"""Resolves when the list has not been scrolled for a while."""


def test_the_focus_stays_in_sight_when_the_list_is_scrolled(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    stand_on(at(page, 2).locator("a"))
    # One key, then keys that come while the list is still scrolled, at any moment of it.
    for keys, pause in ((["PageDown"], 0), (["PageDown"] * 3, 120), (["PageDown"] * 2, 180), (["PageUp"] * 2, 150)):
        before = page.locator(".bench-list").evaluate("list => list.scrollTop")
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
        page.wait_for_function("before => document.querySelector('.bench-list').scrollTop !== before", arg=before)
        page.locator(".bench-list").evaluate(STILL)
        expect(focused(page)).to_be_in_viewport()
    place = int(focused(page).locator(".place").inner_text())
    assert place > 20  # a page on at least: Chromium drops a key that comes in the very moment in which a scroll ends
    page.keyboard.press("Enter")
    expect(answer(page)).to_have_text(items[place - 1].text)


def test_enter_opens_nothing_that_is_out_of_sight(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    items = in_order(work)
    page = sign_in(work.assessor)
    lines = on_the_way(page, "**/lines/*")
    open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    stand_on(at(page, 2).locator("a"))
    held: list[Route] = []
    lines.meets = held.append
    page.locator(".bench-list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    expect(answer(page)).to_have_text(items[0].text)
    lines.meets = pass_on
    for route in held:
        route.continue_()
    expect(focused(page)).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(answer(page)).not_to_have_text(items[0].text)


def the_one_around_a_line(page: Page, held: list[Route]) -> Route:
    """The page asks for a window beside what it shows already, so its request may come a little later."""
    wait_until(
        page, lambda: any("near=" in route.request.url for route in held), "no window around a line is asked for"
    )
    (found,) = (route for route in held if "near=" in route.request.url)
    return found


def test_a_window_that_comes_late_takes_no_line_out_of_sight(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = sign_in(work.assessor)
    lines = on_the_way(page, re.compile(r"/lines/\?.*near="))
    open_bench(sign_in, site, work, f"?item={handle_of(work, items[-1].pk)}")
    expect(at(page, MANY - 40)).to_have_count(1)
    held: list[Route] = []
    lines.meets = held.append
    page.keyboard.press("4")  # the list is fetched around the next that is open
    expect(answer(page)).to_have_text(items[JUDGED].text)
    came(page)
    page.keyboard.press("u")
    expect(answer(page)).to_have_text(items[-1].text)
    came(page)
    around = the_one_around_a_line(page, held)
    with page.expect_response(re.compile("near=")) as came_late:
        around.continue_()
    came_late.value.finished()
    page.wait_for_timeout(200)
    expect(at(page, MANY).locator("a")).to_have_attribute("aria-current", "true")
    expect(at(page, MANY)).to_be_in_viewport()


def test_filters_look_at_the_whole_list_and_stay_when_one_comes_back(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    judging.judge(work, items[FAR].text, 2, note="look")
    page = open_bench(sign_in, site, work)
    page.get_by_role("link", name="flagged", exact=True).click()
    expect(page.locator("[data-item]")).to_have_count(1)
    expect(at(page, FAR + 1)).to_have_attribute("aria-setsize", "1")
    page.keyboard.press("j")
    expect(answer(page)).to_have_text(items[FAR].text)
    came(page)
    page.get_by_role("link", name="unjudged", exact=True).click()
    expect(at(page, JUDGED + 1)).to_have_attribute("aria-posinset", "1")
    expect(at(page, JUDGED + 1)).to_have_attribute("aria-setsize", str(MANY - JUDGED - 1))
    page.keyboard.press("j")
    expect(answer(page)).to_have_text(items[FAR + 1].text)
    came(page)
    page.get_by_role("link", name="all work").click()
    page.wait_for_url(re.compile(r"/work/$"))
    page.go_back()
    expect(answer(page)).to_have_text(items[FAR + 1].text)
    expect(page.get_by_role("link", name="unjudged", exact=True)).to_have_attribute("aria-current", "true")
    expect(at(page, FAR + 2)).to_be_visible()
    expect(at(page, FAR + 2)).to_have_attribute("aria-posinset", str(FAR + 2 - JUDGED - 1))


IN_SIGHT = """(each) => {
  const { left, top, width } = each.getBoundingClientRect();
  return each.contains(document.elementFromPoint(left + width / 2, top + 1));
}"""


@pytest.mark.parametrize("size", [(1280, 720), (640, 400)])
def test_the_filters_stay_above_the_list_and_hide_no_line_that_has_the_focus(
    sign_in: SignIn, site: LiveServer, work: Assignment, size: tuple[int, int]
) -> None:
    page = open_bench(sign_in, site, work)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    unjudged = page.get_by_role("link", name="unjudged", exact=True)
    unjudged.click()
    expect(at(page, JUDGED + 1)).to_have_attribute("aria-posinset", "1")
    page.locator(".bench-list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    expect(at(page, MANY)).to_be_in_viewport()
    expect(unjudged).to_be_in_viewport(ratio=1)
    expect(unjudged).to_have_attribute("aria-current", "true")
    stand_on(at(page, MANY).locator("a"))
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        assert focused(page).evaluate(IN_SIGHT)
    outline = "(is) => parseFloat(is.outlineOffset) + parseFloat(is.outlineWidth)"
    beyond = focused(page).evaluate(f"each => ({outline})(getComputedStyle(each))")
    assert beyond <= 0  # nothing of a line is painted outside it


def test_what_is_set_aside_comes_last_and_is_flagged(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    items = in_order(work)
    page = open_bench(sign_in, site, work)
    page.keyboard.press("l")
    expect(answer(page)).to_have_text(items[JUDGED + 1].text)
    came(page)
    page.get_by_role("link", name="flagged", exact=True).click()
    later = page.locator("[data-item][data-state=later]")
    expect(later).to_have_count(1)
    expect(at(page, JUDGED + 1)).to_be_visible()
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")

    before = json.dumps([str(handle_of(work, items[JUDGED + 4].pk))])  # as browsers kept it before the server did
    page.evaluate("([name, value]) => localStorage.setItem(name, value)", [f"assay.later.{work.pk}", before])
    page.reload()
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert page.evaluate("(name) => localStorage.getItem(name)", f"assay.later.{work.pk}") is None
    page.reload()
    expect(later).to_have_count(2)
    expect(at(page, JUDGED + 5)).to_be_visible()


def test_where_the_list_does_not_come_nothing_is_said_of_another_item(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    fails = [True]

    def answer_or_not(route: Route) -> None:
        route.abort() if fails else route.continue_()

    page = sign_in(work.assessor)
    page.route("**/lines/*", answer_or_not)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/?item={handle_of(work, items[0].pk)}")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    page.keyboard.press("i")
    expect(page.locator("[data-did]")).to_have_text("The list can't be loaded now. Try again.")
    with page.expect_event("requestfailed"):  # what the page asks for by itself says nothing over the answer to a key
        page.set_viewport_size({"width": 1280, "height": 640})
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(page.locator("[data-did]")).to_have_text("The list can't be loaded now. Try again.", timeout=100)
    expect(answer(page)).to_have_text(items[0].text)
    fails.clear()
    page.keyboard.press("i")
    expect(answer(page)).to_have_text(items[JUDGED].text)
    came(page)
    page.keyboard.press("4")
    saved(page)
    assert work.judgments.filter(item=items[0]).count() == 1
    assert work.judgments.filter(item=items[JUDGED]).count() == 1


def test_the_list_scrolls_at_200_percent(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    page.set_viewport_size({"width": 640, "height": 400})
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    came(page)
    page.locator(".bench-list").scroll_into_view_if_needed()
    page.locator(".bench-list").evaluate("list => { list.scrollTop = list.scrollHeight; }")
    expect(at(page, MANY)).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_in_one_column_a_list_that_comes_late_leaves_the_item_in_sight(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = sign_in(work.assessor)
    lines = on_the_way(page, re.compile(r"/lines/\?.*(near|from)="))
    open_bench(sign_in, site, work, f"?item={handle_of(work, items[-1].pk)}")
    held: list[Route] = []  # also the window at the beginning, which may be wanted in one column, and holds the line
    lines.meets = held.append
    page.set_viewport_size({"width": 683, "height": 384})
    page.keyboard.press("i")
    expect(answer(page)).to_have_text(items[JUDGED].text)
    came(page)
    head = page.locator(".bench-thing .thing-label")
    before = head.bounding_box()
    assert 0 <= before["y"] < 384 / 2  # type: ignore[index]
    the_one_around_a_line(page, held).continue_()
    expect(at(page, JUDGED + 1).locator("a")).to_have_attribute("aria-current", "true")
    assert head.bounding_box() == before


def test_a_long_pool_that_grows_goes_on_with_what_came_in(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User
) -> None:
    for place, item in enumerate(factories.pooled(rigid, [f"colour {number}" for number in range(210)]), start=1):
        PoolItem.objects.filter(item=item).update(place=place)
    pool = Pool.objects.get()
    Pool.objects.update(recipe={"strategy": "max-mean"})
    work = factories.assignment(rigid, "instances", assessor)
    for item in in_order(work)[:-1]:
        judging.judge(work, item.text, 1)
    page = open_bench(sign_in, site, work)
    expect(page.locator("[data-progress-words]")).to_have_text("209 of 210 judged")
    for place, item in enumerate(factories.items(rigid, ["ochre", "umber", "sienna"]), start=211):
        PoolItem.objects.create(pool=pool, item=item, place=place)
    page.keyboard.press("4")
    expect(answer(page)).to_have_text("ochre")
    expect(page.locator("[data-progress-words]")).to_have_text("210 of 213 judged")
    came(page)
    expect(at(page, 211)).to_have_attribute("aria-setsize", "213")
    page.keyboard.press("4")
    expect(answer(page)).to_have_text("umber")
    came(page)
    saved(page)
    expect(page.locator("[data-progress-words]")).to_have_text("211 of 213 judged")


def test_a_short_pool_that_grows_long_gets_all_lines_a_part_at_a_time(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User
) -> None:
    for place, item in enumerate(factories.pooled(rigid, [f"colour {number}" for number in range(190)]), start=1):
        PoolItem.objects.filter(item=item).update(place=place)
    pool = Pool.objects.get()
    Pool.objects.update(recipe={"strategy": "max-mean"})
    work = factories.assignment(rigid, "instances", assessor)
    for item in in_order(work)[:-1]:
        judging.judge(work, item.text, 1)
    page = open_bench(sign_in, site, work)
    expect(page.locator("[data-progress-words]")).to_have_text("189 of 190 judged")
    more = factories.items(rigid, [f"shade {number}" for number in range(240)])
    PoolItem.objects.bulk_create(PoolItem(pool=pool, item=item, place=191 + at) for at, item in enumerate(more))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/lines/" in request.url else None)
    page.keyboard.press("4")
    expect(answer(page)).to_have_text("shade 0")
    expect(page.locator("[data-progress-words]")).to_have_text("190 of 430 judged")
    assert [url.partition("past=")[2] for url in asked] == ["0", "200", "400"]
    assert page.locator("[data-work-list] > [data-item]").count() == 430


def test_what_another_window_judged_is_shown(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    items = in_order(work)
    page = open_bench(sign_in, site, work)
    judging.judge(work, items[JUDGED + 1].text, 2)
    judging.judge(work, items[FAR].text, 2)
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-progress-words]")).to_have_text(f"{JUDGED + 2} of {MANY} judged")
    page.keyboard.press("i")
    expect(answer(page)).to_have_text(items[JUDGED + 2].text)


def test_lines_on_their_way_while_another_window_judged_hide_none_before_them(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = sign_in(work.assessor)
    lines = on_the_way(page, "**/lines/*")
    further = re.compile(rf"[?&]after=(?!{handle_of(work, items[JUDGED].pk)}$|{handle_of(work, items[JUDGED].pk)}&)")
    held: list[Route] = []
    lines.meets = lambda route: held.append(route) if further.search(route.request.url) else route.continue_()
    open_bench(sign_in, site, work)
    wait_until(page, lambda: held, "the lines after those that are known are not asked for")
    (later,) = held
    judging.judge(work, items[JUDGED + 1].text, 2)
    lines.meets = held.append
    page.evaluate("() => window.dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-progress-words]")).to_have_text(f"{JUDGED + 1} of {MANY} judged")
    wait_until(page, lambda: len(held) > 1, "the window in sight is not asked for anew")  # and comes last of all
    lines.meets = lambda route: route.continue_() if "after=" in route.request.url else held.append(route)
    with page.expect_response(lambda answer: answer.url == later.request.url) as came_late:
        later.continue_()
    came_late.value.finished()
    page.keyboard.press("i")
    expect(answer(page)).to_have_text(items[JUDGED + 2].text)


def test_a_number_and_words_lead_to_a_line_and_steps_say_where_they_led(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    items = in_order(work)
    page = open_bench(sign_in, site, work, f"?item={handle_of(work, items[0].pk)}")
    did = page.locator("[data-did]")
    expect(answer(page)).to_be_focused()
    page.keyboard.press("k")
    expect(did).to_have_text("This is the first item of the list.")
    page.keyboard.press("t")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(did).to_have_text(f"2 of {MANY}: correct")
    came(page)
    expect(answer(page)).to_be_focused()
    page.keyboard.press("#")
    page.keyboard.type(f"{FAR}\n")
    expect(answer(page)).to_have_text(items[FAR - 1].text)
    expect(did).to_have_text(f"{FAR} of {MANY}: open")
    expect(answer(page)).to_be_focused()
    came(page)
    page.keyboard.press("#")
    page.keyboard.type(f"{MANY + 1}\n")
    expect(did).to_have_text(f"The items of this list have the numbers 1 to {MANY}.")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("COLOUR 77")
    found = [item.text for item in items if "77" in item.text]
    expect(page.locator("[data-item]")).to_have_count(len(found))
    assert page.locator("[data-work-list] .words").all_inner_texts() == found
    page.keyboard.press("Enter")
    expect(answer(page)).to_have_text(found[0])
    came(page)
    page.keyboard.press("j")
    expect(answer(page)).to_have_text(found[1])
    came(page)
    page.keyboard.press("/")
    page.keyboard.type("no such colour\n")  # before the list shows what it has of them
    expect(did).to_have_text("No item has these words.")
    expect(page.locator("[data-list-words]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(answer(page)).to_be_focused()
    expect(page.locator("[data-item]").first).to_have_attribute("aria-setsize", str(MANY))
    page.keyboard.press("/")
    page.keyboard.type(f"{found[0]}\n")
    expect(answer(page)).to_have_text(found[0])
    came(page)
    page.keyboard.press("j")
    expect(did).to_have_text("No further item is shown.")
