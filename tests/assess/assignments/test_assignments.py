"""Handing out work, taking it up, finishing it, giving it back."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from assess.assignments.domain.assignments import (
    create_assignment,
    finish_assignment,
    open_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.models import Activity, Assignment, HelpRequest, Item, Topic
from tests import factories

pytestmark = pytest.mark.django_db


def hand_out(topic: Topic, assessor: User, by: User, *, stage: str = "instances", role: str = "primary") -> Assignment:
    return create_assignment(actor=by, campaign=topic.campaign, topic=topic, stage=stage, assessor=assessor, role=role)


def test_handing_out_the_same_again_changes_nothing(rigid: Topic, assessor: User, organiser: User) -> None:
    first = hand_out(rigid, assessor, organiser)
    assert hand_out(rigid, assessor, organiser) == first
    assert list(Activity.objects.values_list("action", flat=True)) == ["assignment.create"]


def test_a_stage_has_one_author(rigid: Topic, assessor: User, second_assessor: User, organiser: User) -> None:
    hand_out(rigid, assessor, organiser)
    with pytest.raises(Conflict, match="already has its primary assessor"):
        hand_out(rigid, second_assessor, organiser)
    assert hand_out(rigid, second_assessor, organiser, role="second").role == "second"


def test_a_command_hands_out_all_that_it_is_asked_for_or_nothing(
    rigid: Topic, squishy: Topic, assessor: User, second_assessor: User, organiser: User
) -> None:
    """The first topic is free, the second has its author."""
    hand_out(squishy, second_assessor, organiser, stage="nuggets")
    with pytest.raises(CommandError, match="already has its primary assessor"):
        call_command("assign", "opinions", "--all", "--assessor", "assessor", "--organiser", "organiser")
    assert not assessor.assignments.exists()
    call_command("assign", "opinions", "--topic", "1.1", "--assessor", "assessor", "--organiser", "organiser")
    assert [each.topic for each in assessor.assignments.all()] == [rigid] * 2


def test_only_those_who_judge_get_work(rigid: Topic, participant: User, organiser: User) -> None:
    with pytest.raises(Invalid, match="does not judge"):
        hand_out(rigid, participant, organiser)


def test_a_stage_belongs_to_its_task(rigid: Topic, assessor: User, organiser: User) -> None:
    with pytest.raises(Invalid, match="no stage"):
        hand_out(rigid, assessor, organiser, stage="nuggets")


def test_a_stage_opens_when_the_one_before_is_done(rigid: Topic, assessor: User, organiser: User) -> None:
    grading = factories.assignment(rigid, "instances", assessor)
    classes = hand_out(rigid, assessor, organiser, stage="classes")
    with pytest.raises(Conflict, match="Opens when"):
        open_assignment(actor=assessor, assignment=classes)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    assert open_assignment(actor=assessor, assignment=classes).state == "started"


def test_work_is_finished_only_when_nothing_is_missing(grading: Assignment, assessor: User) -> None:
    with pytest.raises(Conflict):
        finish_assignment(actor=assessor, assignment=grading)
    grading.refresh_from_db()
    assert grading.state == "started"


def test_finished_work_can_be_taken_up_again(grading: Assignment, assessor: User, stranger: User) -> None:
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    grading.refresh_from_db()
    with pytest.raises(NotAllowed):
        reopen_assignment(actor=stranger, assignment=grading)
    assert reopen_assignment(actor=assessor, assignment=grading).state == "started"


def test_work_given_back_can_go_to_another(
    grading: Assignment, rigid: Topic, second_assessor: User, organiser: User
) -> None:
    return_assignment(actor=organiser, assignment=grading)
    assert hand_out(rigid, second_assessor, organiser).role == "primary"


def test_work_that_was_taken_away_at_this_moment_is_not_taken_up_again(
    grading: Assignment, rigid: Topic, assessor: User, second_assessor: User, organiser: User
) -> None:
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    grading.refresh_from_db()  # as the click of its assessor reads it
    return_assignment(actor=organiser, assignment=Assignment.objects.get(pk=grading.pk))
    hand_out(rigid, second_assessor, organiser)
    assert reopen_assignment(actor=assessor, assignment=grading).state == "returned"
    assert Assignment.objects.get(pk=grading.pk).state == "returned"


def test_work_that_was_stopped_at_this_moment_is_not_given_back(grading: Assignment, assessor: User) -> None:
    Assignment.objects.filter(pk=grading.pk).update(state="stopped")
    with pytest.raises(Conflict):
        return_assignment(actor=assessor, assignment=grading)
    assert Assignment.objects.get(pk=grading.pk).state == "stopped"


def test_a_question_is_asked_once_and_answered(
    grading: Assignment, assessor: User, organiser: User, rigid_items: list[Item]
) -> None:
    key = uuid4()
    for _ in range(2):
        asked = ask_organiser(
            actor=assessor, assignment=grading, item=rigid_items[0], text="Is teal blue?", client_key=key
        )
    assert HelpRequest.objects.count() == 1
    with pytest.raises(Conflict):
        ask_organiser(actor=assessor, assignment=grading, item=None, text="Is teal blue?", client_key=key)
    with pytest.raises(Invalid):
        answer_question(actor=organiser, request=asked, answer=" ", excuse=True)
    answer_question(actor=organiser, request=asked, answer="Yes.", excuse=False)
    assert list(HelpRequest.objects.values_list("answer", "excused")) == [("Yes.", False)]
