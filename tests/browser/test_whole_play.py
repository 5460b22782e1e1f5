"""A whole campaign played on pages: an organiser, a participant, two assessors and an adjudicator, from the first
invitation to the release. Each has a browser of their own. What the worker does in the background is done here in turn.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from assess.models import Campaign
from scoring.__main__ import main as scoring
from tests.browser.keyboard import came, finish, picture, saved
from tests.browser.play import (
    FOLDER,
    Cast,
    downloaded,
    invite,
    load_documents,
    load_topics,
    make_campaign,
    send_run,
    submit,
    submit_in,
    work_off,
)
from tests.browser.whole_campaign import in_test_all, printed

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@in_test_all
def test_whole_campaign(cast: Cast, tmp_path: Path) -> None:
    begin(cast)
    for name, team in (("pia", "maple"), ("rob", "oak")):
        cast.join(name, invite(cast, "participant", team))
    set_deadline(cast)
    send_broken_run(cast)
    send_run(cast, "rob", FOLDER / "runs" / "good" / "oak.txt")
    for person in ("anna", "ben"):
        cast.join(person, invite(cast, "assessor"))
    cast.join("jo", invite(cast, "adjudicator"))
    begin_judging(cast)
    hand_out(cast)
    judge(cast, "anna", ["1", "2", "3"])
    judge(cast, "ben", ["2", "2", "3"])
    settle(cast)
    freeze_and_publish(cast, tmp_path)
    read_report(cast)


def begin(cast: Cast) -> None:
    make_campaign(cast)
    page = load_topics(cast, FOLDER / "topics.txt")
    expect(page.locator("body")).to_contain_text("4 topics")
    page = load_documents(cast)
    expect(page.locator("body")).to_contain_text("BREAD-01")
    picture(page, "play-documents")


def set_deadline(cast: Cast) -> None:
    page = cast.campaign("olga", "settings/")
    form = page.locator("form[action$='/deadline/']")
    form.locator("input[type=datetime-local]").fill("2099-08-01T23:59")
    form.get_by_label("Time zone").select_option("America/New_York")
    submit_in(form, "Save the deadline")
    expect(cast.campaign("pia", "runs/").locator("#run-window")).to_contain_text("2099")


def send_broken_run(cast: Cast) -> None:
    """A run out of order and with a line twice is refused; corrected, it is accepted."""
    lines = (FOLDER / "runs" / "good" / "maple.txt").read_text().splitlines()
    broken = "\r\n".join([*lines[1:], lines[0], lines[0] + "  "]) + "\r\n"
    page = cast.campaign("pia", "runs/new/")
    page.locator("input[type=file]").set_input_files(
        {"name": "maple.txt", "mimeType": "text/plain", "buffer": broken.encode()}
    )
    page.get_by_label("Run tag").fill("maple")
    page.get_by_role("button", name="Submit", exact=True).press("Enter")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    expect(page.locator("#run-check")).to_be_visible()
    work_off()
    page.reload()
    expect(page.locator("main")).to_contain_text("rejected")
    picture(page, "play-rejected")
    submit(page, "Submit the repaired file")
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    work_off()
    page.reload()
    expect(page.locator("main .page-bar")).to_contain_text("accepted")


def begin_judging(cast: Cast) -> None:
    page = cast.campaign("olga", "pool/")
    page.get_by_role("link", name="Build the pool").press("Enter")
    submit(page, "Build the pool")
    page.wait_for_url(re.compile(r"/pool/$"))
    picture(page, "play-pool")
    page = cast.campaign("olga", "state/")
    submit(page, "Start judging")
    expect(page.locator("main")).to_contain_text("judging")


def hand_out(cast: Cast) -> None:
    page = cast.campaign("olga", "assignments/balance/")
    submit(page, "Hand out")
    page = cast.campaign("olga", "assignments/second/")
    page.get_by_label("How many topics").select_option("all")
    for box in page.locator("input[name=stages]").all():
        box.check()
    submit(page, "Show what would be handed out")
    picture(page, "play-second")
    submit(page, "Hand out")


def judge(cast: Cast, name: str, keys: list[str]) -> None:
    """Everything that somebody has, grade after grade by these keys in turn."""
    page = cast.campaign(name, "work/")
    judged = 0
    while page.locator("[data-key=n]").count():
        page.keyboard.press("n")
        page.wait_for_url(re.compile(r"/work/\d+/$"))
        page.wait_for_load_state()
        progress = page.locator("[data-progress-words]")
        expect(progress).to_have_text(re.compile(r"^0 of \d+ judged"))
        count = int(progress.inner_text().split()[2])
        for place in range(1, count + 1):
            if judged == 0:
                picture(page, f"play-{name}")
            came(page)
            page.keyboard.press(keys[judged % len(keys)])
            judged += 1
            expect(progress).to_have_text(re.compile(rf"^{place} of {count} judged"))
        saved(page)
        finish(page)
    assert judged > 0


def settle(cast: Cast) -> None:
    page = cast.campaign("jo", "adjudication/")
    page.get_by_role("link", name="Start deciding").first.press("Enter")
    page.wait_for_url(re.compile(r"/adjudication/.+"))
    page.wait_for_load_state()
    picture(page, "play-adjudicate")
    progress = page.locator("[data-progress-words]")
    count = int(progress.inner_text().split()[2])
    assert count > 0
    for place in range(1, count + 1):
        came(page)
        page.keyboard.press("ArrowLeft")
        expect(progress).to_have_text(f"{place} of {count} decided")
    saved(page)


def freeze_and_publish(cast: Cast, place: Path) -> None:
    page = cast.campaign("olga", "freeze/")
    picture(page, "play-freeze")
    submit(page, "Freeze the campaign")
    page = cast.campaign("olga", "release/")
    submit(page, "Make a release")
    work_off()
    page = cast.campaign("olga", "release/")
    picture(page, "play-release")
    archive = downloaded(page, place / "release.zip")
    page.get_by_role("link", name="Publish …").press("Enter")
    page.wait_for_url(re.compile(r"/publish/$"))
    picture(page, "play-publish")
    submit(page, "Publish it")
    assert Campaign.objects.get().state == Campaign.State.RELEASED
    assert printed(scoring, "verify", str(archive))


def read_report(cast: Cast) -> None:
    page = cast.campaign("pia", "report/")
    expect(page.locator("main")).to_contain_text("maple")
    expect(page.locator("main")).not_to_contain_text("oak")
    picture(page, "play-report")
