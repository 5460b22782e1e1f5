"""The browser, a live site with its ledgers, and people who are logged in."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any
from weakref import WeakSet

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect
from pytest_django.live_server_helper import LiveServer

from assay_site.databases import KEPT
from assess.models import Campaign
from tests import factories
from tests.benches import Benches
from tests.browser.bundled import bundled
from tests.browser.canary import CHROMIUM, CHROMIUM_FLAGS, Canary, open_canary
from tests.browser.every_bench import DOCNO, Makers
from tests.browser.firefox import launch_firefox, let_firefox_start
from tests.browser.loaded import every_page_used_when_loaded, failed_scripts
from tests.browser.play import PASSWORD, Cast
from tests.browser.whole_campaign import WholeCampaign
from tests.parts import WHOLE

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in the thread of the tests
os.environ["PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK"] = "1"  # the site is asked without a proxy

SignIn = Callable[[User], Page]
USUAL_MS, PATIENCE_MS = 30_000, 60_000
"""How long is waited for what a page shows: only a test that fails waits so long, and a busy machine takes its time."""
expect.set_options(timeout=USUAL_MS)
let_firefox_start()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that is marked `in_firefox_too` runs in both browsers; with `in_test_all` it does so there alone."""
    if mark := metafunc.definition.get_closest_marker("in_firefox_too"):
        metafunc.fixturenames.append("engine")
        engines = ["", "firefox"] if WHOLE or not mark.kwargs.get("in_test_all") else [""]
        metafunc.parametrize("engine", engines, indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    """A test fails when a script of one of its pages does."""
    failed_scripts()
    result = yield
    assert failed_scripts() == []
    return result


@cache
def static_file(path: str) -> tuple[bytes, str]:
    """A static file, with its type."""
    found = finders.find(path)
    if not found:
        raise Http404(path)
    return Path(found).read_bytes(), guess_type(path)[0] or "application/octet-stream"


_alone: list[bool] = []
"""Not empty while each module is sent alone."""


@pytest.fixture
def modules_alone(own_context: None) -> Iterator[None]:
    """Chromium asks for each module, not for a script with all that it imports."""
    _alone.append(True)
    yield
    _alone.clear()


@pytest.fixture(scope="session", autouse=True)
def static_files_are_kept() -> Iterator[None]:
    """Static files don't change while tests run: each is read once, and asked for once by a context. Firefox gets each
    module alone, and so does Chromium in `make test-all`.
    """

    def serve(handler: StaticFilesHandler, request: HttpRequest) -> HttpResponse:
        path = handler.file_path(request.path)
        content, media_type = static_file(path)
        if not (WHOLE or _alone or "Firefox" in request.headers.get("User-Agent", "")):
            content = bundled(path) or content
        return HttpResponse(content, content_type=media_type, headers={"Cache-Control": "max-age=86400"})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StaticFilesHandler, "serve", serve)
        yield


@pytest.fixture(scope="session")
def kept_connections(django_db_setup: None) -> Iterator[WeakSet[BaseDatabaseWrapper]]:
    """The site's threads keep their connections to the database, as those of a real site do: to open one and read its
    tables anew for each request took a fifth of what the site computes here.
    """
    kept: WeakSet[BaseDatabaseWrapper] = WeakSet()

    def keep(connection: BaseDatabaseWrapper, **_: Any) -> None:
        if current_thread() is not main_thread():
            kept.add(connection)

    connection_created.connect(keep)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in KEPT.items():
            patch.setitem(connections.settings["default"], name, value)
        yield kept
    connection_created.disconnect(keep)


@pytest.fixture(autouse=True)
def connections_of_this_test(kept_connections: WeakSet[BaseDatabaseWrapper]) -> None:
    """A connection serves one test: each thread closes what it kept of an earlier one before its next request."""
    for connection in [*kept_connections]:
        connection.close_at = 0


@pytest.fixture(autouse=True)
def patient_rendering(settings: Any) -> None:
    """A page is prepared however long a busy machine takes for it, by one process: each takes a while to start."""
    settings.ASSAY_RENDER_SECONDS = 60
    settings.ASSAY_RENDER_PROCESSES = 1


@pytest.fixture(scope="session")
def every_other_host() -> Iterator[Canary]:
    with open_canary() as canary:
        yield canary


@pytest.fixture
def canary(every_other_host: Canary) -> Canary:
    """What was asked of any host but the site's, in this test."""
    every_other_host.forget()
    return every_other_host


