"""A document opens at the first mark of what is judged, and the next ones come in advance, out of sight."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.signals import request_started
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Activity, Assignment, Judgment, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.browser.look import violations
from tests.browser.on_the_way import on_the_way
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

DOCNO = "BLOG06-20060101-000-0000000001"
COLOURS = ["blue bicycle", "green bicycle", "red bicycle", "silver bicycle"]
FILLER = "Nothing of interest stands in this paragraph about the weather. " * 30
LONG = "</p><p>".join([FILLER * 3, *(f"At last the {colour} of Velora came. {FILLER * 2}" for colour in COLOURS)])


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    """Four answers from one long document: each stands far below the fold."""
    factories.document(rigid.campaign, DOCNO, LONG)
    factories.pooled(rigid, COLOURS)
    return factories.assignment(rigid, "instances", assessor, state="open")


@pytest.fixture
def framed(site: LiveServer) -> Iterator[list[str]]:
    """The addresses of framed pages that the site was asked for."""
    paths: list[str] = []

    def note(environ: dict[str, Any], **_: Any) -> None:
        if environ["PATH_INFO"].startswith("/d/"):
            paths.append(environ["PATH_INFO"])

    request_started.connect(note)
    yield paths
    request_started.disconnect(note)


def bench(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    return page


def asked_for(page: Page, framed: list[str], count: int) -> None:
    """So many framed pages were asked for, each once."""
    wait_until(page, lambda: len(framed) >= count, f"{len(framed)} framed pages are asked for, not {count}")
    page.wait_for_timeout(200)  # what would be asked for once more
    assert (len(framed), len(set(framed))) == (count, count)


def answer(page: Page) -> str:
    return page.locator("[data-answer]").inner_text()


def opened_at(page: Page) -> None:
    """What is judged stands in sight, in the page's frame and above it."""
    mark = page.frame_locator("[data-frame]").locator("mark.assay-answer")
    expect(mark).to_have_text(answer(page))
    expect(mark).to_be_in_viewport()
    expect(page.locator("[data-answer]")).to_be_in_viewport()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_long_document_opens_at_what_is_judged(
    sign_in: SignIn, site: LiveServer, work: Assignment, motion: Any
) -> None:
    page = sign_in(work.assessor)
    page.emulate_media(reduced_motion=motion)
    bench(page, site, work)
    for colour in page.locator("[data-work-list] .words").all_inner_texts():
        page.locator("[data-work-list] a", has_text=colour).click()
        expect(page.locator("[data-answer]")).to_have_text(colour)
        came(page)
        opened_at(page)
        place = page.locator("[data-mark-place]").inner_text()
        assert re.fullmatch(r"place 1 of \d", place)
        title = page.locator("[data-frame]").get_attribute("title")
        assert title == f"Document {DOCNO}, at {place}"
    page.keyboard.press("p")  # keys go on from there
    expect(page.frame_locator("[data-frame]").locator("mark:target")).not_to_have_text(answer(page))
    page.keyboard.press("n")
    expect(page.frame_locator("[data-frame]").locator("mark:target")).to_have_text(answer(page))


def test_it_opens_there_in_a_small_window_however_late_its_size_is_known(
    sign_in: SignIn, site: LiveServer, work: Assignment, framed: list[str]
) -> None:
    page = sign_in(work.assessor)
    page.set_viewport_size({"width": 640, "height": 400})
    held: list[Route] = []
    on_the_way(page, re.compile("workbench.css")).meets = held.append
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/", wait_until="commit")
    wait_until(page, lambda: bool(held and framed), "the framed page does not come before the styles")
    held[0].continue_()
    page.wait_for_load_state()
    expect(page.locator("[data-undo]")).to_be_visible()
    opened_at(page)


