"""A machine's drafts by keys: nuggets accepted, edited and refused; marks answered one by one and all at once."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.machines.domain import change_drafts
from assess.models import Assignment, Campaign, Item, Topic
from nuggets.matches.models import NuggetMatch
from nuggets.models import NuggetList
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.look import violations_by_day_and_night
from tests.browser.nugget_bench import bench, did, shown
from tests.nuggets.machines_drafts import machine_list, machine_marks, show

pytestmark = pytest.mark.browser


def test_drafts_of_nuggets_and_marks_are_answered_by_keys_alone(
    sign_in: SignIn,
    site: LiveServer,
    campaign: Campaign,
    squishy: Topic,
    squishy_items: list[Item],
    assessor: User,
    organiser: User,
) -> None:
    machine_list(campaign, squishy, source=squishy_items[0])
    show(campaign)
    work = factories.assignment(squishy, "nuggets", assessor, state="open")
    page = bench(sign_in(assessor), site, work)
    expect(page.locator("[data-draft-current]")).to_have_attribute("data-draft", "A1")
    assert violations_by_day_and_night(page) == []
    page.keyboard.press("y")
    did(page, "Draft A1 accepted: nugget 1. Draft A2: weighs little")
    page.keyboard.press("l")
    did(page, "Draft A3: is a robot’s fancy")
    page.keyboard.press("r")
    did(page, "Draft A3 refused.")
    page.keyboard.press("u")
    did(page, "Undone: draft A3 is open again.")
    expect(page.locator("[data-draft-current]")).to_have_attribute("data-draft", "A3")  # and not A2, which was put off
    for key in "ruru":  # as fast as it can be typed
        page.keyboard.press(key)
    did(page, "Undone: draft A3 is open again.")
    expect(page.locator("[data-save-status]")).to_have_text("saved ✓")
    page.keyboard.press("l")
    page.keyboard.press("Y")
    expect(page.locator("#draft-text")).to_have_value("weighs little")
    page.keyboard.type(" in")
    page.reload()
    expect(page.locator("[data-draft-current]")).to_have_attribute("data-draft", "A2")
    page.keyboard.press("Y")
    expect(page.locator("#draft-text")).to_have_value("weighs little in")  # what was half typed is not lost
    page.keyboard.press("Escape")
    page.keyboard.press("Y")
    expect(page.locator("#draft-text")).to_have_value("weighs little")
    page.keyboard.press("Control+a")
    page.keyboard.type("is light")
    page.keyboard.press("Enter")
    did(page, "Draft A2 accepted in your words: nugget 2.")
    page.keyboard.press("r")
    did(page, "Draft A3 refused.")
    assert shown(page) == ["costs little", "is light"]
    expect(page.locator("[data-draft]")).to_have_count(0)
    page.keyboard.press("f")
    expect(page.locator("[data-freeze-now]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Frozen and finished")).to_be_visible()
    frozen = NuggetList.objects.get(owner=assessor)
    assert frozen.is_frozen

    one, two = frozen.nuggets.order_by("number")
    first, second, _ = squishy_items
    machine_marks(
        campaign, squishy, [(two, first, "full"), (one, second, "full"), (two, second, "full")], stage="matches"
    )
    marking = factories.assignment(squishy, "matches", assessor, state="open")
    page.goto(f"{site.url}/c/opinions/work/{marking.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    assert violations_by_day_and_night(page) == []
    by_text = {
        first.text: ("n", "Nugget 2 “is light” is not in"),
        second.text: ("Y", "Drafts accepted for"),
    }
    change_drafts(actor=organiser, campaign=Campaign.objects.get(pk=campaign.pk), drafts="sealed")
    for _ in range(3):
        text = page.locator(".string[aria-current] [data-words]").inner_text()
        if text in by_text:
            key, said = by_text.pop(text)
            page.keyboard.press(key)
            did(page, said)
        page.keyboard.press("Enter")
        did(page, "looked at")
    page.wait_for_function("() => !document.querySelector('[data-pending]')")  # drafts on the open page were seen
    expect(page.locator("[data-save-status]")).to_contain_text("saved")
    rows = NuggetMatch.objects.filter(assessor=assessor).values_list("item", "nugget__number", "value", "offered")
    assert sorted(rows) == sorted(
        [(first.pk, 2, "absent", "full"), (second.pk, 1, "full", "full"), (second.pk, 2, "full", "full")]
    )
    assert Assignment.objects.get(pk=work.pk).state == "done"
