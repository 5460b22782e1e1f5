"""How many keys each act takes on each bench: pressed here, and written to docs/keystrokes.md.

With ASSAY_KEYSTROKES set the guide is written anew; without it the test compares. Words that are typed do not count.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Judgment
from tests.benches import Benches, need_relevant_passage
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import came, saved

pytestmark = pytest.mark.browser

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "keystrokes.md"
HEAD = """# Keys a judgment takes

What the benches ask of the hands. A test in a browser (`tests/browser/test_keystrokes.py`) presses these keys and looks
at what was stored. Words that are typed do not count. The next item opens by itself.

| stage | act | keys | stored | keys each |
|---|---|---|---|---|
"""
NAMES = {"Space": "Space", "ArrowLeft": "←"}


@dataclass(frozen=True)
class Act:
    """What is done on a bench, by which keys; "=words" is typed. ``stored`` rows of its ledger come of it."""

    stage: str
    act: str
    keys: tuple[str, ...]
    stored: int

    @property
    def pressed(self) -> list[str]:
        """The keys that count."""
        return [key for key in self.keys if not key.startswith("=")]

    @property
    def line(self) -> str:
        """As it stands in the guide."""
        keys = " ".join(f"`{NAMES.get(key, key)}`" for key in self.pressed)
        each = f"{len(self.pressed) / self.stored:.1f}"
        return f"| {self.stage} | {self.act} | {keys} | {self.stored} | {each} |\n"


ACTS = {
    "grade": Act("grades", "five items in a row", ("4", "1", "4", "4", "1"), 5),
    "adjudication": Act("adjudication", "one opinion is right", ("ArrowLeft",), 1),
    "matches": Act("find nuggets", "mark the first nugget offered, go on", ("Space", "Enter"), 2),
    "votes": Act("votes", "four nuggets in a row", ("v", "o", "v", "v"), 4),
    "classes": Act("group answers", "join two answers: a class named as the first, the second into it", ("N", "1"), 2),
    "picks": Act("pick figures", "pick a label by its name", ("i", "=fig 1", "Enter"), 1),
    "nuggets": Act("write nuggets", "a nugget of one's own words", ("n", "=late hours", "Enter"), 1),
}
EVIDENCE = Act("grades with evidence", "the likeliest sentence, and a grade", ("v", "Enter", "1"), 1)
FINISH = Act("every stage", "finish the topic", ("f",), 1)


def press(page: Page, act: Act) -> None:
    for key in act.keys:
        came(page)
        if key.startswith("="):
            page.keyboard.type(key[1:])
        else:
            page.keyboard.press(key)


@pytest.mark.parametrize("name", ACTS)
def test_an_act_takes_so_many_keys(name: str, makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make(name)
    page = bench.open(sign_in(bench.person), site)
    before = len(bench.rows())
    press(page, ACTS[name])
    saved(page)
    assert len(bench.rows()) - before == ACTS[name].stored
    if name == "grade":
        page.keyboard.press(FINISH.keys[0])
        page.wait_for_url("**/work/")


def test_evidence_and_its_grade_take_so_many_keys(sign_in: SignIn, site: LiveServer, benches: Benches) -> None:
    need_relevant_passage(benches)
    page = sign_in(benches.assessor)
    page.goto(f"{site.url}/c/benches/work/{benches.work['citations'].pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    press(page, EVIDENCE)
    saved(page)
    assert [len(row.evidence or []) for row in Judgment.objects.filter(value=1)] == [1]


def test_caps_lock_changes_nothing_and_a_dead_key_says_so(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("grade")
    page = bench.open(sign_in(bench.person), site)
    did = page.locator("[data-did]")
    page.keyboard.press("y")
    expect(did).to_have_text("“y” does nothing here now. ? shows all keys.")
    page.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', "
        "{ key: 'J', code: 'KeyJ', modifierCapsLock: true, bubbles: true, cancelable: true }))"
    )
    expect(did).to_contain_text("2 of 5")
    assert bench.rows() == []


def test_the_guide_says_so() -> None:
    written = HEAD + "".join(act.line for act in (*ACTS.values(), EVIDENCE, FINISH))
    if os.environ.get("ASSAY_KEYSTROKES"):
        GUIDE.write_text(written, encoding="utf-8")
    assert GUIDE.read_text(encoding="utf-8") == written
