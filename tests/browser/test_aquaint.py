"""One definition question from start to end by keyboard: by its author, by another from the stack, by a contractor."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.analysis.domain.rankings import analyse_campaign
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Judgment
from nuggets.models import NuggetList, NuggetMatch
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.look import violations_by_day_and_night
from tests.tracks import track_folder
from tracks.aquaint_definition import TRACK

pytestmark = pytest.mark.browser
QUESTION = "5"
SCORES = {"a paper lamp": ("3", "5")}  # the others get 9 and x
LISTS = {
    "author": [("a paper lamp", True), ("folded without glue", False)],
    "other": [("lights the herring fair", True)],
}
FOUND = {
    "author": {1: "paper lamp", 2: "without glue"},
    "other": {1: "lit the herring fair"},
}


@pytest.fixture
def definitions(settings, site: LiveServer, organiser: User, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path
    return track_folder.load(TRACK, organiser=organiser, slug="definitions")


@pytest.fixture
def people(definitions: Campaign) -> dict[str, User]:
    return {name: factories.member(definitions, name, "assessor") for name in ("author", "other", "contractor")}


def work_of(campaign: Campaign, stage: str, person: User, role: str = "primary") -> Assignment:
    return factories.assignment(campaign.topics.get(number=QUESTION), stage, person, role=role, state="open")


def opened(page: Page, site: LiveServer, work: Assignment) -> None:
    page.goto(f"{site.url}/c/definitions/work/{work.pk}/")
    expect(page.locator("h1, .bench-bar").first).to_be_visible()


def picture(page: Page, name: str) -> None:
    """Kept for people to look at where ASSAY_PICTURES names a folder."""
    if folder := os.environ.get("ASSAY_PICTURES"):
        page.screenshot(path=f"{folder}/aquaint-{name}.png", full_page=True)


def done(page: Page, work: Assignment) -> None:
    page.keyboard.press("f")
    page.wait_for_url("**/work/")
    work.refresh_from_db()
    assert work.state == "done"


def judge_responses(page: Page, site: LiveServer, work: Assignment) -> None:
    opened(page, site, work)
    count = len(page.locator("[data-work-list] .words").all())
    assert count == 5  # five runs, two of which returned the same: each is judged by itself
    for number in range(count):
        expect(page.locator("[data-progress-words]")).to_have_text(f"{number} of {count} judged")
        expect(page.locator(".thing-label")).to_have_text(f"RESPONSE {number + 1} of {count}")
        strings = page.locator("[data-part] .response-text").all_inner_texts()
        content, organization = SCORES.get("\n".join(strings), ("9", "x"))
        page.keyboard.press(content)
        expect(page.locator("[data-criterion][data-active]")).to_have_attribute(
            "data-criterion", "contractor_organization" if work.stage == "contractor" else "organization"
        )
        if number == 0:
            picture(page, f"{work.stage}-{work.role}")
        page.keyboard.press(organization)
    expect(page.locator("[data-progress-words]")).to_have_text(f"{count} of {count} judged")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def write_list(page: Page, site: LiveServer, work: Assignment, whose: str) -> None:
    opened(page, site, work)
    for number, (text, is_vital) in enumerate(LISTS[whose], start=1):
        page.keyboard.press("n")
        expect(page.locator("#new-text")).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} written")
        if is_vital:
            page.keyboard.press("v")
            expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} is vital")
    picture(page, f"nuggets-{whose}")
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/work/")


def find_nuggets(page: Page, site: LiveServer, work: Assignment, whose: str) -> None:
    opened(page, site, work)
    finished = page.locator("[data-progress-words]")
    expect(finished).to_contain_text("strings looked at")
    total = int(finished.inner_text().split(" of ")[1].split()[0])
    for number in range(total):
        expect(finished).to_have_text(f"{number} of {total} strings looked at")
        current = page.locator("[data-string][aria-current]:visible")
        text = current.locator("[data-words]").inner_text()
        if number == 0:
            page.keyboard.press("d")
        shown = page.locator("[data-opened-item]")  # goes with the string
        expect(shown).to_have_attribute("data-opened-item", current.get_attribute("data-string") or "")
        for nugget, words in FOUND[whose].items():
            if words in text:
                page.keyboard.press(str(nugget))
        if number == 1:
            picture(page, f"matches-{whose}")
        page.keyboard.press("Enter")
    expect(finished).to_have_text(f"{total} of {total} strings looked at")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def test_author_and_other_judge_a_question_each_with_their_own_list(
    sign_in: SignIn, site: LiveServer, definitions: Campaign, people: dict[str, User]
) -> None:
    for whose, role in (("author", "primary"), ("other", "second")):
        person = people[whose]
        page = sign_in(person)
        work = {stage: work_of(definitions, stage, person, role) for stage in ("holistic", "nuggets", "matches")}
        judge_responses(page, site, work["holistic"])
        done(page, work["holistic"])
        write_list(page, site, work["nuggets"], whose)
        work["nuggets"].refresh_from_db()
        assert work["nuggets"].state == "done"
        find_nuggets(page, site, work["matches"], whose)
        for run in definitions.runs.all():
            assert run.tag not in page.content()
        done(page, work["matches"])
    contractor = work_of(definitions, "contractor", people["contractor"])
    judge_responses(sign_in(people["contractor"]), site, contractor)

    said = Judgment.objects.filter(item__text="a paper lamp").values_list("assessor__username", "criterion", "value")
    assert set(said) == {
        ("author", "content", 3),
        ("author", "organization", 5),
        ("other", "content", 3),
        ("other", "organization", 5),
        ("contractor", "contractor_content", 3),
        ("contractor", "contractor_organization", 5),
    }
    assert {made.owner.username: made.nuggets.count() for made in NuggetList.objects.all()} == {"author": 2, "other": 1}
    marks = NuggetMatch.objects.filter(value="full")
    assert {(mark.assessor.username, mark.nugget.text) for mark in marks} == {
        ("author", "a paper lamp"),
        ("author", "folded without glue"),
        ("other", "lights the herring fair"),
    }
    found = analyse_campaign(
        Snapshot(definitions), measures=["F_author", "F_other", "holistic_author", "holistic_contractor"]
    )
    values = {ranking.key: ranking.values for ranking in found.rankings}
    assert values["F_author"]["Birch"] == 1.0
    assert values["F_other"]["Birch"] == 0.0
    assert values["holistic_author"] == values["holistic_contractor"]
    assert values["holistic_author"]["Cedar"] == values["holistic_author"]["Elm"] == 5 * 3 + 0.5 * 3 * 5
    assert values["holistic_author"]["Alder"] == 5 * 9 + 0.5 * 9 * 10


def test_the_analysis_page_has_no_violation_and_its_sliders_work(
    sign_in: SignIn,
    site: LiveServer,
    organiser: User,
    settings,
    tmp_path: Path,
) -> None:
    settings.DATA_DIR = tmp_path
    folder = track_folder.folder_of(TRACK) / "published"
    track_folder.load(TRACK, organiser=organiser, slug="pilot", folder=folder)
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/pilot/analysis/?measure=F_author&measure=holistic_author&measure=constant")
    order = page.locator(".orders tbody tr").first
    expect(order).to_contain_text("Alder › Birch")
    assert violations_by_day_and_night(page) == []
    picture(page, "analysis")
    slider = page.get_by_label("Beta, slider", exact=True)
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("set_beta=4.5&"))
    expect(slider).to_be_focused()  # on the page that came with it
    page.keyboard.press("Home")
    expect(page.locator(".orders tbody tr").first).to_contain_text("Birch › Cedar")
    expect(page.get_by_text("With other settings than the campaign's:")).to_be_visible()
