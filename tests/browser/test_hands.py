"""What hands do that no key names: a double click, other keyboards, a question typed at once, the browser's Back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.models import HelpRequest
from tests.benches import Benches
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import came, saved

pytestmark = pytest.mark.browser
PRESS = """(press) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...press }))"""
SECOND = "The second click of a double click did nothing."


def test_a_double_click_judges_one_item(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("grade")
    page = bench.open(sign_in(bench.person), site)
    came(page)
    page.wait_for_load_state("networkidle")  # the next items are there
    page.locator("[data-grade]").first.dblclick()
    expect(page.locator("[data-did]")).to_contain_text(SECOND)
    saved(page)
    assert [row[0] for row in bench.rows()] == ["blue bicycle"]
    page.wait_for_timeout(600)
    page.locator("[data-grade]").first.click()
    saved(page)
    expect(page.locator("[data-progress-words]")).to_have_text("2 of 5 judged")
    page.locator("[data-undo]").dblclick()  # each click of it counts
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 5 judged")


def test_a_double_click_marks_one_nugget_and_accepts_one_suggestion(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    marks, classes = makers.make("matches"), makers.make("classes")
    page = marks.open(sign_in(marks.person), site)
    page.locator("[data-nugget] button").nth(2).dblclick()
    expect(page.locator("[data-did]")).to_contain_text(SECOND)
    saved(page)
    assert [row[1] for row in marks.rows()] == [3]  # and not taken away again
    classes.open(page, site)
    page.locator("[data-act=accept]").first.dblclick()
    saved(page)
    assert len(classes.rows()) == 1


def test_digits_and_signs_of_other_keyboards_are_taken(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("grade")
    page = bench.open(sign_in(bench.person), site)
    came(page)
    page.evaluate(PRESS, {"key": "&", "code": "Digit1"})  # French: 1 is there with Shift
    expect(page.locator("[data-did]")).to_contain_text("incorrect")
    page.evaluate(PRESS, {"key": "#", "code": "Digit3", "altKey": True})  # British, on a Mac
    expect(page.locator("#list-place")).to_be_focused()
    bench = makers.make("matches")
    bench.open(page, site)
    for key, code in (("&", "Digit1"), ("é", "Digit2")):
        page.evaluate(PRESS, {"key": key, "code": code})
    expect(page.locator("[data-did]")).to_contain_text("ugget 12")
    saved(page)
    assert [row[1] for row in bench.rows()] == [12]


def test_space_marks_in_german(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("matches")
    page = sign_in(bench.person)
    page.set_extra_http_headers({"Accept-Language": "de"})
    bench.open(page, site)
    expect(page.locator("[data-toggle-now]")).to_contain_text("Leertaste")
    page.keyboard.press("Space")
    expect(page.locator("[data-did]")).to_contain_text("fact 1")
    expect(page.locator("[data-save-status]")).to_have_text("gespeichert ✓")
    assert [row[1] for row in bench.rows()] == [1]
    page.keyboard.press("?")
    expect(page.locator("[data-key-list] kbd").filter(has_text="Leertaste")).to_have_count(1)


def test_a_question_typed_at_once_is_the_question(benches: Benches, sign_in: SignIn, site: LiveServer) -> None:
    page = sign_in(benches.assessor)
    page.goto(f"{site.url}/c/benches/work/{benches.work['figures'].pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    page.keyboard.press("q")
    page.keyboard.type("Is it 0, or next?")
    expect(page.locator("#ask-text")).to_have_value("Is it 0, or next?")
    page.keyboard.press("Control+Enter")
    saved(page)
    assert HelpRequest.objects.get().text == "Is it 0, or next?"
    expect(page.locator("[data-picks-words]")).to_have_text("0 picked")


def test_a_text_pasted_into_the_search_is_looked_for_as_far_as_it_fits(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("grade")
    page = bench.open(sign_in(bench.person), site)
    came(page)
    page.keyboard.press("S")
    expect(page.locator("#search-q")).to_be_focused()
    page.keyboard.insert_text("bicycle " * 12_500)
    page.keyboard.press("Enter")
    expect(page.locator("#side-body .result-list a").first).to_be_focused()
    page.keyboard.press("Enter")
    places = page.locator("[data-mark-place]:visible")
    expect(places).to_have_count(2)
    before = places.first.inner_text()
    page.keyboard.press("n")  # of the document beside, which has the focus
    expect(places.last).to_contain_text("1 of")
    assert places.first.inner_text() == before


def test_back_shows_the_votes_as_they_are(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("votes")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("v")
    saved(page)
    page.goto(f"{site.url}/")
    other = bench.open(page.context.new_page(), site)
    other.locator("[data-nugget] input[value=okay]").first.check()
    saved(other)
    page.go_back()
    expect(page.locator("[data-nugget] input:checked")).to_have_value("okay")


def test_a_key_of_the_foot_stays_under_the_finger_that_leaves_a_note(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("grade")
    page = bench.open(sign_in(bench.person), site)
    page.set_viewport_size({"width": 390, "height": 844})
    came(page)
    page.keyboard.press("t")
    page.keyboard.type("Is it blue?")
    undo = page.locator("[data-undo]")
    undo.scroll_into_view_if_needed()
    box = undo.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()  # the note is left, and what is said of it stands in the same foot
    page.wait_for_timeout(100)
    page.mouse.up()
    expect(page.locator("[data-did]")).to_contain_text("Undone: the note about 1 “blue bicycle” is as it was")
    assert (
        page.locator("[data-did]").evaluate("each => each.getBoundingClientRect().left") == 0
    )  # wherever the keys are
    saved(page)
    assert [row[3] for row in bench.rows()] == ["Is it blue?", ""]
