"""Looking again: what one said last, notes, questions, corrections and one's own day, over all topics on one page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.assignments.domain.assignments import open_assignment
from assess.assignments.domain.questions_to_organiser import ask_organiser
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.models import JUDGES
from assess.campaigns.seats import access_seat
from assess.kinds.picks.bench import label_of
from assess.kinds.picks.record import record_picks
from assess.models import Assignment, Campaign, Item, Topic
from assess.work.domain import hand_over
from assess.work.queries.look_again import held_of, judged_assignments
from assess.work.queries.own_day import OwnDay, own_day
from nuggets.classes.record import create_class
from tests import factories
from tests.assess import judged_campaign as judging
from tests.benches import Benches, need_relevant_passage, say

pytestmark = pytest.mark.django_db
ANSWERS = ["blue bicycle", "green bicycle", "red bicycle"]


@pytest.fixture
def work(rigid: Topic, assessor: User) -> Assignment:
    """Grading of three answers."""
    factories.pooled(rigid, ANSWERS)
    return factories.assignment(rigid, "instances", assessor)


def page_of(client: Client, person: User, campaign: Campaign, show: str = "all") -> str:
    client.force_login(person)
    answer = client.get(reverse("look-again", args=[campaign.slug]), {"show": show})
    assert answer.status_code == 200
    return unescape(re.sub(r"\s+", " ", answer.content.decode()))


def day_of_person(work: Assignment, now: datetime, zone: str = "") -> OwnDay:
    seat = access_seat(work.assessor, work.campaign.slug, *JUDGES)
    return own_day(seat, held_of(judged_assignments(work.campaign, work.assessor)), now, zone)


def lines(page: str) -> list[str]:
    """The things of the lines, in their order."""
    return re.findall(r"data-row-link><bdi[^>]*>([^<]*)<", page)


def test_what_one_said_last_stands_together_with_notes_and_questions(
    client: Client, work: Assignment, rigid: Topic, second_assessor: User
) -> None:
    campaign = rigid.campaign
    judging.judge(work, "blue bicycle", 1)
    judging.judge(work, "green bicycle", -1, note="Is teal green?")
    judging.judge(work, "blue bicycle", 2)
    red = rigid.items.get(text="red bicycle")
    ask_organiser(actor=work.assessor, assignment=work, item=red, text="Which red?", client_key=uuid4())
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    judging.judge(other, "red bicycle", 1, note="The other one's note.")

    page = page_of(client, work.assessor, campaign)
    assert lines(page) == ["red bicycle", "blue bicycle", "green bicycle"]
    assert "unsupported" in page
    assert "The other one's note." not in page
    handle = handle_of(work, rigid.items.get(text="green bicycle").pk)
    assert f"{reverse('workbench', args=[campaign.slug, work.pk])}?item={handle}" in page
    notes = page_of(client, work.assessor, campaign, "notes")
    assert (lines(notes), "Is teal green?" in notes) == (["green bicycle"], True)
    questions = page_of(client, work.assessor, campaign, "questions")
    assert (lines(questions), "Which red?" in questions) == (["red bicycle"], True)


def test_what_was_set_aside_is_kept_until_it_is_judged(
    client: Client, work: Assignment, rigid: Topic, second_assessor: User
) -> None:
    campaign = rigid.campaign
    client.force_login(work.assessor)
    bench = reverse("workbench", args=[campaign.slug, work.pk])
    handles = {text: handle_of(work, rigid.items.get(text=text).pk) for text in ANSWERS}
    for text in (*ANSWERS[:2], ANSWERS[0]):
        answer = client.post(f"{bench}later/", {"item": handles[text]}, headers={"Accept": "application/json"})
        assert (answer.status_code, answer.json()) == (200, {"item": handles[text]})
    page = client.get(bench).content.decode()
    states = dict(re.findall(r'data-item="(\d+)" data-state="(\w+)"', page))
    assert {text: states[str(handle)] for text, handle in handles.items()} == {
        "blue bicycle": "later", "green bicycle": "later", "red bicycle": "open",
    }  # fmt: skip
    assert f'name="item" value="{handles["red bicycle"]}"' in page
    assert sorted(lines(page_of(client, work.assessor, campaign, "later"))) == sorted(ANSWERS[:2])
    judging.judge(work, "blue bicycle", 1)
    assert lines(page_of(client, work.assessor, campaign, "later")) == ["green bicycle"]
    flagged = client.get(bench, {"filter": "flagged"}).content.decode()
    assert re.findall(r'data-item="(\d+)"[^>]*(?<!hidden)><a', flagged) == [str(handles["green bicycle"])]
    judging.judge(work, "blue bicycle", None)
    assert len(lines(page_of(client, work.assessor, campaign, "later"))) == 2
    other = factories.assignment(rigid, "instances", second_assessor, role="second")
    assert lines(page_of(client, second_assessor, campaign, "later")) == []
    assert client.post(f"{bench}later/", {"item": handles["red bicycle"]}).status_code == 404
    theirs = reverse("workbench", args=[campaign.slug, other.pk])
    assert 'data-state="later"' not in client.get(theirs).content.decode()


def test_picks_are_looked_at_again_and_open_their_bench(client: Client, benches: Benches) -> None:
    work = benches.work["figures"]
    items = list(Item.objects.filter(topic=work.topic, kind="figure").order_by("pk"))[:3]
    record_picks(actor=work.assessor, assignment=work, items=items[:2], client_key=uuid4())
    record_picks(actor=work.assessor, assignment=work, items=[items[1], items[2]], client_key=uuid4())
    page = page_of(client, work.assessor, work.campaign)
    said = dict(re.findall(r"data-row-link><bdi[^>]*>([^<]*)</bdi></a></th> <td>([^<]*)</td>", page))
    labels = [label_of(each) for each in items]
    assert {label: said[label] for label in labels} == dict(
        zip(labels, ["taken out", "place 1", "place 2"], strict=True)
    )
    assert f'href="{reverse("workbench", args=[work.campaign.slug, work.pk])}"' in page


def test_what_is_to_be_decided_later_stands_there_until_it_is_decided(
    client: Client, work: Assignment, rigid: Topic, second_assessor: User, adjudicator: User
) -> None:
    campaign = rigid.campaign
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    for text in ANSWERS[:2]:
        judging.judge(work, text, 1)
        judging.judge(second, text, -1)
    client.force_login(adjudicator)
    desk = reverse("adjudicate", args=[campaign.slug, "instances", "correctness"])
    names = {text: judging.shown(rigid.items.get(text=text), campaign, adjudicator) for text in ANSWERS[:2]}
    for _ in range(2):
        answer = client.post(f"{desk}later/", {"item": names["blue bicycle"]}, headers={"Accept": "application/json"})
        assert (answer.status_code, answer.json()) == (200, {"item": names["blue bicycle"]})
    page = client.get(desk).content.decode()
    states = dict(re.findall(r'data-item="([^"]*)" data-state="(\w+)"', page))
    assert states == {names["blue bicycle"]: "later", names["green bicycle"]: "open"}
    assert f'name="item" value="{names["green bicycle"]}"' in page
    assert lines(page_of(client, adjudicator, campaign, "later")) == ["blue bicycle"]
    assert f'{desk}?item={names["blue bicycle"]}"' in page_of(client, adjudicator, campaign, "later")
    assert lines(page_of(client, work.assessor, campaign, "later")) == []
    client.force_login(adjudicator)
    nobody = judging.shown(rigid.items.get(text="red bicycle"), campaign, adjudicator)
    assert client.post(f"{desk}later/", {"item": nobody}).status_code == 404
    said = {"item": names["blue bicycle"], "value": "1", "client_key": str(uuid4()), "how": "key"}
    assert client.post(f"{desk}decide/", said, headers={"Accept": "application/json"}).status_code == 200
    assert lines(page_of(client, adjudicator, campaign, "later")) == []


def test_what_is_judged_apart_from_what_is_like_it_is_kept(client: Client, work: Assignment, rigid: Topic) -> None:
    client.force_login(work.assessor)
    bench = reverse("workbench", args=[rigid.campaign.slug, work.pk])
    handle = handle_of(work, rigid.items.get(text="blue bicycle").pk)
    posted = {"item": handle, "why": "apart"}
    for fields, apart in ((posted, [str(handle)]), (posted | {"back": "1"}, [])):
        answer = client.post(f"{bench}later/", fields, headers={"Accept": "application/json"})
        assert answer.status_code == 200
        page = client.get(bench).content.decode()
        assert re.findall(r'data-item="(\d+)" data-state="open" data-flag=""\s+data-apart', page) == apart
    assert lines(page_of(client, work.assessor, rigid.campaign, "later")) == []
    wrong = client.post(f"{bench}later/", posted | {"why": "never"}, headers={"Accept": "application/json"})
    assert (wrong.status_code, wrong.json()["detail"]) == (422, "Items are set aside later or apart.")


def test_groups_and_edits_of_lists_are_looked_at_again(client: Client, rigid: Topic, assessor: User) -> None:
    blue, red = factories.pooled(rigid, ["blue bicycle", "red bicycle"])
    grading = factories.assignment(rigid, "instances", assessor)
    for each in (blue, red):
        judging.judge(grading, each.text, 1)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    classes = factories.assignment(rigid, "classes", assessor)
    create_class(actor=assessor, assignment=classes, items=[blue], label="Blue ones", client_key=uuid4())
    writing = factories.assignment(rigid, "nuggets", assessor)
    judging.write_list(writing, **{"cheap wine": "vital"})
    page = page_of(client, assessor, rigid.campaign)
    assert "in “Blue ones”" in page
    assert lines(page)[:2] == ["cheap wine", "blue bicycle"]
    assert "written</td>" in page


def test_what_was_judged_in_work_that_was_given_away_is_looked_at_and_not_opened(
    client: Client, work: Assignment
) -> None:
    judging.judge(work, "blue bicycle", 1)
    client.cookies["assay-zone"] = "Asia/Kolkata"
    opened = page_of(client, work.assessor, work.campaign)
    assert ("data-row-link" in opened, "Asia/Kolkata" in opened or "IST" in opened) == (True, True)  # their own zone
    Assignment.objects.filter(pk=work.pk).update(state="returned")
    page = page_of(client, work.assessor, work.campaign)
    assert ("blue bicycle" in page, "This work went back" in page, "data-row-link" in page) == (
        True,
        True,
        False,
    )


def test_marks_and_votes_are_looked_at_again_and_open_their_string(
    client: Client, squishy: Topic, assessor: User
) -> None:
    item, other = factories.pooled(squishy, ["It is cheap.", "It broke."])
    writing = factories.assignment(squishy, "nuggets", assessor)
    made = judging.write_list(writing, **{"cheap wine": "vital"})
    Assignment.objects.filter(pk=writing.pk).update(state="done")
    matching = factories.assignment(squishy, "matches", assessor)
    voting = factories.assignment(squishy, "votes", assessor)
    judging.mark(matching, made, 1, "It broke.")
    judging.vote(voting, made, 1, "okay")
    page = page_of(client, assessor, squishy.campaign)
    assert lines(page) == ["cheap wine", "It broke.", "cheap wine"]
    assert "1: contains the nugget" in page
    for each in (writing, voting):
        assert f'"{reverse("workbench", args=[squishy.campaign.slug, each.pk])}?nugget=1"' in page
    bench = reverse("workbench", args=[squishy.campaign.slug, matching.pk])
    for each in (item, other):
        opened = client.get(bench, {"item": handle_of(matching, each.pk)}).content.decode()
        shown = re.search(r"<main.*?aria-current[^>]*>.*?<p[^>]*data-words[^>]*>([^<]*)<", opened, re.DOTALL)
        assert shown is not None
        assert shown[1] == each.text


@pytest.fixture
def decided(work: Assignment, second_assessor: User, adjudicator: User) -> Assignment:
    """Of two answers on which two people differ, one was decided as the author said, one otherwise."""
    other = factories.assignment(work.topic, "instances", second_assessor, role="second")
    for text in ANSWERS[:2]:
        judging.judge(work, text, 1)
        judging.judge(other, text, -1, note="A private note.")
    third = factories.assignment(work.topic, "instances", adjudicator, role="adjudicator")
    judging.judge(third, "blue bicycle", 1)
    judging.judge(third, "green bicycle", 2)
    return work


def test_corrections_wait_until_nobody_judges_any_more(client: Client, decided: Assignment) -> None:
    campaign = decided.campaign
    page = page_of(client, decided.assessor, campaign, "corrected")
    assert (lines(page), "Not yet" in page) == ([], True)
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    page = page_of(client, decided.assessor, campaign, "corrected")
    assert lines(page) == ["green bicycle"]
    assert "<td>correct</td> <td><strong>unsupported</strong></td>" in page
    assert "Of 2 of your judgments that were decided, 1 stands as you said" in page
    body = page[page.index('id="main"') :]
    for word in ("A private note.", "second_assessor", "adjudicator</"):
        assert word not in body


def test_corrections_of_work_that_was_handed_over_go_to_who_judged(
    client: Client, decided: Assignment, organiser: User
) -> None:
    campaign = decided.campaign
    cleo = factories.member(campaign, "cleo", "assessor")
    onward = open_assignment(actor=cleo, assignment=hand_over(actor=organiser, assignment=decided, to=cleo))
    judging.judge(onward, "red bicycle", 1)
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    page = page_of(client, decided.assessor, campaign, "corrected")
    assert "Of 2 of your judgments that were decided, 1 stands as you said" in page
    assert "<td>correct</td> <td><strong>unsupported</strong></td>" in page
    assert re.findall(r"<bdi[^>]*>([^<]*)</bdi> <span[^>]*>no longer your work<", page) == ["green bicycle"]
    assert lines(page) == []  # it can't be opened
    assert "Nothing of what you judged was decided" in page_of(client, cleo, campaign, "corrected")


def test_the_own_day_counts_items_of_today_and_what_is_left_at_the_own_pace(work: Assignment) -> None:
    judging.judge(work, "blue bicycle", 1, seconds=60)
    judging.judge(work, "green bicycle", 1, seconds=100)
    judging.judge(work, "green bicycle", 2, seconds=20)
    now = timezone.now()
    day = day_of_person(work, now)
    assert (day.items, day.minutes, day.left, day.hours_left) == (2, 3, 1, 90 / 3600)
    later = day_of_person(work, now + timedelta(days=1))
    assert (later.items, later.minutes, later.left) == (0, 0, 1)
    judging.judge(work, "green bicycle", None)
    assert day_of_person(work, timezone.now()).items == 1
    Assignment.objects.update(state="returned")  # what was judged before stays this person's work
    day = day_of_person(work, timezone.now())
    assert (day.items, day.minutes, day.left) == (1, 3, 0)


def test_the_own_day_begins_at_the_persons_own_midnight(work: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    Campaign.objects.update(time_zone="Etc/GMT+12")
    work.campaign.refresh_from_db()
    for hour, text in ((9, "blue bicycle"), (11, "green bicycle"), (13, "red bicycle")):
        at = datetime(2026, 7, 1, hour, 30, tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda at=at: at)
        judging.judge(work, text, 1)
    now = datetime(2026, 7, 1, 14, tzinfo=UTC)
    for zone, items in (("", 1), ("Middle/Earth", 1), ("Europe/Berlin", 3), ("Asia/Tokyo", 3), ("Pacific/Auckland", 1)):
        assert (zone, day_of_person(work, now, zone).items) == (zone, items)
    assert day_of_person(work, now + timedelta(hours=2), "Asia/Tokyo").items == 0


@pytest.mark.parametrize(
    ("how", "items", "others", "minutes", "left", "hours"),
    [("key", 3, 3, 2, 1, 45 / 3600), ("import", 0, 0, 0, 0, None)],
)
def test_the_own_day_counts_minutes_between_acts_that_are_no_judgments(
    work: Assignment,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    items: int,
    others: int,
    minutes: int,
    left: int,
    hours: float | None,
) -> None:
    for text in ANSWERS:
        judging.judge(work, text, 1, how=how)
    Assignment.objects.update(state="done")
    classes = factories.assignment(work.topic, "classes", work.assessor)
    now = datetime(2026, 7, 1, 9, tzinfo=UTC)
    for after, text in ((0, "blue bicycle"), (600, "green bicycle"), (630, "blue bicycle")):
        monkeypatch.setattr(timezone, "now", lambda after=after: now + timedelta(seconds=after))
        item, label = work.topic.items.get(text=text), f"{text} {after}"
        create_class(actor=work.assessor, assignment=classes, items=[item], label=label, client_key=uuid4(), how=how)
    day = day_of_person(work, now)
    assert (day.items, day.others, day.minutes) == (items, others, minutes)  # a pause counts as a minute
    assert (day.left, day.hours_left) == (left, hours)


@pytest.mark.parametrize(
    ("minutes", "said"), [(20, "40 minutes."), (31, "1 hour."), (45, "1.5 hours."), (60, "2 hours.")]
)
def test_what_is_left_is_said_in_hours(client: Client, work: Assignment, minutes: int, said: str) -> None:
    judging.judge(work, "blue bicycle", 1, seconds=60 * minutes)
    page = page_of(client, work.assessor, work.campaign)
    assert f"At your own pace the 2 items left in stages that you have begun take about {said}" in page


def test_who_did_nothing_yet_is_told_so(client: Client, work: Assignment) -> None:
    page = page_of(client, work.assessor, work.campaign)
    assert "nothing judged yet." in page
    assert "At your own pace" not in page


def test_a_value_stands_with_its_question_where_a_stage_asks_two(benches: Benches, client: Client) -> None:
    work = benches.work["responses"]
    need_relevant_passage(benches)
    (response,) = benches.items("response")
    for number, criterion in enumerate(("content", "organisation"), start=7):
        say(work, response, criterion, number)
    page = page_of(client, benches.assessor, benches.campaign)
    assert "<td>Content, 0 to 10: 7</td>" in page
    assert "<td>Organisation, 0 to 10: 8</td>" in page
