"""Grouping answers and voting in a real browser: by keyboard alone, and as it looks."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.campaigns.queries import stage_of
from assess.models import Assignment, HelpRequest, Item, Topic
from nuggets.classes.current import grouping_of
from nuggets.models import ClassEdit, NuggetVote
from nuggets.votes.bench import vote_board
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.look import LONG, violations_by_day_and_night
from tests.nuggets.conftest import judge

pytestmark = pytest.mark.browser

DOCNO = "BLOG06-20060101-000-0000000001"
ANSWERS = ["azure", "blue", "Blue!", "green", "red"]


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    """Five correct answers to be grouped, all from one document."""
    factories.document(rigid.campaign, DOCNO, "I like the blue bicycle. A purple one is better.")
    grading = factories.assignment(rigid, "instances", assessor)
    for item in factories.pooled(rigid, ANSWERS):
        judge(item, grading, 1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    return factories.assignment(rigid, "classes", assessor)


@pytest.fixture
def voting(site: LiveServer, squishy: Topic, assessor: User, second_assessor: User) -> Assignment:
    """A frozen list of four nuggets, and a further assessor who votes."""
    writing = factories.assignment(squishy, "nuggets", assessor)
    made = start_list(actor=assessor, assignment=writing)
    for text, importance in [("cheap", "vital"), ("light", "okay"), ("breaks soon", "okay"), ("kind staff", "vital")]:
        add_nugget(actor=assessor, nugget_list=made, text=text, importance=importance, client_key=uuid4())
    freeze_list(actor=assessor, nugget_list=made, client_key=uuid4())
    Assignment.objects.filter(pk=writing.pk).update(state="done")
    return factories.assignment(squishy, "votes", second_assessor, role="second")


def bench(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-step]").first).to_be_visible()
    return page


def did(page: Page, words: str) -> None:
    expect(page.locator("[data-did]")).to_have_text(words)
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def shown(work: Assignment) -> dict[str, list[str]]:
    _, stage = stage_of(work.campaign, work.stage)
    views = grouping_of(work, stage).classes
    return {view.label: sorted(member.item.text for member in view.members) for view in views}


def on_page(page: Page) -> dict[str, list[str]]:
    views = page.locator("[data-class]")
    return {
        views.nth(place).locator(".class-label").inner_text(): sorted(
            views.nth(place).locator(".words").all_inner_texts()
        )
        for place in range(views.count())
    }


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.in_firefox_too
def test_whole_grouping_by_keyboard(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 5 grouped · 0 classes")
    expect(page.locator("[data-here] .words")).to_have_text("azure")

    press(page, "Space", "j", "Space", "n")  # azure and Blue! into a class, under another name
    expect(page.locator("#label-field")).to_have_value("azure")
    page.keyboard.type("blue")
    press(page, "Enter")
    did(page, "2 answers in the new class 1 “blue”")

    expect(page.locator("[data-here] .words")).to_have_text("blue")
    press(page, "s")  # like the class that is there
    did(page, "1 answer grouped as suggested, in 1 class")
    press(page, "A")
    did(page, "2 answers grouped as suggested, in 2 classes")
    expect(page.locator("[data-progress-words]")).to_have_text("5 of 5 grouped · 3 classes")
    assert shown(work) == {"blue": ["Blue!", "azure", "blue"], "green": ["green"], "red": ["red"]}

    press(page, "j")  # from the head of class 1 to its first answer
    expect(page.locator("[data-here] .words")).to_have_text("azure")
    press(page, "x")
    did(page, "1 answer in a class of their own, 4 “azure”")
    press(page, "r")
    page.keyboard.type("sky blue")
    press(page, "Enter")
    did(page, "Class 4 “sky blue” has its new name")
    press(page, "u")
    did(page, "Undone: class 4 “azure” has this name again")
    press(page, "U")
    did(page, "Redone: class 4 “sky blue” has this name again")
    assert shown(work) == {"blue": ["Blue!", "blue"], "green": ["green"], "red": ["red"], "sky blue": ["azure"]}

    press(page, "3")  # the answer in hand goes to red
    did(page, "1 answer put into 3 “red”")
    page.locator("[name=class]").first.focus()
    press(page, "Space", "j", "j", "j", "m")
    did(page, "1 answer merged into 1 “blue”")
    assert shown(work) == {"blue": ["Blue!", "blue", "green"], "red": ["azure", "red"]}
    press(page, "Backspace")
    did(page, "1 answer taken out")
    press(page, "u")
    did(page, "Undone: 1 answer in 1 “blue” again")
    expected = shown(work)
    assert expected == {"blue": ["Blue!", "blue", "green"], "red": ["azure", "red"]}
    page.reload()
    assert on_page(page) == expected
    assert set(ClassEdit.objects.values_list("how", flat=True)) == {"key"}
    press(page, "f")
    page.wait_for_url(re.compile(r"/c/opinions/work/$"))
    work.refresh_from_db()
    assert work.state == "done"


ASKED_BEFORE_CLOSED = """() => {
    document.getElementById("label-dialog").close();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "n", code: "KeyN", bubbles: true }));
}"""


def test_half_a_name_of_a_class_is_there_again_after_a_reload(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = bench(sign_in(work.assessor), site, work)
    name = page.locator("#label-field")

    def after_reload(*keys: str) -> None:
        page.reload()
        expect(page.locator("[data-step]").first).to_be_visible()
        press(page, *keys)

    press(page, "n")
    page.keyboard.type("sky bl")
    after_reload("n")
    expect(name).to_have_value("sky bl")
    press(page, "Escape", "j", "n")  # of another answer
    expect(name).to_have_value("Blue!")
    press(page, "Escape", "k", "n")  # left without saving it
    expect(name).to_have_value("azure")
    page.evaluate(ASKED_BEFORE_CLOSED)  # as happens with quick keys
    page.keyboard.type("sky bl")
    after_reload("n", "End")
    page.keyboard.type("ue")
    press(page, "Enter")
    did(page, "1 answer in the new class 1 “sky blue”")
    press(page, "l", "r")
    page.keyboard.type("hea")
    after_reload("l", "r", "End")
    page.keyboard.type("ven")
    press(page, "Enter")
    did(page, "Class 1 “heaven” has its new name")
    after_reload("l", "r")
    expect(name).to_have_value("heaven")


def test_found_answer_by_keyboard(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    press(page, "a")
    expect(page.locator("#found-text")).to_be_focused()
    page.keyboard.type("purple 1")
    press(page, "Escape", "S")
    expect(page.locator("#side-panel input[type=search]")).to_be_focused()
    page.keyboard.type("purple")
    press(page, "Enter")
    page.locator("#side-panel .result-list a").focus()
    press(page, "Enter")
    expect(page.locator("#found-docno")).to_have_value(DOCNO)
    press(page, "a")
    expect(page.locator("#found-docno")).to_be_focused()
    press(page, "Enter")
    did(page, "Answer that you found put into 1 “purple 1”")
    expect(page.locator("[data-here] [data-box]")).to_be_focused()
    expect(page.locator("[data-class] .badge")).to_have_text("✎ found while grouping")
    expect(page.locator("[data-found]")).not_to_have_attribute("open", "")
    assert shown(work) == {"purple 1": ["purple 1"]}


def test_refused_found_answer_keeps_what_was_typed(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    press(page, "a")
    page.keyboard.type("purple")
    press(page, "Tab")
    page.keyboard.type("NO-SUCH")
    press(page, "Enter")
    expect(page.locator("[data-did]")).to_contain_text("There is no document NO-SUCH in the collection.")
    expect(page.locator("#found-text")).to_have_value("purple")


def test_document_and_its_marks_have_their_keys(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    press(page, "j", "j", "d")
    expect(page.locator("[data-did]")).to_have_text(re.compile(r"^Document: \S+$"))
    frame = page.locator("#side-panel iframe").content_frame
    expect(frame.locator("mark.assay-answer")).to_have_text("blue")
    press(page, "n")
    expect(page.locator("#side-panel iframe")).to_have_attribute("src", re.compile(r"#assay-mark-1$"))
    press(page, "Escape")
    expect(page.locator("#side-panel")).to_be_hidden()
    press(page, "j", "k", "n")
    expect(page.locator("#label-field")).to_have_value("blue")


def test_a_document_that_is_missing_is_said_and_closes_the_other(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    Item.objects.filter(text="red").update(document=None)
    page = bench(sign_in(work.assessor), site, work)
    press(page, "j", "d")
    expect(page.locator("#side-panel iframe")).to_be_visible()
    row = page.locator("[data-row]", has_text="red")
    row.locator("[data-box]").focus()
    press(page, "d")
    expect(page.locator("[data-did]")).to_have_text("This document is not loaded into the campaign.")
    expect(page.locator("#side-panel")).to_be_hidden()
    expect(row.locator("[data-box]")).to_be_focused()


def test_typed_number_waits_for_its_second_digit(
    sign_in: SignIn, site: LiveServer, work: Assignment, rigid: Topic
) -> None:
    grading = rigid.assignments.get(stage="instances")
    for number in range(10):
        judge(factories.item(rigid, f"colour {number}"), grading, 1)
    page = bench(sign_in(work.assessor), site, work)
    press(page, "A")
    expect(page.locator("[data-progress-words]")).to_have_text("15 of 15 grouped · 14 classes")
    page.locator("[data-class] [name=item]").last.focus()
    press(page, "1")
    expect(page.locator("[data-did]")).to_have_text("Into class 1_: Enter takes it, Esc drops it")
    press(page, "2")
    expect(page.locator("[data-did]")).to_contain_text("1 answer put into 12 “")
    press(page, "1", "Enter")
    expect(page.locator("[data-did]")).to_contain_text("1 answer put into 1 “azure”")


def test_lost_network_loses_nothing(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.context.set_offline(True)
    press(page, "A")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again (1 waiting)")
    assert not ClassEdit.objects.exists()
    page.context.set_offline(False)
    did(page, "5 answers grouped as suggested, in 4 classes")
    assert ClassEdit.objects.count() == 1


def test_asking_names_the_answer(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    press(page, "j", "q")
    expect(page.locator("[data-ask-about]")).to_have_text("About “Blue!”")
    page.keyboard.type("Is this azure?")
    press(page, "Tab", "Enter")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    asked = HelpRequest.objects.get()
    assert (asked.item.text if asked.item else "", asked.text) == ("Blue!", "Is this azure?")


def votes(voting: Assignment) -> list[str]:
    board = vote_board(voting)
    assert board is not None
    return [line.vote for line in board.lines]


@pytest.mark.in_firefox_too
def test_whole_list_of_votes_by_keyboard(sign_in: SignIn, site: LiveServer, voting: Assignment) -> None:
    page = bench(sign_in(voting.assessor), site, voting)
    texts = page.locator(".nugget-text").all_inner_texts()
    press(page, "v")
    expect(page.locator("[data-did]")).to_have_text(f"1 “{texts[0]}”: vital")
    expect(page.locator("[data-here] .nugget-text")).to_have_text(texts[1])
    press(page, "o", "j", "v")
    expect(page.locator("[data-here] .nugget-text")).to_have_text(texts[2])  # the one that was passed over
    press(page, "u")
    expect(page.locator("[data-did]")).to_have_text(f"Undone: 4 “{texts[3]}” has no vote")
    expect(page.locator("[data-progress-words]")).to_have_text("2 of 4 voted")
    press(page, "o", "v")
    expect(page.locator("[data-progress-words]")).to_have_text("4 of 4 voted")
    press(page, "v")  # as it is already
    expect(page.locator("[data-did]")).to_contain_text("”: vital. All are voted")
    press(page, "q")
    expect(page.locator("[data-ask-form] textarea")).to_be_focused()
    press(page, "Escape")
    expect(page.locator("[data-here] fieldset")).to_be_focused()
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert votes(voting) == ["vital", "okay", "vital", "okay"]
    assert set(NuggetVote.objects.values_list("how", flat=True)) == {"key"}
    page.reload()
    assert page.locator("input[type=radio]:checked").evaluate_all("all => all.map(each => each.value)") == votes(voting)
    number = page.locator("[data-nugget]").nth(2).get_attribute("data-nugget")
    page.goto(f"{page.url}?nugget={number}")  # as "Look again" opens it
    expect(page.locator("[data-here] .nugget-text")).to_have_text(texts[2])
    press(page, "k", "k", "f")
    page.wait_for_url(re.compile(r"/c/opinions/work/$"))
    voting.refresh_from_db()
    assert voting.state == "done"


def test_refused_vote_is_taken_back_on_the_page(sign_in: SignIn, site: LiveServer, voting: Assignment) -> None:
    page = bench(sign_in(voting.assessor), site, voting)
    voting.campaign.state = "frozen"
    voting.campaign.save()
    press(page, "v")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: The campaign is frozen")
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 4 voted")


def test_benches_have_no_violation_and_fit(
    sign_in: SignIn, site: LiveServer, work: Assignment, rigid: Topic, voting: Assignment
) -> None:
    grading = rigid.assignments.get(stage="instances")
    for text in (LONG, "שלום עולם"):
        judge(factories.item(rigid, text), grading, 1)
    page = sign_in(work.assessor)
    bench(page, site, work)
    press(page, "s", "a")
    expect(page.locator("[data-class]")).to_have_count(1)
    assert violations_by_day_and_night(page) == []
    press(page, "Escape", "n")
    expect(page.locator("#label-dialog")).to_be_visible()
    assert violations_by_day_and_night(page) == []
    press(page, "Escape")
    page.reload()
    press(page, "A")
    expect(page.locator("[data-progress-words]")).to_contain_text("7 of 7 grouped")
    assert violations_by_day_and_night(page) == []
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640

    page.set_viewport_size({"width": 1280, "height": 720})
    bench(sign_in(voting.assessor), site, voting)
    press(page, "v")
    assert violations_by_day_and_night(page) == []
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_nothing_jumps_when_the_last_answer_is_grouped(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    places = (
        "() => ['.bench-head', '.bench-list', '.bench-thing', '.bench-foot']"
        ".map((name) => JSON.stringify(document.querySelector(name).getBoundingClientRect()))"
    )
    before = page.evaluate(places)
    press(page, "A")
    expect(page.locator("[data-progress-words]")).to_contain_text("5 of 5 grouped")
    assert page.evaluate(places) == before
