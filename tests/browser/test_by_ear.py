"""A topic of each kind of work judged by what a screen reader says alone: where the focus is, names, announcements."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Judgment
from assess.practice.queries import practice_of, practised_stages
from nuggets.models import NuggetList
from tests import factories
from tests.benches import Benches, need_relevant_passage
from tests.browser.by_ear import Ear
from tests.browser.conftest import SignIn
from tests.browser.every_bench import ANSWERS, BENCHES, Bench, Makers, grouped, matched, voted
from tests.tracks.designs.campaigns import SURVEY, survey

pytestmark = pytest.mark.browser
LAST = "press f to mark the work as done."


def open_bench(bench: Bench, sign_in: SignIn, site: LiveServer) -> Ear:
    ear = Ear(sign_in(bench.person))
    ear.open(f"{site.url}{bench.path}")
    return ear


def grade_all(ear: Ear, grade: str, *, number: int, numbered: bool = True) -> None:
    """Give each item this grade: where one is stands by what has the focus, what was stored is announced."""
    key = ear.key_of("button", grade)
    for place in range(1, number + 1):
        item = ear.at(description=f"{place} of {number}")
        assert ear.press(key).startswith(f"{f'{place} ' if numbered else ''}“{item.words}”: {grade}")


def test_graded_answers_and_their_classes(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("grade")
    ear = open_bench(bench, sign_in, site)
    expect(ear.page.get_by_role("heading", level=1)).to_contain_text("Which colours do people like?")
    grade_all(ear, "correct", number=len(ANSWERS))
    assert ear.press(ear.key_of("link", "previous")) == "4 of 5: correct"
    assert ear.press(ear.key_of("button", "undo")).endswith("is unjudged")
    assert ear.press(ear.key_of("button", "correct")).endswith(LAST)
    ear.finish()
    assert len(bench.rows()) == len(ANSWERS) + 2
    ear.open(f"{site.url}{bench.path}")
    assert ear.press("i") == "All are judged."  # and nothing is left to mark as done

    work = factories.assignment(makers.campaign.topics.get(number="1.1"), "classes", makers.assessor)
    ear.open(f"{site.url}/c/{work.campaign.slug}/work/{work.pk}/")
    first = ear.focus()
    assert first.role == "checkbox"
    assert ear.press("k").startswith("This is the first line. Not grouped")
    assert ear.press("l") == "There is nothing under “Different answers”."
    assert ear.press(ear.key_of("button", "by its name")) == f"1 answer in the new class 1 “{first.words}”"
    for _ in ANSWERS[1:]:
        assert ear.press("1") == f"1 answer put into 1 “{first.words}”"
    assert ear.press(ear.key_of("button", "next")).startswith("Different answers: 2 of ")
    ear.finish()
    assert [row[0] for row in grouped()] == ["create", *["assign"] * 4]


def test_nuggets_are_written_found_and_voted_on(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    ear = open_bench(makers.make("nuggets"), sign_in, site)
    page = ear.page
    said = ear.at(words=".").words  # the first string
    assert ear.press(ear.key_of("button", "string")) == "string 2 of 3"
    assert ear.press("k") == "string 1 of 3"
    assert ear.focus().words == said
    assert ear.press(ear.key_of("button", "whole")) == f"Marked: “{said}”"
    page.keyboard.press("n")
    ear.at(words="What it says")
    page.keyboard.type("low price")
    assert ear.press("Enter").startswith("Nugget 4 written")
    assert ear.press("J") == "This is the last nugget."
    page.keyboard.press("f")
    ear.at(words="Freeze 4 nuggets")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Frozen and finished")).to_have_count(1)
    assert NuggetList.objects.get().frozen_at is not None

    topic = makers.campaign.topics.get(number="1.2")
    work = factories.assignment(topic, "matches", makers.assessor)
    ear.open(f"{site.url}/c/{work.campaign.slug}/work/{work.pk}/")
    for letter in "abc":
        assert ear.press("4").startswith(f"Nugget 4 “low price” is in [{letter}]")
        assert ear.press(ear.key_of("button", "No more nuggets, next")) == (
            f"[{letter}] looked at. Response 1, [{chr(ord(letter) + 1)}]"
            if letter < "c"
            else f"[c] looked at. All strings are looked at: {LAST}"
        )
    assert ear.press(ear.key_of("button", "undo")) == "Undone: [c] is not looked at"
    assert ear.press(ear.key_of("button", "undo")) == "Undone: nugget 4 is not marked any more in [c]"
    assert ear.press(ear.key_of("button", "undo")) == "Undone: [b] is not looked at"
    assert (
        ear.press(ear.key_of("button", "Nothing in the rest"))
        == f"2 strings looked at. All strings are looked at: {LAST}"
    )
    assert ear.press(ear.key_of("button", "undo")) == "Undone: 2 strings are not looked at"
    page.keyboard.press("#")
    ear.at(words="Number of the response")
    assert ear.type("7\n") == "There is no response 7."
    for number in ("1", "1", ""):  # the same again, or none
        page.keyboard.press("#")
        ear.at(words="Number of the response")
        page.keyboard.type(f"{number}\n")
        expect(page.locator(".string:focus-within, .string:focus")).to_contain_text("[b]")
    assert (
        ear.press(ear.key_of("button", "Nothing in the rest"))
        == f"2 strings looked at. All strings are looked at: {LAST}"
    )
    ear.finish()
    assert len(matched()) == 15

    work = factories.assignment(topic, "votes", makers.second, role="second")
    sign_in(makers.second)
    ear.open(f"{site.url}/c/{work.campaign.slug}/work/{work.pk}/")
    for place in range(1, 5):
        nugget = ear.at(words=f"{place} ")
        assert nugget.role == "group"
        number, text = nugget.words.split(" ", 1)
        assert ear.press(ear.key_of("radio", "okay")).startswith(f"{number} “{text}”: okay")
    assert ear.press(ear.key_of("button", "next")) == "This is the last nugget."
    ear.finish()
    assert len(voted()) == 4


def test_disagreements_are_settled(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("adjudication")
    ear = open_bench(bench, sign_in, site)
    item = ear.focus()
    assert "correct" in item.description and "incorrect" in item.description  # what was said of it
    grade_all(ear, "unsupported", number=5, numbered=False)
    expect(ear.page.get_by_role("status").filter(has_text="saved ✓")).to_have_count(1)
    assert [row[2] for row in bench.rows()] == [2] * 5


def test_items_of_every_kind(benches: Benches, sign_in: SignIn, site: LiveServer) -> None:
    need_relevant_passage(benches)
    ear = Ear(sign_in(benches.assessor))
    page = ear.page

    def begin(stage: str) -> None:
        ear.open(f"{site.url}/c/benches/work/{benches.work[stage].pk}/")

    begin("passages")
    for place in (1, 2):
        ear.at(words=f"PASSAGE {place} of 3")
        assert ": fully" in ear.press(ear.key_of("button", "fully"))
    ear.finish()

    begin("responses")
    assert ear.press(ear.key_of("button", "next text")) == "Text 2 of 4: Add squash, and wait for an hour."
    assert ear.press(ear.key_of("button", "its document")) == "Document 1 of 1 of this text: P1:1"
    assert ear.press(ear.key_of("button", "9")).endswith(": 9. Organisation, 0 to 10")
    assert ear.press(ear.key_of("button", "previous question")).startswith("Content")
    assert ear.press(ear.key_of("button", "previous question")) == "This is the first question."
    assert ear.press(ear.key_of("button", "10")).endswith("10. Organisation, 0 to 10")
    assert ear.press(ear.key_of("button", "0")).endswith(LAST)
    ear.finish()

    begin("sentences")
    grade_all(ear, "borderline", number=3)
    ear.finish()

    begin("citations")
    for place in (1, 2):
        claim = ear.at(description=f"{place} of 2").words
        said = ear.press(ear.key_of("button", "choose sentences"))
        assert said.startswith("Sentence 1 of 5")
        assert ear.focus().role == "region"
        assert ear.press("ArrowUp") == "This is the first sentence."
        assert ear.press("End").startswith("Sentence 5 of 5")
        assert ear.press("ArrowRight") == "The text ends here."
        assert ear.press("j") == "This is the last sentence."
        assert ear.press("Home") == said
        assert ear.press("Escape") == "No sentence taken."
        assert ear.focus().words == claim
        assert ear.press(ear.key_of("button", "choose sentences")) == said
        assert ear.press("Enter").startswith("Snippet added: “Statins lower cholesterol.”")
        assert ear.focus().words == claim
        assert ear.press("u").startswith("Undone: the snippet is taken out of")
        ear.press(ear.key_of("button", "choose sentences"))
        ear.press("Enter")
        assert ear.press(ear.key_of("button", "supports")).startswith(f"{place} “{claim}”: supports")
    ear.finish()
    assert Judgment.objects.filter(assignment=benches.work["citations"], evidence__isnull=False).count() == 6

    begin("statements")
    grade_all(ear, "yes", number=1)
    ear.finish()

    begin("figures")
    assert ear.focus().words == "Which figures or tables support the claim?"
    page.keyboard.press(ear.key_of("searchbox", "Find a figure"))
    ear.at(words="Find a figure")
    assert ear.type("table") == "TABLE 1: Enter picks it. 1 of 1"
    assert ear.press("Enter") == "TABLE 1 picked as 1"
    assert ear.type("fig 1") == "FIG 1: Enter picks it. 1 of 3"
    assert ear.press("ArrowDown") == "FIG 1A: Enter picks it. 2 of 3"
    assert ear.press("Enter") == "FIG 1A picked as 2"
    page.keyboard.press("Escape")
    ear.at(words="Which figures")
    assert ear.press(ear.key_of("button", "move up")) == "FIG 1A is 1 now"
    assert ear.press(ear.key_of("button", "take out")) == "FIG 1A taken out"
    ear.at(words="Which figures")
    ear.finish()


def test_practice(organiser: User, settings: Any, tmp_path: Path, sign_in: SignIn, site: LiveServer) -> None:
    settings.DATA_DIR = tmp_path / "data"
    known = [{"topic": "1", "docno": f"HIVE-0{number}", "relevant": "yes"} for number in (2, 3)]
    (tmp_path / "known.jsonl").write_text("".join(json.dumps(each) + "\n" for each in known))
    practice = 'practice = { file = "known.jsonl", items = 2, tries = 2 }\n'
    campaign = survey(organiser, tmp_path, SURVEY.replace('work = "grade"\n', f'work = "grade"\n{practice}'))
    ada = factories.member(campaign, "ada", "assessor")
    ear = Ear(sign_in(ada))
    ear.open(f"{site.url}/c/own/practice/documents/")
    for key, told in (("no", "not right"), ("yes", "right")):
        ear.at(words="DOCUMENT")
        assert told in ear.press(ear.key_of("button", key))
        if key == "no":
            ear.page.keyboard.press(ear.key_of("link", "Go on"))  # to the next item, of which the place says all
            ear.page.wait_for_url("**/practice/documents/")
    (stage,) = practised_stages(campaign)
    assert practice_of(campaign, stage, ada).tries == 1


def test_keys_that_find_nothing_say_so_and_escape_leads_back(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("matches")
    ear = open_bench(bench, sign_in, site)
    string = ear.focus()
    assert ear.press("R") == "This string is not looked at."
    ear.press("Enter")
    assert ear.press("k") == "This is the first response."
    for field in ("#", "/"):
        ear.page.keyboard.press(field)
        expect(ear.page.locator("input:focus")).to_have_count(1)
        ear.page.keyboard.press("Escape")
        assert ear.focus().role == string.role
    asked = makers.campaign.topics.get(number="1.2")
    other = factories.topic(makers.campaign, "1.3", "Why?", task=asked.task, parent=asked.parent, ordinal=3)
    work = factories.assignment(other, "nuggets", makers.assessor)
    ear.open(f"{site.url}/c/{work.campaign.slug}/work/{work.pk}/")
    for key in ("e", "s", "m", "f", "x"):
        assert ear.press(key) == "There is no nugget yet: write one first (n)."
        ear.page.evaluate("() => { document.querySelector('[data-did]').textContent = ''; }")  # the next says it anew
    figures = makers.make("picks")
    sign_in(figures.person)
    ear.open(f"{site.url}{figures.path}")
    assert ear.press("j") == "Nothing picked yet."
    assert ear.press("x") == "Choose a pick first, with j and k."


@pytest.mark.parametrize("name", BENCHES)
def test_the_ends_of_each_list_and_the_way_out_have_keys(
    makers: Makers, sign_in: SignIn, site: LiveServer, name: str
) -> None:
    bench = makers.make(name)
    ear = open_bench(bench, sign_in, site)
    for key in ("End", "End", "Home", "Home"):
        ear.page.evaluate("() => { document.querySelector('[data-did]').textContent = ''; }")  # the next says it anew
        said = ear.press(key)
        if key == "End":
            last = said
    wanted = ("Nothing picked yet.", "Nothing picked yet.") if name == "picks" else ("is the last ", "is the first ")
    assert wanted[0] in last
    assert wanted[1] in said
    ear.page.keyboard.press("W")
    ear.page.wait_for_url(re.compile(r"/adjudication/$" if name == "adjudication" else r"/work/$"))


def test_a_number_of_two_digits_is_told_once(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    ear = open_bench(makers.make("matches"), sign_in, site)
    assert ear.press("1").startswith("Nugget 1_ for [a]")
    assert ear.press("1").startswith("Nugget 11 “fact 11” is in [a]")
    ear.page.keyboard.press("?")
    expect(ear.page.locator("dialog:modal")).to_be_visible()
    expect(ear.page.locator("[data-did]")).to_have_text("")
    ear.page.keyboard.press("Escape")
    ear.press("Enter")
    ear.page.keyboard.press("g")
    expect(ear.page.locator("#side-panel[open]")).to_be_visible()
    expect(ear.page.locator("[data-did]")).to_have_text("")
