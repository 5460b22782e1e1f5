"""The same work in two windows: what was saved in one is shown in the other, and never overwritten unseen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment
from tests.browser.conftest import SignIn
from tests.browser.every_bench import BENCHES, Bench, Makers
from tests.browser.keyboard import came, picture, saved
from tests.browser.look import violations
from tests.browser.on_the_way import break_off, on_the_way, pass_on
from tests.nuggets.conftest import judge

pytestmark = pytest.mark.browser

UNSEEN = re.compile("^not saved: This was changed in another window after")
KEYS = {  # what is said in the other window, and then in the first one, of the same thing
    "grade": ("4", "1"),
    "picks": ("0", "0"),
    "nuggets": ("v", "x"),
    "matches": ("2", "2"),
    "votes": ("v", "o"),
    "classes": ("A", "s"),
    "adjudication": ("4", "1"),
}
SHOWN = {  # how the first window shows what the other one said
    "grade": ("[data-item]:has(a[aria-current]) .said", "correct"),
    "picks": ("[data-picks-words]", "none of them"),
    "nuggets": ("[data-current] .glyph", "◦"),
    "matches": ("[data-string][aria-current] [data-chips]", re.compile("fact 2 ✓")),
    "votes": ("[data-progress-words]", "1 of 4 voted"),
    "classes": ("[data-progress-words]", "14 of 14 grouped · 13 classes"),
    "adjudication": ("[data-progress-words]", "1 of 5 decided"),
}


def shows(page: Page, name: str) -> None:
    selector, words = SHOWN[name]
    expect(page.locator(selector).first).to_have_text(words)


def windows(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer, *, count: int = 2
) -> tuple[Bench, list[Page]]:
    """So many windows on a bench, of which the last has said something that the others don't show yet."""
    bench = makers.make(name)
    opened = [bench.open(sign_in(bench.person), site)]
    opened += [bench.open(opened[0].context.new_page(), site) for _ in range(count - 1)]
    opened[-1].keyboard.press(KEYS[name][0])
    saved(opened[-1])
    assert len(bench.rows()) <= 1  # "none of them" is in no ledger of judgments
    return bench, opened


