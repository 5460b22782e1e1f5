"""Practice, *Look again* and *Where you were corrected* by keys, in every state; what a small window shows of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Activity, Assignment, Campaign, Topic
from assess.practice.domain import let_practise_again
from assess.practice.queries import practised_stages
from tests import factories
from tests.assess import judged_campaign as judging
from tests.browser.conftest import SignIn
from tests.browser.keyboard import picture
from tests.browser.look import violations_by_day_and_night
from tests.tracks.designs.campaigns import SURVEY, survey

pytestmark = pytest.mark.browser
ANSWERS = ["blue bicycle", "green bicycle", "red bicycle"]
SIZES = ((1280, 800), (640, 400), (390, 844))


@pytest.fixture
def work(rigid: Topic, assessor: User, second_assessor: User, adjudicator: User) -> Assignment:
    """Of two answers on which two people differ, one was decided as the assessor said, one otherwise."""
    factories.pooled(rigid, ANSWERS)
    own = factories.assignment(rigid, "instances", assessor)
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    for text in ANSWERS[:2]:
        judging.judge(own, text, 1, note=f"Is it {text}?", seconds=20)
        judging.judge(other, text, -1)
    third = factories.assignment(rigid, "instances", adjudicator, role="adjudicator")
    judging.judge(third, "blue bicycle", 1)
    judging.judge(third, "green bicycle", 2)
    return own


def look(page: Page, name: str) -> None:
    """Nothing is wrong by day and by night, and a line is in sight before anything is scrolled."""
    assert violations_by_day_and_night(page) == []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        line = page.get_by_role("row").nth(1).bounding_box()
        picture(page, f"{name}-{width}")
        assert line is not None and line["y"] + 24 <= height, (name, width)
    page.set_viewport_size({"width": 1280, "height": 720})


def test_look_again_and_where_one_was_corrected(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/{campaign.slug}/work/{work.pk}/")
    page.keyboard.press("L")
    page.wait_for_url(re.compile("/look-again/$"))
    look(page, "look-again")
    page.set_viewport_size({"width": 390, "height": 844})
    said = page.get_by_role("columnheader", name="What you said").bounding_box()
    assert said is not None and said["x"] + said["width"] <= 390 - 16
    page.set_viewport_size({"width": 1280, "height": 720})
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    line = page.locator(":focus").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/work/{work.pk}/\?item="))
    expect(page.locator("[data-answer]")).to_have_text(line)

    corrected = f"{site.url}/c/{campaign.slug}/look-again/?show=corrected"
    page.goto(corrected)
    expect(page.get_by_role("heading", name="Not yet")).to_be_visible()
    assert violations_by_day_and_night(page) == []
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    page.goto(corrected)
    expect(page.get_by_role("row")).to_have_count(2)
    look(page, "corrected")
    page.keyboard.press("j")
    expect(page.locator(":focus")).to_have_text("green bicycle")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/work/{work.pk}/"))
    expect(page.locator("[data-answer]")).to_have_text("green bicycle")
    assert violations_by_day_and_night(page) == []  # the bench of a frozen campaign, on which nothing can be given
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        picture(page, f"frozen-{width}")
        strip, head, answer = (
            page.locator(each).bounding_box() for each in (".closed-strip", ".bench-head h1", "[data-answer]")
        )
        assert strip is not None and head is not None and answer is not None
        assert strip["y"] >= 0 and strip["y"] + strip["height"] <= head["y"] < answer["y"] < height - 100, width


def test_practice_is_tried_failed_given_anew_and_passed(
    sign_in: SignIn, site: LiveServer, organiser: User, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    known = [{"topic": "1", "docno": f"HIVE-0{number}", "relevant": "yes", "reason": "So."} for number in (2, 3)]
    (tmp_path / "known.jsonl").write_text("".join(json.dumps(each) + "\n" for each in known))
    practice = 'practice = { file = "known.jsonl", items = 2, tries = 2 }\n'
    campaign = survey(organiser, tmp_path, SURVEY.replace('work = "grade"\n', f'work = "grade"\n{practice}'))
    ada = factories.member(campaign, "ada", "assessor")
    (stage,) = practised_stages(campaign)
    page = sign_in(ada)
    page.emulate_media(color_scheme="light")
    page.goto(f"{site.url}/c/own/work/")
    page.get_by_role("link", name=re.compile("Practise")).first.press("Enter")
    page.wait_for_url(re.compile("/practice/documents/$"))
    expect(page.locator("[data-answer]")).to_be_focused()
    assert violations_by_day_and_night(page) == []
    key = {name: page.get_by_role("button", name=name).get_attribute("data-key") for name in ("yes", "no")}

    def answer(name: str, said: str) -> None:
        page.keyboard.press(str(key[name]))
        expect(page.get_by_text(said).first).to_be_visible()

    def go_on(said: str) -> None:
        page.keyboard.press("Enter")
        expect(page.get_by_text(said).first).to_be_visible()

    page.keyboard.press(str(key["no"]))
    answer("no", "0 of 1 right so far")  # pressed twice at once it is one answer, and what is right is shown
    assert violations_by_day_and_night(page) == []
    go_on("Item 2 of 2")
    answer("no", "0 of 2 right")
    go_on("1 try is left")
    assert violations_by_day_and_night(page) == []
    for width, height in SIZES[1:]:
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        expect(page.get_by_role("status").filter(has_text="1 try is left")).to_have_count(1)
        box = page.get_by_text("Two hives stand").bounding_box()
        picture(page, f"practice-{width}")
        assert box is not None and box["y"] + 20 <= height
    page.set_viewport_size({"width": 1280, "height": 720})
    answer("no", "0 of 1 right so far")
    go_on("Item 2 of 2")
    answer("no", "0 of 2 right")
    go_on("no try is left")
    assert violations_by_day_and_night(page) == []
    let_practise_again(actor=organiser, campaign=campaign, stage=stage, user=ada)
    page.reload()
    answer("yes", "1 of 1 right so far")
    answer("yes", "You have passed.")
    assert violations_by_day_and_night(page) == []
    assert Activity.objects.filter(actor=ada, action__startswith="practice").count() == 6
