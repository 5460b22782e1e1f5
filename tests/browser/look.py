"""What every page must bear: the rules of WCAG 2.2 AA and of good practice as axe-core tries them, and a long word."""

from __future__ import annotations

from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.parts import WHOLE

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihungsurkunde"
FOUND = Path(__file__).with_name("look.js").read_text()


def violations(page: Page, *, iframes: bool = False) -> list[tuple[str, str]]:
    """Each rule that is broken, and where. Documents in frames are others' pages, and not looked at unless asked."""
    return _run(page, RULES, iframes=iframes)


def violations_by_day_and_night(page: Page, *, iframes: bool = False) -> list[tuple[str, str]]:
    """The same, with what only a dark page breaks. The page is left light."""
    page.emulate_media(color_scheme="dark")
    by_night = _run(page, [], iframes=iframes)
    page.emulate_media(color_scheme="light")
    return by_night + violations(page, iframes=iframes)


def _run(page: Page, tags: list[str], *, iframes: bool) -> list[tuple[str, str]]:
    """What is found by the rules with these tags, or without any by those that look at colours, which is all that
    differs by day and by night.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"iframes": iframes, "everyText": WHOLE or iframes, "resultTypes": ["violations"]}
    options |= {"preload": False, "selectors": False}  # neither styles of other hosts nor a selector for each element
    return [(rule, place) for rule, place in page.evaluate(FOUND, {**options, "tags": tags or None})]
