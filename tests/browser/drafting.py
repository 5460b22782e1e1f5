"""What the author of a topic does on the draft bench, by keys alone."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

from playwright.sync_api import Page, expect

from tests.browser.people import People

SENTENCES = 400
"""As many sentences of a document are gone through at most."""


def open_draft(people: People, name: str) -> Page:
    """A new draft, begun on *My topics*."""
    page = people.at(name, "My topics")
    with page.expect_navigation():
        page.keyboard.press("n")
    return shown(page)


def shown(page: Page) -> Page:
    """The bench is there with its scripts: before that, keys say nothing."""
    expect(page.locator("[data-draft-bench]")).to_be_visible()
    page.wait_for_load_state()
    return page


def look_for(page: Page, words: str) -> None:
    page.keyboard.press("/")
    expect(page.locator("#draft-q")).to_be_focused()
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"\?q={re.escape(quote_plus(words))}"))  # waits until it is loaded, too
    expect(page.locator("[data-document]")).to_be_visible()


def judge_ten(page: Page, words: str) -> None:
    """Say of the first ten documents whether they are relevant: those that hold the words often enough."""
    for number in range(1, 11):
        expect(page.locator(".draft-hits li[data-state=judged]")).to_have_count(number - 1)
        shown(page)
        text = page.locator("[data-text]").inner_text()
        with page.expect_navigation():
            page.keyboard.press("r" if text.count(words) > 1 else "i")
    expect(page.locator(".draft-hits li[data-state=judged]")).to_have_count(10)
    expect(page.locator(".draft-estimate")).to_contain_text("of the first 10 documents")


def write(page: Page, key: str, text: str, *, kind: str = "") -> None:
    """Write a field anew by its key, with the type of the question by its first letters; the page says it is saved."""
    page.keyboard.press(key)
    expect(page.locator("textarea:focus")).to_have_count(1)
    page.keyboard.type(text)
    if kind:
        page.keyboard.press("Shift+Tab")
        page.keyboard.type(kind)
        page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")


def keep(page: Page, key: str, kind: str, text: str, words: str) -> None:
    """Go by keys to the sentence of the document that holds the words, and keep what is found there."""
    page.keyboard.press("t")
    line = page.locator("[data-did]")
    expect(line).to_contain_text("Sentence")
    for _ in range(SENTENCES):
        if words in page.evaluate("getSelection().toString()"):
            break
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(line).to_contain_text("Marked")
    page.keyboard.press(key)
    expect(page.locator(f"#{kind}-text")).to_be_focused()
    page.keyboard.type(text)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".draft-finds ol strong", has_text=text)).to_be_visible()
    shown(page)


def send(page: Page) -> None:
    with page.expect_navigation(url=re.compile(r"/topic-drafts/$")):
        page.keyboard.press("f")
    expect(page.locator("#own-drafts")).to_contain_text("sent")
