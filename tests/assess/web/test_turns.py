"""Large pages are made one at a time in a process: whoever comes beyond those in line is told to come back."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver, reverse

from assess.models import Campaign
from assess.web import turns
from tests.pages import page_of

PAGES = ("agreement-plot", "analysis-plot", "pool-quality")
WAITING = ("stability", "analysis", "agreement", "scores")
"""Pages that show how far the worker is, and look again every few seconds in each of somebody's windows."""


def test_the_large_pages_take_turns() -> None:
    resolver = get_resolver()
    found = [resolver.resolve(reverse(name, args=["s", "t"][: 1 + (name == "pool-quality")])).func for name in PAGES]
    assert all(getattr(view, "takes_turns", False) for view in found)
    waiting = [resolver.resolve(reverse(name, args=["s"])).func for name in WAITING]
    assert not any(hasattr(view, "takes_turns") for view in waiting), "windows that wait would collide"


@pytest.mark.django_db
def test_one_that_comes_while_others_wait_is_told_to_come_back(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    address, api = reverse("analysis-plot", args=[campaign.slug]), reverse("api-pool-quality", args=[campaign.slug])
    for _ in range(2):
        assert turns._line.acquire(blocking=False)
    try:
        page, call = client.get(address), client.get(api)
        assert (page.status_code, page["Retry-After"], call.status_code) == (503, "5", 503)
        assert "making other large pages or files" in page_of(page)
        assert 'http-equiv="refresh"' in page.content.decode(), "a browser asks again by itself"
        assert call.json()["code"] == "busy"
        assert client.get(reverse("overview", args=[campaign.slug])).status_code == 200
    finally:
        for _ in range(2):
            turns._line.release()
    assert (client.get(address).status_code, client.get(api).status_code) == (200, 200)


@pytest.mark.django_db
def test_one_waits_for_its_turn_and_no_longer_than_its_patience(
    client: Client, campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    client.force_login(organiser)
    address = reverse("analysis-plot", args=[campaign.slug])
    assert turns._turn.acquire(blocking=False)
    try:
        assert client.get(address).status_code == 503
    finally:
        turns._turn.release()
    assert client.get(address).status_code == 200


def test_a_view_that_fails_gives_its_turn_back() -> None:
    @turns.takes_turns
    def failing() -> None:
        raise ValueError

    for _ in range(3):
        with pytest.raises(ValueError):  # noqa: PT011
            failing()
    assert turns._line.acquire(blocking=False)
    turns._line.release()
