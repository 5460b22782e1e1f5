"""A participant reads their report by keyboard, down to a judgment; its pages are for everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign
from tests.assess.scored_campaign import judged_campaign
from tests.browser.conftest import SignIn
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser


@pytest.fixture
def released(
    site: LiveServer, campaign: Campaign, organiser: User, assessor: User, settings: Any, tmp_path: Path
) -> str:
    """The address of a released campaign of three teams."""
    settings.DATA_DIR = tmp_path / "data"
    judged_campaign(campaign, organiser, assessor)
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.RELEASED)
    return f"{site.url}/c/{campaign.slug}"


def open_link(page: Page, address: str) -> None:
    """Focus the link whose address holds this, and open it by the key."""
    page.locator(f"main table a[href*='{address}']").first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def look(page: Page) -> None:
    """Readers of screens find no problem, in light and dark, at twice the size."""
    assert violations_by_day_and_night(page) == []
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    page.set_viewport_size({"width": 1280, "height": 720})


def test_a_participant_goes_from_the_report_to_a_judgment_by_keyboard(released: str, sign_in: SignIn) -> None:
    page = sign_in(User.objects.get(username="amber"))
    page.goto(f"{released}/report/")
    assert page.locator("h1").inner_text() == "Scores of Amber"
    assert page.locator("img.plot").first.evaluate("image => image.complete && image.naturalWidth > 0")
    look(page)
    for address in ("measure=combined", "topic=1&measure=combined", "measure=rigid", "topic=1.1&measure=F", "row=2.1"):
        open_link(page, address)
    assert page.locator("nav.crumb a").all_inner_texts()[-1] == "F on 1.1"
    assert "said by the primary assessor" in page.locator("main").inner_text()
    assert "assessor" not in page.locator("main").inner_text().replace("second assessor", "").replace(
        "primary assessor", ""
    )
    look(page)


def test_a_printed_report_has_no_menu_and_is_black_on_white(released: str, sign_in: SignIn, tmp_path: Path) -> None:
    page = sign_in(User.objects.get(username="amber"))
    page.emulate_media(color_scheme="dark", media="print")
    page.goto(f"{released}/report/")
    assert not page.locator(".site-header").is_visible()
    assert not page.locator(".report-choice").first.is_visible()
    colours = page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert page.locator("img.plot").first.evaluate("image => !image.currentSrc.includes('dark')")
    assert page.pdf(path=str(tmp_path / "report.pdf"), format="A4").startswith(b"%PDF")
