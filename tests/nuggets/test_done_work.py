"""Whatever is done in whatever order, no work is marked as done in which its own kind finds something missing."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from django.test import TestCase
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule, run_state_machine_as_test

from assess.assignments.domain.assignments import finish_assignment, open_assignment, reopen_assignment
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.base.errors import Refused
from assess.campaigns.queries import stage_of
from assess.items.queries import pooled_items
from assess.kinds.base import work_kind
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, HelpRequest, Item, Membership
from assess.pools.domain.building import build_pool
from assess.work.domain import hand_over
from nuggets.classes.found_answers import add_found_answer
from nuggets.classes.record import create_class, remove_from_class
from nuggets.matches.record import review_items
from nuggets.votes.record import record_vote
from nuggets.writing.counting_lists import latest_list, list_for
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import add_nugget, retire_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.nuggets.machines import QUICK, Machine

WORKS = [
    ("1.1", "instances", "author"),
    ("1.1", "instances", "other"),
    ("1.1", "classes", "author"),
    ("1.1", "classes", "other"),
    ("1.2", "nuggets", "author"),
    ("1.2", "nuggets", "other"),
    ("1.2", "votes", "author"),
    ("1.2", "matches", "author"),
    ("1.2", "matches", "other"),
]
WORK = st.integers(0, len(WORKS) - 1)


class DoneWork(Machine):
    """Two assessors, all stages of both questions, and pools of one run or two."""

    @initialize()
    def begin(self) -> None:
        self.organiser = self.campaign.memberships.get(role="organiser").user
        for person in (self.author, self.other):
            Membership.objects.create(campaign=self.campaign, user=person, role="assessor")
        for docno in ("D1", "D2", "D3"):
            factories.document(self.campaign, docno)
        judging.submit(self.campaign, self.organiser, "Amber1", judging.AMBER)
        judging.submit(self.campaign, self.organiser, "Basil2", judging.BASIL.replace("Basil1", "Basil2"))
        self.build(True)
        self.works = [
            factories.assignment(
                self.campaign.topics.get(number=number),
                stage,
                self.author if who == "author" else self.other,
                role="primary" if who == "author" else "second",
                state="open",
            )
            for number, stage, who in WORKS
        ]
        for which in range(len(WORKS)):
            self.work(which=which, way=2, value=1)

    def as_of(self, point: int) -> Any:
        return None

    @rule(is_small=st.booleans())
    def build(self, is_small: bool) -> None:
        for task in ("rigid", "squishy"):
            build_pool(
                actor=self.organiser,
                campaign=self.campaign,
                task=task,
                priorities=[1] if is_small else [1, 2],
                drop_judged=True,
            )

    @rule(which=WORK, way=st.integers(0, 3), value=st.sampled_from([1, -1]))
    def work(self, which: int, way: int, value: int) -> None:
        """Do the whole of an assignment, as far as it lets, and mark it as done."""
        with TestCase.captureOnCommitCallbacks(execute=True), suppress(Refused):
            work = self.again(which)
            self.acts(work, way, value)
        with TestCase.captureOnCommitCallbacks(execute=True), suppress(Refused):
            work = self.now(which)
            finish_assignment(actor=work.assessor, assignment=work)

    @rule(which=WORK)
    def hand_over(self, which: int) -> None:
        work = self.now(which)
        to = self.other if work.assessor == self.author else self.author
        with suppress(Refused):
            self.works[which] = hand_over(actor=self.organiser, assignment=work, to=to)

    @rule(which=st.integers(0, 1), excuse=st.booleans(), item=st.integers(0, 3))
    def excuse(self, which: int, excuse: bool, item: int) -> None:
        with suppress(Refused):
            work = self.again(which)
            items = list(work.topic.items.filter(repeats=None).order_by("pk"))
            key = judging.key(work.pk, item)
            asked = HelpRequest.objects.filter(client_key=key).first() or ask_organiser(
                actor=work.assessor, assignment=work, item=items[item % len(items)], text="?", client_key=key
            )
            answer_question(actor=self.organiser, request=asked, answer="So.", excuse=excuse)

    def now(self, which: int) -> Assignment:
        found = Assignment.objects.select_related("topic", "assessor", "campaign").get(pk=self.works[which].pk)
        found.topic.campaign = found.campaign
        return found

    def again(self, which: int) -> Assignment:
        """The work, taken up (again)."""
        work = self.now(which)
        open_assignment(actor=work.assessor, assignment=work)
        reopen_assignment(actor=work.assessor, assignment=work)
        return self.now(which)

    def acts(self, work: Assignment, way: int, value: int) -> None:
        by: dict[str, Any] = {"actor": work.assessor, "assignment": work}
        items = list(pooled_items(work.topic, "instance").order_by("pk"))
        if work.stage == "instances":
            for item in items[way % 2 :]:
                said = JudgmentInput(item=item, criterion="correctness", value=value, client_key=self.key())
                record_judgment(**by, judgment=said)
        elif work.stage == "classes" and way == 0:
            add_found_answer(**by, text=f"found {self.keys}", docno="D3", client_key=self.key())
        elif work.stage == "classes":
            correct = list(Item.objects.filter(topic=work.topic, judgments__value=1).distinct().order_by("pk"))
            if way == 1:
                remove_from_class(**by, items=correct[:1], client_key=self.key())
            else:
                create_class(**by, items=correct, label=f"class {self.keys}", client_key=self.key())
        elif work.stage == "nuggets":
            draft = latest_list(work) or start_list(**by)
            draft = revise_list(actor=work.assessor, nugget_list=draft) if draft.is_frozen else draft
            add_nugget(
                actor=work.assessor, nugget_list=draft, text=f"n {self.keys}", importance="vital", client_key=self.key()
            )
            if way == 0:
                retire_nugget(actor=work.assessor, nugget_list=draft, number=1, client_key=self.key())
            if way < 3:
                freeze_list(actor=work.assessor, nugget_list=draft, client_key=self.key())
        elif (used := list_for(work)) is not None and work.stage == "votes":
            for nugget in used.nuggets.filter(is_retired=False):
                record_vote(**by, nugget=nugget, importance="okay" if way else None, client_key=self.key())
        elif used is not None:
            review_items(**by, items=items, is_reviewed=way > 0, client_key=self.key())

    @invariant()
    def no_done_work_lacks_anything(self) -> None:
        for work in self.campaign.assignments.filter(state="done").select_related("topic", "assessor"):
            work.campaign = work.topic.campaign = self.campaign
            kind = work_kind(stage_of(self.campaign, work.stage)[1].work.key)
            assert kind.missing(work) == "", (work.stage, work.assessor.username)


@pytest.mark.django_db
def test_no_done_work_lacks_anything() -> None:
    run_state_machine_as_test(DoneWork, settings=settings(QUICK, max_examples=3, stateful_step_count=16))
