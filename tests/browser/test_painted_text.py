"""The viewable text against what Chromium paints: word by word, by what is hit at the word's place.

TAC 2008: “text in the document that is not displayed when the document is viewed in the browser is not considered”.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route

from assess.rendering.document import render_document
from tests.assess.rendering.test_viewable import STYLES
from tests.browser.canary import Canary
from tests.browser.test_documents_real import token_f1

pytestmark = pytest.mark.browser

ADDRESS = "http://original.example/"
NO_SCRIPT = "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:"
PAINTED = (Path(__file__).parent / "painted.js").read_text(encoding="utf-8")
INSTEAD_OF_FRAMES = {"readability/basic-tags-cleaning.html": "Iframe fallback test"}
"""What pages say in the place of a frame: shown where frames are left out, and by no browser that has frames."""

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


@pytest.mark.parametrize("source", MADE_UP)
def test_what_is_told_of_styles_is_what_chromium_paints(page: Page, canary: Canary, source: str) -> None:
    source = f"<!DOCTYPE html><meta charset=utf-8>{source}"
    text = render_document(source.encode(), media_type="text/html", charset="utf-8", url="").text
    assert Counter(re.findall(r"\w+", text)) == Counter(re.findall(r"\w+", painted_by(page, source)))


@pytest.mark.shared
@pytest.mark.slow
def test_the_text_of_real_pages_is_what_chromium_paints(page: Page, canary: Canary, shared_data: Path) -> None:
    folder = shared_data / "html"
    values = {}
    for entry in json.loads((folder / "pages_manifest.json").read_text("utf-8")):
        raw = (folder / "pages" / entry["file"]).read_bytes()
        text = render_document(raw, media_type="text/html", charset=None, url=ADDRESS).text
        painted = f"{painted_by(page, raw)} {INSTEAD_OF_FRAMES.get(entry['file'], '')}"
        values[entry["file"]] = token_f1(text, painted)
    print(f"mean {sum(values.values()) / len(values):.5f} over {len(values)} pages; lowest {min(values.values()):.4f}")
    assert len(values) == 89
    assert {name: value for name, value in values.items() if value < 0.999} == {}
