"""Pages for people who see, hear or move differently: axe-core, dark and light, 200 % zoom, long words."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO

import pytest
from django.contrib.auth.models import User
from PIL import Image
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Campaign, DocumentBody, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came
from tests.browser.look import LONG, violations, violations_by_day_and_night

pytestmark = pytest.mark.browser

DOCNO = "BLOG06-20060101-000-0000000001"

PAGES = {
    "home": "/",
    "work": "/c/opinions/work/",
    "look again": "/c/opinions/look-again/",
    "bench": "/c/opinions/work/{work}/",
    "bench, text": "/c/opinions/work/{work}/?view=text",
    "guidelines": "/c/opinions/guidelines/",
    "search": "/c/opinions/search/?q=bicycle",
    "document": f"/c/opinions/documents/{DOCNO}/view/",
    "document, source": f"/c/opinions/documents/{DOCNO}/view/?view=source",
    "nothing here": "/c/no-such-campaign/work/",
}

Open = Callable[[str], Page]


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    factories.document(rigid.campaign, DOCNO)
    factories.pooled(rigid, ["blue bicycle", LONG, "שלום עולם"])
    return factories.assignment(rigid, "instances", assessor)


@pytest.fixture
def open_page(sign_in: SignIn, site: LiveServer, work: Assignment) -> Open:
    page = sign_in(work.assessor)
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    problems: list[str] = []

    def opened(name: str) -> Page:
        page.goto(site.url + PAGES[name].format(work=work.pk))
        came(page)
        assert [text for text in problems if "404" not in text] == []
        return page

    return opened


def test_pages_have_no_violation_that_axe_finds(open_page: Open) -> None:
    """The others of these pages are looked at in test_every_page and test_benches."""
    looked_at = ("work", "bench, text", "document", "document, source", "nothing here")
    found = {name: violations_by_day_and_night(open_page(name)) for name in looked_at}
    assert found == {name: [] for name in looked_at}


PALE = f"""<main style="background: #fff; color: #000"><p>a word</p><p>a word</p><p>a word</p>
<p id="pale" style="color: #999">a word</p><div style="background: #444"><p id="dark-ground">a word</p></div>
<div style="opacity: 0.4"><p id="faded">a word</p></div><p id="marked">a word <mark style="color: #b90">here</mark></p>
<p style="color: #999">a</p><p style="color: #999" hidden>hidden</p><button disabled style="color: #999">off</button>
<input id="field" aria-label="a" value="a word" style="color: #999; background: #fff">
<p id="night" style="color: light-dark(#000, #bbb)">a word</p>{"<p>a word</p>" * 6}</main>"""


def test_a_pale_text_is_found_among_many_that_look_otherwise_by_day_or_by_night(page: Page) -> None:
    page.set_content(f"<style>:root {{ color-scheme: light dark }}</style>{PALE}")
    found = [place for rule, place in violations_by_day_and_night(page) if rule == "color-contrast"]
    ids = [re.search(r'id="([\w-]+)"|<(mark)', place) for place in found]
    by_night, by_day = ["pale", "dark-ground", "faded", "mark", "field", "night"], ["pale", "dark-ground", "faded"]
    assert [each[1] or each[2] for each in ids if each] == [*by_night, *by_day, "mark", "field"]


def test_pages_fit_at_200_percent(open_page: Open) -> None:
    widths = {}
    for name in PAGES:
        page = open_page(name)
        page.set_viewport_size({"width": 640, "height": 360})
        widths[name] = page.evaluate("document.documentElement.scrollWidth")
        page.set_viewport_size({"width": 1280, "height": 720})
    assert {name: width for name, width in widths.items() if width > 640} == {}


def test_the_ring_of_the_search_field_has_room(open_page: Open) -> None:
    page = open_page("search")
    field, found = page.locator("#search-q").bounding_box(), page.locator("[data-search] [role=status]").bounding_box()
    assert field is not None and found is not None
    ring = 5  # how far the ring reaches beyond the field
    assert found["y"] - field["y"] - field["height"] >= ring + 4


def test_a_wide_table_has_a_shadow_where_there_is_more_of_it(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, organiser: User
) -> None:
    page = sign_in(organiser)
    page.set_viewport_size({"width": 320, "height": 720})
    page.goto(f"{site.url}/c/{campaign.slug}/topics/")
    box = page.locator(".table-box").first
    box.evaluate("box => { box.firstElementChild.style.visibility = 'hidden' }")

    def has_shadow() -> tuple[bool, bool]:
        image = Image.open(BytesIO(box.screenshot())).convert("RGB")
        across = [image.getpixel((x, image.height // 2)) for x in (3, image.width // 2, image.width - 4)]
        return across[0] != across[1], across[2] != across[1]

    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        shown = []
        for place in ("0", "(box.scrollWidth - box.clientWidth) / 2", "box.scrollWidth"):
            box.evaluate(f"box => {{ box.scrollLeft = {place} }}")
            shown.append(has_shadow())
        assert shown == [(False, True), (True, True), (True, False)], theme
    page.set_viewport_size({"width": 1280, "height": 720})
    assert has_shadow() == (False, False)


def test_the_entry_of_the_page_is_in_sight_in_the_line_below_the_menu(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, organiser: User
) -> None:
    page = sign_in(organiser)
    page.set_viewport_size({"width": 320, "height": 720})
    page.goto(f"{site.url}/c/{campaign.slug}/jobs/")
    expect(page.locator(".beside-nav [aria-current]")).to_be_in_viewport()


def test_panel_and_list_of_keys_have_no_violation(open_page: Open) -> None:
    page = open_page("bench")
    page.keyboard.press("g")
    page.locator("#side-body .prose").wait_for()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert violations(page) == []


def test_long_word_stays_on_the_bench(open_page: Open) -> None:
    page = open_page("bench")
    page.locator("[data-work-list] a", has_text=LONG[:20]).click()
    page.locator("[data-answer]", has_text=LONG).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator(".bench-thing").evaluate("pane => pane.scrollWidth <= pane.clientWidth")


def test_answer_stays_whole_over_a_long_text(open_page: Open, work: Assignment) -> None:
    DocumentBody.objects.update(text="A line of the blog.\n" * 500)
    page = open_page("bench, text")
    assert page.locator("[data-answer]").evaluate("element => element.scrollHeight <= element.clientHeight")
    assert page.locator("[data-text]").evaluate("element => element.scrollHeight > element.clientHeight")


def test_nothing_jumps_when_something_is_saved(open_page: Open) -> None:
    page = open_page("bench")
    page.locator("[data-move-on]").uncheck()
    places = (
        "() => ['.bench-head', '.bench-list', '.bench-thing', '.grades', '.bench-foot']"
        ".map((name) => JSON.stringify(document.querySelector(name).getBoundingClientRect()))"
    )
    before = page.evaluate(places)
    page.keyboard.press("4")
    page.locator("[data-save-status]", has_text="saved ✓").wait_for()
    assert page.evaluate(places) == before


def test_theme_is_chosen_and_kept(open_page: Open) -> None:
    page = open_page("home")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.locator("[data-theme-switch]").click()
    page.locator("[data-theme-switch]").click()
    assert page.locator("[data-theme-switch]").inner_text() == "Theme: dark"
    dark = page.evaluate(background)
    page.reload()
    assert page.evaluate(background) == dark != light
