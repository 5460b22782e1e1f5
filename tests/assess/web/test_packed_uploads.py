"""Topics and document lists that are uploaded may be packed, as a command may read them packed."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse

from assess.models import Campaign, ListedDocument
from tests.pages import page_of

pytestmark = pytest.mark.django_db

TOPICS = b"""<questions><target id="7" text="Kites">
<q id="7.1" type="rigidlist">Which?</q><q id="7.2" type="squishylist">Why?</q>
</target></questions>"""
LISTS = b"1 1 D1 9.5\n1 2 D2 8.5\n"


@pytest.fixture
def desk(campaign: Campaign, organiser: User, client: Client, settings: Any, tmp_path: Path) -> Client:
    settings.DATA_DIR = tmp_path
    client.force_login(organiser)
    return client


@pytest.mark.parametrize("way", ["page", "api"])
def test_packed_topics_and_lists_are_read(desk: Client, campaign: Campaign, way: str) -> None:
    places = {
        "page": (reverse("topics-load", args=[campaign.slug]), reverse("document-list-load", args=[campaign.slug])),
        "api": (f"/api/v1/campaigns/{campaign.slug}/topics/", f"/api/v1/campaigns/{campaign.slug}/document-lists/"),
    }
    for address, content in zip(places[way], (TOPICS, LISTS), strict=True):
        answer = desk.post(address, {"file": SimpleUploadedFile("file.gz", gzip.compress(content))})
        assert answer.status_code in (201, 302), page_of(answer)
    assert campaign.topics.filter(number="7.2").exists()
    assert ListedDocument.objects.filter(topic__campaign=campaign).count() == 2


def test_what_is_too_large_or_damaged_is_refused(desk: Client, campaign: Campaign) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/topics/"
    with override_settings(ASSAY_UPLOAD_MB=1):
        large = desk.post(address, {"file": SimpleUploadedFile("t.gz", gzip.compress(b" " * (1 << 20) + TOPICS))})
    assert (large.status_code, "when it is unpacked" in large.json()["detail"]) == (422, True)
    damaged = desk.post(address, {"file": SimpleUploadedFile("t.gz", gzip.compress(TOPICS)[:-9])})
    assert (damaged.status_code, "it is cut off after" in str(damaged.json())) == (422, True)
    assert not campaign.topics.filter(number="7").exists()
