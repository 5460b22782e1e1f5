"""A page is used once its scripts ran: a module runs after what it listens to is drawn, and a test is quicker than a
person. None of its scripts may fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright

LOADING = """{
  query: () => document.readyState === "complete" ? null : document.documentElement,
  queryAll: () => document.readyState === "complete" || !document.documentElement ? [] : [document.documentElement],
}"""
"""Finds a page that is still loading; one that has no element yet has nothing to find, and is asked again. A script in
the page would be told of as blocked in each document's frame.
"""
NAVIGATION_MS = 60_000
"""How long a page may take to come: only a test that fails waits so long, and a busy machine takes its time."""
_failed: list[str] = []
"""What scripts of pages failed with since the test began."""


@contextmanager
def every_page_used_when_loaded(playwright: Playwright) -> Iterator[None]:
    """Whoever opens a page meanwhile, in whichever context, it is used when it is loaded."""
    playwright.selectors.register("loading", LOADING, content_script=True)
    open_page = BrowserContext.new_page
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BrowserContext, "new_page", lambda context: _used_when_loaded(open_page(context)))
        yield


def _used_when_loaded(page: Page) -> Page:
    """The page, where each click, key and expectation waits until the page that the one before led to is loaded. Keys
    wait by themselves: an expectation may have been met by a page that had just begun to come. What fails in a script
    is noted: a handler that fails would cut the connection to the browser.
    """
    page.set_default_navigation_timeout(NAVIGATION_MS)
    page.add_locator_handler(page.locator("loading=page"), lambda: page.wait_for_load_state("load"))
    keyboard: Any = page.keyboard
    keyboard.press, keyboard.type = _once_loaded(page, keyboard.press), _once_loaded(page, keyboard.type)
    page.on("pageerror", lambda error: _failed.append(error.stack or str(error)))
    return page


def _once_loaded(page: Page, act: Callable[..., None]) -> Callable[..., None]:
    """The same, once the page is loaded, which is known here without asking the browser."""

    def acts(*given: Any, **options: Any) -> None:
        page.wait_for_load_state("load")
        act(*given, **options)

    return acts


def failed_scripts() -> list[str]:
    """What scripts failed with since this was asked before."""
    found = [*_failed]
    _failed.clear()
    return found
