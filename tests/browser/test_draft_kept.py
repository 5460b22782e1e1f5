"""What is typed on the draft bench and not saved yet stays in the browser: past a closed tab, no network, a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, TopicDraft
from assess.topic_drafts.domain.writing import send_draft, write_draft
from assess.topic_drafts.queries import show_draft
from tests import factories
from tests.assess.topic_drafts.made_drafts import DEFINITION, SERIES, drafted
from tests.browser.conftest import PATIENCE_MS, USUAL_MS, SignIn
from tests.browser.keyboard import picture
from tests.browser.look import violations
from tests.browser.on_the_way import on_the_way, pass_on

pytestmark = pytest.mark.browser
HELD = "() => Object.keys(localStorage).filter((name) => name.startsWith('assay.draft.'))"
ASIDE = "[data-draft-aside]"


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=USUAL_MS)


@pytest.fixture
def draft(site: LiveServer, campaign: Campaign, assessor: User) -> TopicDraft:
    factories.document(campaign, "D1", "The harbor shop sells kites. It sells strings.")
    return drafted(campaign, assessor)


def opened(page: Page, site: LiveServer, draft: TopicDraft) -> Page:
    page.goto(site.url + reverse("topic-draft", args=[draft.campaign.slug, draft.number]))
    expect(page.locator("[data-draft-bench]")).to_be_visible()
    page.wait_for_load_state()
    return page


def cut_off(page: Page) -> None:
    """This tab can't reach the site any more, nor while it is being closed, though the network comes back then."""
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('There is no network.')); }")
    page.context.set_offline(True)


def type_notes(page: Page, text: str) -> None:
    page.keyboard.press("o")
    expect(page.locator("#draft-notes")).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type(text)


def closed(page: Page) -> Page:
    """Close the tab at once, and open another one in the same browser."""
    context = page.context
    page.close()
    context.set_offline(False)
    return context.new_page()


def signed_in_again(page: Page, person: User, site: LiveServer) -> Page:
    client = Client()
    client.force_login(person)
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site.url}])
    return page


def notes_of(draft: TopicDraft) -> str:
    return show_draft(draft).content.notes


def test_what_was_typed_survives_a_closed_tab_and_is_saved(
    site: LiveServer, draft: TopicDraft, assessor: User, sign_in: SignIn
) -> None:
    page = opened(sign_in(assessor), site, draft)
    cut_off(page)
    type_notes(page, " And on a third.")
    page.keyboard.press("Tab")  # leaves the field, which would save it
    expect(page.locator("[data-save-status]")).to_contain_text("not saved")
    page.locator("#draft-part-3").focus()
    page.keyboard.type("Who repairs them?")  # typed, the field not left
    page = opened(closed(page), site, draft)
    expect(page.locator("#draft-notes")).to_have_value("Seen on two blogs. And on a third.")
    expect(page.locator("#draft-part-3")).to_have_value("Who repairs them?")
    expect(page.locator("[data-did]")).to_contain_text("What you had typed here is back")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    content = show_draft(draft).content
    assert content.notes == "Seen on two blogs. And on a third."
    assert [part.text for part in content.parts][2:] == ["Who repairs them?"]
    assert page.evaluate(HELD) == []
    page.reload()
    expect(page.locator("#draft-notes")).to_have_value("Seen on two blogs. And on a third.")
    expect(page.locator("[data-did]")).to_have_text("")


def test_the_definition_of_the_pilot_is_written_by_its_key(site: LiveServer, organiser: User, sign_in: SignIn) -> None:
    pilot = factories.campaign(organiser=organiser, slug="pilot", track="aquaint-definition")
    author = factories.member(pilot, "author", "assessor")
    draft = drafted(pilot, author, DEFINITION)
    page = opened(sign_in(author), site, draft)
    page.keyboard.press("d")
    expect(page.locator("#draft-definition")).to_be_focused()
    page.keyboard.press("Control+End")
    page.keyboard.type(" And a tail.")
    page.keyboard.press("Escape")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert show_draft(draft).content.definition == f"{DEFINITION.definition} And a tail."