@pytest.mark.in_firefox_too(in_test_all=True)
def test_its_text_opens_there_too_and_the_keys_stay_on_the_bench(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.locator("[data-view=text]").click()
    mark = page.locator("[data-text] mark.answer")
    expect(mark).to_have_text(answer(page))
    expect(mark).to_be_in_viewport()
    expect(mark).to_have_attribute("aria-current", "location")
    expect(page.locator("[data-answer]")).to_be_in_viewport()
    expect(page.locator("[data-text]")).to_have_attribute("aria-label", re.compile(r"at place 1 of \d"))
    assert violations(page) == []
    before = answer(page)
    page.keyboard.press("4")
    expect(page.locator("[data-answer]")).not_to_have_text(before)
    expect(page.locator("[data-text] mark.answer")).to_be_in_viewport()


@pytest.mark.in_firefox_too(in_test_all=True)
def test_back_leaves_the_bench_however_many_marks_were_walked_through(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/opinions/")
    bench(page, site, work)
    mark = page.frame_locator("[data-frame]").locator("mark:target")
    entries = page.evaluate("() => history.length")
    for key in ("n", "n", "p", "n"):
        before = page.locator("[data-mark-place]").inner_text()
        page.keyboard.press(key)
        expect(page.locator("[data-mark-place]")).not_to_have_text(before)
        number = page.locator("[data-document]").get_attribute("data-place")
        expect(mark).to_have_attribute("id", f"assay-mark-{number}")
        expect(mark).to_be_in_viewport()
    assert page.evaluate("() => history.length") == entries


@pytest.mark.in_firefox_too
def test_the_next_framed_pages_come_in_advance_and_once(
    sign_in: SignIn, site: LiveServer, work: Assignment, framed: list[str]
) -> None:
    page = bench(sign_in(work.assessor), site, work)
    expect(page.locator(".bench-wings iframe")).to_have_count(3)
    asked_for(page, framed, 4)
    expect(page.locator(".bench-wings iframe").first).not_to_be_visible()
    for number in range(3):
        came(page)
        opened_at(page)
        page.keyboard.press("4")
        expect(page.locator("[data-did]")).to_contain_text("correct")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{number + 1} of 4 judged")
    came(page)
    opened_at(page)
    asked_for(page, framed, 4)
    for key in ("k", "k", "j"):
        before = answer(page)
        page.keyboard.press(key)
        expect(page.locator("[data-answer]")).not_to_have_text(before)
        opened_at(page)
    asked_for(page, framed, 4)  # the pages seen before are there still
    expect(page.locator(".bench-wings iframe")).to_have_count(3)
    assert Judgment.objects.count() == 3


def test_what_comes_in_advance_is_nobodys_act(
    sign_in: SignIn, site: LiveServer, work: Assignment, framed: list[str]
) -> None:
    page = bench(sign_in(work.assessor), site, work)
    before = list(Activity.objects.values_list("action", flat=True))
    expect(page.locator(".bench-wings iframe")).to_have_count(3)
    asked_for(page, framed, 4)
    assert list(Activity.objects.values_list("action", flat=True)) == before
    assert not Judgment.objects.exists()
    wings = page.locator(".bench-wings")
    assert (wings.get_attribute("aria-hidden"), wings.get_attribute("inert")) == ("true", "")
    assert {frame.get_attribute("sandbox") for frame in wings.locator("iframe").all()} == {""}
    assert violations(page) == []


def test_items_that_are_passed_by_do_not_drive_out_those_that_come(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User
) -> None:
    factories.pooled(rigid, [f"bicycle {number}" for number in range(60)])
    page = sign_in(assessor)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/items/" in request.url else None)
    bench(page, site, factories.assignment(rigid, "instances", assessor))
    wait_until(page, lambda: len(asked) >= 30, "the next thirty items are not asked for")
    for place in range(2, 20):
        page.keyboard.press("j")
        expect(page.locator("[data-position]")).to_have_text(f" {place} of 60")
        came(page)
    wait_until(page, lambda: len(asked) >= 48, "the next thirty items are not asked for again")
    page.wait_for_load_state("networkidle")
    assert (len(asked), len(set(asked))) == (48, 48)
