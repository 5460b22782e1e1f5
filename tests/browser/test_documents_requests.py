"""What a hostile document makes the browser ask: off, nothing of anybody; on, other hosts alone, never the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.signals import request_started
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign
from tests.browser.canary import Canary
from tests.browser.conftest import SignIn
from tests.browser.opened_documents import let, load, open_documents, touch
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

OTHER = "http://elsewhere.example"
LINKS = ("prefetch", "dns-prefetch", "preconnect", "preload", "icon", "manifest")
WAYS = {
    "properties": "<style>:root{{--u:'{at}'}}p{{background:image-set(var(--u) 1x)}}</style>",
    "webkit": "<style>:root{{--w:'{at}'}}b{{background:-webkit-image-set(var(--w) 1x)}}</style>",
    "nested": "<style>:root{{--n:'{at}';--m:var(--n)}}i{{content:image-set(var(--m) 1x)}}</style>",
    "attribute": "<i style=\"--a:'{at}';background:image-set(var(--a) 1x)\">x</i>",
    "set": "<style>u{{background:image-set('{at}' 1x)}}</style>",
    "url": "<style>em{{background:url({at});cursor:url({at}),auto;list-style-image:url({at})}}</style>",
    "import": "<style>@import '{at}';</style><style>@import url({at});</style>",
    "font": "<style>@font-face{{font-family:f;src:url({at})}}p{{font-family:f}}</style>",
    "filter": "<style>s{{filter:url({at}#x);mask:url({at});clip-path:url({at}#c)}}</style>",
    "sheet": "<link rel=stylesheet href='{at}'>",
    "links": "".join(f"<link rel='{rel}' as=image href='{{at}}'>" for rel in LINKS),
    "image": "<img src='{at}'><input type=image src='{at}'>",
    "srcset": "<img srcset='{at} 1x, {at}2 2x'><picture><source srcset='{at}'><img></picture>",
    "background": "<table background='{at}'><tr><td background='{at}'>x</table>",
    "refresh": "<meta http-equiv=refresh content='0;url={at}'>",
    "svg": "<svg><image href='{at}'/><use href='{at}#x'/></svg>",
    "frames": "<iframe src='{at}'></iframe><object data='{at}'></object><video poster='{at}'></video>",
    "ping": "<a href='#' ping='{at}'>x</a><a href='{at}' ping='{at}'>y</a>",
    "form": "<form action='{at}'><button formaction='{at}'>x</button></form>",
    "base": "<base href='{at}/'><img src=relative.gif><body background=relative.gif>",
}
"""Ways by which a page can have a browser ask for an address, each with an address of its own."""


@pytest.fixture
def site_asked(site: LiveServer) -> Iterator[list[str]]:
    """Every path that the site was asked for, whoever asked."""
    paths: list[str] = []

    def note(environ: dict[str, Any], **_: Any) -> None:
        paths.append(environ["PATH_INFO"])

    request_started.connect(note)
    yield paths
    request_started.disconnect(note)


def hostile(origin: str) -> list[bytes]:
    """A page for each way, which asks `origin` for a path that nobody else asks for."""
    rest = "<p>text <b>b</b> <i>i</i> <u>u</u> <em>e</em> <s>s</s>"
    return [
        f"<title>x</title>{code.format(at=f'{origin}/stolen/{name}')}{rest}".encode() for name, code in WAYS.items()
    ]


def visit(page: Page, site: LiveServer, docnos: list[str]) -> None:
    """Open all of them, touch everything, and let pass what a page may still have in hand: what is asked last by the
    page that holds them is answered, and a moment more.
    """
    open_documents(page, site, docnos)
    touch(page)
    page.evaluate("() => fetch(location.href).then((answer) => answer.text())")
    page.wait_for_timeout(200)


def test_hostile_pages_never_ask_the_site(
    sign_in: SignIn,
    site: LiveServer,
    site_asked: list[str],
    canary: Canary,
    campaign: Campaign,
    organiser: User,
    tmp_path: Path,
) -> None:
    canary.stylesheet = f"p {{ background: url({site.url}/stolen/by-a-loaded-sheet) }}".encode()
    alias = site.url.replace("localhost", "127.0.0.1")
    sheet = f"<link rel=stylesheet href={OTHER}/s.css><p>x".encode()
    docnos = load(organiser, campaign, tmp_path, [*hostile(site.url), *hostile(alias), sheet])
    page = sign_in(organiser)
    for allowed in (False, True):
        let(campaign, allowed)
        site_asked.clear()
        visit(page, site, docnos)
        assert [path for path in site_asked if "stolen" in path or "relative" in path] == []
        assert canary.paths == (["/s.css"] if allowed else [])
        assert len([path for path in site_asked if path.startswith("/d/")]) == len(docnos)  # the recorder hears


def test_hostile_pages_ask_others_for_images_and_stylesheets_where_they_may(
    sign_in: SignIn,
    site: LiveServer,
    canary: Canary,
    campaign: Campaign,
    organiser: User,
    tmp_path: Path,
) -> None:
    docnos = load(organiser, campaign, tmp_path, hostile(OTHER))
    page = sign_in(organiser)
    let(campaign, False)
    visit(page, site, docnos)
    assert canary.hosts == []
    let(campaign, True)
    visit(page, site, docnos)
    ways = {path.split("/")[2] for path in canary.paths if path.startswith("/stolen/")}
    shown = {"set", "url", "import", "filter", "sheet", "image", "srcset", "srcset2", "background", "base"}
    assert {"set", "url", "import", "sheet", "image", "background"} <= ways <= shown
    assert {*canary.hosts} == {"elsewhere.example"}


def test_what_chromium_asks_by_itself_is_told_from_what_a_page_asks(
    page: Page, browser: Browser, canary: Canary
) -> None:
    canary.browser.forget()
    session = browser.new_browser_cdp_session()
    session.send("Target.createTarget", {"url": "http://redirector.gvt1.com/"})  # in no context of a test
    page.set_content("<img src='http://update.googleapis.com/x.gif'>")
    wait_until(page, lambda: "redirector.gvt1.com" in canary.browser.hosts, "what Chromium asks is not heard")
    assert {*canary.hosts} == {"update.googleapis.com"}  # of a page, no host is excused
