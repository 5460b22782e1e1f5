"""Who came in, what went out, and who worked how long."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.campaigns.activity import record_activity
from assess.exports.domain import export_campaign
from assess.exports.parts import part_of
from assess.models import Assignment, Campaign, Item, Judgment
from assess.people.domain.tokens import create_token
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db


def rows_of(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(f"{address}{'&' if '?' in address else '?'}format=csv")
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))  # type: ignore[arg-type]


@pytest.fixture
def came(campaign: Campaign, organiser: User, assessor: User, stranger: User) -> User:
    """A member and a stranger who logged in and made tokens, an export, and somebody who guesses."""
    for person in (assessor, stranger):
        Client().post(reverse("login"), {"username": person.username, "password": factories.PASSWORD})
        create_token(actor=person, name="nightly", scopes=["read"])
    Client().post(reverse("login"), {"username": "assessor", "password": "wrong"})
    record_activity(actor=organiser, action="export.write", campaign=campaign)
    record_activity(actor=organiser, action="topics.load", campaign=campaign)
    return assessor


def test_organisers_see_what_bears_on_their_campaign_and_its_members(
    campaign: Campaign, organiser: User, came: User
) -> None:
    desk = Client()
    desk.force_login(organiser)
    address = reverse("audit", args=[campaign.slug])
    told = [(row["Who"], row["What"]) for row in rows_of(desk, address)]
    assert told == [
        ("organiser", "exported files"),
        ("assessor", "made an API token"),
        ("assessor", "logged in"),
    ]
    assert [row["Who"] for row in rows_of(desk, f"{address}?kind=login")] == ["assessor"]
    page = page_of(desk.get(address))
    assert "logged in" in page and "Wrong passwords" not in page


def test_what_went_out_is_said_in_words(campaign: Campaign, organiser: User) -> None:
    files = {"qrels.txt": "0" * 64, "judgments.jsonl": "1" * 64}
    record_activity(actor=organiser, action="export.write", campaign=campaign, data={"as_of": 9, "files": files})
    desk, keeper = Client(), Client()
    desk.force_login(organiser)
    keeper.force_login(User.objects.create_superuser("keeper"))
    said = "as of: 9 · files: qrels.txt 000000000000…, judgments.jsonl 111111111111…"
    for client, address in ((desk, reverse("audit", args=[campaign.slug])), (keeper, reverse("site-audit"))):
        page = page_of(client.get(f"{address}?kind=export"))
        assert said in page and ">Opened again</option>" in page


def test_an_export_of_a_part_says_which(begun_grading: Assignment, organiser: User, tmp_path: Path) -> None:
    campaign, topic = begun_grading.campaign, begun_grading.topic.number
    export_campaign(actor=organiser, snapshot=part_of(campaign, topics=topic), folder=tmp_path / "part")
    export_campaign(actor=organiser, snapshot=part_of(campaign), folder=tmp_path / "whole")
    desk = Client()
    desk.force_login(organiser)
    page = page_of(desk.get(f"{reverse('audit', args=[campaign.slug])}?kind=export"))
    whole, part = page.split("exported files")[1:]
    assert f"topics: {topic}" in part and "topics: " not in whole


def test_whoever_keeps_the_site_sees_all_of_it_and_wrong_passwords(organiser: User, came: User) -> None:
    keeper, desk = Client(), Client()
    keeper.force_login(User.objects.create_superuser("keeper"))
    desk.force_login(organiser)
    told = {(row["Who"], row["What"]) for row in rows_of(keeper, reverse("site-audit"))}
    assert {("stranger", "logged in"), ("stranger", "made an API token"), ("organiser", "exported files")} <= told
    assert "assessor</bdi> from 127.0.0.1: 1, the last" in page_of(keeper.get(reverse("site-audit")))
    assert desk.get(reverse("site-audit")).status_code == 404


def test_a_time_sheet_adds_up_what_judgments_carry_by_person_and_month(
    campaign: Campaign, organiser: User, grading: Assignment, second_assessor: User, rigid_items: list[Item]
) -> None:
    second = factories.assignment(grading.topic, "instances", second_assessor, role="second")
    for work, text, seconds in (
        *((grading, each, 900.0) for each in ("blue bicycle", "green bicycle")),
        (grading, "red bicycle", None),
        (second, "blue bicycle", 1800.0),
    ):
        judging.judge(work, text, 1, seconds=seconds)
    desk = Client()
    desk.force_login(organiser)
    address = reverse("time-sheets", args=[campaign.slug])
    sheet = [
        (row["Person"], row["Stage"], row["Recorded"], row["Timed"], row["Active hours"])
        for row in rows_of(desk, address)
    ]
    assert sheet == [("assessor", "instances", "3", "2", "0.5"), ("second_assessor", "instances", "1", "1", "0.5")]
    (own,) = rows_of(desk, f"{address}?person=assessor&month={Judgment.objects.first().created_at:%Y-%m}")
    assert own["Person"] == "assessor"
    for asked in ("month=1999-01", "month=x", "person=nobody"):
        assert rows_of(desk, f"{address}?{asked}") == [], "no sheet of another month or person"
        assert f'<option value="{asked.partition("=")[2]}" selected>' in page_of(desk.get(f"{address}?{asked}"))
    page = page_of(desk.get(f"{address}?person=assessor"))
    assert "<dt>assessor</dt><dd>0.50 hours on 1 day</dd>" in page and "<dt>second_assessor</dt>" not in page
    assert "Judge instances" in page, "the stage, as other pages name it"
    assert ">Monat<" in desk.get(address, headers={"accept-language": "de"}).text
