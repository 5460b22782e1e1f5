"""States of a bench that no other test opens with axe: nothing to judge, offline, given away, done, in German."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.models import Assignment, Campaign
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import came, picture, saved
from tests.browser.look import violations_by_day_and_night

pytestmark = pytest.mark.browser
SIZES = ((1280, 800), (640, 400), (390, 844))


def look(page: Page, name: str) -> None:
    assert (name, violations_by_day_and_night(page)) == (name, [])
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        picture(page, f"state-{name}-{width}")
    page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("nuggets", ["v", "x", "n", "e", "u", "f", "q"]),
        ("classes", ["N", "N", "n", "u", "a", "q"]),
        ("matches", ["Space", "q"]),
        ("votes", ["v", "q"]),
        ("grade", ["4", "q"]),
        ("picks", ["0", "a", "q"]),
    ],
)
def test_work_that_was_given_away_opens_no_field(
    makers: Makers, sign_in: SignIn, site: LiveServer, name: str, keys: list[str]
) -> None:
    bench = makers.make(name)
    work = Assignment.objects.latest("pk")
    page = bench.open(sign_in(bench.person), site)
    Assignment.objects.filter(pk=work.pk).update(state="returned", lease_until=None)
    other = makers.assessor if bench.person == makers.second else makers.second
    theirs = factories.assignment(work.topic, work.stage, other)
    Assignment.objects.filter(pk=theirs.pk).update(taken_over=work)
    before = bench.rows()
    if name == "classes":
        page.keyboard.press("Space")
    first, *others = keys
    said = page.locator("[data-did]")
    page.keyboard.press(first)
    expect(said).to_contain_text("This work was given to somebody else.")
    for key in others:
        said.evaluate("each => each.replaceChildren()")
        page.keyboard.press(key)
        expect(said).to_contain_text("This work was given to somebody else.")
        assert page.locator(":is(textarea, input:not([type=checkbox], [type=radio])):focus").count() == 0, key
    assert bench.rows() == before


def test_a_bench_in_each_state(makers: Makers, campaign: Campaign, sign_in: SignIn, site: LiveServer) -> None:
    bench = makers.make("grade")
    work = Assignment.objects.get(stage="instances")
    page = bench.open(sign_in(bench.person), site)
    page.context.set_offline(True)
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("will try again")
    look(page, "offline")
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    saved(page)

    Assignment.objects.filter(pk=work.pk).update(state="done")
    page.reload()
    look(page, "done")
    Assignment.objects.filter(pk=work.pk).update(state="started")
    page.goto(site.url + bench.path)
    came(page)
    Assignment.objects.filter(pk=work.pk).update(state="returned", lease_until=None)
    theirs = factories.assignment(work.topic, "instances", makers.second)
    Assignment.objects.filter(pk=theirs.pk).update(taken_over=work)
    page.keyboard.press("1")
    expect(page.locator("[data-did]")).to_contain_text("This work was given to somebody else.")
    look(page, "given-away")
    page.reload()
    look(page, "given-away-reloaded")

    page.set_extra_http_headers({"Accept-Language": "de"})
    empty = factories.assignment(campaign.topics.get(number="1.1"), "nuggets", makers.assessor)
    page.goto(f"{site.url}/c/{campaign.slug}/work/{empty.pk}/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    look(page, "empty-german")
