"""Real pages, stored by the site's own import: what the site takes their text to be, against what Chromium shows."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, DocumentBody
from tests.browser.canary import Canary
from tests.browser.conftest import SignIn
from tests.browser.opened_documents import load, open_documents
from tests.browser.painted import NO_SCRIPT, PAINTED

pytestmark = [pytest.mark.browser, pytest.mark.shared, pytest.mark.slow]

ORIGINAL = "http://original.example/"
FRAMES_AT_ONCE = 15
LARGE = 30_000  # bytes
INSTEAD_OF_FRAMES = {"readability/basic-tags-cleaning.html": "Iframe fallback test"}
"""What pages say in the place of a frame: shown where frames are left out, and by no browser that has frames."""


@pytest.fixture
def names(shared_data: Path) -> list[str]:
    """All but the twenty largest pages, which cost thrice what all others do; `make test-all` takes these, too."""
    html = shared_data / "html"
    manifest = json.loads((html / "pages_manifest.json").read_text("utf-8"))
    assert len(manifest) == 89
    found = [entry["file"] for entry in manifest]
    if "ASSAY_WHOLE_FOLDERS" in os.environ:
        return found
    kept = [name for name in found if (html / "pages" / name).stat().st_size < LARGE]
    assert len(kept) > 65
    return kept


@pytest.fixture
def originals(shared_data: Path, names: list[str]) -> list[bytes]:
    return [(shared_data / "html" / "pages" / name).read_bytes() for name in names]


def tokens(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def token_f1(ours: str, theirs: str) -> float:
    """F1 of the two texts as bags of lower-case words (innerText applies text-transform); two empty texts agree."""
    left, right = tokens(ours), tokens(theirs)
    common = (left & right).total()
    if not left and not right:
        return 1.0
    return 2 * common / (left.total() + right.total())


def require_same_text(values: list[float], *, each_at_least: float) -> None:
    mean = sum(values) / len(values)
    print(f"mean {mean:.4f} over {len(values)} pages; lowest {sorted(values)[:5]}")
    assert mean >= 0.99
    assert min(values) >= each_at_least


def test_stored_text_is_what_chromium_shows_of_the_original_and_of_the_document_page(
    organiser: User,
    campaign: Campaign,
    sign_in: SignIn,
    site: LiveServer,
    canary: Canary,
    originals: list[bytes],
    names: list[str],
    tmp_path: Path,
) -> None:
    campaign.settings = {"remote_resources": False}
    campaign.save()
    served = dict(zip(load(organiser, campaign, tmp_path, originals), originals, strict=True))
    texts = dict(DocumentBody.objects.values_list("document__docno", "text"))
    page = sign_in(organiser)
    require_text_of_originals(page, served, texts, dict(zip(served, names, strict=True)))
    require_text_of_document_pages(page, site, texts)


def require_text_of_originals(
    page: Page, served: dict[str, bytes], texts: dict[str, str], names: dict[str, str]
) -> None:
    """The text as Chromium tells it, and word by word what it paints. Scripts are forbidden by header, so that
    <noscript> stays hidden, as it is in our page.
    """
    headers = {"Content-Type": "text/html", "Content-Security-Policy": NO_SCRIPT}

    def serve(route: Route) -> None:
        route.fulfill(body=served[route.request.url.removeprefix(ORIGINAL)], headers=headers)

    page.route(f"{ORIGINAL}*", serve)
    values, painted = [], {}
    for docno, name in names.items():
        page.goto(ORIGINAL + docno, wait_until="domcontentloaded")
        values.append(token_f1(texts[docno], page.evaluate("document.body.innerText")))
        painted[name] = token_f1(texts[docno], f"{page.evaluate(PAINTED)} {INSTEAD_OF_FRAMES.get(name, '')}")
    page.unroute(f"{ORIGINAL}*")
    require_same_text(values, each_at_least=0.95)
    assert {name: value for name, value in painted.items() if value < 0.999} == {}


def require_text_of_document_pages(page: Page, site: LiveServer, texts: dict[str, str]) -> None:
    values, docnos = [], sorted(texts)
    for start in range(0, len(docnos), FRAMES_AT_ONCE):
        batch = docnos[start : start + FRAMES_AT_ONCE]
        for docno, frame in zip(batch, open_documents(page, site, batch), strict=True):
            values.append(token_f1(texts[docno], frame.locator("body").inner_text()))
    require_same_text(values, each_at_least=0.9)
