"""Killing the server while judgments are posted loses none that was answered, and none is stored twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from uuid import uuid4

import pytest

from tests.assess.served import ITEMS, Clicks, Site, Work, answered, kill, start, stored_keys, wait_for_answers

pytestmark = [pytest.mark.slow, pytest.mark.database, pytest.mark.xdist_group("served")]

KILLED_AT = 50


def clicks_until(killed: threading.Event, clicks: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """A part of these clicks, and the others once the server was killed, however late a busy machine gets to that."""
    yield from clicks[: 3 * len(clicks) // 4]
    killed.wait()
    yield from clicks[3 * len(clicks) // 4 :]


def test_no_answered_judgment_is_lost(new_site: Callable[[str], Site], work_of_site: Work) -> None:
    site = new_site("killed")
    clicks = [(item, str(uuid4())) for item in work_of_site.items]
    server, port = start(site)
    killed = threading.Event()
    browsers = [Clicks(port, work_of_site, clicks_until(killed, clicks[first::4])) for first in range(4)]
    try:
        for browser in browsers:
            browser.start()
        wait_for_answers(browsers, KILLED_AT)
    finally:
        kill(server)
        killed.set()
    for browser in browsers:
        browser.join()
    kept = answered(browsers)
    assert KILLED_AT <= len(kept) < ITEMS
    assert kept <= set(stored_keys(site))

    server, port = start(site)  # the browsers' outboxes send what was not answered, with the same keys
    try:
        lost = [click for click in clicks if click[1] not in kept]
        again = [Clicks(port, work_of_site, lost[first::4]) for first in range(4)]
        for browser in again:
            browser.start()
        for browser in again:
            browser.join()
    finally:
        kill(server)
    assert answered(again) == {key for _, key in lost}
    assert sorted(stored_keys(site)) == sorted(key for _, key in clicks)
