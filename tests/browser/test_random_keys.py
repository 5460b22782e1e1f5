"""Random keys with random pauses store exactly what the same keys store when typed slowly, on every bench.

``ASSAY_PROPERTY_SEQUENCES`` is how many sequences are typed in all (where it is not set, 1 a bench in `make test`
and 2 in `make test-all`, which sets ``ASSAY_PROPERTY_EXAMPLES``), and ``ASSAY_PROPERTY_SEQUENCE`` the number of the
only one to type. Pauses are the browser's own time, set by Playwright's
clock, so that 1.5 seconds cost nothing; what the server takes is real.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterable

import pytest
from django.db import connection
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import SignIn
from tests.browser.every_bench import BENCHES, Bench, Makers, Row
from tests.browser.keyboard import came, saved
from tests.browser.loaded import failed_scripts
from tests.browser.waiting import wait_until

pytestmark = pytest.mark.browser

KEYS = {
    "grade": ["1", "2", "3", "4", "j", "k", "i", "u", "l"],
    "picks": ["0", "j", "k", "J", "K", "x", "u", "i", "F", "Enter", "Enter", "Escape"],
    "nuggets": ["v", "x", "J", "K", "u", "U", "ArrowDown", "ArrowUp"],
    "matches": ["1", "1", "2", "3", "0", "Enter", "Tab", "Space", "ArrowDown", "ArrowUp", "u", "Escape", "p", "R"],
    "votes": ["v", "o", "j", "k", "i", "u"],
    "classes": ["1", "1", "2", "0", "s", "N", "j", "k", "l", "x", "Space", "Backspace", "u", "U", "Enter"],
    "adjudication": ["1", "2", "3", "4", "j", "k", "i", "u", "l"],
}
LENGTH = 12
USUAL = len(BENCHES) * (2 if "ASSAY_PROPERTY_EXAMPLES" in os.environ else 1)
SEQUENCES = int(os.environ.get("ASSAY_PROPERTY_SEQUENCES", USUAL))
SETTLED = """() => /^$|^saved ✓$|is not saved yet$|^not saved: /.test(
    document.querySelector("[data-save-status]").textContent)
  && !document.querySelector("[data-bench-item][aria-busy]")"""
# Tab and Enter press any link and button of the page; what is typed is about the bench, so that none of them leaves it.
STAYS = """for (const sign of ["click", "submit"]) addEventListener(sign, (event) => {
    const off = sign === "click" ? "a[href]:not([href^='#'])" : "form:not([method=dialog])";
    if (event.target.closest?.(off)) event.preventDefault();
});"""


def seeds(name: str) -> Iterable[int]:
    """The numbers of the sequences that are typed on a bench."""
    only = os.environ.get("ASSAY_PROPERTY_SEQUENCE")
    return [int(only)] if only else range(BENCHES.index(name), SEQUENCES, len(BENCHES))


def random_pause(chance: random.Random) -> int:
    """Milliseconds: at once, in a burst, or up to 1.5 seconds, about the waits that benches once had among them."""
    return chance.choice((0, 0, 0, 20, 100, 400, 650, 750, 850, 950, chance.randrange(1500)))


def type_keys(page: Page, keys: list[str], pauses: list[int], *, slowly: bool) -> None:
    for key, pause in zip(keys, pauses, strict=True):
        came(page)  # a key before the next item has come does nothing, and says so
        page.keyboard.press(key)
        if slowly:
            page.wait_for_function(SETTLED)
        page.clock.run_for(2000 if slowly else pause)
    page.keyboard.press("F8")  # any other key completes what is being typed
    page.wait_for_function(SETTLED)
    expect(page.locator("[data-save-status]")).not_to_contain_text("is not saved yet")


def stored(
    page: Page, site: LiveServer, bench: Bench, keys: list[str], pauses: list[int], *, slowly: bool
) -> list[Row]:
    """The rows that typing adds to the ledgers, which are afterwards as they were before."""
    kept = sqlite3.connect(":memory:")
    connection.connection.backup(kept)
    before = len(bench.rows())
    bench.open(page, site)
    type_keys(page, keys, pauses, slowly=slowly)
    rows = bench.rows()[before:]
    page.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
    page.goto("about:blank")
    kept.backup(connection.connection)
    kept.close()
    return rows


def hold_first(page: Page, address: str) -> list[Route]:
    """Holds back the first thing that the page to come sends there. Of a page that is open already, the browser might
    let one more through.
    """
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held or route.request.method != "POST":
            route.continue_()
        else:
            held.append(route)

    page.route(address, hold)
    return held


def first(held: list[Route], page: Page) -> Route:
    """What is held back, once the browser has told of it: on a busy machine the page is ahead of that."""
    wait_until(page, lambda: held, "the page sends nothing")
    return held[0]


@pytest.mark.usefixtures("own_context")
@pytest.mark.parametrize("name", BENCHES)
def test_fast_typing_stores_what_slow_typing_stores(
    name: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    makers.begin(name)
    page = sign_in(bench.person)
    page.on("dialog", lambda dialog: dialog.accept())
    page.clock.install()
    page.add_init_script(STAYS)
    added = 0
    for seed in seeds(name):
        chance = random.Random(seed)
        keys = chance.choices(KEYS[name], k=LENGTH)
        pauses = [random_pause(chance) for _ in keys]
        sequence = f"sequence {seed}: {list(zip(keys, pauses, strict=True))}"
        slow = stored(page, site, bench, keys, pauses, slowly=True)
        fast = stored(page, site, bench, keys, pauses, slowly=False)
        assert not (errors := failed_scripts()), f"{errors} after {sequence}"
        assert fast == slow, sequence
        added += len(slow)
    assert added  # the keys said something


@pytest.mark.parametrize(
    ("name", "keys", "said"),
    [
        ("nuggets", ["x", "x"], ["retire", "retire"]),
        ("nuggets", ["u", "U"], ["undo", "redo"]),
        ("classes", ["s", "u"], ["suggest", "undo"]),
        ("classes", ["2", "n", "Enter", "u"], ["assign", "create", "undo"]),
        ("classes", ["2", "n", "Escape", "N", "u"], ["assign", "create", "undo"]),
    ],
)
def test_keys_wait_for_what_the_answer_will_show(
    name: str, keys: list[str], said: list[str], makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make(name)
    makers.begin(name)
    before = len(bench.rows())
    page = sign_in(bench.person)
    held = hold_first(page, f"**/{name}/")
    bench.open(page, site)
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator("[data-did]")).to_have_text(f"Saving first. Then comes: {' '.join(keys[1:])}")
    assert len(bench.rows()) == before
    live = None if len(keys) == 2 else "off"  # announced at the first key that waits
    assert page.locator("[data-did]").get_attribute("aria-live") == live
    first(held, page).continue_()
    expect(page.locator("[data-did]")).not_to_contain_text("Saving first")
    assert page.locator("[data-did]").get_attribute("aria-live") is None
    saved(page)
    assert [row[0] for row in bench.rows()[before:]] == said


@pytest.mark.usefixtures("own_context")
def test_a_held_key_that_completes_a_number_waits_for_its_answer(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    """Undo after the last number: what is in hand then depends on whether the empty column was shown before."""
    bench = makers.make("classes")
    makers.begin("classes")
    page = sign_in(bench.person)
    page.clock.install()
    keys = ["1", "x", "Enter", "1", "u", "2", "j", "U", "s", "Space", "1", "U"]
    slow = stored(page, site, bench, keys, [0] * len(keys), slowly=True)
    before = len(bench.rows())
    held = hold_first(page, "**/classes/")
    bench.open(page, site)
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator("[data-did]")).to_have_text(f"Saving first. Then comes: {' '.join(keys[1:])}")
    first(held, page).continue_()
    page.wait_for_function(SETTLED)
    page.keyboard.press("F8")  # as after the slow ones
    page.wait_for_function(SETTLED)
    saved(page)
    assert [row[0] for row in slow] == ["assign", "assign", "undo", "redo", "assign"]
    assert bench.rows()[before:] == slow
