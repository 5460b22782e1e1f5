"""What people do on the benches by keyboard alone, whichever the track."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.parts import WHOLE

STEPS = 300
"""As often is Tab pressed at most to come to something."""
FOCUS = "each => each === document.activeElement ? 'here' : each.isConnected ? 'elsewhere' : 'gone'"
"""Asked of the thing itself after each Tab: to look for it by its role and name each time costs more than the key."""
NEAR = """each => {
  if (window !== window.top) return;
  const tabbed = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";
  const stops = [...document.querySelectorAll(tabbed)].filter((each) => each.checkVisibility());
  const place = stops.indexOf(each);
  const from = stops.indexOf(document.activeElement);
  if (place - from > 3 || (place > 3 && from > place)) stops[place - 3].focus({ preventScroll: true });
}"""
"""Puts the focus on the third stop before the thing, if it is farther away."""
_gone_through: set[str] = set()
"""The pages, without their numbers, through which this process went by Tab from where the focus was."""


def saved(page: Page) -> None:
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def came(page: Page) -> None:
    """What is to be judged lies on the bench; until then keys say nothing of it."""
    expect(page.locator("[data-bench-item][aria-busy]")).to_have_count(0)


def finish(page: Page) -> None:
    """Mark the work as done, once nothing waits to be sent (a page just loaded has sent nothing)."""
    expect(page.locator("[data-save-status]")).to_have_text(re.compile("^(saved ✓)?$"))
    page.keyboard.press("f")
    page.wait_for_url(re.compile(r"/work/$"))


def go_to(page: Page, target: Locator) -> None:
    """Go with Tab to what is looked for: the whole way the first time on each kind of page, and from then on the last
    steps, since each costs a hundredth of a second. `make test-all` goes the whole way each time.
    """
    expect(target).to_be_visible()
    sought = target.element_handle()
    kind = re.sub(r"\d+", "…", urlsplit(page.url).path)
    if kind in _gone_through and not WHOLE:
        sought.evaluate(NEAR)
    _gone_through.add(kind)
    for _ in range(STEPS):
        found = sought.evaluate(FOCUS)
        if found == "here":
            return
        if found == "gone":  # the page shows it anew
            sought = target.element_handle()
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {target}")


def press_button(page: Page, name: str, *, within: Locator | None = None) -> None:
    """Go with Tab to the button with this name, and press it."""
    go_to(page, (within or page).get_by_role("button", name=name, exact=False).first)
    page.keyboard.press("Enter")


def follow(page: Page, name: str, *, within: Locator | None = None) -> None:
    """Go with Tab to the link with this name, follow it, and wait until its page is there."""
    link = (within or page).get_by_role("link", name=name, exact=True).first
    go_to(page, link)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def choose_file(page: Page, label: str, path: Path) -> None:
    """Go with Tab to the field, and choose this file there; the system's dialog, which keys open, is passed over."""
    field = page.get_by_label(label)
    go_to(page, field)
    field.set_input_files(path)


def picture(page: Page, name: str) -> None:
    """Kept for people to look at where ASSAY_PICTURES names a folder."""
    if folder := os.environ.get("ASSAY_PICTURES"):
        page.screenshot(path=f"{folder}/real-{name}.png")


def grade_all(page: Page, keys_for: Callable[[Page], Sequence[str]], *, name: str, picture_at: int = 1) -> int:
    """Press for each thing of the bench the keys that ``keys_for`` says; how many there were."""
    progress = page.locator("[data-progress-words]")
    expect(progress).to_have_text(re.compile(r"^0 of \d+ judged"))
    count = int(progress.inner_text().split()[2])
    assert count > 0
    label = page.locator(".thing-label").first
    for place in range(1, count + 1):
        came(page)
        before = label.inner_text()
        if place == min(picture_at, count):
            picture(page, name)
        for key in keys_for(page):
            page.keyboard.press(key)
        expect(progress).to_have_text(re.compile(rf"^{place} of {count} judged"))
        if place < count:
            expect(label).not_to_have_text(before)
    saved(page)
    return count


def write_nuggets(page: Page, texts: Iterable[str], *, first: int = 1) -> None:
    """Write nuggets from this number on, the last one vital."""
    number = first - 1
    for number, text in enumerate(texts, start=first):
        page.keyboard.press("n")
        expect(page.locator("#new-text")).to_be_focused()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} written")
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text(f"Nugget {number} is vital")


def freeze(page: Page) -> None:
    """Freeze the list, which finishes the work."""
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/work/$"))
    expect(page.get_by_text("Frozen and finished")).to_be_visible()


def find_nuggets(page: Page, keys_for: Callable[[str], Sequence[str]], *, name: str) -> int:
    """Press for each string the keys that ``keys_for`` says of its words, and Enter; how many there were."""
    progress = page.locator("[data-progress-words]")
    expect(progress).to_have_text(re.compile("^0 of .* looked at"))
    count = int(progress.inner_text().split()[2])
    assert count > 0
    for place in range(1, count + 1):
        for key in keys_for(page.locator("[data-string][aria-current] [data-words]:visible").inner_text()):
            page.keyboard.press(key)
        if place == 1:
            picture(page, name)
        page.keyboard.press("Enter")
        expect(progress).to_have_text(re.compile(f"^{place} of {count} .+ looked at"))
    saved(page)
    return count
