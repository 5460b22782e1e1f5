"""Every kind of bench in a real browser, by keyboard: passages, responses, sentences, citations, picks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.campaigns.queries import stage_of
from assess.kinds.base import work_kind
from assess.kinds.picks.bench import picked_items
from assess.models import Assignment, Item, Judgment
from tests.benches import ABSTRACT, FACTS, PASSAGES, Benches, need_relevant_passage
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser

Open = Callable[[str], Page]


@pytest.fixture
def bench(sign_in: SignIn, site: LiveServer, benches: Benches) -> Open:
    need_relevant_passage(benches)

    def opened(stage: str) -> Page:
        page = sign_in(benches.assessor)
        page.goto(f"{site.url}/c/benches/work/{benches.work[stage].pk}/")
        expect(page.locator("[data-undo]")).to_be_visible()
        return page

    return opened


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def judged(work: Assignment) -> dict[str, dict[str, int | None]]:
    """Item key -> criterion -> the newest value."""
    found: dict[str, dict[str, int | None]] = {}
    for row in Judgment.objects.filter(assignment=work).order_by("id").select_related("item"):
        found.setdefault(row.item.key, {})[row.criterion] = row.value
    return found


def picked(benches: Benches) -> list[str]:
    _, stage = stage_of(benches.campaign, "figures")
    return [Item.objects.get(pk=pk).text for pk, _ in picked_items(benches.topic, stage, benches.assessor)]


def test_passages_by_keyboard(bench: Open, benches: Benches) -> None:
    page = bench("passages")
    expect(page.locator(".bench-thing .thing-label")).to_have_text(re.compile(r"PASSAGE \d of 3"))
    words = page.locator("[data-work-list] .words")
    order = [each.get_attribute("title") or "" for each in words.all()]
    assert [PASSAGES[docno] for docno in order] == words.all_inner_texts()
    left = [docno for docno in order if docno != "P1:1"]  # judged already
    for docno, key in zip(left, "40", strict=True):
        came(page)
        expect(page.locator(".doc-bar .docno")).to_have_text(docno)
        expect(page.locator("[data-text]")).to_have_text(PASSAGES[docno])
        page.keyboard.press(key)
    saved(page)
    expect(page.locator("[data-progress-words]")).to_have_text("3 of 3 judged")
    assert judged(benches.work["passages"]) == {
        "P1:1": {"relevance": 2}, left[0]: {"relevance": 4}, left[1]: {"relevance": 0}
    }  # fmt: skip
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))


def test_words_and_numbers_lead_to_an_item_of_a_short_list(bench: Open) -> None:
    page = bench("passages")
    words = page.locator("[data-work-list] [data-item]:not([hidden]) .words")
    order = words.all_inner_texts()
    page.keyboard.press("/")
    page.keyboard.type("KNIVES p2:4")
    expect(words).to_have_text([PASSAGES["P2:4"]])
    expect(page.locator("[data-did]")).to_have_text("1 of 3 in the list have these words.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-text]")).to_have_text(PASSAGES["P2:4"])
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    expect(words).to_have_count(3)
    expect(page.locator("[data-did]")).to_have_text("3 of 3 in the list are shown.")
    came(page)
    expect(page.locator("[data-answer]")).to_be_focused()
    page.evaluate("window.read = []; document.addEventListener('focusin', ({ target }) => read.push(target.innerText))")
    for place in (3, 1):
        page.keyboard.press("#")
        page.keyboard.type(f"{place}\n")
        expect(page.locator("[data-text]")).to_have_text(order[place - 1])
        came(page)
        expect(page.locator("[data-answer]")).to_be_focused()
        read = page.evaluate("read.splice(0)")
        assert len(read) == 2, read  # the field, and the item that came: not the one before
    expect(page.locator("[data-answer]")).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("[data-did]")).to_have_text("This is the first item of the list.")


def test_evidence_begins_where_it_is_likely_and_goes_on_to_the_next(bench: Open) -> None:
    page = bench("citations")
    page.locator("[data-work-list] .words", has_text="Statins").first.click()
    came(page)
    expect(page.locator("[data-mark-place]")).to_have_text("the likeliest sentence")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 1 of 5, likely 1 of 2")
    page.keyboard.press("n")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 2 of 5, likely 2 of 2")
    page.keyboard.press("n")
    expect(page.locator("[data-did]")).to_have_text("That was the last likely sentence.")
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    expect(page.locator("[data-snippets] q")).to_have_text("Statins lower cholesterol.")


def test_words_are_found_in_the_document(bench: Open) -> None:
    page = bench("citations")
    did = page.locator("[data-did]")
    page.keyboard.press("F")
    page.keyboard.type("muscle pain")
    page.keyboard.press("Enter")
    expect(did).to_have_text("“muscle pain”: place 1 of 1")
    expect(page.locator("[data-text] mark[data-mark]")).to_have_text("Muscle pain")
    expect(page.locator("[data-answer]")).to_be_focused()
    page.keyboard.press("F")
    page.keyboard.type("zebras")
    page.keyboard.press("Enter")
    expect(did).to_have_text("“zebras” is not in this document as it stands.")
    page.locator("[data-view=page]").click()
    expect(page.locator("[data-view=page]")).to_have_attribute("aria-current", "true")
    page.keyboard.press("F")
    page.keyboard.type("weight was seen")
    page.keyboard.press("Enter")
    expect(did).to_have_text("“weight was seen”: place 1 of 1")
    marks = page.frame_locator("[data-frame]").locator("mark")
    expect(marks).to_have_text("weight was seen")


def test_a_whole_response_by_two_questions_of_eleven_grades(bench: Open, benches: Benches) -> None:
    page = bench("responses")
    active = page.locator("[data-criterion][data-active]")
    expect(active).to_have_attribute("data-criterion", "content")
    page.keyboard.press("x")  # ten
    expect(active).to_have_attribute("data-criterion", "organisation")
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 1 judged")
    page.keyboard.press("ArrowLeft")
    expect(active).to_have_attribute("data-criterion", "content")
    page.keyboard.press("9")
    expect(active).to_have_attribute("data-criterion", "organisation")
    page.keyboard.press("0")
    saved(page)
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 1 judged")
    assert judged(benches.work["responses"]) == {"whole": {"content": 9, "organisation": 0}}
    page.keyboard.press("u")
    expect(page.locator("[data-progress-words]")).to_have_text("0 of 1 judged")
    page.keyboard.press("u")
    saved(page)
    expect(page.locator("[data-did]")).to_contain_text("Undone")
    assert judged(benches.work["responses"]) == {"whole": {"content": 10, "organisation": None}}


def test_the_question_that_has_the_focus_has_the_keys(bench: Open, benches: Benches) -> None:
    page = bench("responses")
    page.locator("[data-criterion=organisation] button[value='3']").focus()
    page.keyboard.press("7")
    saved(page)
    assert judged(benches.work["responses"]) == {"whole": {"organisation": 7}}
    expect(page.locator("[data-criterion][data-active]")).to_have_attribute("data-criterion", "content")


def test_documents_of_a_response_open_beside_it(bench: Open, benches: Benches) -> None:
    page = bench("responses")
    expect(page.locator("[data-text]")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator("[data-text]")).to_have_text(PASSAGES["P3:0"])
    page.keyboard.press("]")
    page.keyboard.press("d")
    expect(page.locator("[data-text]")).to_have_text(PASSAGES["P1:1"])
    page.locator("[data-view=source]").click()
    expect(page.locator(".doc-source")).to_have_text(PASSAGES["P1:1"])
    page.keyboard.press("]")
    page.keyboard.press("d")
    expect(page.locator("[data-did]")).to_have_text("This string names no document.")
    expect(page.locator(".doc-bar")).to_have_count(0)
    page.keyboard.press("[")
    page.keyboard.press("d")
    expect(page.locator("[data-text]")).to_have_text(PASSAGES["P1:1"])
    page.keyboard.press("d")
    expect(page.locator(".doc-bar")).to_have_count(0)


def test_sentences_stand_in_their_response(bench: Open, benches: Benches) -> None:
    page = bench("sentences")
    order = page.locator("[data-work-list] .words").all_inner_texts()
    given = dict(zip(order, "rbr", strict=True))
    for text, key in given.items():
        came(page)
        expect(page.locator("[data-answer]")).to_have_text(text)
        expect(page.locator("[data-around] mark")).to_have_text(text)
        expect(page.locator("[data-around] li")).to_have_count(3)
        page.keyboard.press(key)
    saved(page)
    values = {item.text: item.judgments.get().value for item in benches.items("sentence")}
    assert values == {text: 1 if key == "r" else 0 for text, key in given.items()}


def test_evidence_sentence_by_sentence(bench: Open, benches: Benches) -> None:
    page = bench("citations")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 1 of 5")
    page.keyboard.press("j")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 2 to 3 of 5")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("Shift+ArrowRight")  # without "In"
    page.keyboard.press("Enter")
    expect(page.locator("[data-snippets] q")).to_have_text("240 adults, the drug lowered LDL by 31 percent.")
    page.keyboard.press("1")
    saved(page)
    row = Judgment.objects.filter(value=1).get()
    (snippet,) = row.evidence
    assert ABSTRACT[snippet["start"] : snippet["end"]] == snippet["quote"] == (
        "240 adults, the drug lowered LDL by 31 percent."
    )  # fmt: skip
    page.reload()
    page.keyboard.press("k")
    expect(page.locator("[data-snippets] q")).to_have_count(1)
    page.locator("[data-snippet-value]").select_option("2")
    saved(page)
    assert Judgment.objects.filter(value=1).latest("id").evidence[0]["value"] == 2
    page.locator("[data-remove-snippet]").press("Enter")
    expect(page.locator("[data-snippets] q")).to_have_count(0)
    saved(page)
    assert Judgment.objects.filter(value=1).latest("id").evidence is None


def test_a_snippet_that_is_refused_is_kept_until_it_is_discarded(bench: Open, benches: Benches) -> None:
    page = bench("citations")
    Assignment.objects.filter(pk=benches.work["citations"].pk).update(state="returned", lease_until=None)
    for key in ("v", "j", "Enter", "1"):
        page.keyboard.press(key)
    expect(page.locator("[data-save-status]")).to_contain_text("not saved: This work is no longer yours")
    expect(page.locator("[data-snippets] q")).to_have_count(0)
    expect(page.locator("[data-kept-aside]")).to_contain_text("“In 240 adults, the drug lowered LDL by 31 percent.”")


def test_evidence_with_the_mouse(bench: Open, benches: Benches) -> None:
    page = bench("citations")
    page.evaluate(
        """() => {
          const node = document.querySelector("[data-text]").lastChild;
          const at = node.data.indexOf("Muscle");
          getSelection().setBaseAndExtent(node, at, node, at + "Muscle pain was rare.".length);
        }"""
    )
    page.locator("[data-add-snippet]").click()
    expect(page.locator("[data-snippets] q")).to_have_text("Muscle pain was rare.")
    page.keyboard.press("e")
    expect(page.locator("[data-did]")).to_have_text("This snippet is there already: “Muscle pain was rare.”")
    saved(page)
    (row,) = Judgment.objects.filter(assignment=benches.work["citations"])
    start = ABSTRACT.index("Muscle")
    assert (row.value, row.evidence[0]["start"], row.evidence[0]["quote"]) == (None, start, "Muscle pain was rare.")
    page.keyboard.press("u")
    expect(page.locator("[data-snippets] q")).to_have_count(0)


def test_a_value_without_its_snippet_is_reminded_of_once(bench: Open, benches: Benches) -> None:
    page = bench("citations")
    first, second = page.locator("[data-work-list] .words").all_inner_texts()
    page.keyboard.press("2")
    expect(page.locator("[data-evidence-reminder]")).to_be_visible()
    expect(page.locator("[data-did]")).to_contain_text("No snippet yet.")
    expect(page.locator("[data-answer]")).to_have_text(first)
    page.keyboard.press("2")
    expect(page.locator("[data-answer]")).to_have_text(second)
    page.keyboard.press("3")  # neutral wants none
    saved(page)
    assert Judgment.objects.filter(value=3).count() == 1
    expect(page.locator("[data-progress-words]")).to_have_text("2 of 2 judged")
    for place, progress in (("2", "1 of 2 judged"), ("1", "0 of 2 judged")):  # to press it again changed nothing
        page.keyboard.press("u")
        expect(page.locator("[data-did]")).to_contain_text(re.compile(f"^Undone: {place} .* is unjudged$"))
        expect(page.locator("[data-progress-words]")).to_have_text(progress)
        came(page)
    page.keyboard.press("u")
    expect(page.locator("[data-did]")).to_have_text("Nothing to undo.")


def test_evidence_is_selected_from_another_view_as_well(bench: Open, benches: Benches) -> None:
    page = bench("citations")
    page.locator("[data-view=page]").click()
    expect(page.locator("[data-frame]")).to_be_visible()
    page.keyboard.press("v")
    expect(page.locator("[data-text][data-choosing]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-choosing]")).to_have_count(0)
    expect(page.locator("[data-answer]")).to_be_focused()


def test_context_opens_and_shuts_by_its_key(bench: Open) -> None:
    page = bench("passages")
    fact = page.get_by_text(FACTS[0])
    expect(fact).to_be_visible()
    page.keyboard.press("c")
    expect(fact).to_be_hidden()
    expect(page.locator("[data-did]")).to_have_text("What belongs to the topic is hidden.")
    page.reload()
    expect(fact).to_be_hidden()
    page.keyboard.press("c")
    expect(page.locator("[data-context-body]")).to_be_focused()
    page.keyboard.press("j")  # what is judged next is read
    expect(page.locator("[data-answer]")).to_be_focused()
    page.keyboard.press("c")
    page.keyboard.press("c")
    page.set_viewport_size({"width": 1280, "height": 720})
    box = page.locator("[data-context]").bounding_box()
    assert box is not None and box["height"] < 0.4 * 720, "the passage has the larger part"


def test_picks_by_keyboard(bench: Open, benches: Benches) -> None:
    page = bench("figures")
    page.keyboard.press("i")
    page.keyboard.type("fig 1")
    expect(page.locator("[data-label]:visible")).to_have_count(3)
    page.keyboard.press("Enter")
    page.keyboard.type("table")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.type("Fig.  7b")
    page.keyboard.press("Enter")
    expect(page.locator(".picked-label")).to_have_text(["FIG 1", "TABLE 1", "FIG 7B"])
    saved(page)
    assert picked(benches) == ["FIG 1", "TABLE 1", "FIG 7B"]
    page.keyboard.press("K")  # the last picked is in hand
    expect(page.locator(".picked-label")).to_have_text(["FIG 1", "FIG 7B", "TABLE 1"])
    page.keyboard.press("j")
    page.keyboard.press("x")
    saved(page)
    assert picked(benches) == ["FIG 1", "FIG 7B"]
    page.keyboard.press("u")
    saved(page)
    assert picked(benches) == ["FIG 1", "FIG 7B", "TABLE 1"]
    assert set(Judgment.objects.filter(criterion="place").values_list("how", flat=True)) == {"key"}
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    benches.work["figures"].refresh_from_db()
    assert benches.work["figures"].state == "done"


def test_a_label_that_is_none_is_refused_in_words(bench: Open, benches: Benches) -> None:
    page = bench("figures")
    page.keyboard.press("a")
    page.keyboard.type("the nice picture")
    page.keyboard.press("Enter")
    refused = page.locator("[data-add-refused]")
    expect(refused).to_have_text(re.compile("no proper label. Write FIG or TABLE"))
    expect(page.locator("[data-did]")).to_have_text(refused.inner_text())
    expect(page.locator("[role=alert]:not([hidden])")).to_have_count(0)  # it is announced once
    assert not Item.objects.filter(given=True).exists()
    page.reload()
    expect(page.locator("[data-undo]")).to_be_visible()
    expect(page.locator("#own-label")).to_have_value("the nice picture")  # it is mended, not typed anew


def test_none_of_them_is_an_answer(bench: Open, benches: Benches) -> None:
    page = bench("figures")
    expect(page.locator("[data-finish]")).to_be_hidden()
    page.keyboard.press("0")
    saved(page)
    page.keyboard.press("u")
    expect(page.locator("[data-finish]")).to_be_hidden()
    saved(page)
    assert work_kind("picks").missing(benches.work["figures"]).startswith("You have picked nothing.")
    page.keyboard.press("0")
    saved(page)
    page.reload()
    expect(page.locator("[data-picks-words]")).to_have_text("none of them")
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))
    assert picked(benches) == []


def test_pages_are_turned_and_enlarged_by_keys(bench: Open) -> None:
    page = bench("figures")
    image = page.locator("[data-page='1'] img")
    expect(image).to_have_js_property("naturalWidth", 600)
    expect(image).to_have_attribute("alt", "claim-1.png")
    before = image.bounding_box()["width"]  # type: ignore[index]
    page.keyboard.press("+")
    assert image.bounding_box()["width"] == pytest.approx(before * 1.25, abs=2)  # type: ignore[index]
    page.keyboard.press("-")
    page.keyboard.press("n")
    expect(page.locator("[data-page='2'] img")).to_be_visible()
    expect(image).to_be_hidden()
    page.keyboard.press("n")
    expect(page.locator("[data-page='3']")).to_contain_text("The page missing-3.png is not stored here")
    page.keyboard.press("p")
    expect(page.locator("[data-page-place]")).to_have_text("page 2 of 3")


def test_benches_have_no_violation_and_fit(bench: Open) -> None:
    for stage in ("passages", "responses", "sentences", "citations", "statements", "figures"):
        page = bench(stage)
        came(page)
        assert (stage, violations_by_day_and_night(page)) == (stage, [])
        page.set_viewport_size({"width": 640, "height": 360})
        assert (stage, page.evaluate("document.documentElement.scrollWidth <= 640")) == (stage, True)
        page.set_viewport_size({"width": 1280, "height": 720})


def test_picks_without_scripts_work_by_forms(browser: Any, site: LiveServer, benches: Benches, sign_in: SignIn) -> None:
    cookies = sign_in(benches.assessor).context.cookies()
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 720})
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(f"{site.url}/c/benches/work/{benches.work['figures'].pk}/")
    page.get_by_role("button", name="FIG 2", exact=True).click()
    page.get_by_role("button", name="FIG 1", exact=True).click()
    page.locator("#own-label").fill("table 9")
    page.get_by_role("button", name="Add it").click()
    assert picked(benches) == ["FIG 2", "FIG 1", "TABLE 9"]
    page.get_by_role("button", name="Take out FIG 2").click()
    assert picked(benches) == ["FIG 1", "TABLE 9"]
    context.close()
