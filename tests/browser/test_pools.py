"""Pools by keyboard: planned and built by the organiser, grown under the assessor's hands, looked at while judged."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Campaign, Pool
from tests.assess.pooling import letters, submit, work
from tests.browser.conftest import PATIENCE_MS, USUAL_MS, SignIn
from tests.browser.keyboard import came, press_button, saved

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """A busy machine takes its time with so many pages."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=USUAL_MS)


def look(page: Page, name: str) -> None:
    """Light and dark, where ASSAY_PICTURES names a folder."""
    if folder := os.environ.get("ASSAY_PICTURES"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            for image in page.locator("img").all():
                expect(image).to_have_js_property("complete", value=True)
            page.screenshot(path=f"{folder}/pool-{name}-{scheme}.png", full_page=True)
        page.emulate_media(color_scheme="light")


def follow(page: Page, name: str) -> None:
    """Go with Tab to the link with this name, and follow it."""
    link = page.get_by_role("link", name=name, exact=True).first
    link.focus()
    page.keyboard.press("Enter")


def fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=False).first.focus()
    page.keyboard.type(text)


def more_runs(campaign: Campaign, organiser: User) -> None:
    dice = random.Random(1)
    for number in range(1, 6):
        rankings = {topic: "".join(dice.sample("abcdefghijklmnopqrstuvwxyz", 12)) for topic in ("1", "2")}
        submit(campaign, organiser, f"elk{number}", f"Elk{(number + 1) // 2}", rankings)


def test_a_growing_pool_from_plan_to_quality(
    site: LiveServer, retrieval: Campaign, organiser: User, sign_in: SignIn
) -> None:
    assessor = User.objects.create_user("assessor", password="x" * 12)
    more_runs(retrieval, organiser)
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/ranked/pool/")
    follow(page, "Plan it first")
    expect(page.get_by_role("heading", name="Size by depth")).to_be_visible()
    look(page, "plan")
    follow(page, "Build the pool …")
    expect(page.get_by_label("Budget")).to_be_hidden()
    page.get_by_label("Max-mean bandit", exact=False).focus()
    page.keyboard.press("Space")
    expect(page.get_by_label("Budget")).to_be_visible()
    expect(page.get_by_label("Strata")).to_be_hidden()
    fill(page, "Budget", "9")
    fill(page, "Batch", "3")
    look(page, "choose")
    press_button(page, "Show what this pools")
    expect(page.get_by_text("each topic grows by 3 documents at a time to at most 9", exact=False)).to_be_visible()
    look(page, "show")
    press_button(page, "Build the pool of 6 items")
    expect(page.get_by_text("It grows while it is judged", exact=False)).to_be_visible()
    look(page, "pool")

    mine = work(retrieval, "1", assessor)
    bench = sign_in(assessor)
    bench.goto(f"{site.url}/c/ranked/work/{mine.pk}/")
    progress = bench.locator("[data-progress-words]")
    expect(progress).to_have_text("0 of 3 judged")
    for place in range(1, 10):
        came(bench)
        bench.keyboard.press("1" if place % 2 else "0")
        expect(progress).to_have_text(re.compile(rf"^{place} of (6|9) judged"))
        saved(bench)
    expect(progress).to_have_text("9 of 9 judged")
    look(bench, "bench")
    docnos = [each.get_attribute("title") or each.inner_text() for each in bench.locator("[data-item] .words").all()]
    assert docnos == [f"D{each}" for each in letters(Pool.objects.get())]
    bench.keyboard.press("f")
    bench.wait_for_url(re.compile(r"/work/$"))

    page = sign_in(organiser)
    page.goto(f"{site.url}/c/ranked/pool/")
    follow(page, "Quality of the pool")
    expect(page.get_by_role("heading", name="By team")).to_be_visible()
    look(page, "quality")
