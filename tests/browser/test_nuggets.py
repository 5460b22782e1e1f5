"""Nugget lists and matches in a real browser: by keyboard alone, over a network that fails, for everybody's eyes."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Item, Topic
from nuggets.matches.current import official_marks
from nuggets.models import ItemReview, Nugget, NuggetEdit, NuggetList, NuggetMatch
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import picture
from tests.browser.look import violations, violations_by_day_and_night
from tests.browser.nugget_bench import bench, did, shown, write
from tests.browser.on_the_way import on_the_way, pass_on
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

DOCNO = "BLOG06-20060101-000-0000000001"
STRINGS = ["the staff are always friendly", "wine for two dollars", "odd snacks, cheap wine"]


@pytest.fixture
def writing(site: LiveServer, squishy: Topic, assessor: User, organiser: User) -> Assignment:
    """Work on the list of a question that two runs answered, one string of them alike."""
    factories.document(squishy.campaign, DOCNO, "I like that the staff are always friendly there.")
    items = factories.pooled(squishy, STRINGS)
    for tag, answered in (("Harbor1", items[:2]), ("Tide1", items[1:])):
        factories.response(factories.run(squishy.campaign, tag, organiser), squishy, answered)
    return factories.assignment(squishy, "nuggets", assessor, state="open")


@pytest.fixture
def matching(writing: Assignment, assessor: User) -> Assignment:
    """Work on matches with a frozen list of three nuggets."""
    from nuggets.writing.lists import freeze_list, start_list
    from nuggets.writing.record import add_nugget
    from tests.nuggets.keys import key

    Assignment.objects.filter(pk=writing.pk).update(state="started")
    writing.state = "started"
    draft = start_list(actor=assessor, assignment=writing)
    for text, importance in (("friendly staff", "vital"), ("cheap wine", "vital"), ("unusual snacks", "okay")):
        add_nugget(actor=assessor, nugget_list=draft, text=text, importance=importance, client_key=key(text))
    freeze_list(actor=assessor, nugget_list=draft, client_key=key("freeze"))
    Assignment.objects.filter(pk=writing.pk).update(state="done")
    return factories.assignment(writing.topic, "matches", assessor)


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def test_what_is_nearly_the_same_is_shown_while_writing_and_takes_the_quote(
    sign_in: SignIn, site: LiveServer, writing: Assignment
) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    write(page, "cheap wine", 1)
    write(page, "odd snacks", 2)
    like = page.locator("[data-like-nuggets]")
    page.keyboard.press("n")
    page.keyboard.type("Snacks that are odd")
    expect(like).to_contain_text("Go to 2 “odd snacks”")
    page.keyboard.press("Alt+a")
    did(page, "nugget 2 is in hand.")
    expect(page.locator("[data-nugget='2'] a")).to_be_focused()

    string = page.locator("[data-string]", has_text="odd snacks, cheap wine").locator("[data-words]")
    string.focus()
    page.keyboard.press("w")
    page.keyboard.press("n")
    expect(like).to_contain_text("Add the quote to 1 “cheap wine”")
    picture(page, "nearly-the-same")
    assert violations_by_day_and_night(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert violations(page) == []
    page.keyboard.press("Alt+a")
    did(page, "Source added to nugget 1.")
    saved(page)
    nugget = Nugget.objects.get(number=1)
    assert [source.quote for source in nugget.sources.all()] == ["odd snacks, cheap wine"]
    assert Nugget.objects.count() == 2
    page.keyboard.press("n")
    page.keyboard.type("friendly staff")
    expect(like).to_have_text("")


def test_words_typed_while_a_click_is_saved_come_as_they_do_slowly(
    sign_in: SignIn, site: LiveServer, writing: Assignment
) -> None:
    page = sign_in(writing.assessor)
    held: list[Route] = []
    edits = on_the_way(page, "**/nuggets/")
    bench(page, site, writing)
    write(page, "one", 1)
    saved(page)
    for keys, texts in (
        (("v", "e", "Backspace", "Backspace", "X", "Enter"), ["oX"]),
        (("o", "s", *"two", "Enter", *"x w", "Control+Enter"), ["two", "x w"]),
    ):
        edits.meets = held.append
        for key in keys:
            page.keyboard.press(key)
        wait_until(page, lambda: held, "the page sends nothing")
        edits.meets = pass_on
        held.pop().continue_()
        expect(page.locator("[data-nugget] .words")).to_have_text(texts)
        saved(page)


def test_list_is_written_and_frozen_by_keyboard(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    write(page, "cheap wine", 1)
    write(page, "odd snacks and wine", 2)
    while STRINGS[0] not in page.locator("[data-string][aria-current] [data-words]").all_inner_texts():
        page.keyboard.press("j")
    page.keyboard.press("ArrowRight")  # the
    page.keyboard.press("ArrowRight")  # staff
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("staff are always friendly")
    page.keyboard.press("Enter")
    did(page, "Nugget 3 written")
    assert shown(page) == ["cheap wine", "odd snacks and wine", "staff are always friendly"]
    source = Nugget.objects.get(number=3).sources.get()
    assert (source.item is not None and source.item.text, source.quote) == (STRINGS[0], "staff are always friendly")

    page.keyboard.press("v")
    did(page, "Nugget 3 is vital")
    page.keyboard.press("K")
    did(page, "Nugget 3 moved to place 2")
    page.keyboard.press("m")
    page.keyboard.type("1")
    expect(page.locator("[data-into-words]")).to_have_text("cheap wine")
    page.keyboard.press("Enter")
    did(page, "Nugget 3 merged into 1")
    page.keyboard.press("u")
    did(page, "Undone: nuggets 1, 3 are separate again.")
    assert shown(page) == ["cheap wine", "staff are always friendly", "odd snacks and wine"]
    page.keyboard.press("U")
    did(page, "Redone: nuggets 1, 3 are one again.")
    page.keyboard.press("u")
    did(page, "Undone: nuggets 1, 3 are separate again.")

    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-did]")).to_have_text("")  # the nugget is read, and nothing of before
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("s")
    page.keyboard.press("Control+A")
    page.keyboard.type("odd snacks\nwine for everybody")
    page.keyboard.press("Control+Enter")
    did(page, "Nugget 2 split into 4, 5")
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("unusual snacks")
    page.keyboard.press("Enter")
    did(page, "Nugget 4 changed")
    page.keyboard.press("x")
    did(page, "Nugget 4 retired")
    page.keyboard.press("u")
    did(page, "Undone: nugget 4 is on the list again.")
    saved(page)
    expected = ["cheap wine", "staff are always friendly", "unusual snacks", "wine for everybody"]
    page.reload()
    assert shown(page) == expected

    page.keyboard.press("f")
    expect(page.locator("[data-freeze] form")).to_contain_text("Freezes 4 nuggets, 1 vital.")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/work/")
    expect(page.get_by_text("Frozen and finished: the nugget list of")).to_be_visible()
    assert NuggetList.objects.get().is_frozen
    writing.refresh_from_db()
    assert writing.state == "done"


def test_lost_network_loses_no_nugget_and_doubles_none(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = sign_in(writing.assessor)
    sent = on_the_way(page, "**/nuggets/")
    bench(page, site, writing)
    lost: list[str] = []

    def lose_the_first_answer(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().text())  # the server has stored it
        route.abort()

    sent.meets = lose_the_first_answer
    page.keyboard.press("n")
    page.keyboard.type("cheap wine")
    page.keyboard.press("Enter")
    expect(page.locator("[data-expected]")).to_contain_text("cheap wine (not saved yet)")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved, will try again")
    saved(page)
    assert shown(page) == ["cheap wine"]
    assert NuggetEdit.objects.count() == 1


def test_refused_nugget_comes_back_into_its_form(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    writing.campaign.state = "frozen"
    writing.campaign.save()
    page.keyboard.press("n")
    page.keyboard.type("cheap wine")
    page.keyboard.press("Enter")
    did(page, "Not saved: The campaign is frozen")
    expect(page.locator("#new-text")).to_have_value("cheap wine")


def test_half_a_nugget_is_there_again_after_a_reload(sign_in: SignIn, site: LiveServer, writing: Assignment) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    page.keyboard.press("n")
    page.keyboard.type("cheap wi")
    page.reload()
    expect(page.locator("[data-string-step]").first).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("cheap wi")
    page.keyboard.press("Enter")
    did(page, "Nugget 1 written")
    page.keyboard.press("w")
    marked = page.locator("[data-string][aria-current] [data-words]").inner_text()
    page.keyboard.press("n")
    page.keyboard.press("End")
    page.keyboard.type(", it says")
    page.get_by_label("vital", exact=True).check()
    page.keyboard.press("Escape")
    for _ in range(2):  # closed and opened again, and loaded anew
        page.keyboard.press("n")
        expect(page.locator("#new-text")).to_have_value(f"{marked}, it says")
        expect(page.locator("[data-from]")).to_have_text("with its source: the words marked in the string")
        page.reload()
        expect(page.locator("[data-string-step]").first).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    did(page, "Nugget 2 written")
    made = Nugget.objects.get(number=2)
    assert made.importance == "vital"
    assert [source.quote for source in made.sources.all()] == [marked]
    page.locator('[data-nugget="1"] a').click()
    for key, field in (("e", "#edit-text"), ("s", "#split-texts")):
        page.keyboard.press(key)
        page.locator(field).fill("cheap red wine")
        page.reload()
        expect(page.locator("[data-string-step]").first).to_be_visible()
        expect(page.locator("#new-text")).to_have_value("")
        page.keyboard.press(key)
        expect(page.locator(field)).to_have_value("cheap red wine")
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        expect(page.locator(field)).to_have_value("cheap wi")
        page.keyboard.press("Escape")


def order(page: Page) -> list[str]:
    return page.locator("[data-response]:not([hidden]) [data-words]").all_inner_texts()


def test_responses_are_matched_by_keyboard(sign_in: SignIn, site: LiveServer, matching: Assignment) -> None:
    page = bench(sign_in(matching.assessor), site, matching)
    said: dict[str, set[int]] = {}
    numbers = {STRINGS[0]: [1], STRINGS[1]: [2], STRINGS[2]: [3, 2]}
    for _ in range(3):
        text = page.locator("[data-string][aria-current] [data-words]:visible").inner_text()
        for number in numbers[text]:
            page.keyboard.press(str(number))
        said[text] = set(numbers[text])
        page.keyboard.press("Enter")
    expect(page.locator("[data-progress-words]")).to_have_text("3 of 3 strings looked at")
    did(page, "press f")
    saved(page)
    found: dict[str, set[int]] = {}
    for row in NuggetMatch.objects.filter(value="full").select_related("item", "nugget"):
        found.setdefault(row.item.text, set()).add(row.nugget.number)
    assert found == said
    assert ItemReview.objects.count() == 3
    counts = {"1": "in 1", "2": "in 2", "3": "in 1"}
    assert marked_in(page) == counts
    page.reload()
    expect(page.locator("[data-words-key]")).to_be_visible()
    assert marked_in(page) == counts
    page.keyboard.press("j")
    expect(page.locator("[data-response-name]")).to_have_text("response 2 of 2")
    expect(page.locator("[data-string]:visible .carried")).to_contain_text("carried over from response 1")
    page.keyboard.press("f")
    page.wait_for_url("**/work/")
    matching.refresh_from_db()
    assert matching.state == "done"


def marked_in(page: Page) -> dict[str, str]:
    """In how many responses each nugget is marked, by its number."""
    each = "rows => rows.map(row => [row.dataset.nugget, row.querySelector('[data-count]').textContent])"
    return dict(page.locator("[data-nugget]").evaluate_all(each))


def test_likely_nuggets_come_first_and_words_are_looked_for(
    sign_in: SignIn, site: LiveServer, matching: Assignment
) -> None:
    texts = dict(matching.topic.nugget_lists.get().nuggets.values_list("number", "text"))
    last = max(texts)
    Item.objects.filter(text=STRINGS[1]).update(text=texts[last])
    page = bench(sign_in(matching.assessor), site, matching)
    page.locator("[data-string]:visible [data-words]", has_text=texts[last]).first.click()
    rows = page.locator("[data-nugget]")
    expect(rows.first).to_have_attribute("data-nugget", str(last))
    expect(rows.first.locator("button")).to_have_attribute("data-in-hand", "")
    assert page.evaluate("[...CSS.highlights.get('shared-words')].map(String).join(' ')").lower() in texts[last].lower()
    page.keyboard.press("Space")
    expect(rows.first.locator("button")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("/")
    page.keyboard.type(texts[1].split()[-1].upper())
    expect(page.locator("[data-nugget]:visible")).to_have_count(1)
    expect(page.locator("[data-filter-said]")).to_have_text(f"1 of {len(texts)}")
    page.keyboard.press("Enter")
    expect(page.locator("[data-nugget='1'] button")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(page.locator("[data-nugget]:visible")).to_have_count(len(texts))


def test_marks_parts_quotes_and_undo(sign_in: SignIn, site: LiveServer, matching: Assignment) -> None:
    page = bench(sign_in(matching.assessor), site, matching)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.locator("[data-nugget='1'] button")).to_have_attribute("aria-pressed", "true")
    saved(page)
    page.keyboard.press("Space")
    saved(page)
    expect(page.locator("[data-nugget='1'] button")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("u")
    expect(page.locator("[data-nugget='1'] button")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("u")
    page.keyboard.press("p")
    expect(page.locator("[data-string][aria-current] .chip")).to_contain_text("1.1")
    page.keyboard.press("u")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("w")
    saved(page)
    expect(page.locator("[data-string][aria-current] .chip q")).to_have_count(1)
    last = NuggetMatch.objects.latest("id")
    assert last.quote == last.item.text.split()[0].strip(",")
    assert set(NuggetMatch.objects.values_list("part", "value")) == {(0, "full"), (0, None), (1, "full"), (1, None)}
    page.keyboard.press("R")
    assert not ItemReview.objects.exists()


def test_part_and_whole_do_not_stand_together(sign_in: SignIn, site: LiveServer, matching: Assignment) -> None:
    page = bench(sign_in(matching.assessor), site, matching)
    chips = page.locator("[data-string][aria-current] .chip")
    page.keyboard.press("1")
    expect(chips).to_have_count(1)
    page.keyboard.press("p")
    did(page, "Nugget 1.1 “friendly staff” is in")
    did(page, "instead of the nugget as a whole")
    expect(chips).to_have_count(1)
    expect(chips).to_contain_text("1.1")
    saved(page)
    page.keyboard.press("u")
    expect(chips).to_have_count(1)
    expect(chips).not_to_contain_text("1.1")
    saved(page)
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("w")
    saved(page)
    expect(chips).to_have_count(1)
    expect(chips).to_contain_text("1.1")
    expect(chips.locator("q")).to_have_count(1)
    page.reload()
    expect(page.locator("[data-words-key]")).to_be_visible()
    expect(chips).to_have_count(1)
    expect(chips).to_contain_text("1.1")
    assert [mark.part for mark in official_marks(NuggetList.objects.all())] == [1]


def test_lost_network_loses_no_mark(sign_in: SignIn, site: LiveServer, matching: Assignment) -> None:
    page = bench(sign_in(matching.assessor), site, matching)
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("[data-save-status]")).to_contain_text("2 waiting")
    assert not NuggetMatch.objects.exists()
    page.context.set_offline(False)
    saved(page)
    assert (NuggetMatch.objects.count(), ItemReview.objects.count()) == (1, 1)


def test_benches_have_no_violation_and_fit_at_200_percent(
    sign_in: SignIn, site: LiveServer, writing: Assignment
) -> None:
    page = bench(sign_in(writing.assessor), site, writing)
    write(page, "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihungsurkunde", 1)
    page.keyboard.press("d")
    page.locator("[data-opened] [data-document]").wait_for()
    assert violations_by_day_and_night(page) == []
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_matches_have_no_violation_and_fit_at_200_percent(
    sign_in: SignIn, site: LiveServer, matching: Assignment
) -> None:
    page = bench(sign_in(matching.assessor), site, matching)
    page.keyboard.press("1")
    saved(page)
    assert violations_by_day_and_night(page) == []
    page.set_viewport_size({"width": 640, "height": 360})
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
