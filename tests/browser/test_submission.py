"""A participant by keyboard alone: from the invitation link to an accepted run, past a broken file and its repair."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django.utils.module_loading import import_string
from django_tasks_db.models import DBTaskResult
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from assess.jobs.workers import holding
from assess.models import Campaign, Job, Run
from assess.people.domain.invitations import create_invitation
from tests import factories
from tests.browser.conftest import SignIn

pytestmark = pytest.mark.browser

GOOD = "1.1 Harbor1 D1 blue bicycle\n1.1 Harbor1 D2 red bicycle\n1.2 Harbor1 D1 They are light.\n"
LOOSE = (
    "\ufeff1.1 Harbor1 D1 blue bicycle \r\n1.1 Harbor1 D2 red bicycle\r\n\r\n"
    "1.1 Harbor1 D1 blue bicycle\r\n1.2 Harbor1 D1 They are light."
)


@pytest.fixture
def setup(site: LiveServer, campaign: Campaign, settings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    campaign.state = Campaign.State.SETUP
    campaign.runs_due = timezone.now() + timedelta(days=3, minutes=30)
    campaign.time_zone = "Europe/Vienna"
    campaign.save()
    return campaign


def go_to(page: Page, target: Locator) -> None:
    """Go with Tab to what is looked for."""
    expect(target).to_be_visible()
    for _ in range(80):
        if target.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {target}")


def press(page: Page, name: str, role: str = "button") -> None:
    go_to(page, page.get_by_role(role, name=name, exact=True).first)  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def write(page: Page, label: str, text: str) -> None:
    go_to(page, page.get_by_label(label).first)
    page.keyboard.type(text)


def choose_file(page: Page, path: Path) -> None:
    """By keys. The browser is asked to tell of its chooser long before the key that opens it."""
    with page.expect_file_chooser() as chooser:
        go_to(page, page.get_by_label("Run file"))
        page.keyboard.press("Space")
    chooser.value.set_files(path)


def work_off() -> None:
    """What the background worker does with what waits."""
    for sent in DBTaskResult.objects.ready():
        import_string(sent.task_path).call(*sent.args_kwargs["args"])


def picture(page: Page, name: str) -> None:
    """Kept for people to look at where ASSAY_PICTURES names a folder, light and dark."""
    if folder := os.environ.get("ASSAY_PICTURES"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=f"{folder}/submission-{name}-{scheme}.png", full_page=True)
        page.emulate_media(color_scheme="light")


def test_from_the_invitation_to_an_accepted_run(
    page: Page, site: LiveServer, setup: Campaign, organiser: User, tmp_path: Path
) -> None:
    (tmp_path / "loose.txt").write_text(LOOSE, newline="")
    _, token = create_invitation(actor=organiser, campaign=setup, role="participant", team="Harbor")
    page.goto(f"{site.url}/invitation/{token}/")
    expect(page.get_by_text("for the team Harbor")).to_be_visible()
    write(page, "Your name here", "mira")
    write(page, "Password", "bicycles at the harbour")
    write(page, "The same password again", "bicycles at the harbour")
    press(page, "Make the account and join")
    expect(page.get_by_text("3 days left")).to_be_visible()
    picture(page, "runs")

    press(page, "Submit or check a run", "link")
    choose_file(page, tmp_path / "loose.txt")
    write(page, "Run tag", "Harbor one")
    write(page, "Description", "BM25 over the whole collection.")
    press(page, "Submit")
    expect(page.get_by_text("The run tag is “Harbor one”. Give it another form")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("BM25 over the whole collection.")
    picture(page, "refused")
    go_to(page, page.get_by_label("Run tag"))
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Shift+Tab")  # back to the file, which is before it
    page.get_by_label("Run file").focus()
    choose_file(page, tmp_path / "loose.txt")
    press(page, "Submit")
    expect(page.get_by_text("waits for the checker")).to_be_visible()
    picture(page, "waiting")
    work_off()
    expect(page.get_by_role("heading", name="A repaired file")).to_be_visible()  # the page came anew
    assert Run.objects.get().state == "rejected"
    picture(page, "rejected")

    press(page, "See what differs", "link")
    expect(page.get_by_text("‹BOM›1.1 Harbor1 D1 blue bicycle·‹CR›")).to_be_visible()
    picture(page, "differs")
    press(page, "Submit the repaired file")
    expect(page.get_by_text("waits for the checker")).to_be_visible()
    work_off()
    expect(page.get_by_text("No rule is broken.")).to_be_visible()
    expect(page.locator(".badge", has_text="accepted").first).to_be_visible()
    picture(page, "accepted")
    assert list(Run.objects.order_by("id").values_list("tag", "state")) == [
        ("Harbor1", "rejected"),
        ("Harbor1", "accepted"),
    ]

    press(page, "Replace …", "link")
    expect(page.get_by_text("takes the place of")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("BM25 over the whole collection.")
    picture(page, "replace")
    page.go_back()
    press(page, "Withdraw …", "link")
    picture(page, "withdraw")
    press(page, "Withdraw Harbor1")
    expect(page.get_by_text("Harbor1 is withdrawn.")).to_be_visible()


def test_the_page_shows_how_far_the_check_is_and_what_is_lost(
    sign_in: SignIn, site: LiveServer, setup: Campaign, participant: User
) -> None:
    run = factories.run(setup, "Harbor1", participant)
    Run.objects.update(state=Run.State.CHECKING, size=500_000_000)
    work = Job.objects.create(
        campaign=setup,
        kind="check-run",
        arguments={"run": run.pk},
        state="running",
        done=125_000_000,
        total=500_000_000,
        unit="bytes",
        message="1,750,000 lines read",
        started_by=participant,
    )
    page = sign_in(participant)
    with holding(work.pk):
        page.goto(f"{site.url}/c/opinions/runs/{run.pk}/")
        expect(page.get_by_text("Being checked: 1,750,000 lines read.")).to_be_visible()
        expect(page.get_by_text("125,000,000 of 500,000,000 bytes")).to_be_visible()
        picture(page, "progress")
    expect(page.get_by_text("The worker that checked it was lost.")).to_be_visible()
    picture(page, "lost")
    again = page.get_by_role("button", name="Check it again")
    go_to(page, again)
    with page.expect_response(f"**/runs/{run.pk}/check/"):
        pass
    expect(again).to_be_focused()  # the region comes anew every two seconds, and the focus stays
    page.keyboard.press("Enter")
    expect(page.get_by_text("is started again")).to_be_visible()


def test_without_scripts_the_page_is_reloaded_by_hand(
    site: LiveServer, setup: Campaign, participant: User, browser
) -> None:
    client = Client()
    client.force_login(participant)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site.url}])
    page = context.new_page()
    page.goto(f"{site.url}/c/opinions/runs/new/")
    page.get_by_label("Run file").set_input_files({"name": "r.txt", "mimeType": "text/plain", "buffer": GOOD.encode()})
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("waits for the checker")).to_be_visible()
    work_off()
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_text("No rule is broken.")).to_be_visible()
    context.close()
