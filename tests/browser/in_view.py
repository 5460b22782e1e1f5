"""What must be in view on a bench, wide, at 200 % zoom and narrow, and that no text lies over another."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.keyboard import picture

SIZES = {"1280 × 800": (1280, 800), "640 × 400": (640, 400), "390 × 844": (390, 844)}
TOPIC = ".bench-head h1 .topic"
ASKED = ("[data-answer]", ".criterion:not([hidden]) legend", ".criterion:not([hidden]) .grades button")
GRADES = (TOPIC, *ASKED)
WANTED = {
    "adjudication": (".settle-topic .topic", *ASKED),
    "adjudicated nuggets": (".settle-topic .topic", ".settle-about", *ASKED),
    "picks": (TOPIC, "[data-page]:not([hidden]) img", ".picks-question", "[data-labels] li:first-child button"),
    "nuggets": (TOPIC, ".string:first-child p", ".nugget-list li:first-child .nugget", ".nugget-forms summary"),
    "matches": (TOPIC, ".string[aria-current] [data-words]", ".nugget-head p", ".nugget[data-in-hand]"),
    "votes": (TOPIC, ".vote[data-here] legend", ".vote[data-here] .choice label"),
    "drafts": (TOPIC, ".draft-judge button"),
    "classes": (TOPIC, ".answer-row[data-here]", ".column-head h2"),
}
"""Of each bench the question, the item, what is asked of it and what answers it; of benches of grades ``GRADES``."""
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

OVERLAP = """() => {
  const texts = [...document.querySelectorAll(".bench-thing > :is(.answer, .settle-topic, .thing-label, .sides)")];
  const boxes = texts.map((each) => [each.textContent.trim().slice(0, 30), each.getBoundingClientRect()]);
  const cross = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  return boxes.flatMap(([name, one], at) => boxes.slice(at + 1).filter(([, other]) => cross(one, other))
    .map(([over]) => [name, `lies over ${over}`]));
}"""
"""Texts of which one lies over the other."""


def look_at_bench(page: Page, name: str, *, kind: str = "") -> None:
    """At all sizes; a bench whose item can't be seen says which part."""
    found = {}
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        found[name, size] = page.evaluate(NOT_SEEN, [list(WANTED.get(kind, GRADES)), LEAST]) + page.evaluate(OVERLAP)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        picture(page, f"{name}-{width}")
    assert found == {key: [] for key in found}
