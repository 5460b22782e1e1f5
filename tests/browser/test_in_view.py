"""What is judged, its question and its grades are in view at once on every bench: wide, at 200 % zoom, narrow."""

from __future__ import annotations

import re
import zlib

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Document, DocumentBody
from tests import factories
from tests.assess.topic_drafts.made_drafts import drafted
from tests.benches import Benches, need_relevant_passage
from tests.browser.conftest import SignIn
from tests.browser.drafting import look_for, shown
from tests.browser.every_bench import Makers
from tests.browser.in_view import GRADES, LEAST, NOT_SEEN, SIZES, WANTED, look_at_bench
from tests.browser.keyboard import came, picture
from tests.browser.look import violations
from tracks.aquaint_definition import TRACK

pytestmark = pytest.mark.browser

AQUAINT = TRACK.tasks[0].stages[0].criteria
WORDY = """(asked) => document.querySelectorAll(".criterion fieldset").forEach((each, at) => {
  each.querySelector("legend").textContent = asked[at][0];
  if (each.querySelector(".grade-help")) each.querySelector(".grade-help").textContent = asked[at][1];
})"""
"""The two questions of a form as a real evaluation asks them: 90 words."""
LONG_NUGGETS = """() => document.querySelectorAll(".nugget .words").forEach((each) => {
  each.textContent = "It says so at length. ".repeat(12);
})"""
SIXTY = """() => {
  const list = document.querySelector(".nugget-list");
  while (list.children.length < 60) list.append(list.children[list.children.length % 12].cloneNode(true));
}"""
WHOLE_ROWS = """() => {
  const { top, bottom } = document.querySelector(".nugget-side > form").getBoundingClientRect();
  const rows = [...document.querySelectorAll(".nugget-list .nugget")].map((each) => each.getBoundingClientRect());
  return rows.filter((each) => each.top >= top && each.bottom <= bottom && each.height >= 24).length;
}"""
MOST_OF_SIXTY = 36
MESSAGE = (
    "Satz 4 von 23, wahrscheinlich 1 von 8: „The brakes were checked by two people in the month before the crash“. "
    "Enter nimmt ihn, Esc verlässt die Sätze. Drücken Sie f, um die Arbeit als erledigt zu markieren."
)
WHOLE_LINE = """(line) => {
  const { left, right, top, bottom } = line.getBoundingClientRect();
  const isSeen = [top + 6, bottom - 6].every((y) => line.contains(document.elementFromPoint(left + 12, y)));
  return isSeen && left >= 0 && right <= innerWidth && bottom <= innerHeight && line.scrollHeight <= line.clientHeight;
}"""


