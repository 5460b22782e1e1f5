"""Waiting for what is not on a page, so that Playwright can't wait for it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.conftest import USUAL_MS

STEP_MS = 50


def wait_until(page: Page, holds: Callable[[], object], what: str) -> None:
    """Wait until something holds, while the page and what meets its requests go on. Fail and say ``what`` did not come
    only after as long as is waited for what a page shows.
    """
    for _ in range(USUAL_MS // STEP_MS):
        if holds():
            return
        page.wait_for_timeout(STEP_MS)
    raise AssertionError(what)
