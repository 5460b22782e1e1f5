"""What every page must bear: the rules of WCAG 2.2 AA as axe-core tries them, and a word longer than most."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihungsurkunde"


def violations(page: Page, *, iframes: bool = False) -> list[tuple[str, str]]:
    """Each rule that is broken, and where. Documents in frames are others' pages, and not looked at unless asked."""
    options: dict[str, Any] = {"runOnly": {"type": "tag", "values": RULES}, "iframes": iframes}
    found = Axe().run(page, options=options).response["violations"]
    return [(each["id"], node["html"][:200]) for each in found for node in each["nodes"]]
