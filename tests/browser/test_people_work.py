"""People and work in a real browser: a repeat that looks like any other item, work handed over, work that went back."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.leases import change_work_rules
from assess.controls.consistency import consistency_by_assessor
from assess.controls.domain import make_control_items
from assess.controls.plan import ControlItemRequest
from assess.models import Assignment, Campaign, ControlItem, Judgment, Topic
from tests import factories
from tests.browser.conftest import SignIn
from tests.browser.keyboard import came, finish, picture, press_button, saved
from tests.browser.look import violations

pytestmark = pytest.mark.browser


@pytest.fixture
def work(site: LiveServer, rigid: Topic, assessor: User) -> Assignment:
    """Four instances of the rigid question, not yet taken up."""
    factories.pooled(rigid, ["blue bicycle", "green bicycle", "red bicycle", "silver bicycle"])
    return factories.assignment(rigid, "instances", assessor, state="open")


def test_an_assessor_meets_a_repeat_by_keyboard_and_work_goes_from_hand_to_hand(
    sign_in: SignIn, site: LiveServer, work: Assignment, organiser: User, second_assessor: User
) -> None:
    campaign = work.campaign
    make_control_items(
        actor=organiser, campaign=campaign, stage="instances", wish=ControlItemRequest(repeats=1, gold=0, gap=2)
    )
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/opinions/work/")
    page.keyboard.press("n")
    expect(page.locator("[data-undo]")).to_be_visible()
    texts = page.locator("[data-work-list] .words").all_inner_texts()
    assert len(texts) == 5
    assert len(set(texts)) == 4
    for number, text in enumerate(texts):
        came(page)
        expect(page.locator("[data-answer]")).to_have_text(text)
        if number == 4:
            picture(page, "repeat")
        page.keyboard.press("4")
        expect(page.locator("[data-progress-words]")).to_have_text(f"{number + 1} of 5 judged")
    saved(page)
    finish(page)
    (row,) = consistency_by_assessor(campaign)
    assert (row.repeats, row.agreed) == (1, 1)
    assert ControlItem.objects.count() == 1

    page = sign_in(organiser)
    page.goto(f"{site.url}/c/opinions/people/consistency/?assessor=assessor")
    assert violations(page, iframes=True) == []
    picture(page, "consistency")
    page.goto(f"{site.url}/c/opinions/assignments/{work.pk}/hand-over/")
    assert violations(page, iframes=True) == []
    picture(page, "hand-over")
    page.get_by_label("Hand it over to").focus()
    page.keyboard.type("second_assessor")
    press_button(page, "Hand it over")
    page.wait_for_url(re.compile(r"/assignments/$"))
    expect(page.get_by_text("second_assessor goes on with 1.1 from where assessor was.")).to_be_visible()

    page = sign_in(second_assessor)
    page.goto(f"{site.url}/c/opinions/work/")
    page.keyboard.press("n")
    expect(page.locator("[data-undo]")).to_be_visible()
    expect(page.locator("[data-progress-words]")).to_have_text("4 of 4 judged")
    expect(page.locator('[data-work-list] li[data-state="carried"]')).to_have_count(4)
    assert violations(page, iframes=True) == []
    picture(page, "carried-over")
    page.keyboard.press("1")
    saved(page)
    expect(page.locator('[data-work-list] li[data-state="carried"]')).to_have_count(3)
    finish(page)


def test_what_was_not_sent_is_sent_when_work_that_went_back_is_taken_up_again(
    sign_in: SignIn, site: LiveServer, work: Assignment, organiser: User
) -> None:
    change_work_rules(actor=organiser, campaign=work.campaign, lease_hours=48, takes_primary=False)
    page = sign_in(work.assessor)
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    expect(page.locator("[data-undo]")).to_be_visible()
    Assignment.objects.filter(pk=work.pk).update(state="returned", lease_until=timezone.now() - timedelta(hours=1))
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("This work went back because nothing was done on it")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{site.url}/c/opinions/work/{work.pk}/")
    assert violations(page, iframes=True) == []
    picture(page, "went-back")
    page.keyboard.press("f")
    expect(page.locator("[data-progress-words]")).to_have_text("1 of 4 judged")
    saved(page)
    assert Judgment.objects.filter(assignment=work).count() == 1


def test_a_list_is_invited_once_and_its_button_goes(
    sign_in: SignIn, site: LiveServer, campaign: Campaign, organiser: User
) -> None:
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/opinions/people/invitations/list/")
    rows = b"role,team,note\nassessor,,Ada Lind\nassessor,,Ben Roe\n"
    page.locator("input[type=file]").set_input_files({"name": "people.csv", "mimeType": "text/csv", "buffer": rows})
    page.get_by_role("button", name="Check the file").click()
    with page.expect_download() as links:
        page.get_by_role("button", name="Invite 2 and get their links").click()
    assert links.value.suggested_filename == "invitations-opinions.csv"
    expect(page.get_by_role("button", name="Invite 2")).to_have_count(0)
    expect(page.locator("#invited")).to_be_focused()
    assert violations(page, iframes=True) == []
    assert campaign.invitations.count() == 2
