"""From something missing to a download: frozen, released, published, by keyboard; what axe says of the pages."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Campaign
from assess.work.domain import hand_out
from tests.browser.conftest import PATIENCE_MS, USUAL_MS, SignIn
from tests.browser.look import violations_by_day_and_night
from tests.tracks import track_folder
from tracks import find_track

pytestmark = pytest.mark.browser


@pytest.fixture
def judged(site: LiveServer, organiser: User, settings, tmp_path: Path) -> Campaign:
    """A small campaign, judged as recorded but for the last topic, whose work is handed out and not begun."""
    settings.DATA_DIR = tmp_path / "data"
    track = find_track("adhoc")
    assert track is not None
    campaign = track_folder.load(track, organiser=organiser, slug="hives")
    track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(track))
    assessor = campaign.assignments.exclude(role="second")[0].assessor
    open_topics = campaign.topics.exclude(assignments__role="primary")
    cells = [f"{topic.pk}:documents" for topic in open_topics]
    if cells:
        hand_out(actor=organiser, campaign=campaign, cells=cells[:1], assessor=assessor)
    return campaign


def looked_at(page: Page, name: str) -> None:
    """No violation in light and dark, nothing wider than the page at 200 %; pictures where they are asked for."""
    assert violations_by_day_and_night(page, iframes=True) == []
    if folder := os.environ.get("ASSAY_TEST_PICTURES"):
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=f"{folder}/{name}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    page.set_viewport_size({"width": 1280, "height": 720})


def press(page: Page, name: str, role: str = "button") -> None:
    """By keyboard: the control is focused and Enter pressed."""
    page.get_by_role(role, name=name, exact=False).first.focus()  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def test_from_something_missing_to_a_download(
    site: LiveServer, judged: Campaign, organiser: User, sign_in: SignIn, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    page = sign_in(organiser)
    expect.set_options(timeout=PATIENCE_MS)
    request.addfinalizer(lambda: expect.set_options(timeout=USUAL_MS))
    page.goto(f"{site.url}/c/hives/freeze/")
    expect(page.locator("#missing-table")).to_contain_text("not done, with")
    expect(page.locator("#freeze-form")).to_have_count(0)
    looked_at(page, "freeze-missing")
    press(page, "See who", role="link")
    expect(page).to_have_url(f"{site.url}/c/hives/freeze/?show=missing#pieces")

    live = judged.assignments.exclude(state=Assignment.State.DONE)
    live.update(state=Assignment.State.RETURNED)
    page.goto(f"{site.url}/c/hives/freeze/")
    looked_at(page, "freeze-ready")
    page.get_by_label("Why freeze it all the same?").focus()
    page.keyboard.type("The last topic was dropped.")
    press(page, "Freeze the campaign")
    expect(page).to_have_url(f"{site.url}/c/hives/release/")
    expect(page.get_by_text("No release was made yet")).to_be_visible()

    press(page, "Make a release")
    expect(page.get_by_text("every score checks out")).to_be_visible()
    looked_at(page, "release")
    with page.expect_download() as started:
        press(page, "Download", role="link")
    path = tmp_path / "release.zip"
    started.value.save_as(path)
    with zipfile.ZipFile(path) as archive:
        assert {"manifest.json", "README.md", "exports/qrels.txt", "runs/RUN-A.txt"} <= set(archive.namelist())

    with page.expect_navigation():
        press(page, "Publish …", role="link")
    looked_at(page, "publish")
    press(page, "Publish it")
    expect(page.get_by_text("The release is published")).to_be_visible()
    looked_at(page, "released")
    judged.refresh_from_db()
    assert judged.state == "released"
