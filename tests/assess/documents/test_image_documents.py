"""Images as documents: loaded, served as what they are and nothing else, shown, never in the way of search."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.documents.access import search_as
from assess.documents.domain.loading import LoadedDocuments, load_documents
from assess.models import Campaign, Document
from tests.benches import Benches, png
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page in a folder, two in a zip, and a text that calls itself an image."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "claim-7.png").write_bytes(png("seven"))
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("deep/claim-8.png", png("eight"))
        archive.writestr("deep/claim-9.png", b"<svg onload='alert(1)'></svg>")
    return tmp_path


def load(campaign: Campaign, organiser: User, folder: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedDocuments:
    from assess.documents.domain import loading as documents
    from tests.bench_track import BENCH

    class Track:
        document_formats = ("image", *BENCH.document_formats)
        documents_in = None

    monkeypatch.setattr(documents, "track_of", lambda _: Track)
    return load_documents(actor=organiser, campaign=campaign, sources=[folder], wanted=None)


def test_images_of_folders_and_zips_are_loaded(
    benches: Benches, organiser: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(benches.campaign, organiser, folder, monkeypatch)
    assert (loaded.stored, [issue.code for issue in loaded.report.issues]) == (2, ["not-an-image"])
    found = Document.objects.get(campaign=benches.campaign, docno="claim-8.png")
    assert (found.media_type, found.status, found.fields) == ("image/png", "ok", {"width": "600", "height": "800"})
    assert found.body.text == ""
    again = load(benches.campaign, organiser, folder, monkeypatch)
    assert (again.stored, again.unchanged) == (0, 2)


def test_an_image_is_served_as_its_type_and_nothing_else(client: Client, benches: Benches) -> None:
    client.force_login(benches.assessor)
    page = client.get(reverse("document", args=["benches", "claim-1.png"]))
    assert page.context["pane"].view == "image"
    assert 'alt="claim-1.png"' in page_of(page)
    response = client.get(page.context["pane"].frame_url)
    assert response.content == png("page 1")
    assert {name: response[name] for name in ("Content-Type", "X-Content-Type-Options", "Content-Security-Policy")} == {
        "Content-Type": "image/png",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    assert client.get(page.context["pane"].frame_url[:-3] + "xx/").status_code == 404


def test_every_view_of_an_image_is_the_image(client: Client, benches: Benches) -> None:
    client.force_login(benches.assessor)
    for view in ("page", "text", "source", "other"):
        page = client.get(reverse("document", args=["benches", "claim-1.png"]), {"view": view})
        assert page.context["pane"].view == "image"


def test_images_are_in_no_ones_way_when_searching(benches: Benches) -> None:
    from assess.campaigns.seats import access_seat

    seat = access_seat(benches.assessor, "benches")
    assert [hit.docno for hit in search_as(seat, "squash", offset=0).hits] == ["P1:1"]
