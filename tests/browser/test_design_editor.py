"""An evaluation of one's own, written in the browser: from an empty site to the campaign, by keyboard."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign
from tests.browser.conftest import SignIn
from tests.browser.look import violations_by_day_and_night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_design_is_written_checked_as_one_types_and_made(site: LiveServer, sign_in: SignIn) -> None:
    page = sign_in(User.objects.create_superuser("maker", password="x"))
    page.goto(f"{site.url}/campaigns/new/design/?from=misleading-documents")
    found = page.locator("#design-found")
    expect(found).to_contain_text("No faults.")
    text = page.get_by_label("Design", exact=True)
    text.press("Control+Home")
    for _ in range(7):
        text.press("ArrowDown")
    text.press("End")
    page.keyboard.type("\ndept = 3")
    expect(found).to_contain_text("is no member of [pool]")
    expect(page.locator(".design-lines .fault")).to_have_text(["9"])
    assert violations_by_day_and_night(page) == []
    link = found.get_by_role("link", name="line 9")
    link.press("Enter")
    expect(text).to_be_focused()
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(found).to_contain_text("No faults.")
    expect(found.get_by_role("button", name="somewhat")).to_be_disabled()
    page.get_by_label("Title", exact=True).fill("Mine")
    page.get_by_label("Short name").fill("mine")
    page.evaluate("document.querySelectorAll('#design-found, #design-forms').forEach(each => each.old = true)")
    page.get_by_label("Short name").press("Enter")  # checks, and makes nothing
    while page.evaluate("document.getElementById('design-found').old"):
        page.wait_for_timeout(50)
    expect(found).to_contain_text("No faults.")
    # What is the same stays: a click may have begun on it.
    assert page.evaluate("document.getElementById('design-forms').old")
    page.get_by_text("Add a question", exact=True).click()
    further = page.locator("#part-further")
    further.get_by_label("What is asked").fill("Is it useful?")
    further.get_by_label("Answers").fill("1 u yes\n0 z no")
    further.get_by_role("button", name="Write it into the text").press("Enter")
    expect(found.get_by_role("button", name="u yes")).to_be_disabled()
    assert not Campaign.objects.exists()
    page.get_by_role("button", name="Make the campaign").press("Enter")
    expect(page).to_have_url(f"{site.url}/c/mine/")
    assert Campaign.objects.get(slug="mine").track == "misleading-documents"


def test_a_design_is_written_by_forms_alone(site: LiveServer, sign_in: SignIn) -> None:
    page = sign_in(User.objects.create_superuser("maker", password="x"))
    page.goto(f"{site.url}/campaigns/new/design/?from=binary-relevance")
    text, found = page.get_by_label("Design", exact=True), page.locator("#design-found")
    asked = page.get_by_label("What is asked").first
    asked.fill("Is it misleading?")
    asked.press("Tab")
    page.keyboard.type("Judge what it says.")  # typed while the first is written
    page.keyboard.press("Tab")
    expect(found).to_contain_text("Is it misleading?")
    expect(text).to_have_value(re.compile(r'ask = "Is it misleading\?"\nhelp = "Judge what it says."\ngrades'))
    expect(page.get_by_label("Key", exact=True).first).to_be_focused()
    further = page.get_by_role("group", name="A further grade")
    further.get_by_label("Name").fill("somewhat")
    further.get_by_label("Name").press("Tab")
    grade = page.get_by_role("group", name="Grade somewhat")
    grade.get_by_label("Colour").select_option("orange")
    expect(found.get_by_role("button", name="somewhat")).to_have_class("hue orange")
    button = grade.get_by_role("button", name="Move up: grade somewhat")
    button.press("Enter")
    expect(grade.get_by_role("button", name="Move down: grade somewhat")).to_be_visible()
    expect(found.locator(".grades button")).to_have_text(["1 relevant", "2 somewhat", "0 not relevant"])
    page.get_by_text("Add a question", exact=True).press("Enter")
    further = page.locator("#part-further")
    further.get_by_label("What is asked").fill("How readable is it?")
    further.get_by_label("Answers").fill("1-5")
    further.get_by_role("button", name="Write it into the text").press("Enter")
    condition = page.get_by_role("group", name="Asked only if")
    condition.get_by_label("somewhat").check()
    expect(text).to_have_value(re.compile(r'asked_if = \{ relevant = \["somewhat"\] \}'))
    expect(found).to_contain_text("No faults.")
    page.get_by_text("Pool", exact=True).press("Enter")
    page.get_by_label("Pool depth").fill("deep")
    page.get_by_label("Pool depth").press("Tab")
    expect(page.locator("#part-pool")).to_contain_text("depth is a whole number")
    assert violations_by_day_and_night(page) == []
