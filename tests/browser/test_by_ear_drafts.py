"""Drafts by what a screen reader says alone: a machine's nuggets and marks answered, a topic made."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Item, Topic
from assess.topic_drafts.queries import show_draft
from nuggets.matches.models import NuggetMatch
from nuggets.models import NuggetList
from tests import factories
from tests.assess.topic_drafts.made_drafts import drafted
from tests.browser.by_ear import Ear
from tests.browser.conftest import SignIn
from tests.nuggets.machines_drafts import machine_list, machine_marks, show

pytestmark = pytest.mark.browser


def test_a_machines_drafts_are_answered(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, squishy: Topic, squishy_items: list[Item], assessor: User
) -> None:
    machine_list(campaign, squishy, source=squishy_items[0])
    show(campaign)
    work = factories.assignment(squishy, "nuggets", assessor, state="open")
    ear = Ear(sign_in(assessor))
    page = ear.page
    ear.open(f"{site.url}/c/opinions/work/{work.pk}/")
    assert ear.heard() == ["Draft A1: costs little"]
    string = ear.focus().words
    accept, refuse, later = (ear.key_of("button", name) for name in ("accept", "refuse", "later"))
    for key, said in (
        (accept, "Draft A1 accepted: nugget 1. Draft A2: weighs little"),
        (later, "Draft A3: is a robot’s fancy"),
        (refuse, "Draft A3 refused. Draft A2: weighs little"),
        (ear.key_of("button", "undo"), "Undone: draft A3 is open again. Draft A3: is a robot’s fancy"),
        (refuse, "Draft A3 refused. Draft A2: weighs little"),
    ):
        assert ear.press(key) == said
        ear.at(words=string)
    page.keyboard.press("Y")
    ear.at(words="What the draft should say: A2")
    page.keyboard.press("Control+a")
    page.keyboard.type("is light")
    assert ear.press("Enter") == "Draft A2 accepted in your words: nugget 2."
    ear.at(words=string)
    page.keyboard.press("f")
    ear.at(words="Freeze 2 nuggets")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Frozen and finished")).to_have_count(1)

    one, two = NuggetList.objects.get(owner=assessor).nuggets.order_by("number")
    first, second, _ = squishy_items
    offered = [(two, first, "full"), (one, second, "full"), (two, second, "full")]
    machine_marks(campaign, squishy, offered, stage="matches")
    marking = factories.assignment(squishy, "matches", assessor, state="open")
    ear.open(f"{site.url}/c/opinions/work/{marking.pk}/")
    for letter in "abc":
        here = ear.focus()
        if here.words == first.text:
            assert here.description == "○ not looked at 2 ◦ is light draft: in it (y/n)"
            assert ear.press("n") == f"Nugget 2 “is light” is not in [{letter}]"
        if here.words == second.text:
            assert here.description.endswith("draft: in it (y/n) · 2 drafts, all of them Y")
            assert ear.press("Y") == f"Drafts accepted for [{letter}]: 2. Undo takes them back one by one."
            assert ear.focus().description == "○ not looked at 1 ★ costs little ✓ 2 ◦ is light ✓"
        assert ear.press("Enter").startswith(f"[{letter}] looked at.")
    ear.finish()
    rows = NuggetMatch.objects.filter(assessor=assessor).values_list("item", "nugget__number", "value")
    assert sorted(rows) == sorted([(first.pk, 2, "absent"), (second.pk, 1, "full"), (second.pk, 2, "full")])


def test_a_topic_is_made(site: LiveServer, campaign: Campaign, assessor: User, sign_in: SignIn) -> None:
    draft = drafted(campaign, assessor)
    for number in (1, 2, 3):
        factories.document(campaign, f"D{number}", f"Kites{' kites' * (9 - number)} of harbor {number}. They fly.")
    ear = Ear(sign_in(assessor))
    page = ear.page
    ear.open(site.url + reverse("topic-draft", args=["opinions", draft.number]))
    ear.at(words="No document in hand")
    page.keyboard.press(ear.key_of("button", "Search"))
    ear.at(words="Words to look for")
    with page.expect_navigation():
        page.keyboard.type("kites\n")

    def act(key: str, words: str) -> None:
        """What loads the page anew leads to what is read first."""
        with page.expect_navigation():
            page.keyboard.press(key)
        ear.at(words=words)

    ear.at(words="DOCUMENT 1 D1: not judged")
    act(ear.key_of("button", "relevant"), "DOCUMENT 2 D2: not judged")
    act(ear.key_of("button", "not relevant"), "DOCUMENT 3 D3: not judged")
    assert ear.press("j") == "This is the last document."
    act(ear.key_of("link", "before"), "DOCUMENT 2 D2: not relevant")
    act(ear.key_of("link", "before"), "DOCUMENT 1 D1: relevant")
    assert ear.press(ear.key_of("button", "sentences")).startswith("Sentence 1 of 2")
    assert ear.press("j").startswith("Sentence 2 of 2: “They fly.”")
    assert ear.press("Enter").startswith("Marked “They fly.”")
    page.keyboard.press("w")
    ear.at(words="Nugget")
    assert page.evaluate("() => [...CSS.highlights.get('evidence')].map(String)") == ["They fly."]
    page.keyboard.type("Kites can fly")
    act("Enter", "DOCUMENT 1 D1: relevant")
    page.keyboard.press("e")
    ear.at(words="Target")
    page.keyboard.press("Escape")
    ear.at(words="DOCUMENT 1 D1: relevant")
    with page.expect_navigation():
        page.keyboard.press(ear.key_of("button", "Send to the organiser"))
    expect(page.get_by_role("status").filter(has_text="is with the organiser")).to_have_count(1)
    shown = show_draft(draft)
    assert (shown.state, shown.judged, [find.text for find in shown.nuggets]) == (
        "sent",
        {"D1": True, "D2": False},
        ["Kites can fly"],
    )
