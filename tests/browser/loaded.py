"""A page is used once its scripts ran: a module runs after what it listens to is drawn, and a test is quicker than
a person.
"""

from __future__ import annotations

from playwright.sync_api import Page, Playwright

LOADING = """{
  query: () => document.readyState === "complete" ? null : document.documentElement,
  queryAll: () => document.readyState === "complete" || !document.documentElement ? [] : [document.documentElement],
}"""
"""Finds a page that is still loading; one that has no element yet has nothing to find, and is asked again. A script in
the page would be told of as blocked in each document's frame.
"""
NAVIGATION_MS = 60_000
"""How long a page may take to come: only a test that fails waits so long, and a busy machine takes its time."""


def know_loading(playwright: Playwright) -> None:
    """From now on `loading=page` finds a page that is still loading."""
    playwright.selectors.register("loading", LOADING, content_script=True)


def used_when_loaded(page: Page) -> Page:
    """The page, where each click and each expectation waits until the page that a click before led to is loaded."""
    page.set_default_navigation_timeout(NAVIGATION_MS)
    page.add_locator_handler(page.locator("loading=page"), lambda: page.wait_for_load_state("load"))
    return page
