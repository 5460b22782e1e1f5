"""Done work in which something is to be done again is open again by itself, and everybody concerned reads it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.adjudication.domain import decide
from assess.adjudication.queries.disagreements import stage_disagreements
from assess.assignments.domain.assignments import finish_assignment, mark_done, reopen_assignment
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.base.errors import Conflict, NotAllowed
from assess.campaigns import grown_work
from assess.campaigns.queries import stage_of
from assess.kinds.opinions import Decision, Disagreement
from assess.models import Activity, Assignment, Campaign, Topic
from assess.organising.domain import change_settings
from assess.organising.queries.freezing import freeze_state
from assess.organising.queries.overview import campaign_counts, next_steps
from assess.pools.domain.building import build_pool
from assess.releases.models import UnfinishedImport
from assess.runs.domain.deciding import withdraw_run
from nuggets.classes.found_answers import add_found_answer
from nuggets.writing.lists import freeze_list, revise_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def pooled(campaign: Campaign, organiser: User) -> Campaign:
    """Both questions pooled from one run: two instances, two strings."""
    for docno in ("D1", "D2", "D3"):
        factories.document(campaign, docno)
    judging.submit(campaign, organiser, "Amber1", judging.AMBER)
    judging.pool_all(campaign, organiser)
    return campaign


@pytest.fixture
def graded(pooled: Campaign, assessor: User) -> Assignment:
    """The author's instances, all judged and done: one is correct."""
    work = judging.work(pooled, "1.1", "instances", assessor)
    judging.judge(work, "blue", 1)
    judging.judge(work, "red", -1)
    return finish_assignment(actor=assessor, assignment=work)


