"""A document keeps the text it was stored with, whatever later versions would make of it; stored stylesheets count."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Campaign, DocumentBody
from assess.rendering.rendered import PAGE_VERSION, TEXT_VERSION
from assess.rendering.spans import check_span, make_span
from tests.assess.documents.blog_documents import load, record

pytestmark = pytest.mark.django_db

SHEET = "Content-Type: text/css"
LINKED = "<link rel=stylesheet href='/S1'><p class=ad>Buy this</p><p>I like bikes</p>\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "documents"
    place.mkdir()
    (place / "a.trec").write_bytes(record("D1", "<p style='opacity:0'>Unseen.</p><p>I like tea.</p>\n"))
    return place


def test_a_stored_text_and_its_spans_outlive_a_new_version(
    campaign: Campaign, organiser: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was judged was judged on the text that was shown: loading the same bytes again changes no stored text."""
    earlier = "Unseen.\n\nI like tea."
    load(campaign, organiser, folder, wanted="all")
    document = campaign.documents.get()
    assert (document.text_version, document.page_version) == (TEXT_VERSION, PAGE_VERSION)
    span = make_span(earlier, start=9, end=15)
    document.text_sha256, document.text_version = span.text_sha256, "1"  # as version 1 stored it
    document.save()
    DocumentBody.objects.filter(document=document).update(text=earlier)
    loaded = load(campaign, organiser, folder, wanted="all")
    body = DocumentBody.objects.select_related("document").get()
    assert (loaded.unchanged, body.text, body.document.text_version) == (1, earlier, "1")
    assert check_span(body.text, span) is None
    assert asdict(span)["quote"] == "I like"


@pytest.mark.parametrize("places", [("S1", "D1"), ("D1", "S1")], ids=" then ".join)
def test_a_stylesheet_that_is_stored_in_the_same_load_counts(
    campaign: Campaign, organiser: User, tmp_path: Path, places: tuple[str, str]
) -> None:
    """“text in the document that is not displayed when the document is viewed in the browser is not considered”."""
    records = {"S1": record("S1", ".ad{display:none}\n", SHEET), "D1": record("D1", LINKED)}
    (tmp_path / "c.trec").write_bytes(b"".join(records[name] for name in places))
    load(campaign, organiser, tmp_path / "c.trec", wanted="all")
    assert DocumentBody.objects.get(document__docno="D1").text == "I like bikes"


def test_a_stylesheet_that_was_stored_before_counts(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    (tmp_path / "s.trec").write_bytes(record("S1", ".ad{display:none}\n", SHEET))
    (tmp_path / "d.trec").write_bytes(record("D1", LINKED))
    load(campaign, organiser, tmp_path / "s.trec", wanted="all")
    load(campaign, organiser, tmp_path / "d.trec", wanted="all")
    assert DocumentBody.objects.get(document__docno="D1").text == "I like bikes"


def test_a_stylesheet_that_is_not_stored_is_not_fetched(campaign: Campaign, organiser: User, tmp_path: Path) -> None:
    (tmp_path / "d.trec").write_bytes(record("D1", LINKED))
    load(campaign, organiser, tmp_path / "d.trec", wanted="all")
    assert DocumentBody.objects.get(document__docno="D1").text == "Buy this\n\nI like bikes"


def test_beside_the_page_it_says_what_was_left_out(
    campaign: Campaign, organiser: User, assessor: User, tmp_path: Path, client: Client
) -> None:
    (tmp_path / "d.trec").write_bytes(record("D1", "<p>I like bikes<video>Watch it</video></p>\n"))
    load(campaign, organiser, tmp_path / "d.trec", wanted="all")
    client.force_login(assessor)
    response = client.get(reverse("document", args=[campaign.slug, "D1"]), {"view": "page"})
    assert response.context["pane"].view == "page"
    assert b"Left out of this page: 1 video. Boxes with dashed lines stand in their places." in response.content
