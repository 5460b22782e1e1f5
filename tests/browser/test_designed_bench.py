"""The example of the design page judged by keyboard: its keys win, and what a grade needs is asked for."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Judgment
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.in_view import look_at_bench
from tests.browser.keyboard import came, picture
from tests.browser.look import violations_by_day_and_night
from tests.tracks.designs.campaigns import SURVEY, survey

pytestmark = pytest.mark.browser

LEAST = 20
"""Pixels of an item in its list: some letters."""
ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "docs" / "designs" / "misleading-passages.toml"
ADHOC = ROOT / "tests" / "data" / "tracks" / "adhoc"


def load(organiser: User, design: Path = EXAMPLE) -> Campaign:
    """The example, or another design, with topics, runs and documents of the demonstration."""
    call_command(
        *("load_campaign", str(ADHOC), "--track", str(design), "--slug", "own", "--organiser", organiser.username),
        stdout=StringIO(), stderr=StringIO(),
    )  # fmt: skip
    Campaign.objects.filter(slug="own").update(state="judging")
    return Campaign.objects.get(slug="own")


def did(page: Page, words: str) -> None:
    expect(page.locator("[data-did]")).to_contain_text(words)


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def say_yes(page: Page) -> None:
    """Give the grade that needs a note and a snippet."""
    page.keyboard.press("y")
    did(page, "“yes” needs a note (t) and a snippet of the text.")
    page.keyboard.press("t")
    page.keyboard.type("It turns the finding round.")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    did(page, "Enter takes it")
    page.keyboard.press("Enter")


def test_the_example_is_judged_by_keyboard(sign_in: SignIn, site: LiveServer, organiser: User) -> None:
    campaign = load(organiser)
    assessor = factories.member(campaign, "ada", "assessor")
    topic = campaign.topics.get(number=Item.objects.exclude(document=None).values_list("topic__number").first()[0])  # type: ignore[index]
    work = factories.assignment(topic, "passages", assessor, state="open")
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    readable = page.locator("[data-criterion=readability]")
    expect(readable).to_be_hidden()
    page.keyboard.press("n")  # which is the bench's own key for the next mark elsewhere
    expect(readable).to_be_visible()
    page.keyboard.press("4")
    did(page, "no, 4")
    came(page)
    page.keyboard.press("x")
    did(page, "can't tell")
    came(page)
    second = page.locator("[data-bench-item] input[name=item]").first.input_value()
    say_yes(page)
    saved(page)
    did(page, "yes")
    assert page.locator("[data-bench-item] input[name=item]").first.input_value() != second
    rows = Judgment.objects.order_by("id").values_list("criterion", "value", "given", "note")
    assert [row for row in rows if row[1] is not None or row[2]] == [
        ("misleading", 0, None, ""), ("readability", 4, None, ""), ("misleading", None, {"unsure": True}, ""),
        ("misleading", 2, None, "It turns the finding round."),
    ]  # fmt: skip
    page.keyboard.press("k")  # back to what was called misleading
    label = page.get_by_label("Label of snippet 1")
    label.select_option("one-sided")
    saved(page)
    newest = Judgment.objects.order_by("-id").first()
    assert newest is not None and (newest.value, newest.evidence[0]["label"]) == (2, "one-sided")
    page.keyboard.press("?")
    expect(page.locator("dialog:modal")).to_contain_text("no")
    page.keyboard.press("Escape")
    assert violations_by_day_and_night(page) == []


def test_the_bench_gives_way_and_answers_are_written_and_chosen(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    campaign = survey(organiser, tmp_path, SURVEY.replace("most = 2", "least = 1\nmost = 2"))
    assessor = factories.member(campaign, "ada", "assessor")
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", assessor, state="open")
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    expect(page.locator(".bench-foot")).to_contain_text("previous Shift+k")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    did(page, "choose 1 at least: 0 chosen.")
    for key in ("3", "1", "2"):  # two at most
        page.keyboard.press(key)
    did(page, "at most 2 may be chosen. Take one out first.")
    expect(page.locator("[data-criterion=faults] :checked")).to_have_count(2)
    page.keyboard.press("Enter")
    did(page, "yes, old + one-sided")
    page.keyboard.press("w")
    page.keyboard.type("Bees live here")
    page.keyboard.press("Escape")
    did(page, "Bees live here")
    came(page)
    page.keyboard.press("Shift+K")  # back to the first
    came(page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("w")
    page.keyboard.type("1,999")
    page.keyboard.press("Enter")
    did(page, "“1,999” may be 1.999 or 1999. Write one of these.")
    page.keyboard.press("Control+a")
    page.keyboard.type("1999,5")  # a number field of Chromium's drops the comma
    page.keyboard.press("Enter")
    did(page, "1999.5")
    saved(page)
    assert list(Judgment.objects.order_by("id").values_list("criterion", "value", "given")) == [
        ("relevant", 1, None), ("faults", None, {"several": [1, 3]}), ("claim", None, {"text": "Bees live here"}),
        ("year", None, {"number": 1999.5}),
    ]  # fmt: skip


def test_a_text_that_is_too_long_stays_to_be_shortened(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    campaign = survey(organiser, tmp_path)
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", factories.member(campaign, "ada", "assessor"), state="open")
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    claim = page.locator("[data-criterion=claim]")
    field, why = claim.locator("textarea"), claim.locator("[data-not-taken]")
    page.keyboard.press("j")
    page.keyboard.press("ArrowRight")
    expect(claim.locator("[data-words-typed]")).to_have_text("0 of 5 words")
    page.keyboard.press("w")
    page.keyboard.type("One two three four five six")
    expect(claim.locator("[data-words-typed]")).to_have_text("6 of 5 words")
    for key, sign in (("Escape", "."), ("Tab", "?"), ("Control+Enter", "!")):
        page.keyboard.type(sign)
        page.keyboard.press(key)
        expect(why).to_have_text("6 words; 5 are allowed. Shorten it.")
        expect(field).to_be_focused()
        expect(field).to_have_value(re.compile(rf"^One two three four five six.*[{sign}]$"))
    page.keyboard.press("Escape")
    page.locator("[data-item]").nth(1).locator("a").click()  # what is typed waits
    came(page)
    page.locator("[data-item]").nth(0).locator("a").click()
    came(page)
    expect(field).to_have_value("One two three four five six.?!")
    assert not Judgment.objects.filter(criterion="claim").exists()
    page.locator("[name=given_number]").fill("soon")
    page.keyboard.press("Enter")
    expect(page.locator("[data-criterion=year] [data-not-taken]")).to_have_text("“soon” is not a number.")
    page.locator("[data-criterion=relevant] button").first.focus()  # which shows the form again
    expect(page.locator("[name=given_number]")).to_have_value("soon")
    picture(page, "typed-answer-refused")
    assert violations_by_day_and_night(page) == []
    field.fill("Five words are just right")
    field.press("Control+Enter")
    saved(page)
    expect(why).to_be_hidden()
    assert Judgment.objects.get(criterion="claim").given == {"text": "Five words are just right"}


def test_what_the_site_refuses_stays_where_it_was_typed(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    campaign = survey(organiser, tmp_path)
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", factories.member(campaign, "ada", "assessor"), state="open")
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    page.keyboard.press("j")
    saved(page)
    first = page.locator("[data-item]").nth(0)
    page.context.set_offline(True)
    page.locator("[data-criterion=claim] textarea").fill("Bees live here")
    page.keyboard.press("Control+Enter")
    page.locator("textarea[data-note]").first.fill("Said on page 2.")
    page.keyboard.press("Escape")
    Assignment.objects.filter(pk=work.pk).update(state="done")  # and so it takes no answer any more
    page.context.set_offline(False)
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: ")
    first.locator("a").click()
    came(page)
    expect(page.locator("[data-criterion=claim] textarea")).to_have_value("Bees live here")
    expect(page.locator("textarea[data-note]").first).to_have_value("Said on page 2.")
    expect(page.locator("[data-kept-aside]")).to_have_count(0)
    assert not Judgment.objects.filter(criterion="claim").exists()


def test_grades_are_put_in_order_by_their_keys(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    campaign = survey(organiser, tmp_path, SURVEY.replace('answer = "several"\nmost = 2', 'answer = "rank"'))
    topic = campaign.topics.first()
    assert topic is not None
    work = factories.assignment(topic, "documents", factories.member(campaign, "ada", "assessor"), state="open")
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    page.keyboard.press("k")
    places = page.locator("[data-criterion=faults] [data-place]")
    page.keyboard.press("Enter")
    did(page, "choose 3 at least: 0 chosen.")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    did(page, "choose 3 at least: 1 chosen.")
    page.keyboard.press("3")
    did(page, "1: old, 2: one-sided")
    page.keyboard.press("2")
    expect(places).to_have_text(["· place 1", "· place 3", "· place 2"])
    page.keyboard.press("1")  # loses its place, and the others move up
    expect(places).to_have_text(["", "· place 2", "· place 1"])
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    did(page, "no, one-sided > vague > old")
    saved(page)
    assert Judgment.objects.get(criterion="faults").given == {"rank": [3, 2, 1]}
    line = page.locator("[data-item]:has(a[aria-current])")
    expect(line.locator(".said")).to_have_text("no, one-sided > vague > old")
    assert line.locator(".words").evaluate("each => each.clientWidth") > LEAST  # long answers leave it room
    assert page.locator("[data-did]").evaluate("each => each.scrollHeight <= each.clientHeight + 1")  # all of it


PRACTICE = """[stages.practice]
items = 2
tries = 2
answers = '''
{"topic": "1", "docno": "HIVE-02", "misleading": "no", "readability": 3}
{"topic": "1", "docno": "HIVE-04", "misleading": "yes"}
'''