@pytest.fixture
def now(django_capture_on_commit_callbacks: Any) -> Any:
    """What stands after the commit is done at the end of the block."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def state(work: Assignment) -> tuple[str, bool]:
    work.refresh_from_db()
    return work.state, work.has_grown


def late_run(campaign: Campaign, organiser: User) -> None:
    judging.submit(campaign, organiser, "Basil1", judging.BASIL)
    judging.pool_all(campaign, organiser)


def test_a_pool_that_grows_opens_done_work_and_all_read_it(
    pooled: Campaign, graded: Assignment, organiser: User, assessor: User, client: Client
) -> None:
    late_run(pooled, organiser)
    assert state(graded) == ("started", True)
    said = Activity.objects.get(action="assignment.grow")
    assert (said.object_id, said.actor) == (str(graded.pk), organiser)
    assert said.data == {"topic": "1.1", "stage": "instances", "assessor": assessor.pk, "left": 2}
    (first, *_) = [step for step in next_steps(pooled, campaign_counts(pooled)) if step.action == "See which"]
    assert first.text == "1 assignment that was done is open again: more came into it since."
    assert "left-over" not in {issue.code for issue in freeze_state(pooled).issues}
    client.force_login(organiser)
    progress = page_of(client.get(reverse("progress", args=[pooled.slug]), {"state": "grown"}))
    assert "open again" in progress
    client.force_login(assessor)
    page = page_of(client.get(reverse("work", args=[pooled.slug])))
    assert "1 of your assignments that was done is open again" in page
    assert "2 instances came in since you were done" in page
    assert "1 of it was done and is open again" in page_of(client.get(reverse("home")))


def test_done_work_of_a_campaign_that_is_being_imported_is_as_its_release_says(
    pooled: Campaign, graded: Assignment, organiser: User
) -> None:
    UnfinishedImport.objects.create(campaign=pooled)
    late_run(pooled, organiser)
    assert state(graded) == ("done", False)


def test_what_came_in_is_judged_and_the_work_is_done_again(
    pooled: Campaign, graded: Assignment, organiser: User, assessor: User
) -> None:
    late_run(pooled, organiser)
    graded.refresh_from_db()
    with pytest.raises(Conflict, match="2 of 4 instances are not judged"):
        finish_assignment(actor=assessor, assignment=graded)
    for text in ("the blue one", "green"):
        judging.judge(graded, text, -1)
    finish_assignment(actor=assessor, assignment=graded)
    assert state(graded) == ("done", False)


def test_a_pool_that_is_as_before_makes_the_work_done_again(
    pooled: Campaign, graded: Assignment, organiser: User
) -> None:
    late_run(pooled, organiser)
    withdraw_run(actor=organiser, run=pooled.runs.get(tag="Basil1"))
    judging.pool_all(pooled, organiser)
    assert state(graded) == ("done", False)
    assert Activity.objects.filter(action="assignment.shrink").count() == 1


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_while_done_work_is_looked_at(pooled: Campaign, graded: Assignment, organiser: User) -> None:
    sent: list[tuple[bool, str]] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        sent.append((connection.in_atomic_block, sql))
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        change_settings(actor=organiser, campaign=pooled, values={"beta": 2.0})
    assert {held for held, sql in sent if "assess_judgment" in sql} == {False}
    late_run(pooled, organiser)
    assert state(graded) == ("started", True)


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_stored_is_not_told_as_failed_by_what_follows_it(
    pooled: Campaign, graded: Assignment, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as busy:
        busy.setattr("assess.campaigns.grown_work._changed", fails)
        change_settings(actor=organiser, campaign=pooled, values={"beta": 2.0})
    pooled.refresh_from_db()
    assert pooled.settings["beta"] == 2.0


def test_work_that_ends_while_its_pool_grows_is_open_again(
    pooled: Campaign, graded: Assignment, organiser: User, assessor: User, now: Any
) -> None:
    reopen_assignment(actor=assessor, assignment=graded)
    late_run(pooled, organiser)  # after what is missing was looked at, before the work is marked as done
    with now():
        mark_done(actor=assessor, assignment=graded)
    assert state(graded) == ("started", True)


def test_work_that_ends_before_a_larger_pool_is_seen_is_open_again(
    pooled: Campaign, graded: Assignment, organiser: User, assessor: User, now: Any
) -> None:
    reopen_assignment(actor=assessor, assignment=graded)
    with now():
        late_run(pooled, organiser)
        Assignment.objects.filter(pk=graded.pk).update(state="done", done_at=timezone.now())  # by another connection
    assert state(graded) == ("started", True)


def test_an_excuse_that_is_taken_back_opens_the_work(
    pooled: Campaign, assessor: User, organiser: User, now: Any
) -> None:
    work = judging.work(pooled, "1.1", "instances", assessor)
    judging.judge(work, "blue", 1)
    red = judging.item(pooled, "red")
    asked = ask_organiser(actor=assessor, assignment=work, item=red, text="?", client_key=judging.key("ask"))
    answer_question(actor=organiser, request=asked, answer="Leave it.", excuse=True)
    finish_assignment(actor=assessor, assignment=work)
    answer_question(actor=organiser, request=asked, answer="Judge it after all.", excuse=False)
    assert state(work) == ("started", True)


def test_an_answer_judged_correct_later_opens_the_grouping(
    graded: Assignment, assessor: User, rigid: Topic, now: Any
) -> None:
    grouping = judging.work(graded.campaign, "1.1", "classes", assessor)
    judging.group(grouping, "blue", "blue")
    finish_assignment(actor=assessor, assignment=grouping)
    reopen_assignment(actor=assessor, assignment=graded)
    with now():
        judging.judge(graded, "red", 1)
    assert state(grouping) == ("started", True)
    with now():
        judging.judge(graded, "red", -1, again=1)
    assert state(grouping) == ("done", False), "and ends again where the answer is not correct after all"


def test_a_new_version_of_the_list_opens_marks_and_votes(
    pooled: Campaign, assessor: User, second_assessor: User, now: Any
) -> None:
    writing = judging.work(pooled, "1.2", "nuggets", assessor)
    nuggets = judging.write_list(writing, cheap="vital")
    voting = judging.work(pooled, "1.2", "votes", second_assessor, role="second")
    judging.vote(voting, nuggets, 1, "vital")
    finish_assignment(actor=second_assessor, assignment=voting)
    draft = revise_list(actor=assessor, nugget_list=nuggets)
    add_nugget(actor=assessor, nugget_list=draft, text="kind", importance="okay", client_key=judging.key("late nugget"))
    with now():
        freeze_list(actor=assessor, nugget_list=draft, client_key=judging.key("second freeze"))
    assert state(voting) == ("started", True)


def test_an_answer_found_by_one_opens_the_grouping_of_the_other(
    graded: Assignment, assessor: User, second_assessor: User, now: Any
) -> None:
    mine = judging.work(graded.campaign, "1.1", "classes", assessor)
    other = judging.work(graded.campaign, "1.1", "classes", second_assessor, role="second")
    judging.group(other, "blue", "blue")
    finish_assignment(actor=second_assessor, assignment=other)
    with now():
        add_found_answer(actor=assessor, assignment=mine, text="violet", docno="D3", client_key=judging.key("found"))
    assert state(other) == ("started", True)


def test_a_judgment_that_makes_a_new_disagreement_opens_the_adjudication(
    graded: Assignment, second_assessor: User, adjudicator: User, now: Any
) -> None:
    campaign = graded.campaign
    second = judging.work(campaign, "1.1", "instances", second_assessor, role="second")
    judging.judge(second, "blue", -1)
    _, stage = stage_of(campaign, "instances")
    (row,) = stage_disagreements(campaign, stage)
    decide(
        actor=adjudicator,
        campaign=campaign,
        stage=stage,
        decision=Decision(thing=row.name, criterion="correctness", value=1, client_key=judging.key("decide")),
    )
    (settling,) = adjudicator.assignments.all()
    assert settling.state == "done"
    with now():
        judging.judge(second, "red", 1)
    assert state(settling) == ("started", True)


def test_a_disagreement_that_came_up_while_the_last_one_was_settled_opens_the_adjudication(
    graded: Assignment, second_assessor: User, adjudicator: User, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judgment is committed after it was seen that nothing is left, and before the work is marked as done."""
    campaign = graded.campaign
    second = judging.work(campaign, "1.1", "instances", second_assessor, role="second")
    judging.judge(second, "blue", -1)
    _, stage = stage_of(campaign, "instances")
    (row,) = stage_disagreements(campaign, stage)

    def seen_before(*arguments: Any) -> list[Disagreement]:
        rows, waiting = stage_disagreements(*arguments), len(connection.run_on_commit)
        with now():
            judging.judge(second, "red", 1)
        del connection.run_on_commit[waiting:]  # it was looked at, while the adjudication was not done yet
        return rows

    monkeypatch.setattr("assess.adjudication.domain.stage_disagreements", seen_before)
    with now():
        decide(
            actor=adjudicator,
            campaign=campaign,
            stage=stage,
            decision=Decision(thing=row.name, criterion="correctness", value=1, client_key=judging.key("decide")),
        )
    assert state(adjudicator.assignments.get()) == ("started", True)


