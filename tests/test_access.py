"""Every address of the site, for every person: one table says who may (`tests/access_table.py`). Forbidden and absent
look the same.
"""

from __future__ import annotations

import re
from copy import deepcopy

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse

from assess.models import (
    Campaign,
    Item,
    Membership,
)
from tests import factories
from tests.access_table import OWN_RULES, PEOPLE, REDIRECTED, TABLE
from tests.addresses import named_patterns
from tests.assess import judged_campaign as judging
from tests.parts import WHOLE

pytestmark = pytest.mark.django_db


OPEN_TO_ALL = {"language", "login", "invitation", "new-password", "logout", "api-schema", "design-schema"} | {
    *("public-release", "public-release-point", "public-release-file"),
}


def test_the_table_names_every_address_and_no_other() -> None:
    assert set(named_patterns()) - OWN_RULES == set(TABLE)


LIKE = {"U": "O", "B": "A", "R": "P"}
"""Who may nearly what somebody else may."""


def asked_by(letter: str, addresses: dict[str, str]) -> dict[str, str]:
    """The addresses that a person asks for: who may nearly what somebody else may asks for what the table tells them
    apart by and for every third of the others, in `make test-all` for all of them.
    """
    if letter not in LIKE or WHOLE:
        return addresses
    apart = [name for name in addresses if any((letter in who) is not (LIKE[letter] in who) for who in TABLE[name])]
    every_third = list(addresses)["UBR".index(letter) :: 3]
    return {name: address for name, address in addresses.items() if name in {*apart, *every_third}}


def answers(client: Client, addresses: dict[str, str], method: str) -> dict[str, int]:
    """The status of every address; what a call wrote is taken back. No page of them shows a tag of its template."""
    found = {}
    for name, address in addresses.items():
        point = transaction.savepoint()
        cookies = deepcopy(client.cookies)
        is_write = method == "post" and name.startswith("api-")  # what narrows a list is no parameter of those
        answer = getattr(client, method)(address.partition("?")[0] if is_write else address)
        found[name] = answer.status_code
        if not answer.streaming and "text/html" in answer.headers.get("Content-Type", ""):
            assert re.search(rb"\{\{|\{%", answer.content) is None, name
        client.cookies = cookies
        transaction.savepoint_rollback(point)
    return found


def own_numbers(addresses: dict[str, str], campaign: Campaign, person: User) -> dict[str, str]:
    """The same addresses; what is settled has the number that it has for this person."""
    item = Item.objects.get(topic__number="1.1", text="blue bicycle")
    about = {"slug": campaign.slug, "stage": "instances", "criterion": "correctness"}
    thing = judging.shown(item, campaign, person)
    return addresses | {"adjudicate-item": reverse("adjudicate-item", kwargs={**about, "thing": thing})}


SAME = (
    *("topic", "topic-change", "guideline-version", "document-list", "api-topic", "api-document-list"),
    *("api-topic-amend", "api-topic-drop", "api-topic-restore", "api-topic-remove"),
)
"""What is named by a number that another campaign has too."""


@pytest.mark.parametrize("letter", PEOPLE)
def test_each_page_opens_for_who_may_and_an_empty_post_never_breaks(
    letter: str, addresses: dict[str, str], campaign: Campaign, client: Client
) -> None:
    """Who may not finds no page; an empty post is refused, or absent too."""
    person = User.objects.get(username=PEOPLE[letter])
    client.force_login(person)
    addresses = asked_by(letter, own_numbers(addresses, campaign, person))
    got = answers(client, addresses, "get")
    expected = {}
    for name in addresses:
        may = letter in TABLE[name][0]
        expected[name] = (302 if (name, letter) in REDIRECTED else 200) if may else 404 if TABLE[name][0] else 405
    assert got == expected

    for name, status in answers(client, addresses, "post").items():
        who = TABLE[name][1]
        if not who:
            assert (name, status) == (name, 405)
        elif letter in who:
            assert (name, status < 500, status not in (404, 405)) == (name, True, True)
        else:
            assert (name, status) == (name, 404)


@pytest.mark.parametrize("method", ["get", "post"])
def test_what_is_of_one_campaign_is_at_no_address_of_another(
    method: str, addresses: dict[str, str], campaign: Campaign, assessor: User, client: Client
) -> None:
    other = factories.campaign(organiser=assessor, slug="elsewhere")
    for role, team in (("assessor", ""), ("adjudicator", ""), ("participant", "Harbor")):
        Membership.objects.create(campaign=other, user=assessor, role=role, team=team)
    numbered = {
        name: addresses[name].replace(f"/{campaign.slug}/", f"/{other.slug}/")
        for name in addresses
        if re.search(r"/\d+/", addresses[name]) and f"/{campaign.slug}/" in addresses[name] and name not in SAME
    }
    assert len(numbered) > 40
    client.force_login(assessor)
    got = answers(client, numbered, method)
    assert {name: status for name, status in got.items() if status not in (404, 405)} == {}


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_is_not_logged_in_is_asked_to(method: str, addresses: dict[str, str], client: Client) -> None:
    for name, status in answers(client, addresses, method).items():
        if name not in OPEN_TO_ALL:
            assert (name, status) == (name, 401 if name.startswith("api-") else 302)


@pytest.mark.parametrize("letter", "PR" if WHOLE else "P")
def test_before_their_release_date_no_address_tells_participants_of_topics(
    letter: str, addresses: dict[str, str], campaign: Campaign, client: Client
) -> None:
    """Guidelines III: "NIST will post the questions on the TAC QA web site on June 24"."""
    Campaign.objects.filter(pk=campaign.pk).update(topics_from="2126-06-24T09:00Z", state="setup")
    told = [text.encode() for text in campaign.topics.values_list("text", flat=True)]
    client.force_login(User.objects.get(username=PEOPLE[letter]))
    seen = []
    for name, address in addresses.items():
        answer = client.get(address)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type]
        if any(text in body for text in told):
            seen.append(name)
    assert seen == []


def test_the_admin_site_is_for_superusers_alone(addresses: dict[str, str], client: Client) -> None:
    names = [
        str(pattern.name)
        for each in get_resolver().url_patterns
        if getattr(each, "namespace", None) == "admin"
        for part in each.url_patterns
        for pattern in getattr(part, "url_patterns", [part])
        if pattern.name and str(pattern.name).endswith(("_changelist", "_add", "index"))
    ]
    assert len(names) > 15
    for letter, username in PEOPLE.items():
        client.force_login(User.objects.get(username=username))
        statuses = {name: client.get(reverse(f"admin:{name}")).status_code for name in names}
        allowed = {200, 403} if letter == "U" else {302}
        assert {name: status for name, status in statuses.items() if status not in allowed} == {}, letter
