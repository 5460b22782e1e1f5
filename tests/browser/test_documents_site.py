"""Hostile documents in the site's own pages: stored by its own import, read in the frame that assessors read in."""

from __future__ import annotations

import html
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Dialog, Frame, Page, Request, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from assess.documents.views.pane import page_of
from assess.jobs.background import do_job
from assess.models import Campaign, DocumentBody, Job
from assess.rendering.render import render_document
from assess.rendering.rendered import Rendering
from tests import factories
from tests.browser.canary import Canary
from tests.browser.conftest import SignIn
from tests.browser.keyboard import go_to, picture, press_button
from tests.browser.opened_documents import PAGE_URL, READER, let, load, open_documents, touch
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

FRAMES_AT_ONCE = 82


# Records what a script that ran would most likely call.
ALARM = """for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => reportScript(name);"""


HOLDS_ADDRESS = re.compile(r"https?://|url\(|@import|\b(?:href|src)=")


def some(attacks: list[str]) -> list[str]:
    """All whose page holds an address, and every twentieth of the others: sandbox and headers of the frame are the same
    for all pages, and what the sanitiser does alone is tried on each. `make test-all` takes all.
    """
    if "ASSAY_WHOLE_FOLDERS" in os.environ:
        return attacks
    rest = (each for each in attacks if not HOLDS_ADDRESS.search(render(each, url=PAGE_URL).page or ""))
    left_out = {each for place, each in enumerate(rest) if place % 20}
    return [each for each in attacks if each not in left_out]


ABLE_TO_ASK = re.compile(r"<(?!meta charset)[^>]*=|<style")
"""A page without any attribute or stylesheet has nothing by which it could ask for an address."""


@pytest.fixture
def attacks(shared_data: Path) -> list[str]:
    """The attacks, one for each page that the sanitiser makes of them: what is made the same is opened once."""
    found = json.loads((shared_data / "html" / "xss_payloads.json").read_text("utf-8"))
    assert len(found) == 820
    pages = {render(each["payload"], url=PAGE_URL).page: each["payload"] for each in found}
    assert len(pages) > 500
    return list(pages.values())


@pytest.fixture
def watched(page: Page, site: LiveServer) -> Iterator[list[str]]:
    """What must never happen in the page or its frames: a script that calls for attention, a window that opens,
    a request to another host that is neither an image nor a stylesheet.
    """
    seen: list[str] = []

    def close(dialog: Dialog) -> None:
        seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", close)
    page.expose_function("reportScript", lambda name: seen.append(f"script: {name}"))
    page.add_init_script(ALARM)
    page.context.on("page", lambda opened: seen.append(f"window: {opened.url}"))
    return seen


@contextmanager
def own_document_origin(settings: Settings, site: LiveServer) -> Iterator[str]:
    """Documents served from a host name of their own: 127.0.0.1 beside localhost."""
    origin = site.url.replace("localhost", "127.0.0.1")
    assert origin != site.url
    policy = settings.CONTENT_SECURITY_POLICY
    settings.ASSAY_DOCUMENT_ORIGIN = origin
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {**policy["DIRECTIVES"], "frame-src": [origin]}}
    yield origin
    settings.ASSAY_DOCUMENT_ORIGIN = ""
    settings.CONTENT_SECURITY_POLICY = policy


def departures(page: Page, frames: list[Frame]) -> list[str]:
    """Touch everything; the frames that are then gone or elsewhere."""
    before = [frame.url for frame in frames]
    touch(page)
    page.wait_for_timeout(200)
    return elsewhere(before, frames)


def elsewhere(before: list[str], frames: list[Frame]) -> list[str]:
    """The frames that are not where they were before."""
    return [
        f"{old} -> {frame.url}"
        for old, frame in zip(before, frames, strict=True)
        if frame.is_detached() or frame.url.partition("#")[0] != old.partition("#")[0]
    ]


def open_and_touch(page: Page, site: LiveServer, docnos: list[str], *, documents_origin: str) -> list[str]:
    """Open all documents and touch them; what left."""
    left: list[str] = []
    for start in range(0, len(docnos), FRAMES_AT_ONCE):
        batch = docnos[start : start + FRAMES_AT_ONCE]
        frames = open_documents(page, site, batch)
        assert len(frames) == len(batch)
        assert {frame.url.partition("/d/")[0] for frame in frames} == {documents_origin}
        left += departures(page, frames)
        assert page.url == site.url + READER.format(batch[0])
    return left


