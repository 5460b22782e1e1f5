"""What a page sends, met on its way by what a test wants: passed on, broken off, answered otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, Route


def pass_on(route: Route) -> None:
    route.continue_()


def break_off(route: Route) -> None:
    route.abort()


@dataclass
class OnTheWay:
    """What a page sends to an address, and what that meets now."""

    meets: Callable[[Route], None] = pass_on


def on_the_way(page: Page, address: str | re.Pattern[str]) -> OnTheWay:
    """What this page, which is not opened yet, will send there. Of a page that is open already, the browser may let one
    more through unseen.
    """
    sent = OnTheWay()
    page.route(address, lambda route: sent.meets(route))
    return sent
