"""What the organiser writes of a draft on the desk waits in this browser until it is sent back."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, TopicDraft
from assess.topic_drafts.queries import show_draft
from tests import factories
from tests.assess.topic_drafts.made_drafts import drafted, sent
from tests.browser.conftest import SignIn

pytestmark = pytest.mark.browser
HELD = "() => Object.keys(localStorage).filter((name) => name.startsWith('assay.draft.'))"


@pytest.fixture
def draft(site: LiveServer, campaign: Campaign, assessor: User) -> TopicDraft:
    factories.document(campaign, "D1", "The harbor shop sells kites. It sells strings.")
    return sent(campaign, assessor)


def desk(page: Page, site: LiveServer) -> Page:
    page.goto(site.url + reverse("topic-drafts-desk", args=["opinions"]))
    page.wait_for_load_state()
    return page


def test_what_to_change_survives_a_closed_tab_until_it_is_sent_back(
    site: LiveServer, draft: TopicDraft, organiser: User, sign_in: SignIn
) -> None:
    page = desk(sign_in(organiser), site)
    page.keyboard.press("b")
    page.keyboard.type("Ask of one shop alone.")
    context = page.context
    page.close()
    page = desk(context.new_page(), site)
    expect(page.get_by_label("What to change")).to_have_value("Ask of one shop alone.")
    expect(page.get_by_text("What you had typed here is back.")).to_be_visible()
    page.get_by_role("button", name="Send back").press("Enter")
    expect(page.get_by_text("went back to")).to_be_visible()
    assert page.evaluate(HELD) == []
    assert show_draft(draft).word == "Ask of one shop alone."


def test_a_document_that_was_judged_has_a_dot_of_its_own(
    site: LiveServer, campaign: Campaign, assessor: User, sign_in: SignIn
) -> None:
    draft = drafted(campaign, assessor)
    for number in (1, 2, 3):
        factories.document(campaign, f"D{number}", f"Kites{' kites' * (9 - number)} of harbor {number}.")
    page = sign_in(assessor)
    page.goto(site.url + reverse("topic-draft", args=["opinions", draft.number]) + "?q=kites")
    for key in ("r", "i"):
        with page.expect_navigation():
            page.locator(".draft-hits a").nth(0 if key == "r" else 1).click()
        with page.expect_navigation():
            page.keyboard.press(key)
    expect(page.locator(".draft-hits li .said")).to_have_text(["relevant", "not relevant", "not judged"])
    shown = "all => all.map((each) => getComputedStyle(each, '::before').content)"
    assert page.locator(".draft-hits .glyph").evaluate_all(shown) == ['"●"', '"✕"', '"○"']
