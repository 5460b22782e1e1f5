"""People read pages in their language; programs read English, whatever their caller's browser asks for."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import override_settings

from assess.campaigns.models import Campaign
from assess.jobs.kinds import job_kinds
from assess.jobs.models import Job
from assess.people.models import PersonLanguage

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.8"}
pytestmark = pytest.mark.django_db


def page(client: Client, **headers: str) -> str:
    return client.get("/login/", headers=headers or None).content.decode()


def test_a_page_is_in_the_language_of_the_browser(client: Client) -> None:
    assert '<html lang="en">' in page(client)
    german = page(client, **GERMAN)
    assert '<html lang="de">' in german
    assert "<h1>Anmelden</h1>" in german
    assert '<html lang="en">' in page(client, **{"Accept-Language": "fr, de;q=0"})
    assert '<html lang="en">' in page(client)  # nothing of it stays with the thread


@override_settings(ASSAY_LANGUAGE="de")
def test_the_sites_language_is_for_who_asks_for_none_that_there_is(client: Client) -> None:
    assert '<html lang="de">' in page(client, **{"Accept-Language": "fr"})
    assert '<html lang="en">' in page(client, **{"Accept-Language": "en-GB"})


def test_a_chosen_language_counts_before_the_browsers_and_comes_back_with_the_account(client: Client) -> None:
    person = User.objects.create_user("ada", password="a long password")
    client.force_login(person)
    answer = client.post("/language/", {"language": "de", "next": "/profile/"})
    assert (answer.status_code, answer["Location"]) == (302, "/profile/")
    assert PersonLanguage.objects.get(user=person).language == "de"
    assert '<html lang="de">' in client.get("/profile/", headers={"Accept-Language": "en"}).content.decode()
    elsewhere = Client()
    elsewhere.post("/login/", {"username": "ada", "password": "a long password"})
    assert elsewhere.cookies[settings.LANGUAGE_COOKIE_NAME].value == "de"
    assert '<html lang="de">' in elsewhere.get("/profile/").content.decode()


def test_a_language_that_there_is_not_is_refused_and_nobody_is_led_elsewhere(client: Client) -> None:
    assert client.post("/language/", {"language": "tlh"}).status_code == 422
    away = client.post("/language/", {"language": "de", "next": "https://elsewhere.example.org/"})
    assert away["Location"] == "/"


def test_the_api_refuses_in_english(client: Client) -> None:
    plain, asked = (client.get("/api/v1/campaigns/none/", headers=headers) for headers in (None, GERMAN))
    assert (plain.status_code, plain.content) == (asked.status_code, asked.content)


def body(answer: HttpResponseBase) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type, union-attr, attr-defined]


def test_pages_are_german_throughout_and_no_byte_that_a_program_reads_is(
    addresses: dict[str, str],
    organiser: User,
    client: Client,
) -> None:
    client.force_login(organiser)
    differs, english, plots = [], [], ""
    for name, address in addresses.items():
        german = client.get(address, headers=GERMAN)
        if german.headers.get("Content-Type", "").startswith("text/html"):
            if b'<html lang="en">' in body(german):
                english.append(name)
        elif german.headers.get("Content-Type") == "image/svg+xml":  # a plot is a part of its page
            plots += body(german).decode()
        elif german.status_code == 200 and (told := body(german)) != (plain := body(client.get(address))):
            # asked twice in English it may differ, too: of the newest export each is an act
            differs += [name] if plain == body(client.get(address)) and told else []
    assert (differs, english) == ([], [])
    assert [each for each in ("Nichts zu vergleichen", "alle Topics", "Median bis Bestwert") if each in plots]
    assert [each for each in ("Nothing to compare", "all topics", "median to best") if each in plots] == []


def test_tables_for_spreadsheets_are_english_whoever_asks(
    addresses: dict[str, str], organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    differs, compared = [], 0
    for name, address in addresses.items():
        asked = f"{address}{'&' if '?' in address else '?'}format=csv"
        plain = client.get(asked)
        if not plain.headers.get("Content-Type", "").startswith("text/csv"):
            continue
        compared += 1
        differs += [name] if body(plain) != body(client.get(asked, headers=GERMAN)) else []
    assert (differs, compared > 15) == ([], True)


def test_what_jobs_say_in_whole_sentences_is_read_in_the_readers_language(
    addresses: dict[str, str], organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    said = job_kinds()["release"].stopped
    job = Job.objects.create(
        campaign=Campaign.objects.get(),
        kind="release",
        state="stopped",
        unit="files",
        message=said,
        started_by=organiser,
    )
    page = client.get(addresses["works"], headers=GERMAN).content.decode()
    assert "Es wurde kein Release gemacht" in page
    assert "0 Dateien" in page
    assert said in client.get(addresses["works"]).content.decode()
    Job.objects.filter(pk=job.pk).update(message="The release of ledger point 7 is made.")
    assert "The release of ledger point 7 is made." in client.get(addresses["works"], headers=GERMAN).content.decode()
