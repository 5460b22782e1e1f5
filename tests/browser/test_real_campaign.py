"""The main job on real pages: from files to scores, every stage judged by keyboard in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.assignments import create_assignment
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Judgment
from assess.organising.domain import change_state
from assess.people.domain.members import add_member
from assess.scores.domain import score_campaign
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.browser.whole_campaign import in_test_all

pytestmark = [pytest.mark.browser, pytest.mark.shared, pytest.mark.slow, in_test_all]

ROOT = Path(__file__).resolve().parent.parent.parent
QUESTIONS = ROOT / "tests" / "data" / "real-blog" / "questions.xml"
PEOPLE = {"Billy", "Robbie", "Mick Wall", "Peelie", "John Peel", "Anthony Bourdain", "Clemmie", "Fergus Henderson"}
NUGGETS = ("Peel fuelled a love of music", "his death was a loss", "he played rare records")


@pytest.fixture
def folder(shared_data: Path, tmp_path: Path) -> Path:
    """The real pages, our questions, and what the demonstration's programs answer to them."""
    made = tmp_path / "blog"
    (made / "documents").mkdir(parents=True)
    shutil.copy(shared_data / "html" / "blog06_like.trec", made / "documents")
    shutil.copy(QUESTIONS, made)
    documents = str(made / "documents" / "blog06_like.trec")
    command = ["-m", "bench.demo_runs", "--documents", documents, "--topics", str(QUESTIONS), "--out", str(made)]
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
    return made


@pytest.fixture
def campaign(site: LiveServer, folder: Path) -> Campaign:
    """The campaign loaded as an organiser loads it, with work for an author and a voter."""
    organiser = factories.user("olga")
    call_command("load_campaign", str(folder), track="tac2008-qa", slug="blog", title="Real blog", organiser="olga")
    made = Campaign.objects.get(slug="blog")
    for name in ("anna", "ben"):
        add_member(actor=organiser, campaign=made, user=factories.user(name), role="assessor")
    change_state(actor=organiser, campaign=made, state="judging")
    anna, ben = User.objects.get(username="anna"), User.objects.get(username="ben")
    for number, stage, who, role in (
        ("1.1", "instances", anna, "primary"),
        ("1.1", "classes", anna, "primary"),
        ("1.2", "nuggets", anna, "primary"),
        ("1.2", "matches", anna, "primary"),
        ("1.2", "votes", ben, "second"),
    ):
        topic = made.topics.get(number=number)
        create_assignment(actor=organiser, campaign=made, topic=topic, stage=stage, assessor=who, role=role)
    return made


def take_up(page: Page, site: LiveServer, stage: str, campaign: Campaign, person: str) -> None:
    work = campaign.assignments.get(stage=stage, assessor__username=person)
    page.goto(f"{site.url}/c/blog/work/{work.pk}/")


def finish(page: Page) -> None:
    """Mark the work as done, once nothing waits to be sent (a page just loaded has sent nothing)."""
    expect(page.locator("[data-save-status]")).to_have_text(re.compile("^(saved ✓)?$"))
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/c/blog/work/$"))


def judge_instances(page: Page) -> int:
    """Judge every instance by its key; the number of correct ones."""
    answers, correct = page.locator("[data-work-list] .words").all_inner_texts(), 0
    for number, answer in enumerate(answers, 1):
        came(page)
        expect(page.locator("[data-answer]")).to_have_text(answer)
        names_several = answer not in PEOPLE and any(name in answer for name in PEOPLE)
        correct += answer in PEOPLE
        page.keyboard.press("4" if answer in PEOPLE else "3" if names_several else "1")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{number} of {len(answers)} judged")
    return correct


def write_nuggets(page: Page) -> None:
    for number, text in enumerate(
        ("Peel fuelled a love of music", "his death was a loss", "he played rare records"), 1
    ):
        page.keyboard.press("n")
        expect(page.locator("#new-text")).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} written")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("Nugget 3 is vital")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/c/blog/work/$"))
    expect(page.get_by_text("Frozen and finished: the nugget list of 1.2")).to_be_visible()


def match_strings(page: Page, strings: int) -> None:
    for number in range(1, strings + 1):
        text = page.locator("[data-string][aria-current] [data-words]:visible").inner_text()
        if "Peel" in text:
            page.keyboard.press("1")
            page.keyboard.press("3")
        page.keyboard.press("Enter")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{number} of {strings} strings looked at")


def test_real_pages_from_files_to_scores(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, folder: Path, tmp_path: Path
) -> None:
    assert campaign.documents.count() == 60
    page = sign_in(User.objects.get(username="anna"))
    take_up(page, site, "instances", campaign, "anna")
    correct = judge_instances(page)
    assert correct >= 3
    finish(page)
    take_up(page, site, "classes", campaign, "anna")
    page.keyboard.press("A")
    expect(page.locator("[data-progress-words]")).to_contain_text(f"{correct} of {correct} grouped")
    finish(page)
    take_up(page, site, "nuggets", campaign, "anna")
    write_nuggets(page)
    take_up(page, site, "matches", campaign, "anna")
    match_strings(page, campaign.pools.get(task="squishy").pool_items.filter(item__topic__number="1.2").count())
    finish(page)
    page.context.clear_cookies()
    sign_in(User.objects.get(username="ben"))
    take_up(page, site, "votes", campaign, "ben")
    for key in ("v", "o", "v"):
        page.keyboard.press(key)
    expect(page.locator("[data-progress-words]")).to_have_text("3 of 3 voted")
    finish(page)
    assert set(Judgment.objects.values_list("how", flat=True)) == {"key"}

    page.context.clear_cookies()
    sign_in(User.objects.get(username="olga"))
    page.goto(site.url + reverse("scores", args=["blog"]))
    scores = score_campaign(Snapshot(campaign))
    best = max(scores.tables.of_topic("1.2").defined("F").values())
    assert 0 < best <= 1
    expect(page.get_by_role("rowheader", name="Harbor1")).to_be_visible()
    assert from_exported_files(folder, tmp_path) == {
        (score.run, score.topic, score.measure): score.value for score in scores.scores if score.run == "Harbor1"
    }


def from_exported_files(folder: Path, tmp_path: Path) -> dict[tuple[str, str, str], float | None]:
    """What the command line says of one run from the exported files alone, without the site."""
    export = tmp_path / "export"
    call_command("export", "blog", str(export))
    command = [sys.executable, "-m", "tracks", "score", "tac2008-qa", "--format", "json"]
    command += ["--gold", str(export), "--run", str(folder / "runs" / "good" / "Harbor1.txt")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)
    return {(row["run"], row["topic"], row["measure"]): row["value"] for row in rows}