@pytest.fixture(scope="session")
def browser_type_launch_args(every_other_host: Canary) -> dict[str, Any]:
    return {"executable_path": CHROMIUM, "args": [*CHROMIUM_FLAGS, *every_other_host.flags], "headless": True}


@pytest.fixture(scope="session")
def browser_context_args(every_other_host: Canary) -> dict[str, Any]:
    size = {"width": 1280, "height": 720}
    return {"viewport": size, "color_scheme": "light", "proxy": every_other_host.of_a_context}


@pytest.fixture(scope="session")
def browser(playwright: Playwright, browser: Browser) -> Iterator[Browser]:
    with every_page_used_when_loaded(playwright):
        yield browser


@pytest.fixture(scope="session")
def kept_context(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """The context of most tests, with a blank page that keeps its process alive."""
    kept = browser.new_context(**browser_context_args)
    kept.new_page()
    yield kept
    kept.close()


@pytest.fixture(scope="session")
def firefox(playwright: Playwright, browser: Browser) -> Iterator[Browser]:
    """Firefox, begun when the first test wants it. ``browser`` has pages used once they are loaded, here too."""
    firefox = launch_firefox(playwright)
    yield firefox
    firefox.close()


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> str:
    """The browser of this test: "firefox", or "" for Chromium."""
    return getattr(request, "param", "")


@pytest.fixture
def own_context() -> None:
    """Asked for by tests that do to their context what can't be taken back: set its clock, listen to it."""


@pytest.fixture
def context(request: pytest.FixtureRequest, engine: str) -> Iterator[BrowserContext]:
    """A context as if it were new: what is loaded once, scripts above all, is kept from test to test, and nobody is
    logged in. Tests that ask what a page asks of other hosts have one of their own, where nothing was loaded before.
    """
    if engine == "firefox":
        firefox: Browser = request.getfixturevalue("firefox")
        with firefox.new_context(viewport={"width": 1280, "height": 720}) as own:
            yield own
        return
    if {"own_context", "canary"} & {*request.fixturenames}:
        yield request.getfixturevalue("new_context")()
        return
    kept: BrowserContext = request.getfixturevalue("kept_context")
    yield kept
    blank, *pages = kept.pages
    kept.clear_cookies()  # what a page sends while it is closed reaches nobody's work
    kept.unroute_all(behavior="ignoreErrors")
    for page in pages:
        page.close()
    kept.set_offline(False)
    kept.clear_permissions()
    if site := request.node.funcargs.get("site"):
        forget_what_is_stored(blank, site.url)


def forget_what_is_stored(page: Page, origin: str) -> None:
    """What scripts of this site kept in the browser."""
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})
    session.detach()


@pytest.fixture
def sign_in(site: LiveServer, page: Page) -> SignIn:
    """Opens the browser as somebody who has logged in."""

    def signed_in(person: User) -> Page:
        client = Client()
        client.force_login(person)
        page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site.url}])
        return page

    return signed_in


@pytest.fixture
def whole(site: LiveServer, sign_in: SignIn, settings: Any, tmp_path: Path) -> Iterator[WholeCampaign]:
    """A campaign to be loaded from a folder, whose data is kept in this test's own folder. Real ones are large, and a
    busy machine takes its time with them.
    """
    settings.DATA_DIR = tmp_path / "data"
    expect.set_options(timeout=PATIENCE_MS)
    yield WholeCampaign(site=site, sign_in=sign_in)
    expect.set_options(timeout=USUAL_MS)


@pytest.fixture
def makers(
    site: LiveServer,
    benches: Benches,
    campaign: Campaign,
    second_assessor: User,
    adjudicator: User,
    organiser: User,
) -> Makers:
    """Makes work on any bench, in a campaign without any."""
    factories.document(campaign, DOCNO, "I like the blue bicycle. The red bicycle broke.")
    return Makers(
        benches=benches,
        campaign=campaign,
        assessor=factories.member(campaign, "author", "assessor"),
        second=second_assessor,
        adjudicator=adjudicator,
        organiser=organiser,
    )


@pytest.fixture
def cast(browser: Browser, site: LiveServer, settings: Any, tmp_path: Path) -> Iterator[Cast]:
    """People of a play on pages, each in a browser of their own; olga may make campaigns."""
    settings.DATA_DIR = tmp_path / "data"
    organiser = factories.user("olga")
    organiser.set_password(PASSWORD)
    organiser.is_staff = True
    organiser.save()
    found = Cast(browser, site)
    yield found
    for page in found.pages.values():
        page.context.close()