def test_an_answer_being_typed_survives_a_closed_tab_until_it_is_kept(
    site: LiveServer, draft: TopicDraft, assessor: User, sign_in: SignIn
) -> None:
    page = opened(sign_in(assessor), site, draft)
    page.keyboard.press("a")
    expect(page.locator("#answer-text")).to_be_focused()
    page.keyboard.type("the harbor shop")
    page.locator("#answer-docno").focus()
    page.keyboard.type("D9")  # there is no such document
    page = opened(closed(page), site, draft)
    expect(page.locator("#answer-text")).to_be_visible()
    expect(page.locator("#answer-text")).to_have_value("the harbor shop")
    page.locator("#answer-text").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".message.error")).to_be_visible()
    expect(page.locator("#answer-text")).to_have_value("the harbor shop")  # refused, and not lost
    page.locator("#answer-docno").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("D1")
    page.keyboard.press("Enter")
    expect(page.locator(".draft-finds ol strong")).to_have_text("the harbor shop")
    expect(page.locator("#answer-text")).to_be_hidden()
    expect(page.locator("#answer-text")).to_have_value("")
    assert page.evaluate(HELD) == []


def test_what_was_changed_elsewhere_meanwhile_stands_and_what_was_typed_can_be_put_back(
    site: LiveServer, draft: TopicDraft, assessor: User, sign_in: SignIn
) -> None:
    page = opened(sign_in(assessor), site, draft)
    cut_off(page)
    type_notes(page, " Mine.")
    page = closed(page)
    write_draft(actor=assessor, draft=draft, content=replace(SERIES, notes="Another."), client_key=uuid4())
    opened(page, site, draft)
    expect(page.locator("#draft-notes")).to_have_value("Another.")
    expect(page.locator(ASIDE)).to_contain_text("Seen on two blogs. Mine.")
    assert notes_of(draft) == "Another."
    assert violations(page) == []
    picture(page, "draft-aside")
    page.reload()  # it stays in sight until its author has said what becomes of it
    page.locator(ASIDE).get_by_role("button", name="Put it into the draft").press("Enter")
    expect(page.locator("#draft-notes")).to_have_value("Seen on two blogs. Mine.")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    expect(page.locator(ASIDE)).to_have_count(0)
    assert notes_of(draft) == "Seen on two blogs. Mine."
    assert page.evaluate(HELD) == []


def test_what_was_typed_is_shown_of_a_draft_that_was_sent_meanwhile(
    site: LiveServer, draft: TopicDraft, assessor: User, sign_in: SignIn
) -> None:
    page = opened(sign_in(assessor), site, draft)
    cut_off(page)
    type_notes(page, " Late.")
    page = closed(page)
    send_draft(actor=assessor, draft=draft, client_key=uuid4())
    opened(page, site, draft)
    expect(page.locator(ASIDE)).to_contain_text("Seen on two blogs. Late.")
    expect(page.locator(ASIDE).get_by_role("button", name="Put it into the draft")).to_have_count(0)
    page.locator(ASIDE).get_by_role("button", name="Discard").press("Enter")
    expect(page.locator(ASIDE)).to_have_count(0)
    assert page.evaluate(HELD) == []
    assert notes_of(draft) == "Seen on two blogs."


def test_nobody_else_sees_what_was_typed(
    site: LiveServer, draft: TopicDraft, assessor: User, second_assessor: User, sign_in: SignIn
) -> None:
    page = opened(sign_in(assessor), site, draft)
    cut_off(page)
    type_notes(page, " Mine.")
    page = closed(page)
    other = drafted(draft.campaign, second_assessor)
    page.context.clear_cookies()
    client = opened(signed_in_again(page, second_assessor, site), site, other)
    expect(client.locator("#draft-notes")).to_have_value("Seen on two blogs.")
    expect(client.locator(ASIDE)).to_have_count(0)
    assert notes_of(draft) == notes_of(other) == "Seen on two blogs."


def test_an_answer_that_was_lost_on_the_way_is_no_change_by_somebody_else(
    site: LiveServer, draft: TopicDraft, assessor: User, sign_in: SignIn
) -> None:
    """The site kept it, its answer never came: tried again, the same words are the same save."""
    page = sign_in(assessor)
    sent = on_the_way(page, "**/write/")
    opened(page, site, draft)

    def keep_and_cut(route: Route) -> None:
        sent.meets = pass_on
        route.fetch()
        route.abort()

    sent.meets = keep_and_cut
    type_notes(page, " Once.")
    page.keyboard.press("Escape")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    assert notes_of(draft) == "Seen on two blogs. Once."
    assert draft.steps.count() == 3  # begun, written, written
