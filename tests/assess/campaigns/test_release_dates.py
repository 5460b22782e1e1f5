"""From when on participants see topics, document lists and the package of documents."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid, NotAllowed
from assess.campaigns.dates import is_out, release_words, released_on, set_release_dates
from assess.campaigns.seats import access_seat
from assess.models import Activity, Campaign, Membership, Part
from assess.runs.domain.submission_rules import run_window
from assess.topics.access import access_topics
from assess.user_agreements.access import is_open_to
from tests.pages import page_of

pytestmark = pytest.mark.django_db

DATE = datetime(2126, 6, 24, 13, tzinfo=UTC)
TOLD = "2126-06-24 09:00 (America/New_York)"


@pytest.fixture
def dated(campaign: Campaign) -> Campaign:
    campaign.time_zone, campaign.topics_from, campaign.state = "America/New_York", DATE, Campaign.State.SETUP
    campaign.save()
    return campaign


def test_a_date_is_meant_in_the_campaign_s_zone_and_the_same_again_changes_nothing(
    campaign: Campaign, organiser: User
) -> None:
    """Guidelines, V: "June 24 | Release of test questions | June 24 | Top ranked documents available"."""
    campaign.time_zone = "America/New_York"
    campaign.save()
    for _ in range(2):
        set_release_dates(actor=organiser, campaign=campaign, dates={"topics": "2126-06-24 09:00"})
    kept = Campaign.objects.get(pk=campaign.pk)
    assert (kept.topics_from, release_words(kept, Part.TOPICS)) == (DATE, TOLD)
    (told,) = Activity.objects.filter(action="campaign.release_dates")
    assert told.data == {"topics": [None, "2126-06-24T13:00:00+00:00"]}
    set_release_dates(actor=organiser, campaign=campaign, dates={"topics": ""})
    assert Campaign.objects.get(pk=campaign.pk).topics_from is None


def test_lists_never_come_before_the_topics_nor_the_package_before_the_lists(campaign: Campaign) -> None:
    campaign.topics_from, campaign.lists_from = DATE, DATE - timedelta(days=3)
    assert [released_on(campaign, part) for part in Part] == [DATE, DATE, DATE]
    campaign.lists_from = DATE + timedelta(days=3)
    assert [released_on(campaign, part) for part in Part] == [DATE, campaign.lists_from, campaign.lists_from]
    assert [is_out(campaign, part, DATE) for part in Part] == [True, False, False]


def test_only_who_takes_part_waits(
    dated: Campaign, organiser: User, assessor: User, participant: User, second_assessor: User
) -> None:
    Membership.objects.create(campaign=dated, user=second_assessor, role="participant", team="Pier")
    people = (organiser, assessor, participant, second_assessor)
    seats = [access_seat(person, dated.slug) for person in people]
    assert [is_open_to(seat, Part.TOPICS) for seat in seats] == [True, True, False, False]
    assert [is_open_to(seat, Part.TOPICS, now=DATE) for seat in seats] == [True] * 4
    with pytest.raises(NotAllowed, match="will be released on 2126-06-24 09:00") as refusal:
        access_topics(seats[2])
    assert refusal.value.code == "not-released"


def test_before_the_date_participants_submit_and_check_no_run(
    dated: Campaign, participant: User, client: Client
) -> None:
    """What a checker says of a run tells which questions there are."""
    window = run_window(campaign=dated, is_organiser=False)
    assert (window.is_open, window.sentence) == (
        False,
        f"Runs are taken once the topics are released, on {TOLD}.",
    )
    assert run_window(campaign=dated, is_organiser=False, now=DATE).is_open
    client.force_login(participant)
    from django.core.files.uploadedfile import SimpleUploadedFile

    file = SimpleUploadedFile("r.txt", b"7.7 Harbor1 D1 x\n")
    answer = client.post(f"/api/v1/campaigns/{dated.slug}/runs/check/", {"file": file})
    assert (answer.status_code, answer.json()["code"]) == (403, "not-released")
    file.seek(0)
    values = {"file": file, "team": "Harbor", "priority": "1", "automatic": "yes", "field-documents": "top50"}
    answer = client.post(reverse("run-new", args=[dated.slug]), {**values, "check": "yes"})
    assert answer.status_code == 403
    assert b"missing" not in answer.content


def test_my_runs_says_that_runs_are_checked_once_the_topics_are_released(
    dated: Campaign, participant: User, client: Client
) -> None:
    client.force_login(participant)
    early, late = "as often as you like, once the topics are released", "as often as you like before it is submitted"
    page = page_of(client.get(reverse("runs", args=[dated.slug])))
    assert (early in page, late in page) == (True, False)
    assert "Check a run" not in page  # the page for it would refuse
    Campaign.objects.filter(pk=dated.pk).update(topics_from="2001-01-01T00:00Z")
    page = page_of(client.get(reverse("runs", args=[dated.slug])))
    assert (early in page, late in page, "Submit or check a run" in page) == (False, True, True)


def test_participants_read_when_topics_come_out_and_then_have_them(
    dated: Campaign, participant: User, client: Client
) -> None:
    client.force_login(participant)
    page, file = reverse("topics", args=[dated.slug]), reverse("topics-file", args=[dated.slug, "questions"])
    api = f"/api/v1/campaigns/{dated.slug}/"
    assert f"The topics will be released on {TOLD}." in page_of(client.get(page))
    closed = [f"{api}{name}" for name in ("topics/", "topics/1.1/", "topic-files/", "topic-files/questions/")]
    closed += [f"{api}{name}" for name in ("document-lists/", "document-lists/1/", "package/")]
    pages = [file, reverse("topic", args=[dated.slug, "1.1"]), reverse("documents-package", args=[dated.slug])]
    assert [client.get(address).status_code for address in closed + pages] == [403] * 10
    assert client.get(reverse("topic", args=[dated.slug, "no such"])).status_code == 403
    Campaign.objects.filter(pk=dated.pk).update(topics_from="2001-01-01T00:00Z")
    assert [client.get(address).status_code for address in closed + pages] == [200] * 10
    (told,) = client.get(f"{api}topic-files/").json()["results"]
    assert told == {"key": "questions", "label": "Questions", "name": "questions.xml"}
    found = client.get(file)
    assert found["Content-Disposition"] == 'attachment; filename="opinions-questions.xml"'
    assert b"".join(found.streaming_content).decode().splitlines() == [  # type: ignore[arg-type]
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<tacqa>",
        '  <target id="1" text="Velora bicycles">',
        '    <q id="1.1" type="RigidList">Which colours do people like?</q>',
        '    <q id="1.2" type="SquishyList">What do people say about them?</q>',
        "  </target>",
        "</tacqa>",
    ]
    assert file in client.get(page).content.decode()


def test_page_api_and_command_set_the_same(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    page = reverse("settings-release-dates", args=[campaign.slug])
    names = {f"release-{part}": "" for part in Part.values}
    answer = client.post(page, {**names, "release-topics": "2126-06-24T09:00"}, follow=True)
    assert "Participants see the topics from 2126-06-24 09:00 (UTC) on." in page_of(answer)
    assert "The dates are meant in UTC, the time zone of the campaign." in page_of(answer)
    address = reverse("api-campaign-release-dates", args=[campaign.slug])
    body = json.dumps({"lists": "2126-06-25 09:00", "time_zone": "AoE"})
    answer = client.post(address, body, content_type="application/json")
    assert (answer.json()["topics_from"], answer.json()["lists_from"]) == (
        "2126-06-24T09:00:00Z",
        "2126-06-25T21:00:00Z",
    )


def test_an_unknown_part_or_zone_is_refused(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(Invalid, match="Use one of: topics, lists, package"):
        set_release_dates(actor=organiser, campaign=campaign, dates={"runs": ""})
    with pytest.raises(Invalid, match="There is no time zone"):
        set_release_dates(actor=organiser, campaign=campaign, dates={}, time_zone="Middle/Earth")
