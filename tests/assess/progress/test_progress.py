"""The progress page, its command and its API: the same figures, what is stuck, when the rest may be done."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from assess.campaigns.queries import ledger_point
from assess.kinds.grade.tally import plain_grade_tally
from assess.models import Assignment, Campaign, HelpRequest, Item, Judgment
from assess.progress.domain import count_work
from assess.progress.plots import _ticks
from assess.progress.queries.progress_report import ProgressReport, report_from_counts
from tests import factories
from tests.pages import page_of

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def items(campaign: Campaign) -> list[Item]:
    return factories.pooled(campaign.topics.get(number="1.1"), [f"answer {number}" for number in range(40)])


@pytest.fixture
def work(campaign: Campaign, assessor: User, items: list[Item]) -> Assignment:
    made = factories.assignment(items[0].topic, "instances", assessor)
    Assignment.objects.filter(pk=made.pk).update(
        created_at=NOW - timedelta(days=20), started_at=NOW - timedelta(days=9)
    )
    made.refresh_from_db()
    return made


def judge(work: Assignment, item: Item, *, ago: float, seconds: float | None = 20.0, value: int | None = 1) -> None:
    """A judgment so many days before `NOW`."""
    row = Judgment(
        item=item,
        criterion="correctness",
        value=value,
        assignment=work,
        assessor=work.assessor,
        client_key=uuid4(),
        how="key",
        seconds=seconds,
    )
    with patch("django.utils.timezone.now", return_value=NOW - timedelta(days=ago)):
        row.save()


def standing(campaign: Campaign, now: datetime = NOW) -> ProgressReport:
    return report_from_counts(campaign, count_work(campaign), now)


def judge_some(work: Assignment, items: list[Item]) -> None:
    """Four a day on the last five days, two today."""
    for place, item in enumerate(items[:20]):
        judge(work, item, ago=5 - place // 4)
    for item in items[20:22]:
        judge(work, item, ago=0)


def test_what_is_done_by_day_comes_to_what_is_done(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    judge_some(work, items)
    judge(work, items[0], ago=0, value=None)  # taken back: not done any more
    found = standing(campaign)
    assert found.all is not None
    assert (found.all.done, found.all.left) == (21, 19)
    assert round(sum(day.done for day in found.days), 6) == 21
    assert round(found.days[-1].so_far, 6) == 21
    assert found.days[0].day.isoformat() == "2026-02-25"
    (pace,) = found.paces
    assert (round(pace.hours, 4), pace.usual) == (round(23 * 20 / 3600, 4), 20.0)


def test_the_finish_of_the_rest_is_estimated(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    judge_some(work, items)
    found = standing(campaign)
    assert found.forecast is not None and found.forecast.middle is not None
    assert (found.forecast.middle - found.today).days == 5  # 18 left, four a day
    assert (found.done_day, found.done_week) == (2, 22)


def test_nobody_will_do_what_is_left_where_judging_was_stopped(
    campaign: Campaign, work: Assignment, items: list[Item]
) -> None:
    judge_some(work, items)
    Assignment.objects.filter(pk=work.pk).update(state="stopped")
    found = standing(campaign)
    assert found.forecast is None
    assert found.all is not None
    assert (found.all.left, found.all.hours_left) == (18, 0)


def test_too_little_to_go_by_is_undefined(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    judge(work, items[0], ago=1)
    assert standing(campaign).forecast is None


@pytest.mark.parametrize(("days", "kinds"), [(1, []), (4, ["idle"])], ids=["judged yesterday", "nothing for four days"])
def test_work_that_nobody_goes_on_with_is_stuck(
    campaign: Campaign, work: Assignment, items: list[Item], days: int, kinds: list[str]
) -> None:
    judge(work, items[0], ago=days)
    assert [each.kind for each in standing(campaign).stuck] == kinds


def test_work_never_begun_is_stuck_unless_it_waits(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    judge(work, items[0], ago=0)
    classes = factories.assignment(items[0].topic, "classes", work.assessor, state="open")
    lists = factories.assignment(campaign.topics.get(number="1.2"), "nuggets", work.assessor, state="open")
    Assignment.objects.filter(pk__in=[classes.pk, lists.pk]).update(created_at=NOW - timedelta(days=8))
    (found,) = standing(campaign).stuck
    assert (found.kind, found.piece and found.piece.assignment.pk) == ("untouched", lists.pk)


def test_one_is_said_in_the_singular(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    for item in items[:-1]:
        judge(work, item, ago=0)
    Assignment.objects.filter(pk=work.pk).update(lease_until=NOW + timedelta(hours=1))
    (found,) = standing(campaign).stuck
    assert found.text == "The lease ends in 1 hour; 1 instance is left."


def test_a_lease_that_runs_out_and_a_question_that_waits(
    campaign: Campaign, work: Assignment, items: list[Item]
) -> None:
    judge(work, items[0], ago=0)
    Assignment.objects.filter(pk=work.pk).update(lease_until=NOW + timedelta(hours=5))
    asked = HelpRequest.objects.create(assignment=work, item=items[1], text="Is a shop a place?", client_key=uuid4())
    HelpRequest.objects.filter(pk=asked.pk).update(asked_at=NOW - timedelta(days=2))
    found = standing(campaign)
    assert [(each.kind, each.text) for each in found.stuck] == [
        ("lease", "The lease ends in 5 hours; 39 instances are left."),
        ("question", "Asked 2 days ago: Is a shop a place?"),
    ]
    assert (found.questions.waiting, found.questions.all) == (1, 1)


def test_a_long_question_is_cut(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    judge(work, items[0], ago=0)
    for text in ("x" * 120, "y" * 121):
        asked = HelpRequest.objects.create(assignment=work, item=items[1], text=text, client_key=uuid4())
        HelpRequest.objects.filter(pk=asked.pk).update(asked_at=NOW)
    found = [(each.assessor, each.text) for each in standing(campaign).stuck if each.help_id]
    assert found == [("assessor", f"Asked today: {'x' * 120}"), ("assessor", f"Asked today: {'y' * 120}…")]


def test_a_pace_far_below_ones_own_is_told(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    for ago in (4, 3, 2, 1):
        judge(work, items[ago], ago=ago, seconds=10.0)
    judge(work, items[9], ago=0, seconds=50.0)
    (found,) = standing(campaign).stuck
    assert (found.kind, found.assessor) == ("slow", "assessor")


def test_page_command_and_api_give_the_same(
    client: Client, campaign: Campaign, organiser: User, work: Assignment, items: list[Item]
) -> None:
    for item in items[:3]:
        judge(work, item, ago=0)
    client.force_login(organiser)
    told = client.get(f"/api/v1/campaigns/{campaign.slug}/progress/summary/").json()
    out = io.StringIO()
    call_command("progress", campaign.slug, "--format", "json", stdout=out)
    assert json.loads(out.getvalue()) == told
    assert told["counts"] == {"assessors": 1, "topics": 1, "stuck": 1}
    later = client.get(f"/api/v1/campaigns/{campaign.slug}/progress/summary/?limit=1&offset=1").json()
    assert later == {**told, "assessors": [], "topics": [], "stuck": []}
    assert client.get(f"/api/v1/campaigns/{campaign.slug}/progress/summary/?limit=501").status_code == 422
    assert told["all"] | {} == {"name": "all", "pieces": 1, "finished": 0, "done": 3, "left": 37, "pace": 20.0}
    lines = io.StringIO()
    call_command("progress", campaign.slug, stdout=lines)
    rows = [line.split("\t") for line in lines.getvalue().splitlines()]
    assert ["assessor", "assessor", "done", "3"] in rows
    assert ["all", "finished", "middle", "undefined"] in rows
    page = page_of(client.get(f"/c/{campaign.slug}/progress/"))
    assert "3 of 40 items" in page and "too little to go by" in page
    assert 'data-live-every="15"' in page


def test_what_is_finished_is_not_asked_for_again(
    client: Client, campaign: Campaign, organiser: User, work: Assignment
) -> None:
    Assignment.objects.filter(pk=work.pk).update(state="done")
    client.force_login(organiser)
    assert "data-live-every" not in page_of(client.get(f"/c/{campaign.slug}/progress/"))


def test_a_long_ledger_is_counted_step_by_step(
    client: Client, campaign: Campaign, organiser: User, work: Assignment, items: list[Item]
) -> None:
    for item in items[:7]:
        judge(work, item, ago=0)
    client.force_login(organiser)
    address = f"/c/{campaign.slug}/progress/"
    with patch("assess.progress.domain.AT_ONCE", 4), patch("assess.progress.domain.BEHIND", 0):
        first = page_of(client.get(address))
        second = page_of(client.get(address))
    newest = ledger_point(campaign)
    assert f'Counting what was recorded: <span class="number">{newest - 3:,} of {newest:,}</span>' in first
    assert 'data-live-every="1"' in first
    assert "7 of 40 items" in second


def test_machines_and_work_given_back_are_in_no_figure(campaign: Campaign, work: Assignment, items: list[Item]) -> None:
    robot = factories.member(campaign, "robot", "assessor")
    machine = factories.assignment(items[0].topic, "instances", robot, role="machine")
    judge(machine, items[0], ago=1)
    gone = factories.member(campaign, "gone", "assessor")
    back = factories.assignment(items[0].topic, "instances", gone, role="second", state="returned")
    judge(back, items[0], ago=1)
    judge(work, items[0], ago=1)
    found = standing(campaign)
    assert found.all is not None and (found.all.done, found.all.pieces) == (1, 1)
    assert [pace.name for pace in found.paces] == ["assessor"]
    assert [day.done for day in found.days] == [1]


def test_plots_hold_the_numbers_that_stand_beside_them(
    client: Client, campaign: Campaign, organiser: User, work: Assignment, items: list[Item]
) -> None:
    with patch("tests.assess.progress.test_progress.NOW", timezone.now()):
        judge_some(work, items)
    client.force_login(organiser)
    page = page_of(client.get(f"/c/{campaign.slug}/progress/"))
    assert "22 of 40 items done from" in page
    assert "<title>1.1, " in page and ": 22 of 40</title>" in page
    assert 'class="fan"' in page and 'class="small-plot"' in page


def test_the_overview_sends_to_disagreements_that_wait(
    client: Client, campaign: Campaign, organiser: User, work: Assignment, items: list[Item]
) -> None:
    other = factories.assignment(
        items[0].topic, "instances", factories.member(campaign, "other", "assessor"), role="second"
    )
    judge(work, items[0], ago=1)
    judge(other, items[0], ago=1)
    client.force_login(organiser)
    assert "to settle" not in page_of(client.get(f"/c/{campaign.slug}/"))
    judge(work, items[1], ago=1)
    judge(other, items[1], ago=1, value=-1)
    page = page_of(client.get(f"/c/{campaign.slug}/"))
    assert "1 disagreement between assessors to settle." in page
    with patch("assess.adjudication.queries.disagreements.FEW", 1):
        assert "disagreements may wait" in page_of(client.get(f"/c/{campaign.slug}/"))


def shown_shades(client: Client, address: str) -> set[float]:
    """How strong the colours are in the picture of topics by stage, which is as wide as one of forty topics."""
    text = client.get(address).content.decode()
    assert '<svg class="plot strip" viewBox="0 0 400 16"' in text
    stages, _, cells = text.partition('class="strip-stages">')[2].partition("</ol>")
    assert stages.count("<li ") == 1
    assert re.findall(r'<a href="([^"]+)" tabindex="-1"\s*><rect', cells)[0].endswith("/view/")
    return {float(shade) for shade in re.findall(r'<rect fill-opacity="([\d.]+)" x="\d+" y=', text)}


@pytest.mark.parametrize(
    ("topics", "columns", "ticks"),
    [
        (["7"], 40, [("topic 7", 0, "start")]),
        (["1.1", "8.3"], 40, [("topic 1.1–8.3", 0, "start")]),  # one beside the other they don't fit
        ([str(n) for n in range(1, 10)], 40, [("topic 1", 0, "start"), ("9", 21.2, "middle")]),
        (
            [f"{n}.1" for n in range(1, 27)],
            40,
            [("topic 1.1", 0, "start"), ("13.1", 31.2, "middle"), ("26.1", 63.8, "middle")],
        ),
        ([f"2023_{n}-10" for n in range(60)], 60, [("topic 2023_0-10", 0, "start"), ("2023_59-10", 100, "end")]),
        (
            [str(n) for n in range(1, 51)],
            50,
            [
                ("topic 1", 0, "start"),
                ("13", 25, "middle"),
                ("25", 49, "middle"),
                ("38", 75, "middle"),
                ("50", 100, "end"),
            ],
        ),
    ],
)
def test_numbers_of_topics_stand_below_their_columns(topics: list[str], columns: int, ticks: list[Any]) -> None:
    assert [(tick.text, tick.at, tick.anchor) for tick in _ticks(topics, columns)] == ticks


def test_the_work_of_many_people_is_tallied_as_that_of_few(
    campaign: Campaign, work: Assignment, items: list[Item], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = factories.assignment(
        items[0].topic, "instances", factories.member(campaign, "other", "assessor"), role="second"
    )
    judge(work, items[0], ago=1)
    for item in items[:2]:
        judge(other, item, ago=1)
    found = plain_grade_tally([work])
    assert found[work.pk].done == 1
    monkeypatch.setattr("assess.kinds.grade.tally.FEW", 0)
    assert plain_grade_tally([work]) == found


def test_a_column_stands_for_several_topics_where_there_are_many(
    campaign: Campaign, assessor: User, organiser: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = campaign.topics.get(number="1.1").task
    topics = [factories.topic(campaign, f"{number}", "T", task=task, ordinal=number) for number in range(50, 55)]
    for topic in topics:
        factories.assignment(topic, "instances", assessor)
    Assignment.objects.filter(topic__in=topics[:2]).update(state=Assignment.State.DONE)
    monkeypatch.setattr("assess.progress.plots.MOST_COLUMNS", 3)
    client.force_login(organiser)
    text = client.get(f"/c/{campaign.slug}/progress/").content.decode()
    cells = re.findall(r'<rect fill-opacity="([\d.]+)" x="(\d+)" [^>]*><title>([^,]+), ', text)
    assert cells == [("1.0", "0", "50–51"), ("0.0", "10", "52–53"), ("0.0", "20", "54")]
    assert re.findall(r'<a [^>]*tabindex="-1"', text) == []


def test_work_with_nothing_to_judge_is_done_once_its_assessor_says_so(
    campaign: Campaign, assessor: User, organiser: User, client: Client
) -> None:
    made = factories.assignment(campaign.topics.get(number="1.1"), "instances", assessor)
    client.force_login(organiser)
    address = f"/c/{campaign.slug}/progress/"
    assert shown_shades(client, address) == {0.0}
    Assignment.objects.filter(pk=made.pk).update(state=Assignment.State.DONE)
    assert shown_shades(client, address) == {1.0}
