"""Finding a line of any bench by words (/) or its number (#), and what opens beside the work."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.adjudication.views import desk
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Bench, Makers
from tests.browser.keyboard import came, picture, saved

pytestmark = pytest.mark.browser


def opened(name: str, makers: Makers, sign_in: SignIn, site: LiveServer) -> tuple[Bench, Page]:
    bench = makers.make(name)
    return bench, bench.open(sign_in(bench.person), site)


def find(page: Page, key: str, typed: str, said: str | re.Pattern[str] | None = None) -> None:
    """Type words or a number into the field of this key, read what is said of it, and go there."""
    page.keyboard.press(key)
    page.keyboard.type(typed)
    if said is not None:
        expect(page.locator("[data-did]")).to_have_text(said)
    page.keyboard.press("Enter")


def test_nuggets_to_vote_on_are_found_by_words_and_number(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench, page = opened("votes", makers, sign_in, site)
    here = page.locator("[data-nugget][data-here] .nugget-text")
    shown = page.locator("[data-nugget]:visible")
    find(page, "/", "KIND", "1 of 4 nuggets has these words.")
    expect(here).to_have_text("kind staff")
    picture(page, "find-votes")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("no other is open: / and Esc show all.")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(shown).to_have_count(4)
    late = page.locator("[data-nugget]", has_text="late hours").locator(".place").inner_text()
    find(page, "#", late)
    expect(here).to_have_text("late hours")
    page.keyboard.press("o")
    find(page, "#", "9")
    expect(page.locator("[data-did]")).to_have_text("There is no nugget “9”.")
    saved(page)
    assert [row[1] for row in bench.rows()] == ["vital", "okay"]


def test_answers_to_group_are_found_by_words_and_classes_by_number(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("classes")
    makers.begin("classes")
    page = bench.open(sign_in(bench.person), site)
    here = page.locator("[data-here]")
    find(page, "/", "cölour d", "1 of 14 answers has these words.")
    expect(here).to_contain_text("d colour")
    picture(page, "find-classes")
    page.keyboard.press("Backspace")  # what is edited comes anew from the server, and is looked through again
    expect(page.locator("[data-did]")).to_contain_text("1 answer taken out")
    expect(page.locator(".answer-row:visible")).to_have_count(1)
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(page.locator(".answer-row:visible")).to_have_count(14)
    find(page, "#", "12")
    expect(page.locator("[data-class][data-number='12'] [data-here]")).to_be_visible()


def test_labels_are_found_by_words_and_pages_by_number(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    _, page = opened("picks", makers, sign_in, site)
    last = page.locator("[data-page-link]").last.inner_text()
    find(page, "#", last)
    expect(page.locator(f"#page-{last}")).to_be_visible()
    label = page.locator("[data-pick]").last.inner_text()
    find(page, "/", label.upper())
    expect(page.locator("[data-picked] .picked-label")).to_have_text(label)
    page.keyboard.press("/")
    page.keyboard.type("nothing has this")
    expect(page.locator("[data-no-label]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("[data-no-label]")).to_be_hidden()


def test_disagreements_are_found_by_words_and_number_on_any_page_of_the_list(
    makers: Makers, sign_in: SignIn, site: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "PER_PAGE", 3)
    _, page = opened("adjudication", makers, sign_in, site)
    texts = page.locator("[data-work-list] bdi").all_inner_texts()
    answer = page.locator("[data-answer]")
    alone = next(text for text in texts if not text.lower().startswith("blue"))
    find(page, "/", alone)
    came(page)
    expect(answer).to_have_text(alone)
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    other = texts.index(next(text for text in texts if text != alone))
    find(page, "#", str(other + 1))
    came(page)
    expect(answer).to_have_text(texts[other])
    expect(page.locator("[data-did]")).to_contain_text(f"{other + 1} of 5")
    find(page, "#", "5")
    page.wait_for_url(re.compile("place=5"))
    came(page)
    assert answer.inner_text() not in texts
    page.keyboard.press("k")
    expect(page.locator("[data-did]")).to_contain_text("4 of 5")


@pytest.mark.parametrize("name", ["grade", "matches", "classes", "votes", "picks", "adjudication"])
def test_guidelines_open_beside_the_work(name: str, makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    _, page = opened(name, makers, sign_in, site)
    page.set_viewport_size({"width": 1100, "height": 720})
    page.evaluate("document.querySelector('[data-answer]')?.focus()")
    page.evaluate("window.before = document.activeElement")
    page.keyboard.press("g")
    panel, work = page.locator("#side-panel"), page.locator(".workbench")
    expect(panel.locator(".prose")).to_be_visible()
    if panel.locator("#section").count():  # else all of it is read, from its head
        expect(panel.locator("#section")).to_be_focused()
    picture(page, f"beside-{name}")
    boxes = [each.bounding_box() for each in (work, panel)]
    assert boxes[0] is not None and boxes[1] is not None
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert boxes[1]["x"] + boxes[1]["width"] <= 1100
    assert page.evaluate("document.documentElement.scrollWidth") <= 1100
    assert page.locator(".bench-thing").evaluate("each => each.getBoundingClientRect().width") >= 300
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    opener = "document.querySelector('[data-opens-panel=Guidelines]')"  # where nothing of the work had the focus
    assert page.evaluate(f"document.activeElement === (before === document.body ? {opener} : before)")
    if name != "grade":
        return
    page.set_viewport_size({"width": 1000, "height": 720})  # no room for a column: over the document, not over the form
    page.keyboard.press("g")
    expect(panel).to_be_visible()
    over, form = panel.bounding_box(), page.locator(".bench-form").bounding_box()
    assert over is not None and form is not None
    assert over["x"] + over["width"] <= form["x"]


def test_tab_goes_the_way_the_eye_does_in_a_small_window(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    """In one column the list stands below what is judged: Tab comes there after the grades."""
    _, page = opened("grade", makers, sign_in, site)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("scrollTo(0, 0)")
    page.locator("[data-answer]").focus()
    part = "document.activeElement.closest('.bench-thing, .bench-form, .bench-foot, .bench-list')?.className"
    parts = []
    for _ in range(60):
        page.keyboard.press("Tab")
        parts.append(page.evaluate(part))
    seen = list(dict.fromkeys(part for part in parts if part))
    assert seen == ["bench-thing", "bench-form", "bench-foot", "bench-list"]
