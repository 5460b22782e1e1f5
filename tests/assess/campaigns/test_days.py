"""Days in the campaign's own time zone: around midnight, on pages, in progress, whatever zone the deadline has."""

from __future__ import annotations

from datetime import UTC, date, datetime
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid
from assess.campaigns.dates import day_of, deadline_words, moment_words, set_deadline, set_time_zone, zone_choices
from assess.campaigns.domain import create_campaign
from assess.models import Activity, Campaign, Judgment
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of
from tests.remembered import remembered

AOE, KOLKATA = "Etc/GMT+12", "Asia/Kolkata"


@pytest.mark.parametrize(
    ("moment", "zone", "day", "words"),
    [
        (datetime(2026, 3, 2, 11, 59, tzinfo=UTC), AOE, date(2026, 3, 1), "2026-03-01 23:59 AoE"),
        (datetime(2026, 3, 2, 12, 0, tzinfo=UTC), AOE, date(2026, 3, 2), "2026-03-02 00:00 AoE"),
        (datetime(2026, 3, 1, 23, 59, tzinfo=UTC), "UTC", date(2026, 3, 1), "2026-03-01 23:59 UTC"),
        (datetime(2026, 3, 2, 0, 0, tzinfo=UTC), "UTC", date(2026, 3, 2), "2026-03-02 00:00 UTC"),
        (datetime(2026, 3, 1, 18, 29, tzinfo=UTC), KOLKATA, date(2026, 3, 1), "2026-03-01 23:59 IST"),
        (datetime(2026, 3, 1, 18, 30, tzinfo=UTC), KOLKATA, date(2026, 3, 2), "2026-03-02 00:00 IST"),
    ],
)
def test_a_day_ends_at_midnight_of_its_zone(moment: datetime, zone: str, day: date, words: str) -> None:
    assert (day_of(moment, zone), moment_words(moment, zone)) == (day, words)


def test_anywhere_on_earth_is_offered_by_that_name() -> None:
    assert zone_choices()[:2] == [("UTC", "UTC"), (AOE, "Anywhere on Earth (AoE, UTC−12)")]
    assert [name for name, _ in zone_choices()].count(AOE) == 1


@pytest.fixture
@remembered
def judged(campaign: Campaign, assessor: User) -> Campaign:
    """One judgment a minute before and one at each of three midnights: UTC's, Kolkata's, and anywhere on Earth."""
    moments = [datetime(2026, 3, day, hour, minute, tzinfo=UTC) for day, hour, minute in MIDNIGHTS]
    items = factories.pooled(campaign.topics.get(number="1.1"), [f"answer {number}" for number in range(len(moments))])
    work = factories.assignment(items[0].topic, "instances", assessor)
    for item, moment in zip(items, moments, strict=True):
        said = {"criterion": "correctness", "value": 1, "how": "key", "seconds": 20.0, "client_key": uuid4()}
        with patch("django.utils.timezone.now", return_value=moment):
            Judgment.objects.create(item=item, assignment=work, assessor=assessor, **said)
    return campaign


MIDNIGHTS = ((1, 18, 29), (1, 18, 30), (1, 23, 59), (2, 0, 0), (2, 11, 59), (2, 12, 0))


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("UTC", [("2026-03-01", 3.0), ("2026-03-02", 3.0)]),
        (KOLKATA, [("2026-03-01", 1.0), ("2026-03-02", 5.0)]),
        (AOE, [("2026-03-01", 5.0), ("2026-03-02", 1.0)]),
    ],
)
def test_progress_stands_under_the_campaign_s_days_whatever_the_deadline_s_zone(
    judged: Campaign, organiser: User, client: Client, zone: str, days: list[tuple[str, float]]
) -> None:
    set_time_zone(actor=organiser, campaign=judged, time_zone=zone)
    set_deadline(actor=organiser, campaign=judged, due="2126-03-02 23:59", time_zone="AoE")
    client.force_login(organiser)
    told = client.get(reverse("api-progress-summary", args=[judged.slug])).json()
    assert [(each["day"], each["done"]) for each in told["days"]] == days
    assert told["time_zone"] == zone
    _, out, _ = run_command("progress", judged.slug)
    assert [line.split("\t")[3] for line in out.splitlines() if "\tdone\t" in line and line.startswith("day")] == [
        f"{done:.6f}" for _, done in days
    ]


def test_the_deadline_keeps_its_zone_and_the_campaign_its_own(campaign: Campaign, organiser: User) -> None:
    set_deadline(actor=organiser, campaign=campaign, due="2126-12-01 23:59", time_zone="anywhere on earth")
    assert (campaign.due_zone, campaign.time_zone) == (AOE, "UTC")
    assert deadline_words(campaign) == "2126-12-01 23:59 (AoE)"
    set_time_zone(actor=organiser, campaign=campaign, time_zone=KOLKATA)
    assert deadline_words(Campaign.objects.get(pk=campaign.pk)) == "2126-12-01 23:59 (AoE)"


