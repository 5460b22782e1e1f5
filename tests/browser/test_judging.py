"""Judging in a real browser: by keyboard alone, over a network that fails, without scripts."""

from __future__ import annotations

import itertools
import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.models import SetAside
from assess.judging.queries.current import current_judgments_of
from assess.models import Assignment, HelpRequest, Item, Judgment, ListedDocument, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.browser.on_the_way import break_off, on_the_way, pass_on
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

DOCNO = "BLOG06-20060101-000-0000000001"
ANSWERS = ["blue bicycle", "green bicycle", "red bicycle", "silver bicycle"]


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    """Four instances of the rigid question, all from one document, not yet taken up."""
    factories.document(rigid.campaign, DOCNO, "I like the blue bicycle. 😀 The red bicycle of Velora broke.")
    factories.pooled(rigid, ANSWERS)
    return factories.assignment(rigid, "instances", assessor, state="open")


def bench(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    return page


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def current(work: Assignment) -> dict[str, int | None]:
    rows = current_judgments_of(work.topic, assessor=work.assessor).select_related("item")
    return {row.item.text: row.value for row in rows}


def order(page: Page) -> list[str]:
    return page.locator("[data-work-list] .words").all_inner_texts()


def answer(page: Page) -> str:
    return page.locator("[data-answer]").inner_text()


def test_undo_takes_back_that_an_item_is_for_later(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first, second, third, _ = order(page)
    page.keyboard.press("4")
    expect(page.locator("[data-answer]")).to_have_text(second)
    came(page)
    page.keyboard.press("l")
    expect(page.locator("[data-answer]")).to_have_text(third)
    saved(page)
    assert SetAside.objects.count() == 1
    page.keyboard.press("u")
    expect(page.locator("[data-answer]")).to_have_text(second)
    expect(page.locator("[data-did]")).to_have_text(f"Undone: 2 “{second}” is not for later any more")
    expect(page.locator("[data-work-list] > [data-item]").nth(1)).to_have_attribute("data-state", "open")
    saved(page)
    assert (SetAside.objects.count(), current(work)[first]) == (0, 1)
    page.keyboard.press("u")  # the step before it
    expect(page.locator("[data-did]")).to_have_text(f"Undone: 1 “{first}” is unjudged")


def test_whole_question_by_keyboard(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/opinions/work/")
    page.keyboard.press("n")  # take up next
    expect(page.locator("[data-undo]")).to_be_visible()
    first, second, third, fourth = order(page)
    expect(page.locator("[data-answer]")).to_have_text(first)

    page.keyboard.press("4")
    expect(page.locator("[data-answer]")).to_have_text(second)
    expect(page.locator("[data-did]")).to_have_text(f"1 “{first}”: correct")
    page.keyboard.press("1")
    expect(page.locator("[data-answer]")).to_have_text(third)
    page.keyboard.press("u")  # take back the second
    expect(page.locator("[data-answer]")).to_have_text(second)
    expect(page.locator("[data-did]")).to_have_text(f"Undone: 2 “{second}” is unjudged")
    page.keyboard.press("l")  # set it aside
    expect(page.locator("[data-answer]")).to_have_text(third)

    page.keyboard.press("t")  # a note; its digits are text
    page.keyboard.type("seen in post 2, 3 and 4")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(page.locator("[data-answer]")).to_have_text(fourth)
    page.keyboard.press("2")
    expect(page.locator("[data-answer]")).to_have_text(second)  # what was set aside comes last
    page.keyboard.press("i")
    expect(page.locator("[data-did]")).to_have_text("No other item is open.")
    page.keyboard.press("1")
    expect(page.locator("[data-progress-words]")).to_have_text("4 of 4 judged")
    told = page.locator("[data-did]")
    expect(told).to_contain_text("All are judged: press f to mark the work as done.")
    assert told.evaluate("each => each.scrollHeight <= each.clientHeight + 1")  # all of it is there
    expect(page.locator("[data-did]")).to_contain_text("incorrect")
    saved(page)
    assert current(work) == {first: 1, second: -1, third: 3, fourth: 2}
    assert Judgment.objects.filter(item__text=third).latest("id").note == "seen in post 2, 3 and 4"
    assert set(Judgment.objects.values_list("how", flat=True)) == {"key"}
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/c/opinions/work/$"))
    work.refresh_from_db()
    assert work.state == "done"
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_contain_text("done")
    expect(page.locator("[data-did]")).not_to_contain_text("Undone")
    assert current(work) == {first: 1, second: -1, third: 3, fourth: 2}


def test_undo_restores_the_earlier_value(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first = answer(page)
    page.keyboard.press("4")
    page.keyboard.press("k")
    came(page)
    expect(page.locator("[data-answer]")).to_have_text(first)
    page.keyboard.press("1")
    saved(page)
    assert current(work) == {first: -1}
    page.reload()
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_contain_text(": correct")
    saved(page)
    assert current(work) == {first: 1}
    assert [row.value for row in Judgment.objects.order_by("id")] == [1, -1, 1]


def test_in_one_column_another_item_comes_into_sight_by_its_head(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    factories.pooled(work.topic, [f"colour {number}" for number in range(20)])
    page = bench(sign_in(work.assessor), site, work)
    _, second, third, fourth, fifth, *_ = order(page)
    head, shown = page.locator(".bench-thing .thing-label"), page.locator("[data-answer]")
    page.set_viewport_size({"width": 683, "height": 384})
    for key, text in (("j", second), ("4", third), ("k", second)):
        page.keyboard.press(key)
        expect(shown).to_have_text(text)
        came(page)
        assert 0 <= head.bounding_box()["y"] < 384 / 2  # type: ignore[index]
        page.locator("[data-grade]").last.scroll_into_view_if_needed()
    link = page.locator("[data-work-list] a").nth(3)
    link.focus()
    page.keyboard.press("Enter")
    expect(shown).to_have_text(fourth)
    came(page)
    assert 0 <= head.bounding_box()["y"] < 384 / 2  # type: ignore[index]
    expect(link).to_be_focused()
    page.set_viewport_size({"width": 683, "height": 1200})
    page.evaluate("scrollTo(0, 10)")
    page.keyboard.press("i")
    expect(shown).to_have_text(fifth)
    came(page)
    assert page.evaluate("scrollY") == 10  # it was in sight


def test_asking_the_organiser_leaves_the_item_open(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first = answer(page)
    page.keyboard.press("q")
    expect(page.locator("#ask-text")).to_be_focused()
    page.keyboard.type("Is 4 the answer?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    saved(page)
    asked = HelpRequest.objects.get()
    assert (asked.item.text if asked.item else "", asked.text) == (first, "Is 4 the answer?")
    assert not Judgment.objects.exists()
    expect(page.locator("[data-item]").first).to_have_attribute("data-state", "flagged")


def test_lost_network_loses_nothing_and_doubles_nothing(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    expect(page.locator(".bench-wings iframe").nth(1)).to_be_attached()  # the next ones have come
    first, second = order(page)[:2]
    page.context.set_offline(True)
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again (1 waiting)")
    expect(page.locator("[data-answer]")).to_have_text(second)  # fetched in advance
    page.keyboard.press("1")
    expect(page.locator("[data-save-status]")).to_contain_text("2 waiting")
    for text, grade in ((second, "incorrect"), (first, "correct")):  # seen without a network, too
        page.keyboard.press("k")
        expect(page.locator("[data-answer]")).to_have_text(text)
        expect(page.locator("button[name=value][aria-pressed=true]")).to_contain_text(grade)
    assert not Judgment.objects.exists()
    page.context.set_offline(False)
    saved(page)
    assert current(work) == {first: 1, second: -1}
    assert Judgment.objects.count() == 2


def test_a_key_says_nothing_of_an_item_that_is_still_coming(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    held: list[Route] = []
    asked = on_the_way(page, "**/items/*/**")
    asked.meets = held.append
    bench(page, site, work)
    first, second = order(page)[:2]
    page.keyboard.press("4")
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 4 judged")
    expect(page.locator("[data-answer]")).to_have_text(first)
    for key in ("1", "l"):
        page.keyboard.press(key)
    told = "The next item was still coming, so these keys did nothing: 1 l"
    expect(page.locator("[data-did]")).to_have_text(told)
    asked.meets = pass_on
    while held:
        held.pop().continue_()
    expect(page.locator("[data-answer]")).to_have_text(second)
    expect(page.locator("[data-did]")).to_have_text(told)  # until the next key
    page.keyboard.press("1")
    expect(page.locator("[data-progress-words]")).to_have_text("2 of 4 judged")
    saved(page)
    assert current(work) == {first: 1, second: -1}
    assert [(row.value, row.note) for row in Judgment.objects.order_by("id")] == [(1, ""), (-1, "")]


@pytest.mark.parametrize("closed", [True, False])
def test_a_note_begun_before_its_item_has_come_is_that_items(
    closed: bool, sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    held: list[Route] = []
    asked = on_the_way(page, "**/items/*/**")
    asked.meets = held.append
    bench(page, site, work)
    first, second = order(page)[:2]
    page.keyboard.press("4")
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 4 judged")
    page.keyboard.press("t")
    page.keyboard.type("2 people quit, 1 left")
    if closed:
        page.keyboard.press("Escape")
        page.keyboard.press("1")  # nobody has seen it
    expect(page.locator("[data-did]")).to_contain_text("The next item is still coming. Then comes: t 2 Space p e")
    asked.meets = pass_on
    while held:
        held.pop().continue_()
    expect(page.locator("[data-answer]")).to_have_text(second)
    if closed:
        expect(page.locator("[data-did]")).to_have_text("The next item was still coming, so these keys did nothing: 1")
    else:
        expect(page.locator("#note")).to_be_focused()
        expect(page.locator("#note")).to_have_value("2 people quit, 1 left")
        page.keyboard.press("Escape")
    saved(page)
    assert [(row.item.text, row.value, row.note) for row in Judgment.objects.order_by("id")] == [
        (first, 1, ""),
        (second, None, "2 people quit, 1 left"),
    ]


def test_a_question_begun_before_its_item_has_come_is_about_that_item(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    held: list[Route] = []
    asked = on_the_way(page, "**/items/*/**")
    asked.meets = held.append
    bench(page, site, work)
    second = order(page)[1]
    page.keyboard.press("4")
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 4 judged")
    page.keyboard.press("q")
    page.keyboard.type("Is 4 right?")
    asked.meets = pass_on
    while held:
        held.pop().continue_()
    expect(page.locator("#ask-text")).to_have_value("Is 4 right?")
    page.keyboard.press("Control+Enter")
    saved(page)
    question = HelpRequest.objects.get()
    assert (question.item.text if question.item else "", question.text) == (second, "Is 4 right?")


def test_what_does_not_fit_of_a_note_that_is_pasted_is_said(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.keyboard.press("t")
    page.locator("#note").fill("word " * 900 + "last")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+C")
    page.keyboard.press("Backspace")
    page.keyboard.type("begin ")
    page.keyboard.press("Control+V")
    told = page.get_by_text("The field takes 4000 characters, so the end of the text is missing: it stops at “")
    expect(told).to_be_visible()
    page.keyboard.press("Backspace")
    expect(told).to_have_count(0)


def test_half_a_note_is_kept_when_the_page_is_left(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first = answer(page)
    page.keyboard.press("t")
    page.keyboard.type("half a note")
    page.reload()
    saved(page)
    expect(page.locator("#note")).to_have_value("half a note")
    page.keyboard.press("4")
    saved(page)
    rows = [(row.item.text, row.value, row.note) for row in Judgment.objects.order_by("id")]
    assert rows == [(first, None, "half a note"), (first, 1, "half a note")]


def test_half_a_question_stays_with_its_item(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first = answer(page)
    words = page.locator("[data-ask-form] textarea")
    page.keyboard.press("q")
    page.keyboard.type("Is Velora meant?")
    page.reload()
    came(page)
    expect(words).to_have_value("Is Velora meant?")
    page.keyboard.press("j")
    came(page)
    expect(words).to_have_value("")
    page.keyboard.press("k")
    came(page)
    page.keyboard.press("q")
    expect(words).to_be_focused()
    page.keyboard.press("Control+Enter")
    saved(page)
    assert [row.text for row in HelpRequest.objects.all()] == ["Is Velora meant?"]
    came(page)
    assert answer(page) != first
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text("A question that was sent can't be taken back.")
    expect(page.locator("[data-answer]")).to_have_text(first)
    page.reload()
    came(page)
    assert set(page.locator("[data-ask-form] textarea").evaluate_all("all => all.map((each) => each.value)")) == {""}


def test_done_waits_until_all_is_saved(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    sent = on_the_way(page, "**/judge/")
    bench(page, site, work)
    page.keyboard.press("4")
    came(page)
    page.keyboard.press("4")
    saved(page)
    page.keyboard.press("f")
    expect(page.locator("[data-did]")).to_have_text("2 are not judged yet.")
    sent.meets = break_off
    came(page)
    page.keyboard.press("4")
    came(page)
    page.keyboard.press("1")
    expect(page.locator("[data-progress-words]")).to_have_text("4 of 4 judged")
    page.keyboard.press("f")
    expect(page.locator("[data-did]")).to_contain_text("as soon as all is saved")
    work.refresh_from_db()
    assert (work.state, Judgment.objects.count()) == ("started", 2)
    sent.meets = pass_on
    page.wait_for_url(re.compile(r"/c/opinions/work/$"))
    work.refresh_from_db()
    assert (work.state, Judgment.objects.count()) == ("done", 4)


def test_done_is_not_sent_when_something_is_refused(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    sent = on_the_way(page, "**/judge/")
    bench(page, site, work)
    for _ in range(3):
        page.keyboard.press("4")
        came(page)
    saved(page)
    sent.meets = break_off
    page.keyboard.press("4")
    page.keyboard.press("f")
    expect(page.locator("[data-did]")).to_contain_text("as soon as all is saved")
    sent.meets = lambda route: route.fulfill(status=422, json={"detail": "The grade is gone."})
    expect(page.locator("[data-did]")).to_have_text("Not marked as done. The grade is gone.")
    page.keyboard.press("f")
    expect(page.locator("[data-did]")).to_have_text("1 is not judged yet.")
    work.refresh_from_db()
    assert work.state == "started"


@pytest.mark.usefixtures("modules_alone")
@pytest.mark.parametrize("module", ["grade/bench.js", "bench/outbox.js", "bench/client-key.js"])
def test_a_script_that_does_not_come_is_said_and_forms_still_judge(
    sign_in: SignIn, site: LiveServer, work: Assignment, module: str
) -> None:
    page = sign_in(work.assessor)
    page.route(f"**/static/js/{module}", break_off)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.get_by_role("status").first).to_contain_text("A part of this page did not load.")
    page.unroute_all()
    page.get_by_role("button", name="correct").first.click()
    page.wait_for_load_state("load")
    assert Judgment.objects.count() == 1


def test_answer_that_never_arrived_is_sent_again_and_stored_once(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    lost: list[str] = []
    broken = True

    def lose_answers(route: Route) -> None:
        if not broken:
            route.continue_()
            return
        lost.append(route.fetch().text())  # the server has stored it
        route.abort()

    page = sign_in(work.assessor)
    page.context.route("**/judge/", lose_answers)
    bench(page, site, work)
    first = answer(page)
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again")
    broken = False
    saved(page)
    assert lost
    assert [(row.item.text, row.value) for row in Judgment.objects.all()] == [(first, 1)]


def test_unsent_work_survives_closing_the_page(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    sent = on_the_way(page, "**/judge/")
    bench(page, site, work)
    sent.meets = break_off
    first = answer(page)
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved")
    page.evaluate("() => { Date.now = () => 1000; }")  # the clock is put back
    page.keyboard.press("k")
    came(page)
    page.keyboard.press("1")  # after the other, whatever the clock says
    expect(page.locator("[data-save-status]")).to_contain_text("2 waiting")
    warned: list[str] = []
    page.on("dialog", lambda dialog: (warned.append(dialog.type), dialog.accept()))
    context = page.context
    with page.expect_event("close"):
        page.close(run_before_unload=True)
    again = context.new_page()
    bench(again, site, work)
    saved(again)
    assert list(Judgment.objects.order_by("id").values_list("item__text", "value")) == [(first, 1), (first, -1)]
    assert warned == ["beforeunload"]
    expect(again.locator("[data-progress-words]")).to_have_text("1 of 4 judged")


def test_server_that_fails_is_asked_again(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    sent = on_the_way(page, "**/judge/")
    bench(page, site, work)
    statuses = itertools.cycle([500, 503])
    sent.meets = lambda route: route.fulfill(status=next(statuses))
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again")
    sent.meets = pass_on
    saved(page)
    assert Judgment.objects.count() == 1


def test_refusal_is_said_and_taken_back_on_the_page(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    work.campaign.state = "frozen"
    work.campaign.save()
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: The campaign is frozen")
    expect(page.locator("[data-item]").first).to_have_attribute("data-state", "open")
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 4 judged")
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text("Nothing to undo.")
    assert not Judgment.objects.exists()


def test_guidelines_search_and_help_are_read_once(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.evaluate("window.read = []; document.addEventListener('focusin', ({ target }) => read.push(target.outerHTML))")
    for key, read in (("g", "#side-body"), ("H", "#section"), ("S", "input[type=search]")):
        page.keyboard.press(key)
        expect(page.locator(f"#side-panel {read}")).to_be_focused()
        assert (key, page.evaluate("read.splice(0).length")) == (key, 1)
        page.keyboard.press("Escape")
        expect(page.locator("#side-panel")).not_to_be_visible()
        expect(page.locator("[data-answer]")).to_be_focused()
        page.evaluate("read.splice(0)")


def test_somebody_else_logging_in_loses_nothing(
    sign_in: SignIn, site: LiveServer, work: Assignment, second_assessor: User
) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first = answer(page)
    sign_in(second_assessor)  # in another tab of the same browser
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("Somebody else is logged in here")
    assert not Judgment.objects.exists()
    page.close()
    back = sign_in(work.assessor).context.new_page()
    bench(back, site, work)
    saved(back)
    assert current(work) == {first: 1}
    assert Judgment.objects.count() == 1


def test_marks_in_page_and_text(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.locator("[data-work-list] a", has_text="red bicycle").click()
    expect(page.locator("[data-answer]")).to_have_text("red bicycle")
    expect(page.locator("[data-frame]")).to_have_attribute("src", re.compile(r"#assay-mark-1$"))
    frame = page.frame_locator("[data-frame]")
    page.keyboard.press("n")
    expect(frame.locator("mark:target")).to_have_id("assay-mark-2")
    expect(frame.locator("mark.assay-answer")).to_have_text("red bicycle")
    page.locator("[data-view=text]").click()
    expect(page.locator("[data-text] mark.answer")).to_have_text("red bicycle")
    page.keyboard.press("n")
    expect(page.locator("mark.here")).to_have_count(1)
    page.keyboard.press("j")
    expect(page.locator("[data-text]")).to_be_visible()  # the view stays chosen


def test_a_click_into_the_document_keeps_the_keys(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    second = order(page)[1]
    page.locator("[data-frame]").click()
    page.wait_for_function("() => document.activeElement.localName !== 'iframe'")
    page.keyboard.press("4")
    expect(page.locator("[data-answer]")).to_have_text(second)


def test_number_key_never_acts_in_a_text_field(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.keyboard.press("S")
    expect(page.locator("#side-panel input[type=search]")).to_be_focused()
    page.keyboard.type("1234 jklu")
    expect(page.locator("#side-panel input[type=search]")).to_have_value("1234 jklu")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert not Judgment.objects.exists()


def test_words_typed_before_the_search_has_come_are_its_words(
    sign_in: SignIn, site: LiveServer, work: Assignment
) -> None:
    page = sign_in(work.assessor)
    held: list[Route] = []
    search = on_the_way(page, re.compile("/search/"))
    search.meets = held.append
    bench(page, site, work)
    page.keyboard.press("S")
    page.keyboard.type("2 3 bl")
    page.keyboard.press("Backspace")
    said = page.locator("[data-did]")
    expect(said).to_have_text("The search is opening. Then comes: 2 Space 3 Space b l Backspace")
    wait_until(page, lambda: held, "the page asks for no search")
    held.pop().continue_()
    expect(page.locator("#side-panel input[type=search]")).to_have_value("2 3 b")
    expect(page.locator("#side-panel input[type=search]")).to_be_focused()
    expect(said).to_have_text("")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("S")
    page.keyboard.type("4l")
    wait_until(page, lambda: held, "the page asks for no search")
    held.pop().abort()
    expect(said).to_have_text("The search did not open, so the keys behind it did nothing.")
    assert not Judgment.objects.exists()
    assert not HelpRequest.objects.exists()


def test_search_opens_a_document_beside_the_work(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.keyboard.press("S")
    page.locator("#side-panel input[type=search]").fill("broke")
    page.keyboard.press("Enter")
    expect(page.locator("#side-panel .result-list a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#side-panel iframe").content_frame.locator("mark")).to_have_text("broke")


def test_top_documents_open_beside_the_work(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    target = work.campaign.topics.get(number="1")
    ListedDocument.objects.create(topic=target, rank=1, docno=DOCNO, score=1)
    page = bench(sign_in(work.assessor), site, work)
    page.keyboard.press("D")
    page.locator("#side-panel .result-list a").click()
    expect(page.locator("#side-panel iframe").content_frame.locator("body")).to_contain_text("blue bicycle")
    page.locator("#side-panel a", has_text="back to the list").click()
    expect(page.locator("#side-panel .result-list")).to_contain_text(DOCNO)


def test_staying_is_a_setting_that_is_kept(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    first = answer(page)
    page.locator("[data-move-on]").uncheck()
    page.reload()
    page.keyboard.press("4")
    saved(page)
    assert answer(page) == first
    expect(page.locator("[data-grade=correct]")).to_have_attribute("aria-pressed", "true")
    page.evaluate("() => { const now = performance.now(); performance.now = () => now + 1000 * 60 * 7; }")
    page.keyboard.press("1")  # after a pause, which is told beside what the key did
    expect(page.locator("[data-did]")).to_have_text(
        re.compile(r": incorrect.*\. You were away for 7 minutes\. Of a pause")
    )


def test_keys_can_be_listed_and_switched_off(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    page.set_viewport_size({"width": 640, "height": 400})
    page.keyboard.press("?")
    expect(page.locator("#keys-title")).to_be_in_viewport()  # it opens at its beginning
    expect(page.locator("#keys-dialog li", has_text="incorrect")).to_be_visible()
    expect(page.locator("#keys-dialog button")).to_be_focused()  # so that Space switches nothing off
    expect(page.locator("#keys-dialog li", has_text="Mark as done")).to_have_text(
        re.compile(r"^f Mark as done: \d are not judged yet\.$")
    )
    page.locator("[data-keys-enabled]").uncheck()
    page.keyboard.press("Escape")
    expect(page.locator("[data-did]")).to_have_text("Keys are off. ? leads to where they are switched on.")
    page.keyboard.press("4")
    page.wait_for_timeout(200)
    assert not Judgment.objects.exists()


def test_without_scripts_it_works_by_forms(
    browser: Browser, site: LiveServer, work: Assignment, sign_in: SignIn
) -> None:
    cookies = sign_in(work.assessor).context.cookies()
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 720})
    context.add_cookies(cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    given = {}
    for key in ("correct", "incorrect", "unsupported", "non-exact"):
        given[answer(page)] = {"correct": 1, "incorrect": -1, "unsupported": 2, "non-exact": 3}[key]
        page.get_by_role("button", name=key, exact=False).filter(has_text=re.compile(rf"\d {key}$")).click()
    assert current(work) == given
    assert len(given) == 4
    page.get_by_role("button", name="Mark as done").click()
    work.refresh_from_db()
    assert work.state == "done"
    context.close()


SPANS = """async (cases) => {
  const { codePoints, units, spanOf } = await import("/static/js/bench/spans.js");
  return cases.map(([text, from, to]) => {
    const span = spanOf(text, from, to);
    return [span, units(text, span.start), codePoints(text, text.length)];
  });
}"""


TEXTS = [
    ("I like 😀 the blue bicycle", "blue"),
    ("line one\r\nline two 😀😀 end", "two 😀"),
    ("שלום 👩‍👩‍👧 עולם", "עולם"),
    ("e\u0301 and 𝒳 and z", "𝒳"),
    ("😀", "😀"),
]


def test_spans_are_code_points(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = bench(sign_in(work.assessor), site, work)
    for text, quote in TEXTS:
        require_span_of_code_points(page, text, quote)


def require_span_of_code_points(page: Page, text: str, quote: str) -> None:
    start = text.index(quote)
    before = len(text[:start].encode("utf-16-le")) // 2
    after = before + len(quote.encode("utf-16-le")) // 2
    ((span, back, total),) = page.evaluate(SPANS, [[text, before, after]])
    assert span == {
        "start": start,
        "end": start + len(quote),
        "quote": quote,
        "prefix": text[max(0, start - 32) : start],
        "suffix": text[start + len(quote) :][:32],
    }
    assert (back, total) == (before, len(text))


def test_selection_in_the_text_view_is_the_stored_text(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/?view=text")
    expect(page.locator("[data-text]")).to_be_visible()
    span = page.evaluate(
        """async () => {
          const { selectedSpan } = await import("/static/js/bench/spans.js");
          const holder = document.querySelector("[data-text]");
          const last = holder.lastChild;
          getSelection().setBaseAndExtent(last, last.textContent.indexOf("broke"), last, last.textContent.length);
          return selectedSpan(holder);
        }"""
    )
    item = Item.objects.filter(topic=work.topic).select_related("document__body").first()
    assert item is not None and item.document is not None
    stored = item.document.body.text
    assert stored[span["start"] : span["end"]] == span["quote"] == "broke."


def test_a_question_is_judged_by_keyboard_in_german(sign_in: SignIn, site: LiveServer, work: Assignment) -> None:
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/profile/")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    bench(page, site, work)
    first, second = order(page)[:2]
    page.keyboard.press("4")
    expect(page.locator("[data-answer]")).to_have_text(second)
    expect(page.locator("[data-save-status]")).to_have_text("gespeichert ✓")
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text(f"Rückgängig gemacht: 1 „{first}“ ist nicht bewertet")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Tasten auf dieser Seite")).to_be_visible()
