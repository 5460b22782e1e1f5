"""Writing a nugget list: the document of a string, sentences chosen in it by keys, and which nugget stays in hand."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Topic
from nuggets.models import Nugget, NuggetEdit
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.nugget_bench import bench, did, shown, write

pytestmark = pytest.mark.browser

DOCNO = "BLOG06-20060101-000-0000000001"
COUNT = 300
SENTENCES = [f"Line {number} tells of the wine." for number in range(1, COUNT + 1)]


@pytest.fixture
def writing(site: LiveServer, squishy: Topic, assessor: User) -> Assignment:
    """Work on the list of a question with one string, which names a long document."""
    factories.document(squishy.campaign, DOCNO, "\n\n".join(SENTENCES))
    factories.pooled(squishy, ["a tale of wine"])
    return factories.assignment(squishy, "nuggets", assessor, state="open")


def in_hand(page: Page) -> str:
    return page.locator("[data-nugget][data-current]").get_attribute("data-nugget") or ""


@pytest.mark.in_firefox_too
def test_sentences_are_chosen_in_the_document_of_the_string(
    sign_in: SignIn, site: LiveServer, writing: Assignment
) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    page.keyboard.press("t")
    did(page, f"Sentence 1 of {COUNT}, likely 1 of 10: “{SENTENCES[0]}”")
    page.keyboard.press("Escape")

    views = page.locator("[data-opened]")
    views.locator("[data-view=page]").click()
    expect(views.locator("[data-frame]")).to_be_visible()
    page.locator("[data-string] [data-words]").focus()
    page.keyboard.press("t")
    expect(views.locator("[data-choosing]")).to_be_visible()
    page.keyboard.press("ArrowDown")
    did(page, f"Sentence 2 of {COUNT}")
    page.keyboard.press("Enter")
    did(page, "Press n for a new nugget")
    views.locator("[data-view=source]").click()
    expect(views.locator("[data-view=source]")).to_have_attribute("aria-current", "true")


@pytest.mark.in_firefox_too(in_test_all=True)
def test_the_choice_moves_by_a_screen_and_to_the_ends(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    page.keyboard.press("t")
    did(page, f"Sentence 1 of {COUNT}")
    page.keyboard.press("End")
    did(page, f"Sentence {COUNT} of {COUNT}")
    page.keyboard.press("PageDown")
    did(page, "This is the last sentence.")
    page.keyboard.press("Home")
    did(page, f"Sentence 1 of {COUNT}")
    page.keyboard.press("PageDown")
    expect(page.locator("[data-did]")).not_to_contain_text("Sentence 1 of")
    by_a_screen = int(page.locator("[data-did]").inner_text().split()[1])
    assert 2 < by_a_screen < COUNT / 2
    page.keyboard.press("PageDown")
    did(page, f"Sentence {2 * by_a_screen - 1} of")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    did(page, f"Sentence 1 of {COUNT}")


def test_words_that_were_taken_are_not_taken_again(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    write(page, "wine is told of", 1)
    page.keyboard.press("t")
    did(page, "Sentence 1 of")
    page.keyboard.press("Enter")
    page.keyboard.press("a")
    did(page, "Source added to nugget 1")
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("")
    expect(page.locator("[data-from]")).to_be_hidden()
    page.keyboard.type("another")
    page.keyboard.press("Enter")
    did(page, "Nugget 2 written")
    page.keyboard.press("a")
    did(page, "Mark the words in a string")
    assert [nugget.sources.count() for nugget in Nugget.objects.order_by("number")] == [1, 0]


def test_undo_and_redo_leave_the_nugget_in_hand(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    for number, text in enumerate(("one", "two", "three"), start=1):
        write(page, text, number)
    page.keyboard.press("K")
    did(page, "Nugget 3 moved to place 2")
    for pressed, words in (
        ("u", "Undone: nugget 3 is back at its place."),
        ("U", "Redone: nugget 3 is at place 2 again."),
        ("u", "Undone: nugget 3 is back"),
    ):
        page.keyboard.press(pressed)
        did(page, words)
        assert in_hand(page) == "3"
    assert shown(page) == ["one", "two", "three"]
    page.keyboard.press("x")
    did(page, "Nugget 3 retired")
    page.keyboard.press("ArrowUp")
    assert in_hand(page) == "1"
    page.keyboard.press("u")
    did(page, "Undone: nugget 3 is on the list again.")
    assert in_hand(page) == "1"
    assert NuggetEdit.objects.count() == 9


def test_a_long_message_leaves_the_foot_as_it_is(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    height = "document.querySelector('.bench-foot').getBoundingClientRect().height"
    before = page.evaluate(height)
    page.evaluate("document.querySelector('[data-did]').textContent = 'wine '.repeat(200)")
    expect(page.locator("[data-did]")).to_have_attribute("title", "wine " * 200)
    assert page.evaluate(height) == before
    keys = page.locator(".bench-foot [data-words-key]").bounding_box()
    line = page.locator("[data-did]")
    for said, is_over in (("wine " * 30, True), ("wine", False)):
        line.evaluate("(each, said) => { each.textContent = said; }", said)
        expect(line).to_have_attribute("title", said)
        assert line.evaluate("each => each.scrollHeight <= each.clientHeight + 1")  # nothing of it is cut
        assert line.evaluate("each => 'longer' in each.dataset") is is_over
        assert page.locator(".bench-foot [data-words-key]").bounding_box() == keys


def test_a_sign_is_no_word_and_what_is_taken_keeps_its_language(
    sign_in: SignIn, site: LiveServer, squishy: Topic, assessor: User
) -> None:
    factories.pooled(squishy, ["スタンプラリー応募箱が設置された。「駅」"])
    work = factories.assignment(squishy, "nuggets", assessor, state="open")
    page = bench(sign_in(assessor), site, work)
    page.keyboard.press("ArrowLeft")
    did(page, "Marked: “駅”")
    page.keyboard.press("ArrowLeft")
    did(page, "Marked: “た”")
    page.keyboard.press("n")
    field = page.locator("#new-text")
    expect(field).to_have_attribute("lang", "ja")
    expect(field).to_have_attribute("dir", "auto")
    page.keyboard.press("Escape")