@pytest.mark.parametrize("name", BENCHES)
def test_what_another_window_saved_is_shown_with_the_focus_and_never_overwritten_unseen(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench, (looking, working, _) = windows(name, makers, sign_in, site, count=3)
    looking.evaluate("dispatchEvent(new Event('focus'))")
    shows(looking, name)
    expect(looking.locator("[data-did]")).to_have_text(
        "This was changed in another window: what stands here is the newest."
    )

    before = bench.rows()
    refused = working.locator("[data-item]:has(a[aria-current]) .words").first.inner_text() if name == "grade" else ""
    working.keyboard.press(KEYS[name][1])
    expect(working.locator("[data-save-status]")).to_have_text(UNSEEN)
    expect(working.locator("[data-did]")).to_contain_text("This was changed in another window after you opened it here")
    expect(working.locator("[data-did]")).to_contain_text(refused)  # the bench went on
    assert bench.rows() == before
    if name == "grade":
        working.keyboard.press("k")
    shows(working, name)


def test_work_that_another_window_opened_again_is_not_marked_as_done_and_is_shown(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("classes")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("A")
    saved(page)
    expect(page.locator("[data-finish]")).to_be_visible()
    other = bench.open(page.context.new_page(), site)
    other.keyboard.press("u")
    saved(other)
    page.keyboard.press("f")
    expect(page.locator("[data-did]")).to_have_text(
        re.compile(r"^Not marked as done\. 14 of 14 correct answers are in no class\.")
    )
    expect(page.locator("[data-finish]")).to_be_hidden()  # as the other window has it
    expect(page.locator("[data-column=waiting] [data-row]:focus-within")).to_have_count(1)
    page.keyboard.press("A")
    saved(page)
    page.context.set_offline(True)
    page.keyboard.press("f")
    expect(page.locator("[data-did]")).to_have_text("Not marked as done. There is no connection to the site.")
    page.context.set_offline(False)
    page.keyboard.press("f")
    page.wait_for_url(re.compile("/work/$"))
    expect(page.locator("body")).to_contain_text("Done. Thank you.")
    assert Assignment.objects.latest("pk").state == "done"


def test_what_was_refused_as_unseen_can_be_said_again(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench, (page, _) = windows("grade", makers, sign_in, site)
    page.keyboard.press("1")
    expect(page.locator("[data-save-status]")).to_have_text(UNSEEN)
    expect(page.locator("[data-did]")).to_contain_text("To do it again: # 1 Enter.")  # the bench went on
    for key in ("#", "1", "Enter"):
        page.keyboard.press(key)
    shows(page, "grade")
    picture(page, "unseen")
    assert violations(page) == []
    page.keyboard.press("1")
    saved(page)
    assert [row[2] for row in bench.rows()] == [1, -1]


def test_a_refused_vote_names_its_nugget_and_the_way_there(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    page = windows("votes", makers, sign_in, site)[1][0]
    page.keyboard.press("o")
    expect(page.locator("[data-did]")).to_have_text(
        re.compile(r"^Not saved: 1 “cheap wine”\. .* To do it again: # 1 Enter\.$")
    )


@pytest.mark.parametrize(("name", "first", "then"), [("grade", "1", "k4"), ("votes", "v", "ko"), ("matches", "2", "2")])
def test_of_several_that_are_refused_what_stood_before_all_of_them_is_shown(
    name: str, first: str, then: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    before = page.locator("[data-progress-words]").inner_text()
    marks = page.locator("[data-chips]:visible").all_inner_texts()
    page.context.set_offline(True)
    for key in first + then:
        came(page)
        page.keyboard.press(key)
    Assignment.objects.update(state="returned", lease_until=None)
    page.context.set_offline(False)
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: This work is no longer yours")
    expect(page.locator("[data-progress-words]")).to_have_text(before)
    assert page.locator("[data-chips]:visible").all_inner_texts() == marks
    assert bench.rows() == []


def test_a_click_whose_answer_was_lost_is_not_refused_for_what_came_after(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("grade")
    page = sign_in(bench.person)
    sent = on_the_way(page, "**/judge/")
    bench.open(page, site)
    lost: list[str] = []

    def lose_the_answer(route: Route) -> None:
        lost.append(route.fetch().text())  # the server has stored it
        route.abort()

    sent.meets = lose_the_answer
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again")
    sent.meets = pass_on
    page.keyboard.press("k")
    came(page)
    page.keyboard.press("1")
    saved(page)
    assert [row[2] for row in bench.rows()] == [1, -1]


def test_unsent_work_of_one_bench_that_is_refused_is_told_on_another(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench, other = makers.make("grade"), makers.make("nuggets")
    page = sign_in(bench.person)
    sent = on_the_way(page, "**/judge/")
    sent.meets = break_off
    bench.open(page, site)
    page.on("dialog", lambda dialog: dialog.accept())
    answer = page.locator("[data-answer]").inner_text()
    page.keyboard.press("1")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again")
    work = Assignment.objects.get(stage="instances")
    judge(work.topic.items.get(text=answer), work, 2)  # by another window
    sent.meets = pass_on
    other.open(page, site)
    told = page.get_by_role("alert")
    expect(told).to_contain_text("Something that you did in other work was not saved: This was changed")
    told.get_by_role("link", name="Open that work").click()
    expect(page.locator("[data-item] .said", has_text="unsupported")).to_have_count(1)
    assert [row[2] for row in bench.rows()] == [2]


def returned_to(page: Page) -> None:
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-did]")).to_have_text(
        "This was changed in another window: what stands here is the newest."
    )


def test_an_open_form_stays_about_its_nugget(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("nuggets")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("e")
    page.keyboard.type(" and beer")
    page.locator("[data-nugget] a").nth(1).click()
    page.locator("#edit-text").focus()
    expect(page.locator("[data-verb=edit] [data-number]")).to_have_text("1")
    page.keyboard.press("Enter")
    expect(page.locator("[data-nugget] .words")).to_have_text(["cheap wine and beer", "kind staff", "odd snacks"])

    other = bench.open(page.context.new_page(), site)
    page.locator("[data-nugget] a").nth(1).click()
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("friendly staff")
    other.keyboard.press("ArrowDown")
    other.keyboard.press("x")
    saved(other)
    returned_to(page)
    page.keyboard.press("Enter")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: ")
    expect(page.locator("[data-nugget] .words")).to_have_text(["cheap wine and beer", "odd snacks"])
    expect(page.locator("#edit-text")).to_have_value("friendly staff")  # it is in its form again
    expect(page.locator("[data-verb=edit] [data-number]")).to_have_text("2")


@pytest.mark.parametrize(("key", "sent", "shown"), [("e", "Enter", ["mine"]), ("s", "Control+Enter", ["mine", "more"])])
def test_what_was_changed_under_an_open_form_is_told_before_it_is_sent(
    key: str, sent: str, shown: list[str], makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("nuggets")
    page = bench.open(sign_in(bench.person), site)
    other = bench.open(page.context.new_page(), site)
    page.keyboard.press(key)
    page.keyboard.press("Control+a")
    page.keyboard.type("mine")
    if key == "s":
        page.keyboard.press("Enter")
        page.keyboard.type("more")
    other.keyboard.press("e")
    other.keyboard.type("theirs")
    other.keyboard.press("Enter")
    saved(other)
    returned_to(page)
    before = bench.rows()
    page.keyboard.press(sent)
    expect(page.locator("[data-did]")).to_have_text(
        re.compile("^Not sent: .+ 1 was changed in another window, and says “.*theirs.*” now")
    )
    assert bench.rows() == before
    page.keyboard.press(sent)
    saved(page)
    texts = page.locator("[data-nugget] .words").all_inner_texts()
    assert [text for text in texts if text in {"mine", "more", "theirs"}] == shown


def test_a_class_is_not_named_over_what_another_window_grouped_meanwhile(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("classes")
    page = bench.open(sign_in(bench.person), site)
    other = bench.open(page.context.new_page(), site)
    page.keyboard.press("n")
    expect(page.locator("[data-label-field]")).to_be_focused()
    other.keyboard.press("N")
    saved(other)
    returned_to(page)
    before = bench.rows()
    page.keyboard.type("mine")
    page.keyboard.press("Enter")
    expect(page.locator("[data-save-status]")).to_have_text(UNSEEN)
    expect(page.locator("[data-kept-aside]")).to_contain_text("mine")
    assert bench.rows() == before


def test_each_window_keeps_what_is_typed_in_it(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("nuggets")
    page = bench.open(sign_in(bench.person), site)
    other = bench.open(page.context.new_page(), site)

    def typed(window: Page, key: str, text: str) -> None:
        window.keyboard.press(key)
        window.keyboard.press("Control+a")
        window.keyboard.type(text)

    def shows_again(window: Page, key: str, text: str) -> None:
        bench.open(window, site)
        window.keyboard.press(key)
        expect(window.locator("details[open] textarea")).to_have_value(text)

    typed(page, "n", "half of mine")
    typed(other, "e", "other words")
    shows_again(page, "n", "half of mine")
    shows_again(other, "e", "other words")
    bench.open(other, site)
    typed(other, "n", "half of the other")
    shows_again(page, "n", "half of mine")
    shows_again(other, "n", "half of the other")
    bench.open(page, site)
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    saved(page)
    shows_again(other, "n", "half of the other")  # to send one forgets that one alone
    shows_again(page.context.new_page(), "n", "half of the other")


def test_words_that_another_window_took_over_and_sent_are_not_begun_any_more(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("nuggets")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("n")
    page.keyboard.type("half of")
    other = bench.open(page.context.new_page(), site)
    other.keyboard.press("n")
    expect(other.locator("#new-text")).to_have_value("half of")
    other.keyboard.press("End")
    other.keyboard.type(" it all")
    other.keyboard.press("Enter")
    saved(other)
    expect(page.locator("#new-text")).to_have_value("")
    expect(page.locator("[data-did]")).to_have_text("What was begun here was sent in another window: “half of it all”")
    bench.open(page, site)
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("")


def test_words_that_were_sent_while_a_window_slept_do_not_come_back_there(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("nuggets")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("n")
    page.keyboard.type("half of")
    page.goto("about:blank")  # asleep, and what it had begun is in its own record
    other = bench.open(page.context.new_page(), site)
    other.keyboard.press("n")
    other.keyboard.press("End")
    other.keyboard.type(" it all")
    other.keyboard.press("Enter")
    saved(other)
    bench.open(page, site)
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("")
    page.keyboard.type("half of")
    bench.open(page, site)
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("half of")  # begun anew
