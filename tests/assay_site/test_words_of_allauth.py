"""The pages of allauth speak in Assay's own words: a catalogue of English of its own, and compiled as it is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import allauth
import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import catalogues
from tests.pages import page_of

OURS = {each: catalogues.LOCALE / "allauth" / each / "LC_MESSAGES" / "django.po" for each in ("en", "de")}
ALLAUTHS = Path(allauth.__file__).parent / "locale" / "de" / "LC_MESSAGES" / "django.po"


@pytest.mark.parametrize("language", OURS)
def test_each_text_is_one_of_allauths_and_the_catalogue_is_compiled(language: str) -> None:
    known = {texts[0] for texts in catalogues.read(ALLAUTHS)}
    words = OURS[language]
    assert [texts[0] for texts in catalogues.read(words) if texts[0] not in known] == []
    assert words.with_suffix(".mo").read_bytes() == catalogues.compiled(words)


def test_what_is_in_our_words_in_english_is_so_in_german() -> None:
    assert catalogues.read(OURS["en"]).keys() <= catalogues.read(OURS["de"]).keys()
    familiar = re.compile(r"\b(du|dir|dich|dein\w*|gib|bitte \w+e)\b", re.IGNORECASE)
    assert [said for said in catalogues.read(OURS["de"]).values() if familiar.search(" ".join(said))] == []


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


@pytest.mark.django_db
def test_ways_in_say_sie_in_german(client: Client, organiser: User, settings: Any) -> None:
    settings.ASSAY_PASSWORD_MAIL = settings.ASSAY_SESSIONS = settings.ASSAY_SECOND_FACTOR = True
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    client.force_login(organiser)
    reset = page_of(client.get("/profile/reset/"))
    assert "Geben Sie die E-Mail-Adresse Ihres Kontos ein." in reset and "Sie sind schon als" in reset
    assert "Wo Sie angemeldet sind" in page_of(client.get("/profile/sessions/"))
    assert "Es ist keine Authenticator-App eingerichtet." in page_of(client.get("/profile/second/"))


def test_the_field_for_a_code_is_called_so_in_german() -> None:
    """“Code” named a column of releases as well, in another sense, which took the place of allauth's."""
    assert ("Code",) in catalogues.read(ALLAUTHS)
    assert ("Code",) not in catalogues.read(catalogues.LOCALE / "de" / "LC_MESSAGES" / "django.po")
