"""An evaluation of one's own, written in the browser: from an empty site to the campaign, by keyboard."""

from __future__ import annotations

import os

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign
from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("ED_SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_a_design_is_written_checked_as_one_types_and_made(site: LiveServer, sign_in: SignIn) -> None:
    page = sign_in(User.objects.create_superuser("maker", password="x"))
    page.goto(f"{site.url}/campaigns/new/design/?from=misleading-documents")
    found = page.locator("#design-found")
    expect(found).to_contain_text("No faults.")
    shot(page, "new-light")
    text = page.get_by_label("Design", exact=True)
    text.press("Control+Home")
    for _ in range(6):
        text.press("ArrowDown")
    text.press("End")
    page.keyboard.type("\ndept = 3")
    expect(found).to_contain_text("is no member of [pool]")
    expect(page.locator(".design-lines .fault")).to_have_text(["8"])
    shot(page, "new-fault")
    link = found.get_by_role("link", name="line 8")
    link.press("Enter")
    expect(text).to_be_focused()
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(found).to_contain_text("No faults.")
    expect(found.get_by_role("button", name="somewhat")).to_be_disabled()
    for name, size in (("dark", (1280, 900)), ("narrow", (390, 800))):
        page.emulate_media(color_scheme="dark" if name == "dark" else "light")
        page.set_viewport_size({"width": size[0], "height": size[1]})
        shot(page, name)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_label("Title").fill("Mine")
    page.get_by_label("Short name").fill("mine")
    page.get_by_label("Short name").press("Enter")
    expect(page).to_have_url(f"{site.url}/c/mine/")
    assert Campaign.objects.get(slug="mine").track == "misleading-documents"
    page.goto(f"{site.url}/c/mine/settings/design/")
    shot(page, "settings")