def test_pages_show_moments_in_the_campaign_s_zone(campaign: Campaign, organiser: User, client: Client) -> None:
    with patch("django.utils.timezone.now", return_value=datetime(2026, 3, 1, 18, 30, tzinfo=UTC)):
        run = factories.run(campaign, "Harbor1", organiser)
    client.force_login(organiser)
    for zone, shown in ((KOLKATA, "2026-03-02 00:00 IST"), (AOE, "2026-03-01 06:30 AoE")):
        set_time_zone(actor=organiser, campaign=campaign, time_zone=zone)
        assert shown in page_of(client.get(reverse("run", args=[campaign.slug, run.pk])))


def test_page_api_and_command_set_the_zone_alike(client: Client, campaign: Campaign, organiser: User) -> None:
    client.force_login(organiser)
    page = client.post(reverse("settings-time-zone", args=["opinions"]), {"zone-time_zone": AOE}, follow=True)
    assert "Days begin and end in AoE." in page_of(page)
    address = reverse("api-campaign-time-zone", args=["opinions"])
    told = client.post(address, {"time_zone": KOLKATA}, content_type="application/json").json()
    assert told["time_zone"] == KOLKATA
    assert "time_zone\tEtc/GMT+12" in run_command("call", "time_zone", "opinions", "time_zone=aoe")[1]
    changes = Activity.objects.filter(action="campaign.time_zone").order_by("id").values_list("data", flat=True)
    assert [each["time_zone"] for each in changes] == [["UTC", AOE], [AOE, KOLKATA], [KOLKATA, AOE]]
    sentence = "There is no time zone “Middle/Earth”."
    refused = client.post(address, {"time_zone": "Middle/Earth"}, content_type="application/json").json()
    assert sentence in str(refused)
    assert sentence in run_command("call", "time_zone", "opinions", "time_zone=Middle/Earth")[2]
    wrong = client.post(reverse("settings-time-zone", args=["opinions"]), {"zone-time_zone": "Middle/Earth"})
    assert wrong.status_code == 422
    with pytest.raises(Invalid):
        set_time_zone(actor=organiser, campaign=campaign, time_zone="Middle/Earth")


def test_the_zone_of_a_frozen_campaign_can_be_changed_as_hours_are_settled_then(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    client.force_login(organiser)
    assert 'name="zone-time_zone"' in page_of(client.get(reverse("settings", args=["opinions"])))
    client.post(reverse("settings-time-zone", args=["opinions"]), {"zone-time_zone": KOLKATA})
    address = reverse("api-campaign-time-zone", args=["opinions"])
    told = client.post(address, {"time_zone": AOE}, content_type="application/json")
    assert (told.status_code, told.json()["time_zone"], told.json()["state"]) == (200, AOE, "frozen")
    changes = Activity.objects.filter(action="campaign.time_zone").order_by("id").values_list("data", flat=True)
    assert [each["time_zone"] for each in changes] == [["UTC", KOLKATA], [KOLKATA, AOE]]


def test_a_new_campaign_has_the_site_s_zone(organiser: User, settings) -> None:  # type: ignore[no-untyped-def]
    settings.TIME_ZONE = "Europe/Vienna"
    made = create_campaign(actor=organiser, slug="new", title="New", track="adhoc")
    assert (made.time_zone, made.due_zone) == ("Europe/Vienna", "")


def test_a_deadline_that_has_passed_is_taken_only_where_that_is_said(
    client: Client, campaign: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    page, api = reverse("settings-deadline", args=["opinions"]), reverse("api-campaign-deadline", args=["opinions"])
    given = {"deadline-due": "2020-12-01T23:59", "deadline-time_zone": AOE}
    refused = client.post(page, given)
    shown = page_of(refused)
    assert (refused.status_code, 'name="deadline-past"' in shown) == (422, True)
    assert "2020-12-01 23:59 (AoE) has passed," in shown
    said = {"due": "2020-12-01 23:59", "time_zone": "AoE"}
    answer = client.post(api, said, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (409, "past-deadline")
    assert run_command("call", "deadline", "opinions", "due=2020-12-01 23:59", "time_zone=AoE")[0] == 1
    assert Campaign.objects.get(pk=campaign.pk).runs_due is None
    assert 'name="deadline-past"' not in page_of(client.get(reverse("settings", args=["opinions"])))

    assert run_command("call", "deadline", "opinions", "due=2020-12-01 23:59", "time_zone=AoE", "past=true")[0] == 0
    assert (
        client.post(api, {**said, "due": "2020-12-01 22:00", "past": True}, content_type="application/json").json()[
            "runs_due"
        ]
        == "2020-12-02T10:00:00Z"
    )
    assert client.post(page, {**given, "deadline-past": "on"}).status_code == 302
    assert client.post(page, given).status_code == 302  # the same again is no new deadline
    with pytest.raises(Conflict):
        set_deadline(actor=organiser, campaign=campaign, due="2020-11-01 12:00")
