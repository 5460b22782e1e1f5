"""Questions without grades, snippets of documents and answers that one found, by what a screen reader says alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Judgment
from nuggets.models import NuggetSource
from tests import factories
from tests.browser.by_ear import Ear
from tests.browser.conftest import SignIn
from tests.browser.every_bench import DOCNO, Makers
from tests.nuggets.workshop import workshop_campaign
from tests.tracks.designs.campaigns import SURVEY, survey

pytestmark = pytest.mark.browser
RANKED = SURVEY.replace('answer = "several"\nmost = 2', 'answer = "rank"')


FAULTS = {
    SURVEY: ([("old", "old"), ("one-sided", "old, one-sided")], "old + one-sided", {"several": [1, 3]}),
    RANKED: (
        [("vague", "1: vague"), ("old", "1: vague, 2: old"), ("one-sided", "1: vague, 2: old, 3: one-sided")],
        "vague > old > one-sided",
        {"rank": [2, 1, 3]},
    ),
}


@pytest.mark.parametrize("design", FAULTS)
def test_texts_numbers_choices_and_orders(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path, design: str
) -> None:
    campaign = survey(organiser, tmp_path, design)
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", factories.member(campaign, "ada", "assessor"), state="open")
    ear = Ear(sign_in(work.assessor))
    page = ear.page
    ear.open(f"{site.url}/c/own/work/{work.pk}/")
    assert ear.press(ear.key_of("button", "yes")).endswith("yes. What is wrong with it?")
    chosen, kept, given = FAULTS[design]
    for name, said in chosen:
        assert ear.press(ear.key_of("checkbox", name)).endswith(said)
    assert ear.press("Enter").endswith(f": yes, {kept}. What does it claim?")
    expect(page.get_by_role("button", name="Keep w writes Ctrl Enter keeps")).to_have_count(1)
    page.keyboard.press("w")
    ear.at(words="What does it claim?", description="0 of 5 words")
    page.keyboard.type("Bees live here")
    assert ear.press("Control+Enter").endswith("Bees live here. Of which year is it?")
    ear.at(words="DOCUMENT 1 of 6")
    page.keyboard.press("w")
    ear.at(words="Of which year is it?")
    page.keyboard.type("1999")
    assert ear.press("Enter").endswith("Bees live here, 1999")
    ear.at(words="DOCUMENT 2 of 6")
    assert list(Judgment.objects.order_by("id").values_list("criterion", "value", "given")) == [
        *(("relevant", 1, None), ("faults", None, given)),
        *(("claim", None, {"text": "Bees live here"}), ("year", None, {"number": 1999})),
    ]


def test_snippets_are_taken_from_documents(sign_in: SignIn, site: LiveServer, settings: Any, organiser: User) -> None:
    settings.ASSAY_TRACKS = "tests.nuggets.workshop.TRACKS"
    workshop = workshop_campaign(organiser, "workshop")
    author = factories.member(workshop, "author", "assessor")
    for docno in ("smith2020", "jones2021"):
        factories.document(workshop, docno, f"We asked {docno} students. They sorted cards twice.")
    topic = workshop.topics.get(number="g1")
    topic.fields = {"documents": ["smith2020", "jones2021"]}
    topic.save()
    work = factories.assignment(topic, "ground", author, state="open")
    ear = Ear(sign_in(author))
    page = ear.page
    ear.open(f"{site.url}/c/workshop/work/{work.pk}/")
    ear.at(words="smith2020")
    sentences = ear.key_of("button", "sentences")
    assert ear.press(sentences).startswith("Sentence 1 of 2: “We asked smith2020 students.”")
    ear.at(words="Text of the document")
    assert ear.press("j").startswith("Sentence 2 of 2: “They sorted cards twice.”")
    assert ear.press("Enter").startswith("Marked. Press n for a new description with it.")
    page.keyboard.press("n")
    ear.at(words="What it says")
    assert ear.press("Enter") == "Description 1 written."
    assert ear.press(ear.key_of("button", "next document")) == "Document: jones2021"
    assert ear.press(sentences).startswith("Sentence 1 of 2: “We asked jones2021 students.”")
    assert ear.press("a") == "Source added to description 1."
    page.keyboard.press("f")
    ear.at(words="Freeze 1 description")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Frozen and finished")).to_have_count(1)
    assert NuggetSource.objects.count() == 2


def test_an_answer_that_one_found(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("classes")
    ear = Ear(sign_in(bench.person))
    page = ear.page
    ear.open(f"{site.url}{bench.path}")
    first = ear.focus()
    page.keyboard.press("a")
    ear.at(words="Answer")
    page.keyboard.type("purple\n")
    ear.at(words="Document that supports it", description="Search with S")
    page.keyboard.type(DOCNO)
    assert ear.press("Enter") == "Answer that you found put into 1 “purple”"
    assert ear.focus() == first
    assert ear.press(ear.key_of("button", "undo")) == "Undone: 1 answer in no class again"
    assert ear.press("U") == "Redone: 1 answer in 1 “purple” again"
    assert ear.focus() == first
