"""A table that comes anew every two seconds leaves open what is open, and the focus where it is."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from assess.jobs.models import Job
from assess.models import Topic
from assess.releases.models import SiteJob
from tests.browser.conftest import SignIn

pytestmark = pytest.mark.browser


def test_backups(sign_in: SignIn, site: LiveServer, organiser: User) -> None:
    User.objects.filter(pk=organiser.pk).update(is_superuser=True)
    _made, busy = (
        SiteJob.objects.create(kind="backup", state=state, started_by=organiser, arguments={})
        for state in ("done", "waiting")
    )
    page = sign_in(organiser)
    with page.expect_response("**/backups/"):
        page.goto(f"{site.url}/backups/")
    page.locator("summary").filter(has_text="Remove").first.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    sure = page.locator("[name=sure]").last
    SiteJob.objects.filter(pk=busy.pk).update(state="failed", message="No room.")
    expect(page.get_by_text("No room.")).to_be_visible(timeout=10_000)
    expect(sure).to_be_checked()
    expect(sure).to_be_focused()


def test_jobs_of_a_campaign(sign_in: SignIn, site: LiveServer, rigid: Topic, organiser: User) -> None:
    job = Job.objects.create(
        campaign=rigid.campaign, kind="scores", state="waiting", started_by=organiser, arguments={}
    )
    page = sign_in(organiser)
    page.goto(f"{site.url}/c/opinions/jobs/")
    stop = page.get_by_role("button", name="Stop")
    stop.focus()
    Job.objects.filter(pk=job.pk).update(done=7, unit="runs")
    expect(page.get_by_text("7 runs")).to_be_visible(timeout=10_000)
    expect(stop).to_be_focused()
