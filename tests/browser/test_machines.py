"""The page of machine judges in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.disagreement import ANSWERS, DOCNO
from tests.browser.keyboard import picture
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser


def test_labels_are_imported_and_drafts_are_set(
    sign_in: SignIn, site: LiveServer, rigid: Topic, organiser: User, tmp_path: Path
) -> None:
    items = factories.pooled(rigid, ANSWERS)
    path = tmp_path / "umbrela.txt"
    path.write_text("".join(f"1.1 0 {item.key} 1\n" for item in items[:3]) + f"1.1 0 {DOCNO}-x 1\n", encoding="utf-8")
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/opinions/machines/")
    page.get_by_label("Name of the judge").fill("Umbrela")
    page.locator("#id_labels").set_input_files(path)
    page.get_by_role("button", name="Import").press("Enter")
    expect(page.locator("main")).to_contain_text("4 lines read, 3 rows added")
    expect(page.locator("main")).to_contain_text("1 × unknown item")
    assert violations_by_day_and_night(page) == []
    picture(page, "machines-light")
    page.emulate_media(color_scheme="dark")
    picture(page, "machines-dark")
    page.get_by_label("once they have judged it themselves").press("Space")
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.locator("#messages")).to_contain_text("once they have judged it themselves")
    assert Campaign.objects.get().drafts == "after"
