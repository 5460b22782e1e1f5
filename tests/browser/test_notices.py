"""What is new comes to a bench that is open, before the next judgment counts, and is acknowledged by a key."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.assignments import open_assignment
from assess.campaigns.domain import publish_guideline
from assess.models import Assignment
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Bench, Makers
from tests.browser.keyboard import picture, saved
from tests.browser.look import violations

pytestmark = pytest.mark.browser


def opened(makers: Makers, name: str) -> Bench:
    """A bench whose work its assessor has opened, so that what changes from now on is news."""
    bench = makers.make(name)
    work = Assignment.objects.filter(assessor=bench.person, campaign=makers.campaign).latest("pk")
    Assignment.objects.filter(pk=work.pk).update(state="open")
    work.refresh_from_db()
    open_assignment(actor=bench.person, assignment=work)
    return bench


def test_new_guidelines_come_to_an_open_bench_and_are_read_once(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = opened(makers, "grade")
    page = bench.open(sign_in(bench.person), site)
    publish_guideline(actor=makers.organiser, campaign=makers.campaign, text="Mind the azure.")
    page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")
    notices = page.locator("#notices")
    expect(notices).to_contain_text("version 2 is in force")
    assert violations(page) == []
    page.keyboard.press("4")
    saved(page)
    assert len(bench.rows()) == 1, "what is pressed meanwhile is judged"
    page.keyboard.press("z")
    expect(notices).to_have_text("")
    page.reload()
    with page.expect_response("**/work/notices/"):
        page.evaluate("() => { window.dispatchEvent(new Event('focus')); }")
    expect(notices).to_have_text("")


@pytest.mark.parametrize(("name", "keys"), [("grade", "41"), ("matches", "23"), ("classes", "su"), ("votes", "vo")])
def test_what_is_said_before_the_page_has_told_what_is_new_waits_until_that_is_read(
    name: str, keys: str, makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = opened(makers, name)
    page = bench.open(sign_in(bench.person), site)
    publish_guideline(actor=makers.organiser, campaign=makers.campaign, text="Mind the azure.")
    page.keyboard.press(keys[0])
    notices = page.locator("#notices")
    expect(notices).to_contain_text("version 2 is in force")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved yet (1 waiting). Something new came before")
    picture(page, f"unread-{name}")
    page.keyboard.press(keys[1])
    assert bench.rows() == []
    page.keyboard.press("z")
    saved(page)
    expect(notices).to_have_text("")
    assert len(bench.rows()) >= 2, "what was said is not lost"


def test_what_waits_for_being_read_outlives_its_page(makers: Makers, sign_in: SignIn, site: LiveServer) -> None:
    bench = opened(makers, "grade")
    page = bench.open(sign_in(bench.person), site)
    page.on("dialog", lambda dialog: dialog.accept())
    publish_guideline(actor=makers.organiser, campaign=makers.campaign, text="Mind the azure.")
    page.keyboard.press("4")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved yet")
    page.reload()
    expect(page.locator("#notices")).to_contain_text("version 2 is in force")
    expect(page.locator("[data-save-status]")).to_contain_text("not saved yet")
    page.keyboard.press("z")
    saved(page)
    assert [row[2] for row in bench.rows()] == [1]
