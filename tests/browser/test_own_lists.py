"""Writing a list from documents by keys, and two assessors with a list each."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Campaign, Item, Pool, PoolItem
from nuggets.matches.current import all_marks
from nuggets.models import NuggetList, NuggetMatch
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.browser.conftest import SignIn
from tests.nuggets.keys import key
from tests.nuggets.workshop import workshop_campaign

pytestmark = pytest.mark.browser
TEXT = "We asked forty students. They sorted cards twice. The second time took less. Nobody gave up."


@pytest.fixture
def workshop(settings, site: LiveServer, organiser: User) -> Campaign:
    settings.ASSAY_TRACKS = "tests.nuggets.workshop.TRACKS"
    return workshop_campaign(organiser, "workshop")


@pytest.fixture
def people(workshop: Campaign) -> list[User]:
    return [factories.member(workshop, name, "assessor") for name in ("author", "other")]


def bench(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/workshop/work/{work.pk}/")
    return page


def did(page: Page, text: str) -> None:
    expect(page.locator("[data-did]")).to_contain_text(text)


def quotes(nugget_list: NuggetList, number: int) -> list[str]:
    return [source.quote for source in nugget_list.nuggets.get(number=number).sources.order_by("id")]


def test_snippets_are_taken_from_documents_by_keys_alone(
    sign_in: SignIn, site: LiveServer, workshop: Campaign, people: list[User]
) -> None:
    for docno in ("smith2020", "jones2021"):
        factories.document(workshop, docno, TEXT.replace("forty", docno))
    topic = workshop.topics.get(number="g1")
    topic.fields = {"documents": ["smith2020", "jones2021"]}
    topic.save()
    page = bench(sign_in(people[0]), site, factories.assignment(topic, "ground", people[0], state="open"))
    expect(page.locator(".opened-document")).to_have_attribute("data-opened-docno", "smith2020")

    page.keyboard.press("t")
    did(page, "Sentence 1 of 4")
    page.keyboard.press("ArrowDown")
    did(page, "Sentence 2 of 4: “They sorted cards twice.”")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    did(page, "Press n for a new description")
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_have_value("They sorted cards twice. The second time took less.")
    page.keyboard.type("Sorted twice, faster the second time")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    did(page, "Description 1 written.")
    nugget_list = NuggetList.objects.get()
    nugget = nugget_list.nuggets.get(number=1)
    assert (nugget.text, nugget.group) == ("Sorted twice, faster the second time", "how")
    assert quotes(nugget_list, 1) == ["They sorted cards twice. The second time took less."]

    page.keyboard.press("b")
    expect(page.locator(".opened-document")).to_have_attribute("data-opened-docno", "jones2021")
    page.keyboard.press("t")
    did(page, "Sentence 1 of 4: “We asked jones2021 students.”")
    page.keyboard.press("a")
    did(page, "Source added to description 1.")
    assert quotes(nugget_list, 1)[1] == "We asked jones2021 students."
    assert nugget.sources.get(docno="jones2021").span["start"] == 0

    page.keyboard.press("o")
    did(page, "Description 1 is in “Who”.")
    expect(page.locator(".nugget-list > li").nth(1)).to_contain_text("Sorted twice")
    page.keyboard.press("u")
    did(page, "Undone: description 1 is in “How” again.")
    assert nugget_list.nuggets.get(number=1).group == "how"

    page.get_by_role("button", name="Take this source away").first.press("Enter")
    did(page, "Source taken away.")
    assert quotes(nugget_list, 1) == ["We asked jones2021 students."]
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your work")).to_be_visible()


def test_support_is_said_of_whole_answers_by_keys(
    sign_in: SignIn, site: LiveServer, workshop: Campaign, people: list[User]
) -> None:
    topic = factories.topic(workshop, "r1", "Why is the sky blue?", task="answers", ordinal=9)
    pool = Pool.objects.create(campaign=workshop, task="answers", recipe={}, digest="2" * 64)
    answer = Item.objects.create(topic=topic, kind="response", key="long", text="Light is scattered by air. " * 60)
    PoolItem.objects.create(pool=pool, item=answer)
    writing = factories.assignment(topic, "list", people[0])
    draft = start_list(actor=people[0], assignment=writing)
    for text in ("scattering", "short waves", "sunsets"):
        add_nugget(actor=people[0], nugget_list=draft, text=text, importance="vital", client_key=key(text))
    freeze_list(actor=people[0], nugget_list=draft, client_key=key("freeze"))
    Assignment.objects.update(state="done")
    page = bench(sign_in(people[0]), site, factories.assignment(topic, "support", people[0], state="open"))
    expect(page.locator("[data-say=partial]")).to_be_visible()
    for pressed, words in (
        ("s", "“scattering” is in"),
        ("h", "“short waves” is partly in"),
        ("x", "“sunsets” is not in"),
    ):
        page.keyboard.press(pressed)
        did(page, words)
    ticks = page.locator("button.nugget")
    for place, value in enumerate(("full", "partial", "absent")):
        expect(ticks.nth(place)).to_have_attribute("data-said", value)
    page.keyboard.press("x")  # the first again: a mark becomes a statement that it is not there
    did(page, "“scattering” is not in")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert values() == {1: "absent", 2: "partial", 3: "absent"}
    page.keyboard.press("u")
    did(page, "Undone: nugget 1 is in [a]")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert values() == {1: "full", 2: "partial", 3: "absent"}
    page.keyboard.press("/")
    page.keyboard.type("sca")
    page.keyboard.press("Enter")
    for _ in range(2):  # the same again is said, and nothing is said of nuggets that are out of sight
        page.keyboard.press("s")
        did(page, "Nugget 1 “scattering” is in [a]. Next: nugget 1 “scattering”")
    page.keyboard.press("u")
    did(page, "Undone: nugget 3 is not marked any more in [a]")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert values() == {1: "full", 2: "partial"}
    page.reload()
    expect(ticks.nth(1)).to_have_attribute("data-said", "partial")
    expect(ticks.nth(2)).to_have_attribute("data-said", "")


def values() -> dict[int, str]:
    """What is currently said of each nugget, "absent" where it was said expressly."""
    return {mark.number: mark.value for mark in all_marks(NuggetList.objects.all())}


def test_two_assessors_write_and_mark_each_their_own_list(
    sign_in: SignIn, site: LiveServer, workshop: Campaign, people: list[User], organiser: User
) -> None:
    author, other = people
    topic = workshop.topics.get(number="d1")
    strings = factories.pooled(topic, ["a Swiss bank in Basel", "it settles payments between banks"])
    factories.response(factories.run(workshop, "Harbor1", organiser), topic, strings)
    for stage in ("write", "find"):
        factories.assignment(topic, stage, author, state="open")
    page = sign_in(author)
    write_and_mark(page, site, "a bank in Basel")
    page = sign_in(other)
    page.goto(f"{site.url}/c/workshop/work/")
    page.keyboard.press("t")
    expect(page.get_by_text("Topic d1 is yours, as second assessor.")).to_be_visible()
    write_and_mark(page, site, "settles payments")
    assert "a bank in Basel" not in page.content()
    said = NuggetMatch.objects.values_list("nugget__text", "nugget__nugget_list__owner__username", "assessor__username")
    assert set(said) == {("a bank in Basel", "author", "author"), ("settles payments", "other", "other")}


def write_and_mark(page: Page, site: LiveServer, text: str) -> None:
    """One nugget written, frozen and found in the string in hand, all by keys."""
    page.goto(f"{site.url}/c/workshop/work/")
    page.keyboard.press("n")
    expect(page.locator("[data-words-key]")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    did(page, "Nugget 1 written, okay.")
    page.keyboard.press("v")
    did(page, "Nugget 1 is vital.")
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your work")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("[data-nugget] [data-nugget-text]")).to_have_text(text)
    expect(page.locator("[data-words-key]")).to_be_visible()
    page.keyboard.press("1")
    did(page, "Nugget 1")
    for _ in range(2):
        page.keyboard.press("Enter")
    did(page, "press f to mark the work as done")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="Your work")).to_be_visible()
