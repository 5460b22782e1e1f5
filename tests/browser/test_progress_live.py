"""The progress page follows what is judged elsewhere: nothing is reloaded, nothing jumps."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.assignments.domain.assignments import finish_assignment
from assess.assignments.queries.work_items import handle_of
from assess.models import Assignment, Topic
from tests import factories
from tests.browser.conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("own_context")]

POLL = "00:16"


def judge(work: Assignment, place: int) -> None:
    handle = handle_of(work, work.topic.items.order_by("pk")[place].pk)
    said = {"item": handle, "criterion": "correctness", "value": 1, "client_key": str(uuid4()), "seconds": 9}
    elsewhere = Client()
    elsewhere.force_login(work.assessor)
    address = f"/api/v1/campaigns/opinions/assignments/{work.pk}/judgments/"
    assert elsewhere.post(address, said, content_type="application/json").status_code == 201


def test_a_judgment_made_elsewhere_appears(
    sign_in: SignIn, site: LiveServer, rigid: Topic, organiser: User, assessor: User
) -> None:
    factories.pooled(rigid, ["blue bicycle", "green bicycle"])
    work = factories.assignment(rigid, "instances", assessor)
    page = sign_in(organiser)
    page.clock.install()
    page.goto(f"{site.url}/c/opinions/progress/")
    expect(page.locator("#live-numbers")).to_contain_text("0 of 2 items")
    page.evaluate("window.stillHere = true")
    page.set_viewport_size({"width": 1000, "height": 400})
    page.evaluate("window.scrollTo(0, 150)")
    judge(work, 0)
    page.clock.fast_forward(POLL)
    expect(page.locator("#live-numbers")).to_contain_text("1 of 2 items")
    expect(page.locator("#live-said")).to_have_text("1 of 2 items done")
    assert page.evaluate("window.scrollY") == 150
    expect(page.locator("#pieces-table tbody tr td").nth(4)).to_have_text("1 instance")

    link = page.locator("#pieces-table thead a").first
    link.focus()  # the part in which somebody works stays as it is; the others go on
    judge(work, 1)
    page.clock.fast_forward(POLL)
    expect(page.locator("#live-numbers")).to_contain_text("2 of 2 items")
    expect(link).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.locator("h1").click()
    finish_assignment(actor=assessor, assignment=Assignment.objects.get(pk=work.pk))
    page.clock.fast_forward(POLL)
    expect(page.locator("#live-numbers")).to_contain_text("1 of 1 assignment finished")
    expect(page.locator("#live-numbers")).not_to_have_attribute("data-live-every", "15")  # nothing is asked any more
    assert page.evaluate("window.stillHere") is True
