"""The viewable text against what Chromium paints: word by word, by what is hit at the word's place.

TAC 2008: “text in the document that is not displayed when the document is viewed in the browser is not considered”.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, Route

from assess.rendering.render import render_document
from tests.assess.rendering.encoded_pages import SCRIPTS, TEXTS, page_in
from tests.assess.rendering.hidden_styles import STYLES
from tests.browser.canary import Canary
from tests.browser.painted import NO_SCRIPT, PAINTED

pytestmark = pytest.mark.browser

ADDRESS = "http://original.example/"

MADE_UP = [
    *(f'before<div style="{style}">{inside}</div>after' for style, inside, _ in STYLES),
    "one<textarea>two\nthree</textarea>four<button>five</button> <input type=submit> <input value=six> seven",
    "<select><option>one<option selected>two</select> <select multiple><option>three<option>four</select>",
    "<details><summary>one</summary>two</details><p hidden>three</p><input type=hidden value=four>",
    "<svg><defs><text>no</text></defs><text x=10 y=20>one<tspan>two</tspan></text></svg>",
    "<math><mi>one</mi><mo>=</mo><mfrac><mn>2</mn><mn>3</mn></mfrac></math>",
]


def painted_by(page: Page, content: str | bytes) -> str:
    """The words that Chromium paints of a page without scripts, at a screen's size."""

    def serve(route: Route) -> None:
        route.fulfill(body=content, headers={"Content-Type": "text/html", "Content-Security-Policy": NO_SCRIPT})

    page.route(ADDRESS, serve)
    page.goto(ADDRESS, wait_until="domcontentloaded")
    words = page.evaluate(PAINTED)
    page.unroute(ADDRESS)
    return str(words)


def test_what_is_told_of_styles_is_what_chromium_paints(page: Page, canary: Canary) -> None:
    told, painted = {}, {}
    for made_up in MADE_UP:
        source = f"<!DOCTYPE html><meta charset=utf-8>{made_up}"
        text = render_document(source.encode(), media_type="text/html", charset="utf-8", url="").text
        told[made_up] = Counter(re.findall(r"\w+", text))
        painted[made_up] = Counter(re.findall(r"\w+", painted_by(page, source)))
    assert told == painted


def test_a_page_without_an_encoding_is_read_as_chromium_reads_it(page: Page, canary: Canary) -> None:
    told, painted = {}, {}
    for name, text in TEXTS.items():
        raw = page_in(name, text, SCRIPTS)
        told[name] = render_document(raw, media_type="text/html", charset=None, url="").text.split()
        painted[name] = painted_by(page, raw).split()
    assert told == painted