@pytest.mark.parametrize("name", ["grade", "nuggets", "matches", "classes"])
def test_a_long_message_in_the_foot_is_whole_in_small_windows(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    for width, height in ((640, 400), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("[data-did]").evaluate("(line, text) => { line.textContent = text; }", f"At {width}: {MESSAGE}")
        expect(page.locator("[data-did][data-long]")).to_have_count(1)
        picture(page, f"{name}-message-{width}")
        assert page.locator("[data-did]").evaluate(WHOLE_LINE)


@pytest.mark.parametrize("name", ["grade", "adjudication", "nuggets", "matches", "votes", "classes"])
def test_item_and_grades_are_in_view(name: str, makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    expect(page.locator(":focus")).to_have_count(1)  # a reader begins at what is judged, not at the head of the page
    look_at_bench(page, name, kind=name)
    if name == "matches":
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate(SIXTY)
        assert page.evaluate(WHOLE_ROWS) >= MOST_OF_SIXTY
        picture(page, "sixty-nuggets-1280")
        for width in (640, 390):
            page.set_viewport_size({"width": width, "height": 400})
            page.keyboard.press("#")
            expect(page.locator(":focus")).to_have_attribute("data-goto", "")
            picture(page, f"goto-{width}")
            page.keyboard.press("Escape")
    if name == "nuggets":
        page.set_viewport_size({"width": 640, "height": 400})
        page.evaluate(LONG_NUGGETS)
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        row, actions = (page.locator(one).bounding_box() for one in (".nugget[aria-current]", ".list-actions"))
        picture(page, "nuggets-long-640")
        assert row is not None and actions is not None
        assert row["y"] + row["height"] <= actions["y"]  # which stay at the foot of the list
    for width, height in ((640, 400), (390, 844)) if name != "adjudication" else ():
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("q")
        picture(page, f"{name}-question-{width}")
        assert page.evaluate(NOT_SEEN, [["[data-ask-form] textarea", "[data-ask-form] button"], LEAST]) == []
        page.reload()
        came(page)


def test_item_and_grades_are_in_view_with_documents_responses_and_two_questions(
    sign_in: SignIn, site: LiveServer, benches: Benches
) -> None:
    need_relevant_passage(benches)
    page = sign_in(benches.assessor)
    for stage in ("passages", "responses", "sentences", "citations", "statements", "figures"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(f"{site.url}/c/benches/work/{benches.work[stage].pk}/")
        came(page)
        if stage in ("passages", "responses"):  # of which no text has the focus
            expect(page.locator("#thing-place")).to_have_attribute("aria-description", re.compile(r"\w \w"))
        if stage == "responses":
            page.evaluate(WORDY, [[each.question, each.help] for each in AQUAINT])
        look_at_bench(page, stage, kind="picks" if stage == "figures" else "")
        if stage == "responses":  # the document of the text in hand, above both questions
            page.set_viewport_size({"width": 640, "height": 400})
            page.keyboard.press("d")
            expect(page.locator("[data-did]")).to_contain_text("Document 1 of 1 of this text")
            picture(page, "responses-document-640")
            text, form = (page.locator(each).first.bounding_box() for each in ("[data-text] mark", ".bench-form"))
            assert text is not None and form is not None
            assert text["y"] + LEAST <= form["y"]
            assert page.evaluate(NOT_SEEN, [list(GRADES), LEAST]) == []
            assert violations(page) == []
            page.locator(".criterion legend").first.evaluate(
                "each => { each.textContent = 'Many words. '.repeat(99); }"
            )
            page.keyboard.press("9")  # the question that has the keys now is brought into view
            expect(page.locator(".criterion[data-active] [data-grade]").last).to_be_in_viewport(ratio=0.9)


def test_a_response_and_its_question_stay_in_view_when_a_document_opens(
    sign_in: SignIn, site: LiveServer, benches: Benches
) -> None:
    need_relevant_passage(benches)
    DocumentBody.objects.update(text=f"{LINES} Add squash, and wait for an hour.")
    page = sign_in(benches.assessor)
    found = {}
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{site.url}/c/benches/work/{benches.work['responses'].pk}/")
        came(page)
        page.keyboard.press("]")
        page.keyboard.press("d")
        expect(page.locator("[data-did]")).to_contain_text("Document 1 of 1 of this text")
        picture(page, f"responses-fresh-document-{width}")
        wanted = [*GRADES, "[data-part][aria-current] .response-text", "[data-text] mark[aria-current]"]
        found[width] = page.evaluate(NOT_SEEN, [wanted, LEAST])
    assert found == {width: [] for width in found}


WIDE = """<!DOCTYPE html><html><head>
<style>#outer { width: 660px; padding: 20px } #inner { width: 640px }</style></head>
<body><div id=outer><table width=900><tr><td width=600><div id=inner>{lines}</div><pre>{lines}</pre></td><td nowrap>Old
pages of the blue bicycle</td></tr></table></div></body></html>"""


@pytest.mark.parametrize("stage", ["passages", "citations"])
def test_a_page_made_for_wide_windows_is_laid_out_to_a_small_frame(
    stage: str, benches: Benches, sign_in: SignIn, site: LiveServer
) -> None:
    need_relevant_passage(benches)
    DocumentBody.objects.update(text=LINES, page=zlib.compress(WIDE.replace("{lines}", LINES).encode()))
    page = sign_in(benches.assessor)
    for width in (640, 390):
        page.set_viewport_size({"width": width, "height": 400 if width == 640 else 844})
        page.goto(f"{site.url}/c/benches/work/{benches.work[stage].pk}/?view=page")
        came(page)
        frame = page.locator("[data-frame]").element_handle().content_frame()
        assert frame is not None
        expect(frame.locator("#inner")).to_be_visible()
        picture(page, f"{stage}-wide-page-{width}")
        assert frame.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_strings_and_nuggets_are_in_view_beside_an_open_document(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("matches")
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press("d")
    expect(page.locator("[data-opened]")).to_be_visible()
    look_at_bench(page, "matches with a document", kind="matches")


LINES = " ".join(f"Sentence {number} of the document says what was seen that day." for number in range(1, 200))
TALL = """() => {
  const shown = { visibilityProperty: true };
  const texts = [...document.querySelectorAll(".doc-frame, .doc-text, .doc-image")];
  const found = texts.filter((each) => each.checkVisibility(shown));
  const box = found[0]?.getBoundingClientRect();
  let seen = 0;
  for (let y = Math.max(0, box?.top ?? 0); box && y < Math.min(innerHeight, box.bottom); y += 2) {
    const at = document.elementFromPoint(box.left + box.width / 2, y);
    if (found[0].contains(at)) seen += 2;
  }
  const line = found[0]?.matches(".doc-text") ? parseFloat(getComputedStyle(found[0]).lineHeight) : 18;
  return [seen, line, box?.width ?? 0];
}"""
"""Pixels of the document's text that nothing covers, the height of its lines, and how wide it is."""
LEAST_OF_DOCUMENT = {1280: 200, 640: 100, 390: 140}
FEWEST_LINES, NARROWEST = 5, 250


def well_known_documents() -> None:
    """Documents with all that can stand above a text: a title, where it is from, a note, further fields."""
    DocumentBody.objects.update(text=LINES, page=zlib.compress(f"<!DOCTYPE html><body><p>{LINES}</p>".encode()))
    Document.objects.update(
        title="A title that is longer than a line, of a page about the blue bicycle and what broke in the same week",
        url="http://pages.example.com/2006/01/a-long-address-of-a-page/with-further-parts.html",
        note="Its encoding was guessed.",
        fields={"DATE": "2006-01-01", "SOURCE": "The Daily Bicycle", "FEEDNO": "1", "BLOGHPNO": "2"},
    )


def look_at_document(page: Page, name: str, *, kind: str = "", is_beside: bool = True) -> None:
    """At all sizes enough of the document is seen, and where it opens beside the work, the work too."""
    found: dict[object, object] = {}
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        seen, line, wide = page.evaluate(TALL)
        picture(page, f"{name}-document-{width}")
        if rules := violations(page):
            found[f"axe {width}"] = rules
        if seen < max(LEAST_OF_DOCUMENT[width], FEWEST_LINES * line) or wide < NARROWEST:
            found[width] = (seen, line, wide)
        if is_beside and (hidden := page.evaluate(NOT_SEEN, [list(WANTED.get(kind, GRADES)), LEAST])):
            found[f"work {width}"] = hidden
    assert found == {}, name


@pytest.mark.parametrize(("name", "key"), [("nuggets", "d"), ("nuggets", "t"), ("matches", "d")])
def test_lines_of_an_open_document_are_in_view_beside_lists(
    name: str, key: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    well_known_documents()
    page = bench.open(sign_in(bench.person), site)
    page.keyboard.press(key)
    expect(page.locator("[data-opened] [data-document]")).to_be_visible()
    look_at_document(page, f"{name}-{key}", kind=name)


def test_lines_of_a_document_are_in_view_beside_a_draft(
    campaign: Campaign, assessor: User, sign_in: SignIn, site: LiveServer
) -> None:
    factories.document(campaign, "D1", "The harbor shop sells kites.")
    draft = drafted(campaign, assessor)
    well_known_documents()
    page = sign_in(assessor)
    page.goto(site.url + reverse("topic-draft", args=[campaign.slug, draft.number]))
    look_for(shown(page), "harbor")
    look_at_document(page, "drafts", kind="drafts")
    page.keyboard.press("/")
    expect(page.locator("#draft-q")).to_be_in_viewport()
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator("textarea:focus")).to_be_in_viewport()


@pytest.mark.parametrize("name", ["grade", "adjudication", "classes"])
def test_lines_of_an_open_document_are_in_view_beside_grades_and_groups(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    well_known_documents()
    page = bench.open(sign_in(bench.person), site)
    if name == "classes":
        page.keyboard.press("d")
    expect(page.locator("[data-document]")).to_be_visible()
    look_at_document(page, name, kind=name, is_beside=name != "classes")


@pytest.mark.parametrize("stage", ["passages", "responses", "citations", "figures"])
def test_lines_of_an_open_document_are_in_view_on_benches_with_grades_and_picks(
    stage: str, benches: Benches, sign_in: SignIn, site: LiveServer
) -> None:
    need_relevant_passage(benches)
    well_known_documents()
    page = sign_in(benches.assessor)
    page.goto(f"{site.url}/c/benches/work/{benches.work[stage].pk}/")
    came(page)
    if stage == "responses":
        page.keyboard.press("d")
    expect(page.locator("[data-document]:visible").first).to_be_visible()
    look_at_document(page, stage, kind="picks" if stage == "figures" else "")
    if stage == "passages":  # words of the list are read beside the guidelines, also of what is judged
        page.set_viewport_size({"width": 1280, "height": 800})
        page.keyboard.press("1")
        expect(page.locator("[data-state=judged] a:not([aria-current])")).to_have_count(2)
        page.keyboard.press("g")
        expect(page.locator("#side-panel[open]")).to_be_visible()
        words = page.locator(".work-list .words").all()
        assert min(each.evaluate("(each) => each.clientWidth") for each in words) >= 80
        picture(page, "passages-guidelines-1280")
    if stage == "citations":
        page.keyboard.press("v")
        expect(page.locator("[data-choosing]")).to_be_visible()
        look_at_document(page, f"{stage}-sentences")
