"""What is new comes to a bench that is open, keeps nobody from judging, and is acknowledged by a key."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.assignments import open_assignment
from assess.campaigns.domain import publish_guideline
from assess.models import Assignment
from tests.browser.conftest import SignIn
from tests.browser.every_bench import Makers
from tests.browser.keyboard import saved
from tests.browser.look import violations

pytestmark = pytest.mark.browser


def test_new_guidelines_come_to_an_open_bench_and_are_read_once(
    makers: Makers, sign_in: SignIn, site: LiveServer
) -> None:
    bench = makers.make("grade")
    work = Assignment.objects.get(assessor=bench.person, campaign=makers.campaign)
    Assignment.objects.filter(pk=work.pk).update(state="open")
    work.refresh_from_db()
    open_assignment(actor=bench.person, assignment=work)
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
