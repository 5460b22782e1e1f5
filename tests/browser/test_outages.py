"""The bench while the site can't store anything: it says so, keeps the work, and goes on by itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connections
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assay_site.databases import hurry
from assess.models import Assignment, Judgment, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.browser.on_the_way import on_the_way, pass_on
from tests.held import held_database

pytestmark = pytest.mark.browser

STATUS = "[data-save-status]"
FULL = {"type": "urn:assay:problem:disk-full", "title": "The disk is full", "status": 507, "code": "disk-full"}
WITHOUT_COOKIE = """() => addEventListener(
  "keydown", () => { document.cookie = "csrftoken=; Max-Age=0; path=/"; }, { capture: true, once: true },
)"""
"""The cookie of the forms is gone when the next key is heard."""


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    factories.pooled(rigid, ["blue bicycle", "green bicycle", "red bicycle"])
    return factories.assignment(rigid, "instances", assessor, state="open")


@pytest.fixture
def hurried(settings) -> Iterator[None]:
    """The site waits for a lock a fifth of a second."""
    settings.ASSAY_LOCK_SECONDS = 0.2
    alias = connections.settings["default"]
    before = {**alias, "OPTIONS": dict(alias["OPTIONS"])}
    hurry()
    yield
    alias.clear()
    alias.update(before)


def opened(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    return page


def look(page: Page, name: str) -> None:
    if folder := os.environ.get("ASSAY_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def stored() -> list[tuple[str, int | None]]:
    return [(row.item.text, row.value) for row in Judgment.objects.order_by("id").select_related("item")]


@pytest.mark.usefixtures("hurried")
def test_what_is_judged_while_the_site_is_locked_is_stored_once_it_is_free(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = opened(sign_in(work.assessor), site, work)
    order = page.locator("[data-work-list] .words").all_inner_texts()
    with held_database():
        page.keyboard.press("4")
        expect(page.locator("[data-answer]")).to_have_text(order[1])
        page.keyboard.press("1")
        expect(page.locator("[data-answer]")).to_have_text(order[2])
        expect(page.locator(STATUS)).to_contain_text("not saved, will try again in 5 s (2 waiting)")
        expect(page.locator(STATUS)).to_contain_text("The site can't answer now. Nothing is lost: your work is kept")
        look(page, "locked")
        page.keyboard.press("3")
        assert not Judgment.objects.exists()
    expect(page.locator(STATUS)).to_have_text("saved ✓")
    assert stored() == [(order[0], 1), (order[1], -1), (order[2], 3)]


def test_the_bench_says_that_the_disk_is_full_and_sends_again_when_it_was_told_to(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    sent = on_the_way(page, "**/judge/")
    opened(page, site, work)
    keys: list[str] = []
    is_full = True

    def refuse_while_full(route: Route) -> None:
        keys.append(route.request.post_data or "")
        if not is_full:
            route.continue_()
            return
        headers = {"Retry-After": "1", "Content-Type": "application/problem+json"}
        route.fulfill(status=507, headers=headers, body=json.dumps({**FULL, "detail": "The disk of the site is full."}))

    sent.meets = refuse_while_full
    page.keyboard.press("4")
    expect(page.locator(STATUS)).to_contain_text(
        "not saved, will try again in 1 s (1 waiting). The disk of the site is full. Nothing is lost: your work is "
        "kept in this browser and sent again by itself."
    )
    look(page, "full")
    is_full = False
    expect(page.locator(STATUS)).to_have_text("saved ✓")
    assert len(keys) > 1
    assert (len(set(keys)), len(stored())) == (1, 1)


def test_what_a_proxy_or_a_lost_cookie_refuses_is_said_and_sent_again(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    sent = on_the_way(page, "**/judge/")
    opened(page, site, work)
    sent.meets = lambda route: route.fulfill(status=413, content_type="text/html", body="<h1>Too large</h1>")
    page.keyboard.press("4")
    expect(page.locator(STATUS)).to_have_text("not saved: This is too long for the site. Shorten it, then do it again.")
    came(page)
    # Longer than the test: it is the next key that sends again, and not a timer while the cookie is being taken away.
    sent.meets = lambda route: route.fulfill(status=429, headers={"Retry-After": "60"}, body="<h1>Slow down</h1>")
    page.keyboard.press("1")
    expect(page.locator(STATUS)).to_contain_text(
        "will try again in 60 s (1 waiting). The site is asked too much at once"
    )
    came(page)
    # In the same moment as the key, since whatever the page fetches ahead brings the cookie anew.
    page.evaluate(WITHOUT_COOKIE)
    held: list[Route] = []

    def pass_first(route: Route) -> None:
        sent.meets = held.append
        route.continue_()

    sent.meets = pass_first
    page.keyboard.press("1")
    # Else this would stand for the two seconds until it is sent again, which a busy machine may miss.
    expect(page.locator(STATUS)).to_contain_text("The cookie of this page was gone. It is here again. Nothing is lost")
    sent.meets = pass_on
    for route in held:
        route.continue_()
    expect(page.locator(STATUS)).to_have_text("saved ✓")
    assert [value for _, value in stored()] == [-1, -1]
