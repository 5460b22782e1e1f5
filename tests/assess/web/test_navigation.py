"""The header says where one is: on every page of a campaign exactly one entry is lit."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.models import Campaign
from assess.web.navigation import ENTRIES
from tests.access_table import TABLE
from tests.addresses import named_patterns

pytestmark = pytest.mark.django_db

MAIN = re.compile(r'<nav class="site-nav".*?</nav>', re.DOTALL)
BESIDE = re.compile(r'<nav class="beside-nav".*?</nav>', re.DOTALL)
LIT = re.compile(r'<a href="([^"]*)"\s+aria-current="(page|true)">([^<]*)</a>')


def lit(page: str, where: re.Pattern[str] = MAIN) -> list[tuple[str, str]]:
    """What the links of this part of the header say that are lit, and how."""
    found = where.search(page)
    return [(label, current) for _, current, label in LIT.findall(found[0])] if found else []


def labels(page: str) -> list[str]:
    found = MAIN.search(page)
    return re.findall(r">([^<>]+)</a>", found[0]) if found else []


@pytest.mark.parametrize(("who", "letter"), [("organiser", "O"), ("assessor", "A"), ("participant", "P")])
def test_exactly_one_entry_is_lit_on_every_page_of_a_campaign(
    who: str, letter: str, addresses: dict[str, str], client: Client, request: pytest.FixtureRequest
) -> None:
    client.force_login(request.getfixturevalue(who))
    pages = {}
    for name, address in addresses.items():
        if letter in TABLE[name][0] and not name.startswith("api-") and "slug" in str(named_patterns()[name].pattern):
            answer = client.get(address)
            if answer.status_code == 200 and not answer.streaming and MAIN.search(answer.text):
                pages[name] = len(lit(answer.text))
    assert pages == dict.fromkeys(pages, 1)
    assert len(pages) > {"O": 50, "A": 5, "P": 5}[letter]


def test_an_organiser_goes_by_what_one_does(client: Client, organiser: User, campaign: Campaign) -> None:
    client.force_login(organiser)
    page = client.get(reverse("stability", args=[campaign.slug])).text
    assert labels(page) == [
        *("Overview", "Topics", "Documents", "Runs", "Pools", "Work", "People", "Progress", "Quality", "Scores"),
        *("Release", "Settings"),
    ]
    assert lit(page) == [("Quality", "true")]
    assert lit(page, BESIDE) == [("Stability of rankings", "page")]


def test_every_page_of_an_entry_is_there(campaign: Campaign) -> None:
    assert {name for entry in ENTRIES for name, _ in entry.pages} <= set(named_patterns())
