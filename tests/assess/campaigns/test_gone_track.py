"""A campaign whose track is not installed any more: plain words on every page, call and command, and no crash."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.campaigns.queries import track_of
from assess.models import Campaign
from tests.pages import page_of

pytestmark = pytest.mark.django_db

WORDS = "which this site does not know any more"


@pytest.fixture
def gone(campaign: Campaign) -> Campaign:
    Campaign.objects.filter(pk=campaign.pk).update(track="rag-1999")
    campaign.refresh_from_db()
    return campaign


@pytest.mark.parametrize(
    "name", ["overview", "topics", "runs", "pool", "assignments", "progress", "scores", "exports", "settings"]
)
def test_pages_say_so(gone: Campaign, organiser: User, client: Client, name: str) -> None:
    client.force_login(organiser)
    page = client.get(reverse(name, args=[gone.slug]))
    assert page.status_code == 409
    assert f"the track “rag-1999”, {WORDS}" in page_of(page)


def test_the_list_of_campaigns_still_opens_and_the_api_says_so(gone: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    page = client.get(reverse("home"))
    assert (page.status_code, gone.title in page_of(page)) == (200, True)
    answer = client.get(reverse("api-topic-list", args=[gone.slug]))
    assert (answer.status_code, WORDS in page_of(answer)) == (409, True)


def test_who_has_no_seat_learns_nothing(gone: Campaign, stranger: User, client: Client) -> None:
    client.force_login(stranger)
    assert client.get(reverse("topics", args=[gone.slug])).status_code == 404


def test_commands_say_so(gone: Campaign) -> None:
    with pytest.raises(CommandError, match=WORDS):
        call_command("build_pool", gone.slug, stdout=io.StringIO())
    with pytest.raises(LookupError, match="rag-1999 is not registered"):
        track_of(gone)
