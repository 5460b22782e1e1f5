"""Until when runs are due: set in the campaign's zone, kept by page, API and command alike."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.base.errors import Conflict, Invalid
from assess.campaigns.dates import deadline_words, set_deadline
from assess.models import Activity, Campaign, Run
from assess.protocol import RunForm
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.submission_rules import run_window
from assess.runs.domain.submitting import submit_run
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

GOOD = b"1.1 Harbor1 D1 blue\n1.2 Harbor1 D1 They are light.\n"


@pytest.fixture
def setup(campaign: Campaign, settings, tmp_path: Path) -> Campaign:
    settings.DATA_DIR = tmp_path
    campaign.state = Campaign.State.SETUP
    campaign.save()
    return campaign


def submit(campaign: Campaign, actor: User) -> Run:
    form = RunForm(team="Harbor", priority=1, fields={"documents": "collection"})
    return submit_run(actor=actor, campaign=campaign, form=form, file=io.BytesIO(GOOD), file_name="r.txt")


def due_in(campaign: Campaign, **span: int) -> None:
    campaign.runs_due = timezone.now() + timedelta(**span)
    campaign.save()


def test_the_deadline_is_meant_in_the_campaign_s_zone(campaign: Campaign, organiser: User) -> None:
    set_deadline(actor=organiser, campaign=campaign, due="2126-12-01 23:59", time_zone="Europe/Vienna")
    kept = Campaign.objects.get(pk=campaign.pk)
    assert kept.runs_due == datetime(2126, 12, 1, 22, 59, tzinfo=UTC)
    assert deadline_words(kept) == "2126-12-01 23:59 (Europe/Vienna)"
    set_deadline(actor=organiser, campaign=campaign, due="2126-12-02T01:00-12:00")
    assert deadline_words(campaign) == "2126-12-02 14:00 (Europe/Vienna)"
    set_deadline(actor=organiser, campaign=campaign, due="")
    assert (campaign.runs_due, deadline_words(campaign)) == (None, "")


def test_the_same_deadline_again_changes_nothing(campaign: Campaign, organiser: User) -> None:
    for _ in range(2):
        set_deadline(actor=organiser, campaign=campaign, due="2126-12-01 23:59", time_zone="Etc/GMT+12")
    (told,) = Activity.objects.filter(action="campaign.deadline")
    assert told.data == {"runs_due": [None, "2126-12-02T11:59:00+00:00"], "due_zone": ["", "Etc/GMT+12"]}


def test_an_hour_that_comes_twice_is_the_later_one(campaign: Campaign, organiser: User) -> None:
    at = datetime(2026, 10, 1, tzinfo=UTC)
    set_deadline(actor=organiser, campaign=campaign, due="2026-10-25 02:30", time_zone="Europe/Vienna", now=at)
    assert campaign.runs_due == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("due", "zone", "sentence"),
    [
        ("soon", "UTC", "“soon” is no date with a time. Write it as 2026-12-01 23:59."),
        ("2126-12-01", "UTC", "“2126-12-01” says no time of the day."),
        ("2126-12-01 23:59", "Middle/Earth", "There is no time zone “Middle/Earth”. Write its place"),
        ("2126-12-01 23:59", "../../etc/passwd", "There is no time zone"),
        ("2026-03-29 02:30", "Europe/Vienna", "2026-03-29 02:30 never comes in Europe/Vienna"),
        ("9999-12-31 23:59", "Etc/GMT+12", "too far away"),
        ("9999-12-31T23:59+00:00", "Europe/Vienna", "too far away"),
        ("0001-01-01T00:01+00:00", "Etc/GMT+12", "too far away"),
    ],
)
def test_what_is_no_moment_is_refused(campaign: Campaign, organiser: User, due: str, zone: str, sentence: str) -> None:
    with pytest.raises(Invalid) as refused:
        set_deadline(actor=organiser, campaign=campaign, due=due, time_zone=zone)
    assert sentence in refused.value.message
    assert Campaign.objects.get(pk=campaign.pk).runs_due is None


def test_participants_submit_and_withdraw_until_it_organisers_after(
    setup: Campaign, organiser: User, participant: User
) -> None:
    due_in(setup, hours=1)
    run = submit(setup, participant)
    due_in(setup, hours=-1)
    for refused in (lambda: submit(setup, participant), lambda: withdraw_run(actor=participant, run=run)):
        with pytest.raises(Conflict, match=r"Runs were due by .* \(UTC\), 1 hour ago, so they can't be submitted"):
            refused()
    assert withdraw_run(actor=organiser, run=run).state == "withdrawn"
    assert submit(setup, organiser).state == "accepted"


def test_judging_closes_before_the_deadline(setup: Campaign, participant: User) -> None:
    due_in(setup, days=5)
    setup.state = Campaign.State.JUDGING
    setup.save()
    with pytest.raises(Conflict, match="Judging has begun"):
        submit(setup, participant)


def test_the_window_says_what_is_left(campaign: Campaign) -> None:
    campaign.state = Campaign.State.SETUP
    campaign.runs_due = datetime(2126, 12, 1, 22, 59, tzinfo=UTC)
    campaign.time_zone = "Europe/Vienna"
    now = datetime(2126, 11, 30, 20, 0, tzinfo=UTC)
    window = run_window(campaign=campaign, is_organiser=False, now=now)
    assert window.is_open
    assert window.sentence == (
        "Runs are due by 2126-12-01 23:59 (Europe/Vienna): 1 day 2 hours left. "
        "Until then they can be replaced and withdrawn."
    )
    assert run_window(campaign=campaign, is_organiser=False, now=campaign.runs_due).is_open
    late = run_window(campaign=campaign, is_organiser=False, now=campaign.runs_due + timedelta(seconds=1))
    assert (late.is_open, "less than a minute ago" in late.sentence) == (False, True)


def test_page_and_api_set_the_same(client: Client, campaign: Campaign, organiser: User, participant: User) -> None:
    client.force_login(organiser)
    given = {"deadline-due": "2126-12-01T23:59", "deadline-time_zone": "Europe/Vienna"}
    answer = client.post(reverse("settings-deadline", args=["opinions"]), given, follow=True)
    assert "Runs are due by 2126-12-01 23:59 (Europe/Vienna)." in page_of(answer)
    assert 'value="2126-12-01T23:59"' in page_of(answer)
    address = reverse("api-campaign-deadline", args=["opinions"])
    told = client.post(address, {"due": "2126-12-03 12:00"}, content_type="application/json").json()
    assert (told["runs_due"], told["due_zone"], told["time_zone"]) == ("2126-12-03T11:00:00Z", "Europe/Vienna", "UTC")
    wrong = client.post(reverse("settings-deadline", args=["opinions"]), {**given, "deadline-due": "2026-02-30T10:00"})
    assert (wrong.status_code, "is no date with a time" in page_of(wrong)) == (422, True)
    client.force_login(participant)
    assert client.post(address, {"due": ""}, content_type="application/json").status_code == 404


def test_the_pages_of_runs_show_it_to_participants(client: Client, setup: Campaign, participant: User) -> None:
    run = factories.run(setup, "Harbor1", participant)
    due_in(setup, days=3, minutes=5)
    client.force_login(participant)
    for name, arguments in (("runs", []), ("run-new", []), ("run", [run.pk]), ("run-withdraw", [run.pk])):
        page = page_of(client.get(reverse(name, args=["opinions", *arguments])))
        assert f"Runs are due by {deadline_words(setup)}: 3 days left." in page, name
    assert f"Runs are due by {deadline_words(setup)}" in page_of(client.get(reverse("home")))
