"""The browser, a live site with its ledgers, and people who are logged in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign
from tests import factories
from tests.benches import Benches
from tests.browser.canary import CHROMIUM, CHROMIUM_FLAGS, Canary, open_canary
from tests.browser.every_bench import DOCNO, Makers
from tests.browser.whole_campaign import WholeCampaign

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in the thread of the tests
os.environ["PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK"] = "1"  # the site is asked without a proxy

SignIn = Callable[[User], Page]
USUAL_MS, PATIENCE_MS = 30_000, 60_000
"""How long is waited for what a page shows: only a test that fails waits so long, and a busy machine takes its time."""
expect.set_options(timeout=USUAL_MS)


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


@pytest.fixture(params=[False, True], ids=["off", "on"])
def allowed(request: pytest.FixtureRequest, campaign: Campaign) -> bool:
    """Whether the campaign lets shown pages load images and stylesheets of the web: once not, once so."""
    campaign.settings = {"remote_resources": request.param}
    campaign.save()
    return bool(request.param)


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