def test_work_of_machines_and_work_that_lacks_nothing_stays_done(
    pooled: Campaign, graded: Assignment, organiser: User, second_assessor: User, squishy: Topic
) -> None:
    machine = factories.assignment(graded.topic, "instances", second_assessor, role="machine", state="done")
    elsewhere = judging.work(pooled, "1.2", "nuggets", second_assessor)
    judging.write_list(elsewhere, cheap="vital")
    finish_assignment(actor=second_assessor, assignment=elsewhere)
    late_run(pooled, organiser)
    assert (state(machine), state(elsewhere)) == (("done", False), ("done", False))


def test_an_organiser_opens_done_work_again(graded: Assignment, organiser: User, participant: User) -> None:
    with pytest.raises(NotAllowed):
        reopen_assignment(actor=participant, assignment=graded)
    assert reopen_assignment(actor=organiser, assignment=graded).state == "started"
    assert state(graded) == ("started", False)


def test_nothing_is_offered_to_be_taken_up_while_judging_is_not_open(
    pooled: Campaign, assessor: User, client: Client
) -> None:
    factories.assignment(pooled.topics.get(number="1.1"), "instances", assessor, state="open")
    client.force_login(assessor)
    assert 'data-key="n"' in page_of(client.get(reverse("work", args=[pooled.slug])))
    Campaign.objects.filter(pk=pooled.pk).update(state="setup")
    page = page_of(client.get(reverse("work", args=[pooled.slug])))
    assert "Judging is not open yet." in page
    assert 'data-key="n"' not in page
    assert "once judging is open" in page_of(client.get(reverse("home")))


def test_a_pool_looks_at_done_work_of_its_own_task_alone(
    graded: Assignment, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, looked = graded.campaign, list[set[str]]()

    def look(campaign: Campaign, actor: User, topics: set[int]) -> None:
        looked.append(set(Topic.objects.filter(pk__in=topics).values_list("task", flat=True)))

    factories.assignment(campaign.topics.get(number="1.2"), "nuggets", graded.assessor, state="done")
    judging.submit(campaign, organiser, "Basil1", judging.BASIL)
    monkeypatch.setattr(grown_work, "_recheck_topics", look)
    build_pool(actor=organiser, campaign=campaign, task="rigid")
    assert looked == [{"rigid"}]
