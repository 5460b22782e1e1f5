"""The progress page follows what is judged elsewhere: nothing is reloaded, nothing jumps."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.domain.judging.judgments import JudgmentInput, record_judgment
from assess.domain.work.assignments import finish_assignment
from assess.models import Assignment, Topic
from tests import factories
from tests.browser.conftest import SignIn

pytestmark = pytest.mark.browser

POLL = "00:16"


def judge(work: Assignment, place: int) -> None:
    item = work.topic.items.order_by("pk")[place]
    said = JudgmentInput(item=item, criterion="correctness", value=1, note="", how="key", client_key=uuid4(), seconds=9)
    record_judgment(actor=work.assessor, assignment=work, judgment=said)


def test_a_judgment_made_elsewhere_appears(
    sign_in: SignIn, site: LiveServer, rigid: Topic, organiser: User, assessor: User
) -> None:
    factories.pooled(rigid, ["blue bicycle", "green bicycle"])
    work = factories.assignment(rigid, "instances", assessor)
    page = sign_in(organiser)
    page.clock.install()
    page.goto(f"{site.url}/c/opinions/progress/")
    expect(page.locator("#live-numbers")).to_contain_text("0 of 2 things")
    page.evaluate("window.stillHere = true")
    judge(work, 0)
    page.clock.fast_forward(POLL)
    expect(page.locator("#live-numbers")).to_contain_text("1 of 2 things")
    expect(page.locator("#live-said")).to_have_text("1 of 2 things done")
    expect(page.locator("#pieces-table tbody tr td").nth(4)).to_have_text("1 instances")

    link = page.locator("#pieces-table thead a").first
    link.focus()  # the part in which somebody works stays as it is; the others go on
    judge(work, 1)
    page.clock.fast_forward(POLL)
    expect(page.locator("#live-numbers")).to_contain_text("2 of 2 things")
    expect(link).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.locator("h1").click()
    finish_assignment(actor=assessor, assignment=Assignment.objects.get(pk=work.pk))
    page.clock.fast_forward(POLL)
    expect(page.locator("#live-numbers")).to_contain_text("1 of 1 pieces of work finished")
    expect(page.locator("#live-numbers")).not_to_have_attribute("data-live-every", "15")  # nothing is asked any more
    assert page.evaluate("window.stillHere") is True
