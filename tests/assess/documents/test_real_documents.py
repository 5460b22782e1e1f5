"""Real blog pages of 2004 to 2007 come in whole, can be searched, and come out as a package."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.documents.domain.loading import load_documents
from assess.documents.queries.documents import package_of_top_documents
from assess.documents.queries.search import search_documents
from assess.models import Campaign, DocumentBody
from tests.assess.documents.blog_documents import load_list

pytestmark = [pytest.mark.django_db, pytest.mark.shared]


def test_real_pages_come_in_once_and_are_found(campaign: Campaign, organiser: User, shared_data: Path) -> None:
    file = shared_data / "html" / "blog06_like.trec"
    loaded = load_documents(actor=organiser, campaign=campaign, sources=[file], wanted=None)
    assert (loaded.stored, loaded.report.errors) == (60, 0)
    assert loaded.statuses == {"ok": 60}
    bodies = DocumentBody.objects.filter(document__campaign=campaign)
    assert all(body.text.strip() and body.page for body in bodies)
    assert campaign.documents.exclude(title="").count() >= 55
    page = search_documents(campaign, "people")
    assert page.total > 0
    assert all(any(is_match for _, is_match in hit.snippet) for hit in page.hits)
    again = load_documents(actor=organiser, campaign=campaign, sources=[file], wanted=None)
    assert (again.stored, again.unchanged, again.report.warnings) == (0, 60, 0)


def test_the_package_of_real_pages_is_their_text(campaign: Campaign, organiser: User, shared_data: Path) -> None:
    file = shared_data / "html" / "blog06_like.trec"
    load_documents(actor=organiser, campaign=campaign, sources=[file], wanted=None)
    docnos = campaign.documents.order_by("docno").values_list("docno", flat=True)
    load_list(campaign, organiser, "".join(f"1 {rank} {docno} {100 - rank}\n" for rank, docno in enumerate(docnos, 1)))
    package = zipfile.ZipFile(io.BytesIO(b"".join(package_of_top_documents(campaign))))
    assert package.testzip() is None
    assert len([name for name in package.namelist() if name.endswith(".txt")]) == 1 + 50