@pytest.mark.shared
@pytest.mark.slow
def test_attacks_run_nothing_and_get_images_and_stylesheets_alone_where_the_campaign_lets_them(
    sign_in: SignIn,
    site: LiveServer,
    canary: Canary,
    settings: Settings,
    watched: list[str],
    campaign: Campaign,
    organiser: User,
    attacks: list[str],
    tmp_path: Path,
) -> None:
    sources = some(attacks)
    docnos = load(organiser, campaign, tmp_path, [each.encode() for each in sources])
    page = sign_in(organiser)
    let(campaign, False)
    with own_document_origin(settings, site) as origin:
        left = open_and_touch(page, site, docnos, documents_origin=origin)
    assert (watched, canary.hosts, left) == ([], [], [])

    let(campaign, True)
    able = [
        docno
        for docno, source in zip(docnos, sources, strict=True)
        if ABLE_TO_ASK.search(render(source, url=PAGE_URL).page or "")
    ]
    assert len(able) > 80
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if not request.url.startswith(site.url) else None)
    left = open_and_touch(page, site, able, documents_origin=site.url)
    assert (watched, left) == ([], [])
    in_pages = written_addresses()
    assert {each.url for each in asked} - in_pages == set()
    assert {each.method for each in asked} == {"GET"}
    assert {each.resource_type for each in asked} <= {"image", "stylesheet", "other"}  # other: SVG that CSS refers to
    assert [each.headers for each in asked if each.headers.get("cookie") or each.headers.get("referer")] == []
    assert set(canary.hosts) == {urlsplit(address).hostname for address in in_pages & {each.url for each in asked}}


@pytest.mark.shared
@pytest.mark.slow
def test_attacks_run_nothing_even_without_sandbox_and_header(
    page: Page, canary: Canary, watched: list[str], attacks: list[str]
) -> None:
    """What the sanitiser does alone."""
    pages = {render(each).page or "" for each in attacks}
    joined = join(pages)
    shown = 0
    for start in range(0, len(joined), FRAMES_AT_ONCE):
        show_bare(page, joined[start : start + FRAMES_AT_ONCE])
        shown += sum(frame.locator("body > [data-page]").count() for frame in page.frames[1:])
        touch(page)
        page.wait_for_timeout(200)
    assert (shown, watched) == (len(pages), [])


def test_frame_alone_stops_script_request_and_departure(
    sign_in: SignIn, site: LiveServer, canary: Canary, watched: list[str], campaign: Campaign, organiser: User
) -> None:
    """The other two layers, with a page that no sanitiser has seen."""
    raw = "<script>alert(1)</script><img src='http://elsewhere.example/x.gif'><a href='http://elsewhere.example/'>x</a>"
    let(campaign, False)
    factories.document(campaign, "RAW")
    DocumentBody.objects.update(page=zlib.compress(raw.encode()))
    left = open_and_touch(sign_in(organiser), site, ["RAW"], documents_origin=site.url)
    # A click on the link has its frame go nowhere: the page that holds it lets frames show documents alone.
    assert (watched, canary.hosts) == ([], [])
    assert [each for each in left if "elsewhere" in each] == []


RAN = "<a href=\"javascript:'It ran.'\">one</a> <a href='http://elsewhere.example/'>two</a>"
"""What earlier versions made of `{x}href`: nobody had checked its address. A script that ran would write the page."""


def test_a_stored_page_of_an_earlier_version_runs_nothing_and_is_prepared_again_by_one_button(
    sign_in: SignIn, site: LiveServer, canary: Canary, watched: list[str], campaign: Campaign, organiser: User
) -> None:
    factories.document(campaign, "OLD")
    DocumentBody.objects.update(page=zlib.compress(RAN.encode()))
    campaign.documents.update(page_version="2")
    page = sign_in(organiser)
    show_bare(page, [RAN])
    go_to(page, page.frames[1].locator("a").first)
    page.keyboard.press("Enter")
    expect(page.frame_locator("iframe").locator("body")).to_have_text("It ran.")  # what this test would notice
    (frame,) = open_documents(page, site, ["OLD"])
    address = frame.url
    go_to(page, frame.locator("a").first)
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert (frame.url, frame.locator("body").inner_text()) == (address, "one two")
    go_to(page, frame.locator("a").last)
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert "elsewhere" not in frame.url  # the page that holds the frame lets it show documents alone
    page.goto(address)  # by itself, in no frame
    go_to(page, page.locator("a").first)
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    assert (page.locator("body").inner_text(), watched, canary.hosts) == ("one two", [], [])

    page.goto(f"{site.url}/c/opinions/documents/")
    picture(page, "documents-of-an-earlier-version")
    press_button(page, "Prepare them again")
    expect(page.locator("#works")).to_contain_text("pages #1")
    do_job(Job.objects.get().pk)
    expect(page.locator("#works")).to_contain_text("1 page prepared again.")
    expect(page.get_by_role("button", name="Prepare them again")).to_have_count(0)  # the page came anew
    (frame,) = open_documents(page, site, ["OLD"])
    assert (frame.locator("body").inner_text(), frame.locator("a").count()) == ("I like the blue bicycle.", 0)


