"""Agreement, stability and significance in a real browser: by keyboard from a kappa to the things behind it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign
from tests.browser.conftest import SignIn
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser

PAGES = ("agreement/", "stability/?a_measure=IP&b_measure=IP&a=official&b=second", "significance/?measure=IP")


@pytest.fixture
def desk(site: LiveServer, ranked: Campaign, organiser: User, sign_in: SignIn) -> Page:
    return sign_in(organiser)


def test_from_a_number_of_the_matrix_to_what_was_judged(desk: Page, site: LiveServer, ranked: Campaign) -> None:
    desk.goto(f"{site.url}/c/{ranked.slug}/agreement/")
    expect(desk.get_by_role("region", name="Agreement over all topics")).to_contain_text("Cohen's kappa")
    cell = desk.locator("#matrix-table a[title='correct and incorrect']")
    expect(cell).to_have_text("4")
    cell.focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("correct and incorrect")
    expect(desk.locator("tbody tr")).to_have_count(4)
    expect(desk.locator("tbody")).to_contain_text("blue")
    desk.get_by_role("link", name="Agreement").last.focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text("Agreement")


def test_a_setting_is_tried_on_one_side_by_keyboard(desk: Page, site: LiveServer, ranked: Campaign) -> None:
    desk.goto(f"{site.url}/c/{ranked.slug}/{PAGES[1]}")
    beta = desk.locator("input[name=b_set_beta]")
    beta.fill("1")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("Beta (changed)")).to_have_count(1)
    expect(desk.locator("input[name=a_set_beta]")).to_have_value("3")


def test_pages_have_no_violation_that_axe_finds_and_fit(desk: Page, site: LiveServer, ranked: Campaign) -> None:
    desk.set_viewport_size({"width": 640, "height": 360})  # a window of 1280 × 720 at 200 %
    for address in PAGES:
        desk.goto(f"{site.url}/c/{ranked.slug}/{address}")
        assert violations_by_day_and_night(desk) == []
        assert desk.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
