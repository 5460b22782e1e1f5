"""Writers at the same moment: none waits for another for ever, none writes into a frozen campaign."""

from __future__ import annotations

import re
from pathlib import Path
from time import sleep

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.questions_to_organiser import ask_organiser
from assess.base.errors import Conflict
from assess.campaigns.activity import record_activity
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, HelpRequest, Item, Judgment
from assess.organising.domain import change_state
from assess.replay.kept_lines import HeldLines
from assess.replay.replaying import replay_lines
from assess.replay.session import ReplayLine
from assess.work.domain import take_from_stack
from nuggets.writing.lists import start_list
from scoring.release.recorded_acts import Judged
from tests import factories
from tests.nuggets.keys import key
from tests.together import together

ROUNDS = 15


def test_row_that_points_at_a_locked_campaign_does_not_wait(
    committed_db: None, campaign: Campaign, organiser: User
) -> None:
    def long_job() -> None:
        for _ in range(ROUNDS):
            with transaction.atomic():
                Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
                sleep(0.01)
                record_activity(actor=organiser, action="pool.build", campaign=campaign)

    def small_one() -> None:
        for _ in range(3 * ROUNDS):
            with transaction.atomic():
                record_activity(actor=organiser, action="assignment.open", campaign=campaign)

    assert together(long_job, small_one) == []


def test_question_asked_from_two_tabs_at_once_is_one(
    committed_db: None, grading: Assignment, assessor: User, rigid_items: list[Item]
) -> None:
    def ask() -> None:
        begun = Assignment.objects.select_related("campaign").get(pk=grading.pk)
        ask_organiser(actor=assessor, assignment=begun, item=rigid_items[0], text="Is it?", client_key=key("ask"))

    assert together(ask, ask, ask, ask) == []
    assert HelpRequest.objects.count() == 1


def test_every_row_is_locked_so_that_rows_may_still_point_at_it() -> None:
    root = Path(__file__).resolve().parents[2]
    locks = [
        f"{path.relative_to(root)}: {found}"
        for app in ("assess", "nuggets", "tracks")
        for path in sorted((root / app).rglob("*.py"))
        for found in re.findall(r"select_for_update\([^)]*\)", path.read_text())
    ]
    assert len(locks) > 10
    assert [lock for lock in locks if "no_key=True" not in lock] == []


def test_nothing_is_judged_by_a_request_that_began_before_the_freeze(
    grading: Assignment, assessor: User, organiser: User, rigid_items: list[Item]
) -> None:
    begun = Assignment.objects.select_related("campaign").get(pk=grading.pk)
    change_state(actor=organiser, campaign=Campaign.objects.get(pk=begun.campaign_id), state="frozen")
    judgment = JudgmentInput(item=rigid_items[0], criterion="correctness", value=1, client_key=key("late"))
    with pytest.raises(Conflict, match="frozen"):
        record_judgment(actor=assessor, assignment=begun, judgment=judgment)
    assert not Judgment.objects.exists()


def test_no_list_is_begun_by_a_request_that_began_before_the_freeze(
    nugget_writing: Assignment, assessor: User, organiser: User
) -> None:
    begun = Assignment.objects.select_related("campaign", "topic").get(pk=nugget_writing.pk)
    change_state(actor=organiser, campaign=Campaign.objects.get(pk=begun.campaign_id), state="frozen")
    with pytest.raises(Conflict, match="frozen"):
        start_list(actor=assessor, assignment=begun)


def test_state_moves_from_what_it_is_now_not_from_what_a_page_saw(campaign: Campaign, organiser: User) -> None:
    change_state(actor=organiser, campaign=campaign, state="frozen")
    stale = Campaign.objects.get(pk=campaign.pk)
    change_state(actor=organiser, campaign=campaign, state="judging")
    with pytest.raises(Conflict):
        change_state(actor=organiser, campaign=stale, state="released")
    campaign.refresh_from_db()
    assert campaign.state == "judging"


def test_who_takes_from_the_stack_at_the_same_moment_gets_another_topic(
    committed_db: None, workshop: Campaign, author: User
) -> None:
    for place in (2, 3):
        factories.topic(workshop, f"d{place}", "What?", task="definition", ordinal=10 + place)
    for number in ("d1", "d2", "d3"):
        factories.assignment(workshop.topics.get(number=number), "write", author)
    people = [factories.member(workshop, name, "assessor") for name in ("ada", "bo", "cy")]
    tasks = [lambda person=person: take_from_stack(actor=person, campaign=workshop) for person in people]
    assert together(*tasks) == []
    taken = Assignment.objects.filter(role="second").values_list("topic__number", "stage")
    assert sorted(taken) == [(f"d{n}", stage) for n in (1, 2, 3) for stage in ("find", "write")]


def test_who_judges_while_judgments_are_imported_waits_for_them(
    committed_db: None, grading: Assignment, assessor: User, organiser: User, rigid_items: list[Item]
) -> None:
    other = factories.assignment(
        grading.topic, "instances", factories.member(grading.campaign, "bo", "assessor"), role="second"
    )
    acts = [
        Judged(
            by=by,
            topic=grading.topic.number,
            docno=item.docno,
            answer=item.text,
            criterion="correctness",
            value=1,
            role=role,
            note=f"{number}",
        )
        for number in range(ROUNDS)
        for by, role in (("one", ""), ("two", "second"))
        for item in rigid_items[:1]
    ]

    def bring() -> None:
        people = {"one": assessor, "two": other.assessor}
        for start in range(0, len(acts), 2):
            lines = HeldLines([ReplayLine(place, act) for place, act in enumerate(acts[start : start + 2])])
            replay_lines(actor=organiser, campaign=grading.campaign, lines=lines, people=people, name="It")

    def judge() -> None:
        begun = Assignment.objects.select_related("campaign").get(pk=other.pk)
        for number in range(3 * ROUNDS):
            said = JudgmentInput(
                item=rigid_items[0], criterion="correctness", value=1, client_key=key(f"at once {number}")
            )
            record_judgment(actor=other.assessor, assignment=begun, judgment=said)

    assert together(bring, judge) == []
    assert Judgment.objects.count() == 5 * ROUNDS