[[stages.questions]]"""


def test_practice_has_the_keys_of_the_bench(sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path) -> None:
    design = tmp_path / "mine.toml"
    design.write_text(EXAMPLE.read_text().replace("[[stages.questions]]", PRACTICE, 1))
    load(organiser, design)
    page = sign_in(factories.member(Campaign.objects.get(slug="own"), "ada", "assessor"))
    page.goto(f"{site.url}/c/own/practice/passages/")
    expect(page.locator("[data-practice-answer]")).to_be_hidden()
    look_at_bench(page, "practice")
    page.keyboard.press("n")
    expect(page.locator("[data-grade=no]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("1")
    expect(page.get_by_text("Item 1: ✕ not right.", exact=True)).to_be_visible()
    expect(page.locator("[data-document]").first).to_have_attribute("data-document", "HIVE-02")  # which it is about
    page.keyboard.press("Enter")
    expect(page.locator("[data-document]").first).to_have_attribute("data-document", "HIVE-04")
    say_yes(page)
    expect(page.get_by_text("Not passed this time.").first).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("3")
    expect(page.get_by_text("Item 1: ✓ right.", exact=True)).to_be_visible()
    expect(page.locator("[data-practice-answer]")).to_be_hidden()
    say_yes(page)
    expect(page.get_by_text("You have passed.").first).to_be_visible()
    page.keyboard.press("n")
    page.wait_for_url("**/c/own/work/")
    assert not Judgment.objects.exists()


CLEAR = """grades = [
  { value = 2, press = "c", name = "clear", note = "required", evidence = "required" },
  { value = 1, press = "u", name = "unclear", note = "none" },
]"""


def test_a_refused_grade_leaves_the_keys_alive(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    design = tmp_path / "mine.toml"
    text = EXAMPLE.read_text().replace('name = "no", gain = 2', 'name = "no", gain = 2, note = "none"')
    text = text.replace('grades = "1-5"', CLEAR).replace('ends = ["unreadable", "clear"]', "")
    design.write_text(text.replace("relevant_from = 4", "relevant_from = 2"))
    campaign = load(organiser, design)
    topic = campaign.topics.get(number=Item.objects.exclude(document=None).values_list("topic__number").first()[0])  # type: ignore[index]
    work = factories.assignment(topic, "passages", factories.member(campaign, "ada", "assessor"), state="open")
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/own/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    came(page)
    page.keyboard.press("t")
    page.keyboard.type("Said too early.")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    did(page, "“no” takes no note. Delete the note, or give another grade.")
    page.keyboard.press("s")
    saved(page)
    newest = Judgment.objects.order_by("-id").first()
    assert newest is not None
    assert (newest.criterion, newest.value, newest.note) == ("misleading", 1, "Said too early.")
    page.keyboard.press("u")
    saved(page)
    came(page)
    page.keyboard.press("k")
    came(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("c")
    did(page, "“clear” needs a note (t) and a snippet of the text.")
    page.keyboard.press("t")
    page.keyboard.type("Short words.")
    page.keyboard.press("Escape")
    expect(page.locator("[data-criterion=readability] [data-note]")).to_have_value("Short words.")
    did(page, "“clear” needs a note (t) and a snippet of the text.")  # the note waits, too
    saved(page)
    assert Judgment.objects.filter(criterion="readability").count() == 1
    page.keyboard.press("j")  # of the next one nothing is written
    came(page)
    page.keyboard.press("n")
    expect(page.locator("[data-grade=no]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowLeft")  # back from the question that is asked now
    expect(page.locator("[data-criterion=misleading] [data-note]")).to_be_hidden()
    page.keyboard.press("t")
    did(page, "“no” takes no note.")
    page.keyboard.press("y")
    did(page, "“yes” needs a note (t) and a snippet of the text.")
    page.keyboard.press("t")
    page.keyboard.type("After all.")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    did(page, "“no” takes no note. Delete the note, or give another grade.")
    expect(page.locator("[data-criterion=misleading] [data-note]")).to_have_value("After all.")


def test_adjudication_gives_way_to_the_keys_of_a_design(
    sign_in: SignIn, site: LiveServer, organiser: User, tmp_path: Path
) -> None:
    grades = """grades = [
  { value = 1, press = "p", name = "yes" }, { value = 0, press = "t", name = "no" },
  { value = 2, press = "j", name = "half" }, { value = 3, press = "u", name = "twice" },
]"""
    old = """grades = [{ value = 1, press = "j", name = "yes" }, { value = 0, press = "k", name = "no" }]"""
    campaign = survey(
        organiser, tmp_path, SURVEY.replace(old, grades).replace('words = 5\nasked_if = { relevant = "yes" }', "")
    )
    topic = campaign.topics.first()
    assert topic is not None
    items = list(Item.objects.filter(topic=topic, kind="document").exclude(document=None).order_by("id")[:4])
    for name, role, value in (("ada", "primary", 0), ("ben", "second", 1)):
        work = factories.assignment(
            topic, "documents", factories.member(campaign, name, "assessor"), state="started", role=role
        )
        for item in items:
            given = JudgmentInput(item=item, criterion="relevant", value=value, client_key=uuid4())
            record_judgment(actor=work.assessor, assignment=work, judgment=given)
    page = sign_in(factories.member(campaign, "cy", "adjudicator"))
    page.goto(f"{site.url}/c/own/adjudication/documents/relevant/")
    expect(page.locator("[data-undo]")).to_be_visible()
    expect(page.locator(".bench-foot")).to_contain_text("next Shift+j")
    expect(page.locator(".bench-form .field label")).to_have_text("Note Shift+t")
    progress = page.locator("[data-progress-words]")
    for number, key in enumerate("ptju", start=1):
        came(page)
        page.keyboard.press(key)
        expect(progress).to_have_text(f"{number} of 4 decided")
    saved(page)
    decided = Judgment.objects.filter(assignment__role="adjudicator")
    assert sorted(decided.values_list("value", flat=True)) == [0, 1, 2, 3]
    page.keyboard.press("Shift+U")
    expect(progress).to_have_text("3 of 4 decided")
