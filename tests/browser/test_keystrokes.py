"""How many keys each act takes on each bench: pressed here, and written to docs/keystrokes.md.

With ASSAY_KEYSTROKES set the guide is written anew; without it the test compares, but for the milliseconds, which are
those of the run in which the guide was written. Words that are typed do not count.
"""

from __future__ import annotations

import os
import re
import statistics
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Item, Judgment, Topic
from nuggets.models import NuggetEdit
from tests import factories
from tests.benches import Benches, need_relevant_passage
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import came, saved
from tests.nuggets.machines_drafts import machine_list, show

pytestmark = pytest.mark.browser

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "keystrokes.md"
HEAD = """# Keys a judgment takes

What the benches ask of the hands. A test in a browser (`tests/browser/test_keystrokes.py`) presses these keys and looks
at what was stored. Words that are typed do not count. The next item opens by itself.

| stage | act | keys | stored | keys each |
|---|---|---|---|---|
"""
SPEED = """
Milliseconds from the key press until the item and its framed document are on the screen (medians of one run of that
test, which also times a plain reload). The next items are fetched ahead. Of those seen, the last four documents stay
loaded, and an item that was left as it came is shown again without asking the server. All three are slower on a busy
machine, so the load (processes waiting for a processor) is given, too.

| next item | item before | plain reload | load, of 2 processors |
|---|---|---|---|
"""
COLOURS = ("blue", "green", "red", "silver")
PAUSE_MS = 300
"""What somebody reads at least, while the next ones are fetched ahead."""
MILLISECONDS: list[float] = []
"""What the test of times measured in this process."""
WATCH = """() => {
  window.assayTook = 0;
  const answer = () => document.querySelector("[data-answer]")?.textContent;
  const before = answer();
  const isThere = () => answer() !== before && document.querySelector("[data-bench-item] [data-frame]")
    && !document.querySelector("[data-bench-item][aria-busy]");
  addEventListener("keydown", ({ timeStamp }) => {
    const look = () => {
      if (isThere()) requestAnimationFrame(() => { window.assayTook = performance.now() - timeStamp; });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { once: true, capture: true });
}"""
NAMES = {"Space": "Space", "ArrowLeft": "←"}


@dataclass(frozen=True)
class Act:
    """What is done on a bench, by which keys; "=words" is typed. Of it come ``stored`` rows of its ledger."""

    stage: str
    act: str
    keys: tuple[str, ...]
    stored: int
    times: int = 0
    """How often the act was done, where several rows are stored of each."""

    @property
    def pressed(self) -> list[str]:
        """The keys that count."""
        return [key for key in self.keys if not key.startswith("=")]

    @property
    def line(self) -> str:
        """As it stands in the guide."""
        keys = " ".join(f"`{NAMES.get(key, key)}`" for key in self.pressed)
        each = f"{len(self.pressed) / (self.times or self.stored):.1f}"
        return f"| {self.stage} | {self.act} | {keys} | {self.stored} | {each} |\n"


ACTS = {
    "grade": Act("grades", "five items in a row", ("4", "1", "4", "4", "1"), 5),
    "adjudication": Act("adjudication", "one opinion is right", ("ArrowLeft",), 1),
    "matches": Act("find nuggets", "mark the first nugget offered, go on", ("Space", "Enter"), 2),
    "votes": Act("votes", "four nuggets in a row", ("v", "o", "v", "v"), 4),
    "classes": Act("group answers", "join two answers: a class is named as one, the other put in", ("N", "1"), 2, 1),
    "picks": Act("pick figures", "pick a label by its name", ("i", "=fig 1", "Enter"), 1),
    "nuggets": Act("write nuggets", "a nugget of one's own words", ("n", "=late hours", "Enter"), 1),
}
EVIDENCE = Act("grades with evidence", "the likeliest sentence, and a grade", ("v", "Enter", "1"), 1)
DRAFTS = (
    Act("write nuggets", "accept a draft", ("y",), 1),
    Act("write nuggets", "accept a draft in words of one's own", ("Y", "= in the hand", "Enter"), 1),
    Act("write nuggets", "refuse a draft", ("r",), 1),
)
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


def test_drafts_take_so_many_keys(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, squishy: Topic, squishy_items: list[Item], assessor: User
) -> None:
    machine_list(campaign, squishy, source=squishy_items[0])
    show(campaign)
    work = factories.assignment(squishy, "nuggets", assessor, state="open")
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-draft-current]")).to_have_attribute("data-draft", "A1")
    for left, act in zip((2, 1, 0), DRAFTS, strict=True):
        before = NuggetEdit.objects.count()
        press(page, act)
        expect(page.locator("[data-draft]")).to_have_count(left)
        saved(page)
        assert NuggetEdit.objects.count() - before == act.stored


def test_the_item_before_is_there_sooner_than_a_reload(
    sign_in: SignIn, site: LiveServer, rigid: Topic, assessor: User
) -> None:
    names = [f"{colour} bicycle" for colour in COLOURS]
    text = "</p><p>".join(f"At last the {name} of Velora came. " * 100 for name in names)
    factories.document(rigid.campaign, "BLOG06-20060101-000-0000000001", text)
    factories.pooled(rigid, names)
    work = factories.assignment(rigid, "instances", assessor, state="open")
    page = sign_in(assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    took: dict[str, list[float]] = {"k": [], "j": []}
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/items/" in request.url else None)
    for key in ("j", "j", "k", "j", "k", "j", "k", "j", "k", "j", "k", "j"):
        if len(took["k"]) == 1:
            asked.clear()
        came(page)
        page.wait_for_timeout(PAUSE_MS)
        took[key].append(milliseconds(page, key))
    assert asked == []  # of what was passed by without a judgment
    reloads = []
    for _ in range(5):
        page.reload(wait_until="load")
        reloads.append(page.evaluate("() => performance.getEntriesByType('navigation')[0].duration"))
    times = (took["j"], took["k"], reloads)
    medians = [statistics.median(each) for each in times]
    print("ms: next {:.0f}, back {:.0f}, reload {:.0f}".format(*medians))
    MILLISECONDS.extend(medians)
    following, before, reload = map(min, times)  # a busy machine may keep any single one waiting
    assert max(following, before) < reload


def milliseconds(page: Page, key: str) -> float:
    """From a key to the frame in which another item is painted with its document, which is not loaded anew."""
    page.evaluate(WATCH)
    page.keyboard.press(key)
    page.wait_for_function("() => window.assayTook > 0")
    took: float = page.evaluate("() => window.assayTook")
    return took


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
    acts = (*ACTS.values(), *DRAFTS, EVIDENCE, FINISH)
    written = HEAD + "".join(act.line for act in acts) + SPEED
    guide = GUIDE.read_text(encoding="utf-8")
    figures = guide[len(written) :]
    if os.environ.get("ASSAY_KEYSTROKES") and MILLISECONDS:
        figures = "| {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n".format(*MILLISECONDS, os.getloadavg()[0])
        GUIDE.write_text(written + figures, encoding="utf-8")
        guide = written + figures
    assert guide == written + figures
    assert re.fullmatch(r"(\| \d+ ){4}\|\n", figures)
