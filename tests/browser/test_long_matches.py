"""The benches for writing nuggets and for marking them in many strings: a page holds some, others come when wanted."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Topic
from nuggets.models import ItemReview, NuggetMatch
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Bench, Makers
from tests.browser.keyboard import picture, saved
from tests.browser.look import violations_by_day_and_night
from tests.browser.on_the_way import break_off, on_the_way, pass_on

pytestmark = pytest.mark.browser
RUNS, STRINGS = 11, 20
ALL = RUNS + 1  # with the response that the makers make


@pytest.fixture
def long_bench(makers: Makers) -> Bench:
    """Twelve nuggets, and eleven responses of twenty strings each, of which the second and third share their last."""
    bench = makers.make("matches")
    fill(makers, Assignment.objects.get(stage="matches", campaign=makers.campaign).topic)
    return bench


def fill(makers: Makers, topic: Topic) -> None:
    shared = factories.pooled(topic, ["both say this"])
    for number in range(RUNS):
        items = factories.pooled(topic, [f"string {place} of {number}" for place in range(STRINGS - 1)])
        run = factories.run(topic.campaign, f"Tide{number}", makers.organiser)
        factories.response(run, topic, [*items, *shared] if number in (2, 3) else items)


def test_keys_lead_through_all_responses_and_nothing_is_lost(
    long_bench: Bench, sign_in: SignIn, site: LiveServer
) -> None:
    page = sign_in(long_bench.person)
    long_bench.open(page, site)
    name = page.locator("[data-response-name]")
    expect(name).to_have_text(f"response 1 of {ALL}")
    expect(page.locator("[data-response]")).to_have_count(3)  # the next ones, with thirty strings, are at hand
    page.keyboard.press("2")
    expect(page.locator("[data-nugget='2'] [data-count]")).to_have_text("in 1")
    for number in range(2, ALL + 1):
        page.keyboard.press("j")
        expect(name).to_have_text(f"response {number} of {ALL}")
        page.keyboard.press("2")
        expect(page.locator("[data-nugget='2'] [data-count]")).to_have_text(f"in {number}")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(name).to_have_text(f"response {RUNS} of {ALL}")
    assert page.locator("[data-response]").count() == ALL
    page.locator("[data-goto]").fill("4")
    page.locator("[data-goto]").press("Enter")
    expect(name).to_have_text(f"response 4 of {ALL}")
    saved(page)
    picture(page, "long-matches")
    assert violations_by_day_and_night(page) == []
    assert NuggetMatch.objects.filter(value="full").count() == ALL
    assert NuggetMatch.objects.values("item").distinct().count() == ALL


def test_what_is_finished_leads_on_and_undo_finds_it_after_a_reload(
    long_bench: Bench, sign_in: SignIn, site: LiveServer
) -> None:
    page = sign_in(long_bench.person)
    long_bench.open(page, site)
    name = page.locator("[data-response-name]")
    progress = page.locator("[data-progress-words]")
    first = page.locator("[data-response]:not([hidden]) [data-string]").count()
    for done in range(1, first + 1):
        page.keyboard.press("Enter")
        expect(progress).to_contain_text(f"{done} of ")
    expect(name).to_have_text(f"response 2 of {ALL}")
    saved(page)
    assert ItemReview.objects.count() == first
    page.keyboard.press("3")
    saved(page)
    long_bench.open(page, site)
    expect(name).to_have_text(f"response 2 of {ALL}")
    page.locator("[data-goto]").fill(str(ALL))
    page.locator("[data-goto]").press("Enter")
    expect(name).to_have_text(f"response {ALL} of {ALL}")
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text("Undone: nugget 3 is not marked any more in [a]")
    expect(name).to_have_text(f"response 2 of {ALL}")
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text(f"Undone: [{chr(96 + first)}] is not looked at")
    expect(name).to_have_text(f"response 1 of {ALL}")
    expect(progress).to_contain_text(f"{first - 1} of ")
    saved(page)
    page.keyboard.press("j")
    page.keyboard.press("i")
    expect(name).to_have_text(f"response 3 of {ALL}")


def test_nothing_is_said_while_a_response_is_on_its_way_and_one_that_does_not_come_leaves_all(
    long_bench: Bench, sign_in: SignIn, site: LiveServer
) -> None:
    page = sign_in(long_bench.person)
    sent = on_the_way(page, "**/responses/**")
    held: list[Route] = []
    sent.meets = held.append
    long_bench.open(page, site)
    name = page.locator("[data-response-name]")
    page.keyboard.press("j")
    page.keyboard.press("2")
    expect(name).to_have_text(f"response 1 of {ALL}")
    expect(page.locator("[data-did]")).to_have_text("The response is still coming, so this did nothing.")
    assert page.locator("[data-string][aria-current]").count() == 0
    sent.meets = pass_on
    held.pop().continue_()
    expect(name).to_have_text(f"response 2 of {ALL}")
    sent.meets = break_off
    page.keyboard.press("4")
    saved(page)
    assert [row.nugget.number for row in NuggetMatch.objects.all()] == [4]
    page.locator("[data-goto]").fill("6")
    page.locator("[data-goto]").press("Enter")
    expect(page.locator("[data-did]")).to_have_text("The response can't be loaded now. Try again.")
    expect(name).to_have_text(f"response 2 of {ALL}")
    assert page.locator("[data-string][aria-current]").count() == 1


def test_keys_that_come_before_a_response_count_on_from_it(
    long_bench: Bench, sign_in: SignIn, site: LiveServer
) -> None:
    page = sign_in(long_bench.person)
    sent = on_the_way(page, "**/responses/**")
    held: list[Route] = []
    sent.meets = held.append
    long_bench.open(page, site)
    page.keyboard.press("j")
    page.keyboard.press("j")
    sent.meets = pass_on
    for route in held:
        route.continue_()
    expect(page.locator("[data-response-name]")).to_have_text(f"response 3 of {ALL}")
    expect(page.locator("[data-string][aria-current]")).to_have_count(1)


def test_keys_turn_the_page_of_strings_where_nuggets_are_written(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("nuggets")
    fill(makers, Assignment.objects.get(stage="nuggets", campaign=makers.campaign).topic)
    page = sign_in(bench.person)
    bench.open(page, site)
    strings, current = page.locator("[data-string]"), page.locator("[data-string][aria-current] [data-words]")
    here = strings.count()
    assert here < 60
    last = strings.last.locator("[data-words]").inner_text()
    for _ in range(here - 1):
        page.keyboard.press("j")
    expect(current).to_have_text(last)
    page.keyboard.press("n")
    page.keyboard.type("said before the page turns")
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    page.wait_for_url("**from=*")
    expect(page.locator("[data-string-step]").first).to_be_visible()
    expect(current).to_have_text(strings.first.locator("[data-words]").inner_text())
    expect(page.locator("[data-nugget]", has_text="said before the page turns")).to_have_count(1)
    picture(page, "long-nuggets")
    assert violations_by_day_and_night(page) == []
    page.keyboard.press("k")
    expect(current).to_have_text(last)
