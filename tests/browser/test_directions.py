"""Text that runs from right to left is laid out so wherever documents are read, each line by itself."""

from __future__ import annotations

import re
import zlib

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Document, DocumentBody, Topic
from assess.rendering.render import render_document
from tests import factories
from tests.benches import Benches, need_relevant_passage
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, picture
from tests.browser.look import violations
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

ARABIC = "قال الوزير إن الاقتصاد الوطني نما."
ENGLISH = "The minister spoke."
MIXED = f"AR-1\n{ARABIC}\n{ENGLISH}"

# Where a sentence begins, seen from the box that it stands in, and on which side its full stop stands.
SIDES = """(element, sentence) => {
  const places = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (let at = 0; at < walker.currentNode.length; at += 1) places.push([walker.currentNode, at]);
  }
  const from = places.map(([node, at]) => node.data[at]).join("").indexOf(sentence);
  const [first, last] = [from, from + sentence.length - 1].map((place) => {
    const range = new Range();
    range.setStart(...places[place]);
    range.setEnd(places[place][0], places[place][1] + 1);
    return range.getBoundingClientRect();
  });
  const box = element.getBoundingClientRect();
  const begins = first.left - box.left < box.right - first.right ? "left" : "right";
  return [begins, last.left < first.left ? "left" : "right"];
}"""


def wait_for_width(page: Page) -> None:
    """The frame is as wide inside as outside: Firefox tells a page of another process its size once it is loaded, and
    lines that are laid out in less width wrap.
    """
    frame = page.locator("[data-frame]")
    inside = page.frame_locator("[data-frame]").locator(":root")
    wait_until(
        page,
        lambda: inside.evaluate("() => innerWidth") == frame.evaluate("(each) => each.clientWidth"),
        "the frame's page does not learn how wide it is",
    )


def sides(element: Locator, sentence: str) -> list[str]:
    expect(element).to_contain_text(sentence)
    return element.evaluate(SIDES, sentence)


@pytest.mark.in_firefox_too
def test_every_line_of_a_text_and_every_snippet_has_its_own_direction(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, organiser: User
) -> None:
    for docno, text in (("AR-1", MIXED), ("AR-2", ARABIC)):
        made = render_document(text.encode(), media_type="text/plain", charset="utf-8", url="")
        assert made.page is not None
        document = factories.document(campaign, docno, text)
        DocumentBody.objects.filter(document=document).update(page=zlib.compress(made.page.encode()))
    page = sign_in(organiser)
    opened = f"{site.url}/c/opinions/documents/AR-1/view/?view="
    for view, lines in (
        ("page", page.frame_locator("[data-frame]").locator("pre")),
        ("text", page.locator("[data-text]")),
    ):
        page.goto(opened + view)
        if view == "page":
            wait_for_width(page)
        assert sides(lines, ARABIC) == ["right", "left"], view
        assert sides(lines, ENGLISH) == ["left", "right"], view
        picture(page, f"right-to-left-{view}")
    page.goto(f"{site.url}/c/opinions/search/?q=الوزير")
    snippets = page.locator(".result-list div[dir=auto]")
    assert sides(snippets.filter(has_not_text="AR-1"), ARABIC) == ["right", "left"]
    mixed = snippets.filter(has_text="AR-1")
    assert (sides(mixed, ARABIC)[1], sides(mixed, ENGLISH)[1]) == ("left", "right")
    picture(page, "right-to-left-search")


def test_a_response_and_a_title_from_right_to_left_stand_at_the_right(
    sign_in: SignIn, site: LiveServer, benches: Benches
) -> None:
    need_relevant_passage(benches)
    Document.objects.update(title=ARABIC)
    page = sign_in(benches.assessor)
    page.goto(f"{site.url}/c/benches/work/{benches.work['responses'].pk}/")
    came(page)
    page.keyboard.press("d")
    expect(page.locator("[data-document-title]")).to_be_visible()
    part = page.locator("[data-part]").first
    assert sides(part, part.locator(".response-text").inner_text()) == ["left", "right"]
    part.locator(".response-text").evaluate("(each, text) => { each.textContent = text; }", ARABIC)
    assert sides(part, ARABIC) == ["right", "left"]
    assert sides(page.locator("[data-document-title]"), ARABIC) == ["right", "left"]
    picture(page, "right-to-left-response")


DOCNO = "BLOG06-20060101-000-0000000001"
TRANSLATED = "The weather was fine.\n" * 80 + "The minister said that the economy grew."


def test_a_translation_stands_beside_the_original_and_is_no_evidence(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, rigid: Topic, assessor: User
) -> None:
    factories.document(campaign, DOCNO, ARABIC)
    factories.pooled(rigid, ["economy grew"])
    campaign.translations.create(docno=DOCNO, language="en", tool="NLLB-200", sha256="", text=TRANSLATED)
    work = factories.assignment(rigid, "instances", assessor, state="open")
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/?view=text")
    original, translation = page.locator("[data-text]"), page.locator("[data-translation]")
    expect(translation.locator("mark.answer")).to_be_in_viewport()
    assert (original.get_attribute("lang"), translation.get_attribute("lang")) == ("ar", "en")
    left, right = original.bounding_box(), translation.bounding_box()
    assert left is not None and right is not None and left["x"] + left["width"] <= right["x"]
    assert (sides(original, ARABIC)[0], sides(translation, "The minister said that")[0]) == ("right", "left")
    assert violations(page) == []
    picture(page, "translation-beside")
    page.keyboard.press("T")
    expect(translation).to_be_hidden()
    page.reload()
    expect(original).to_be_visible()
    expect(translation).to_be_hidden()
    page.keyboard.press("T")
    expect(translation).to_be_visible()
    expect(page.locator("[data-did]")).to_have_text("The translation is shown.")
    page.set_viewport_size({"width": 390, "height": 800})
    above, below = original.bounding_box(), page.locator("[data-translations]").bounding_box()
    assert above is not None and below is not None and above["y"] + above["height"] <= below["y"]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_page_keeps_its_language_and_what_it_quotes_keeps_its_own(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, rigid: Topic, assessor: User
) -> None:
    factories.document(campaign, DOCNO, ARABIC)
    factories.pooled(rigid, [ARABIC, f"{ARABIC} ٢"])
    work = factories.assignment(rigid, "instances", assessor, state="open")
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    page.context.add_cookies([{"name": "assay-language", "value": "de", "url": site.url}])  # chosen in another window
    page.locator("[data-view=text]").click()
    expect(page.get_by_role("region", name="Text of the document")).to_be_visible()
    page.keyboard.press("g")
    expect(page.locator("#side-body")).to_contain_text("published")  # by htmx
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    quoted = page.locator("[data-did] > bdi")
    expect(quoted).to_have_attribute("lang", "ar")
    expect(page.locator("[data-did]")).to_have_text(re.compile(f"^1 “{re.escape(quoted.inner_text())}”: correct$"))
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "de")
