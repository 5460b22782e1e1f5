"""The pages of allauth speak in Assay's own words: a catalogue of English of its own, and compiled as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import allauth
import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import catalogues
from tests.pages import page_of

WORDS = catalogues.LOCALE / "allauth" / "en" / "LC_MESSAGES" / "django.po"
ALLAUTHS = Path(allauth.__file__).parent / "locale" / "de" / "LC_MESSAGES" / "django.po"


def test_each_text_is_one_of_allauths_and_the_catalogue_is_compiled() -> None:
    known = {texts[0] for texts in catalogues.read(ALLAUTHS)}
    assert [texts[0] for texts in catalogues.read(WORDS) if texts[0] not in known] == []
    assert WORDS.with_suffix(".mo").read_bytes() == catalogues.compiled(WORDS)


@pytest.mark.django_db
def test_ways_in_are_in_our_words(client: Client, organiser: User, settings: Any) -> None:
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SESSIONS = settings.ASSAY_SECOND_FACTOR = True
    assert "A link is sent there by which you set a new password." in page_of(client.get("/profile/reset/"))
    assert "This link is not valid" in page_of(client.get("/profile/reset/1-abc/"))
    client.force_login(organiser)
    assert "Where you are logged in" in page_of(client.get("/profile/sessions/"))
    second = page_of(client.get("/profile/second/"))
    assert "No authenticator app is set up." in second and "Two-Factor" not in second
    assert "Confirm that it is you" in page_of(client.get("/profile/second/app/", follow=True))
