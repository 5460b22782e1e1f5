"""Real pages, stored by the site's own import: what the site takes their text to be, against what Chromium shows."""

from __future__ import annotations

import json
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
from tests.browser.test_documents_site import load, open_documents

pytestmark = [pytest.mark.browser, pytest.mark.shared, pytest.mark.slow]

ORIGINAL = "http://original.example/"
NO_SCRIPT = "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src data:"


@pytest.fixture
def originals(shared_data: Path) -> list[bytes]:
    folder = shared_data / "html"
    manifest = json.loads((folder / "pages_manifest.json").read_text("utf-8"))
    assert len(manifest) == 89
    return [(folder / "pages" / entry["file"]).read_bytes() for entry in manifest]


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


def test_stored_text_is_what_chromium_shows_of_the_original(
    organiser: User, campaign: Campaign, page: Page, canary: Canary, originals: list[bytes], tmp_path: Path
) -> None:
    """Scripts are forbidden by header, so that <noscript> stays hidden, as it is in our page."""
    docnos = load(organiser, campaign, tmp_path, originals)
    texts = dict(DocumentBody.objects.values_list("document__docno", "text"))
    headers = {"Content-Type": "text/html", "Content-Security-Policy": NO_SCRIPT}
    served = dict(zip(docnos, originals, strict=True))

    def serve(route: Route) -> None:
        route.fulfill(body=served[route.request.url.removeprefix(ORIGINAL)], headers=headers)

    page.route(f"{ORIGINAL}*", serve)
    values = []
    for docno in docnos:
        page.goto(ORIGINAL + docno, wait_until="domcontentloaded")
        values.append(token_f1(texts[docno], page.evaluate("document.body.innerText")))
    require_same_text(values, each_at_least=0.95)


def test_document_page_shows_the_stored_text(
    organiser: User,
    campaign: Campaign,
    sign_in: SignIn,
    site: LiveServer,
    canary: Canary,
    originals: list[bytes],
    tmp_path: Path,
) -> None:
    campaign.settings = {"remote_resources": False}
    campaign.save()
    docnos = load(organiser, campaign, tmp_path, originals)
    texts = dict(DocumentBody.objects.values_list("document__docno", "text"))
    page = sign_in(organiser)
    values = []
    for docno in docnos:
        (frame,) = open_documents(page, site, [docno])
        values.append(token_f1(texts[docno], frame.locator("body").inner_text()))
    require_same_text(values, each_at_least=0.9)