def test_harness_notices_a_script_a_request_and_a_departure(page: Page, canary: Canary, watched: list[str]) -> None:
    show_bare(page, ["<script>alert(1)</script><img src='http://elsewhere.example/x.gif'>", "<a href='data:,'>x</a>"])
    frames = page.frames[1:]
    before = [frame.url for frame in frames]
    touch(page)
    wait_until(page, lambda: watched and canary.hosts and elsewhere(before, frames), "not all of it is noticed")
    assert watched == ["script: alert"]
    assert canary.hosts == ["elsewhere.example"]
    assert elsewhere(before, frames) == ["about:srcdoc -> data:,"]
    show_bare(page, join([f"<body>{each}</body></html>" for each in ("<img src=x onerror=confirm(1)>", "<p>x</p>")]))
    touch(page)
    wait_until(page, lambda: len(watched) > 1, "the second script is not noticed")
    assert (len(page.frames), watched) == (2, ["script: alert", "script: confirm"])


def test_stylesheets_of_the_web_apply_only_where_the_campaign_lets_them(
    sign_in: SignIn,
    site: LiveServer,
    canary: Canary,
    campaign: Campaign,
    organiser: User,
    tmp_path: Path,
) -> None:
    canary.stylesheet = b"p { color: rgb(1, 2, 3); background: url(i.png) }"
    source = b"<link rel=stylesheet href=/s.css><style>@import url(t.css);</style><img src=i.gif><p>A demonstration."
    (docno,) = load(organiser, campaign, tmp_path, [source])
    page = sign_in(organiser)
    asked = {"/s.css", "/2006/01/t.css", "/2006/01/i.gif", "/2006/01/i.png"}  # the later sheet's background wins
    for allowed in (False, True):
        let(campaign, allowed)
        (frame,) = open_documents(page, site, [docno])
        colour = frame.locator("p").evaluate("element => getComputedStyle(element).color")
        assert colour == ("rgb(1, 2, 3)" if allowed else "rgb(0, 0, 0)")
        assert set(canary.paths) == (asked if allowed else set())


@cache
def render(source: str, url: str = "") -> Rendering:
    return render_document(source.encode(), media_type="text/html", charset="utf-8", url=url)


PAGE = re.compile(r"(?P<head>.*?)<body(?P<attributes>[^>]*)>(?P<inside>.*)</body></html>", re.DOTALL)


def join(pages: Iterable[str]) -> list[str]:
    """The same pages, but of those that differ inside their bodies alone twenty are one: a frame costs more than what
    is in it. Each stands in an element of its own, which only what was taken apart again could leave.
    """
    alike: dict[tuple[str, str], list[str]] = {}
    for page in sorted(pages):
        found = PAGE.fullmatch(page)
        assert found, page
        inside = f"<div data-page>{found['inside']}</div>"
        alike.setdefault((found["head"], found["attributes"]), []).append(inside)
    return [
        f"{head}<body{attributes}>{''.join(bodies[start : start + 20])}</body></html>"
        for (head, attributes), bodies in alike.items()
        for start in range(0, len(bodies), 20)
    ]


def show_bare(page: Page, sources: list[str]) -> None:
    """Pages in frames without sandbox or policy."""
    frames = "".join(f'<iframe srcdoc="{html.escape(source)}"></iframe>' for source in sources)
    page.set_content(f"<!DOCTYPE html><title>frames</title>{frames}")


def written_addresses() -> set[str]:
    """Every web address that the stored pages hold, as attributes and as CSS."""
    found: set[str] = set()
    for body in DocumentBody.objects.all():
        text = html.unescape(page_of(body))
        found.update(re.findall(r"""https?://[^\s"'<>)#]+""", text.replace("\\", "")))
    return found
