"""How an author of nuggets uses the bench by keys."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment


def bench(page: Page, site: LiveServer, work: Assignment) -> Page:
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-words-key]")).to_be_visible()
    return page


def did(page: Page, text: str) -> None:
    expect(page.locator("[data-did]")).to_contain_text(text)


def write(page: Page, text: str, number: int) -> None:
    page.keyboard.press("n")
    expect(page.locator("#new-text")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    did(page, f"Nugget {number} written")


def shown(page: Page) -> list[str]:
    return page.locator("[data-nugget] .words").all_inner_texts()
