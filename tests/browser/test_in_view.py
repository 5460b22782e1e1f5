"""What is judged, its question and its grades are in view at once on every bench: wide, at 200 % zoom, narrow."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.benches import Benches, need_relevant_passage
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import came, picture
from tracks.aquaint_definition import TRACK

pytestmark = pytest.mark.browser

SIZES = {"1280 × 800": (1280, 800), "640 × 400": (640, 400), "390 × 844": (390, 844)}
TOPIC = ".bench-head h1 .topic"
ASKED = ("[data-answer]", ".criterion:not([hidden]) legend", ".criterion:not([hidden]) .grades button")
GRADES = (TOPIC, *ASKED)
WANTED = {
    "adjudication": (".settle-topic .topic", *ASKED),
    "picks": (TOPIC, "[data-page]:not([hidden]) img", ".picks-question", "[data-labels] li:first-child button"),
    "nuggets": (TOPIC, ".string:first-child p", ".nugget-list li:first-child .nugget", ".nugget-forms summary"),
    "matches": (TOPIC, ".string[aria-current] [data-words]", ".nugget-head p", ".nugget[data-in-hand]"),
    "votes": (TOPIC, ".vote[data-here] legend", ".vote[data-here] .choice label"),
    "classes": (TOPIC, ".answer-row[data-here]", ".column-head h2"),
}
"""Of each bench the question, the item, what is asked of it and what answers it; of benches of grades ``GRADES``."""
AQUAINT = TRACK.tasks[0].stages[0].criteria
WORDY = """(asked) => document.querySelectorAll(".criterion fieldset").forEach((each, at) => {
  each.querySelector("legend").textContent = asked[at][0];
  if (each.querySelector(".grade-help")) each.querySelector(".grade-help").textContent = asked[at][1];
})"""
"""The two questions of a form as a real evaluation asks them: 90 words."""
LONG_NUGGETS = """() => document.querySelectorAll(".nugget .words").forEach((each) => {
  each.textContent = "It says so at length. ".repeat(12);
})"""
SIXTY = """() => {
  const list = document.querySelector(".nugget-list");
  while (list.children.length < 60) list.append(list.children[list.children.length % 12].cloneNode(true));
}"""
WHOLE_ROWS = """() => {
  const { top, bottom } = document.querySelector(".nugget-side > form").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".nugget-list .nugget")].map((each) => each.getBoundingClientRect());
  return rows.filter((each) => each.top >= top && each.bottom <= bottom && each.height >= 24).length;
}"""
MOST_OF_SIXTY = 36
LEAST = 18
"""Pixels of each that must be seen: a line of text."""
NOT_SEEN = """([wanted, least]) => wanted.flatMap((selector) => {
  const found = [...document.querySelectorAll(selector)];
  const isSeen = (each) => {
    const box = each.getBoundingClientRect();
    const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
    const enough = Math.min(least, box.height);
    const at = [box.top + enough / 4, box.top + enough * 0.9];
    return at.every((y) => y >= 0 && y <= innerHeight && each.contains(document.elementFromPoint(x, y)));
  };
  if (!found.length) return [[selector, "is not there"]];
  return found.filter((each) => !isSeen(each)).map((each) => [selector, each.textContent.trim().slice(0, 30)]);
})"""


MESSAGE = (
    "Satz 4 von 23, wahrscheinlich 1 von 8: „The brakes were checked by two people in the month before the crash“. "
    "Enter nimmt ihn, Esc verlässt die Sätze. Drücken Sie f, um die Arbeit als fertig zu markieren."
)
WHOLE_LINE = """(line) => {
  const { left, right, top, bottom } = line.getBoundingClientRect();
  const isSeen = [top + 6, bottom - 6].every((y) => line.contains(document.elementFromPoint(left + 12, y)));
  return isSeen && left >= 0 && right <= innerWidth && bottom <= innerHeight && line.scrollHeight <= line.clientHeight;
}"""


def look(page: Page, name: str, *, kind: str = "") -> None:
    """At all sizes; a bench whose item can't be seen says which part."""
    found = {}
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        found[name, size] = page.evaluate(NOT_SEEN, [list(WANTED.get(kind, GRADES)), LEAST])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        picture(page, f"{name}-{width}")
    assert found == {key: [] for key in found}


@pytest.mark.parametrize("name", ["grade", "nuggets", "matches", "classes"])
def test_a_long_message_in_the_foot_is_whole_in_small_windows(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    for width, height in ((640, 400), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("[data-did]").evaluate("(line, text) => { line.textContent = text; }", f"At {width}: {MESSAGE}")
        expect(page.locator("[data-did][data-long]")).to_have_count(1)
        picture(page, f"{name}-message-{width}")
        assert page.locator("[data-did]").evaluate(WHOLE_LINE)


@pytest.mark.parametrize("name", ["grade", "adjudication", "nuggets", "matches", "votes", "classes"])
def test_item_and_grades_are_in_view(name: str, makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    expect(page.locator(":focus")).to_have_count(1)  # a reader begins at what is judged, not at the head of the page
    look(page, name, kind=name)
    if name == "matches":
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate(SIXTY)
        assert page.evaluate(WHOLE_ROWS) >= MOST_OF_SIXTY
        picture(page, "sixty-nuggets-1280")
        for width in (640, 390):
            page.set_viewport_size({"width": width, "height": 400})
            page.keyboard.press("#")
            expect(page.locator(":focus")).to_have_attribute("data-goto", "")
            picture(page, f"goto-{width}")
            page.keyboard.press("Escape")
    if name == "nuggets":
        page.set_viewport_size({"width": 640, "height": 400})
        page.evaluate(LONG_NUGGETS)
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        row, actions = (page.locator(one).bounding_box() for one in (".nugget[aria-current]", ".list-actions"))
        picture(page, "nuggets-long-640")
        assert row is not None and actions is not None
        assert row["y"] + row["height"] <= actions["y"]  # which stay at the foot of the list


def test_item_and_grades_are_in_view_with_documents_responses_and_two_questions(
    sign_in: SignIn, site: LiveServer, benches: Benches
) -> None:
    need_relevant_passage(benches)
    page = sign_in(benches.assessor)
    for stage in ("passages", "responses", "sentences", "citations", "statements", "figures"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{site.url}/c/benches/work/{benches.work[stage].pk}/")
        came(page)
        if stage in ("passages", "responses"):  # of which no text has the focus
            expect(page.locator("#thing-place")).to_have_attribute("aria-description", re.compile(r"\w \w"))
        if stage == "responses":
            page.evaluate(WORDY, [[each.question, each.help] for each in AQUAINT])
        look(page, stage, kind="picks" if stage == "figures" else "")
        if stage == "responses":  # the document of the text in hand, above both questions
            page.set_viewport_size({"width": 640, "height": 400})
            page.keyboard.press("d")
            expect(page.locator("[data-did]")).to_contain_text("Document 1 of 1 of this text")
            picture(page, "responses-document-640")
            text, form = (page.locator(each).first.bounding_box() for each in ("[data-text] mark", ".bench-form"))
            assert text is not None and form is not None
            assert text["y"] + LEAST <= form["y"]


def test_strings_and_nuggets_are_in_view_beside_an_open_document(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("matches")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("d")
    expect(page.locator("[data-opened]")).to_be_visible()
    look(page, "matches with a document", kind="matches")
