"""A frozen campaign, and one that is released, refuses every write of the domain; and nothing of it changes.

Also where the write began before the freeze: with rows that were loaded then, or waiting for the freeze to end.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.assignments.domain.assignments import (
    create_assignment,
    finish_assignment,
    open_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.assignments.domain.leases import change_work_rules, take_up_again
from assess.assignments.domain.questions_to_organiser import answer_question, ask_organiser
from assess.assignments.domain.setting_aside import set_aside
from assess.base.errors import Conflict, Refused
from assess.campaigns.activity import record_activity
from assess.campaigns.dates import set_deadline, set_release_dates
from assess.campaigns.domain import publish_guideline
from assess.controls.domain import make_control_items
from assess.controls.plan import ControlItemRequest
from assess.documents.domain.clusters import cluster_documents
from assess.documents.domain.lists import load_docnos, load_document_list
from assess.documents.domain.loading import load_documents
from assess.documents.domain.translations import load_translations, take_out_translations
from assess.machines.domain import change_drafts, import_machine_judge, machine_account
from assess.models import Activity, Assignment, Campaign, HelpRequest, Item, Run
from assess.organising.domain import change_settings, change_state, freeze_campaign
from assess.organising.stop_work import resume_judging, stop_judging
from assess.pools.domain.building import build_pool
from assess.protocol import RunForm
from assess.replay.replaying import import_judgments
from assess.runs.domain.deciding import withdraw_run
from assess.runs.domain.submitting import submit_run
from assess.topics.domain.loading import load_topics
from assess.user_agreements.domain import set_user_agreement
from assess.work.domain import assign_seconds, balance_work, checked_sample, hand_out, hand_over, take_from_stack
from nuggets.classes.record import create_class
from nuggets.matches.record import MatchInput, record_match, review_items
from nuggets.models import Nugget, NuggetList
from nuggets.votes.record import record_vote
from nuggets.writing.lists import freeze_list, revise_list, start_list
from nuggets.writing.record import add_nugget, edit_nugget
from tests import factories
from tests.assess import judged_campaign as judging
from tests.remembered import remembered

QUESTIONS = b"<trecqa2008 year='2008' task='MAIN'><target id='9' text='Bees'><qa><q id='9.1' type='RIGID-LIST'>Who?</q></qa></target></trecqa2008>"  # noqa: E501


@dataclass
class World:
    """What the writes need, read anew after the campaign was frozen."""

    organiser: User
    assessor: User
    campaign: Campaign
    work: Assignment
    done: Assignment
    writing: Assignment
    matching: Assignment
    grouping: Assignment
    second_writing: Assignment
    voting: Assignment
    item: Item
    string: Item
    draft: NuggetList
    nugget: Nugget
    run: Run
    question: HelpRequest
    unopened: Assignment
    lapsed: Assignment
    lines: Path

    @property
    def a(self) -> dict[str, Any]:
        return {"actor": self.assessor, "assignment": self.work}

    @property
    def o(self) -> dict[str, Any]:
        return {"actor": self.organiser, "campaign": self.campaign}


def bench(world: World, work: Assignment) -> dict[str, Any]:
    return {"actor": work.assessor, "assignment": work, "client_key": judging.key("frozen", work.pk)}


def translations(world: World) -> Path:
    path = world.lines.with_name("translations.jsonl")
    path.write_text('{"docno": "BLOG06-1", "language": "de", "text": "Blau."}')
    return path


WRITES: dict[str, Callable[[World], object]] = {
    "judge": lambda w: judging.judge(w.work, "green bicycle", 1),
    "open": lambda w: open_assignment(actor=w.unopened.assessor, assignment=w.unopened),
    "finish": lambda w: finish_assignment(**w.a),
    "reopen": lambda w: reopen_assignment(actor=w.assessor, assignment=w.done),
    "return": lambda w: return_assignment(actor=w.organiser, assignment=w.work),
    "ask": lambda w: ask_organiser(**bench(w, w.work), item=w.item, text="Why?"),
    "set aside": lambda w: set_aside(**w.a, item=w.item),
    "answer": lambda w: answer_question(actor=w.organiser, request=w.question, answer="So.", excuse=False),
    "class": lambda w: create_class(**bench(w, w.grouping), items=[w.item], label="blue"),
    "start list": lambda w: start_list(actor=w.second_writing.assessor, assignment=w.second_writing),
    "nugget": lambda w: add_nugget(
        actor=w.assessor, nugget_list=w.draft, text="dear", importance="okay", client_key=judging.key("n")
    ),
    "edit": lambda w: edit_nugget(
        actor=w.assessor, nugget_list=w.draft, number=1, text="dear", client_key=judging.key("e")
    ),
    "freeze list": lambda w: freeze_list(actor=w.assessor, nugget_list=w.draft, client_key=judging.key("f")),
    "revise list": lambda w: revise_list(actor=w.assessor, nugget_list=w.nugget.nugget_list),
    "vote": lambda w: record_vote(**bench(w, w.voting), nugget=w.nugget, importance="okay"),
    "match": lambda w: record_match(
        actor=w.matching.assessor,
        assignment=w.matching,
        match=MatchInput(nugget=w.nugget, item=w.string, client_key=judging.key("m"), how="key"),
    ),
    "review": lambda w: review_items(**bench(w, w.matching), items=[w.string]),
    "stop judging": lambda w: stop_judging(**w.o, reason="no time"),
    "resume judging": lambda w: resume_judging(**w.o),
    "settings": lambda w: change_settings(**w.o, values={"beta": 1}),
    "guidelines": lambda w: publish_guideline(**w.o, text="Judge otherwise."),
    "topics": lambda w: load_topics(**w.o, file_key="questions", stream=io.BytesIO(QUESTIONS), name="q.xml"),
    "docnos": lambda w: load_docnos(**w.o, stream=io.BytesIO(b"BLOG06-1\n"), name="docnos.txt"),
    "translations": lambda w: load_translations(**w.o, path=translations(w), name="t.jsonl"),
    "no translations": lambda w: take_out_translations(**w.o, language="en"),
    "document list": lambda w: load_document_list(**w.o, stream=io.BytesIO(b"1 1 D1 9\n"), name="top.txt"),
    "documents": lambda w: load_documents(**w.o, sources=[], wanted=None),
    "clusters": lambda w: cluster_documents(**w.o),
    "pool": lambda w: build_pool(**w.o, task="rigid", drop_judged=True),
    "hand out": lambda w: hand_out(**w.o, cells=[f"{w.draft.topic_id}:votes"], assessor=w.assessor),
    "assign": lambda w: create_assignment(
        **w.o, topic=w.campaign.topics.get(number="1.2"), stage="votes", assessor=w.assessor, role="second"
    ),
    "balance": lambda w: balance_work(**w.o),
    "submit": lambda w: submit_run(
        **w.o,
        form=RunForm(tag="Pier1", team="Pier", priority=1, fields={"documents": "collection"}),
        file=io.BytesIO(b"1.1 Pier1 BLOG06-20060101-000-0000000001 blue\n"),
        file_name="Pier1.txt",
    ),
    "withdraw": lambda w: withdraw_run(actor=w.organiser, run=w.run),
    "import": lambda w: import_judgments(
        **w.o, stream=io.BytesIO(b'{"by": "one", "do": "freeze", "topic": "3"}\n'), people={}
    ),
    "deadline": lambda w: set_deadline(**w.o, due="2030-01-01 12:00"),
    "user agreement": lambda w: set_user_agreement(**w.o, text="Keep it.", parts=["package"]),
    "release dates": lambda w: set_release_dates(**w.o, dates={"topics": "2030-01-01 12:00"}),
    "work rules": lambda w: change_work_rules(**w.o, lease_hours=5, takes_primary=True),
    "drafts": lambda w: change_drafts(**w.o, drafts="open"),
    "hand over": lambda w: hand_over(actor=w.organiser, assignment=w.work, to=w.voting.assessor),
    "take up again": lambda w: take_up_again(actor=w.lapsed.assessor, assignment=w.lapsed),
    "stack": lambda w: take_from_stack(actor=w.assessor, campaign=w.campaign),
    "double": lambda w: assign_seconds(**w.o, stages=["nuggets"], sample=checked_sample(share=1.0)),
    "plants": lambda w: make_control_items(**w.o, stage="instances", wish=ControlItemRequest(repeats=1, gold=0, gap=1)),
    "machine": lambda w: import_machine_judge(**w.o, name="Robot", paths=[w.lines]),
    "machine account": lambda w: machine_account(**w.o, name="Robot"),
    "submit later": lambda w: submit_run(
        **w.o,
        form=RunForm(tag="Pier2", team="Pier", priority=2, fields={"documents": "collection"}),
        file=io.BytesIO(b"1.1 Pier2 BLOG06-20060101-000-0000000001 blue\n"),
        file_name="Pier2.txt",
        in_place=False,
    ),
    "any act": lambda w: record_activity(**w.o, action="item.add"),
}


@dataclass(frozen=True, kw_only=True)
class Begun:
    """Work of every kind under way, as it was when it began."""

    frozen: NuggetList
    draft: NuggetList
    matching: Assignment
    voting: Assignment
    grouping: Assignment
    second_writing: Assignment
    done: Assignment
    question: HelpRequest
    run: Run
    unopened: Assignment
    lapsed: Assignment


@pytest.fixture
@remembered
def begun(
    campaign: Campaign,
    assessor: User,
    second_assessor: User,
    participant: User,
    grading: Assignment,
    nugget_writing: Assignment,
    squishy_items: list[Item],
) -> Begun:
    squishy = campaign.topics.get(number="1.2")
    made = start_list(actor=assessor, assignment=nugget_writing)
    add_nugget(actor=assessor, nugget_list=made, text="cheap", importance="vital", client_key=judging.key("1"))
    frozen = freeze_list(actor=assessor, nugget_list=made, client_key=judging.key("2"))
    draft = revise_list(actor=assessor, nugget_list=frozen)
    matching = factories.assignment(squishy, "matches", assessor)
    voting = factories.assignment(squishy, "votes", second_assessor, role="second", state="open")
    grouping = factories.assignment(campaign.topics.get(number="1.1"), "classes", second_assessor, role="second")
    second_writing = factories.assignment(squishy, "nuggets", second_assessor, role="second")
    done = factories.assignment(campaign.topics.get(number="1.1"), "classes", assessor, state="done")
    question = HelpRequest.objects.create(assignment=grading, text="Which?", client_key=judging.key("3"))
    run = factories.run(campaign, "Harbor1", participant)
    rigid = campaign.topics.get(number="1.1")
    factories.response(run, rigid, [factories.item(rigid, "teal bicycle")])
    third = factories.member(campaign, "third", "assessor")
    unopened = factories.assignment(rigid, "instances", third, role="second", state="open")
    lapsed = factories.assignment(
        campaign.topics.get(number="1.1"), "instances", second_assessor, role="second", state="returned"
    )
    Assignment.objects.filter(pk=lapsed.pk).update(lease_until=timezone.now() - timedelta(hours=1))
    return Begun(
        frozen=frozen, draft=draft, matching=matching, voting=voting, grouping=grouping, second_writing=second_writing,
        done=done, question=question, run=run, unopened=unopened, lapsed=lapsed,
    )  # fmt: skip


@pytest.fixture
def world(
    begun: Begun,
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    grading: Assignment,
    nugget_writing: Assignment,
    squishy_items: list[Item],
    settings,
    tmp_path,
) -> Callable[[str], World]:
    """The campaign with work of every kind under way; called, it reads all that the writes need."""
    settings.DATA_DIR = tmp_path
    lines = tmp_path / "robot.qrels"
    lines.write_text("1.1 0 BLOG06-20060101-000-0000000001 1\n")

    def read(state: str = "") -> World:
        """All rows with all that hangs on them, as they are once the campaign is in this state (now, where none)."""
        if state:
            Campaign.objects.filter(pk=campaign.pk).update(state=state)
        present = Campaign.objects.get(pk=campaign.pk)

        def anew(row: Any) -> Any:
            found = type(row)._base_manager.get(pk=row.pk)
            holder = found.nugget_list if isinstance(found, Nugget) else found
            holder = holder.assignment if isinstance(holder, NuggetList | HelpRequest) else holder
            if holder != present:
                holder.campaign = present
            return found

        return World(
            organiser=organiser,
            assessor=assessor,
            campaign=present,
            work=anew(grading),
            done=anew(begun.done),
            writing=anew(nugget_writing),
            matching=anew(begun.matching),
            grouping=anew(begun.grouping),
            second_writing=anew(begun.second_writing),
            voting=anew(begun.voting),
            item=Item.objects.get(text="blue bicycle"),
            string=squishy_items[0],
            draft=anew(begun.draft),
            nugget=Nugget.objects.get(nugget_list=begun.frozen),
            run=anew(begun.run),
            question=anew(begun.question),
            unopened=anew(begun.unopened),
            lapsed=anew(begun.lapsed),
            lines=lines,
        )

    return read


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of both apps, as the database has it."""
    models = [model for label in ("assess", "nuggets") for model in apps.get_app_config(label).get_models()]
    rows = {}
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}" ORDER BY "{model._meta.pk.column}"')
            rows[model.__name__] = cursor.fetchall()
    return rows


def everything_but_the_freeze() -> dict[str, list[tuple[Any, ...]]]:
    """Every row but the campaign's own, the counter, and what was recorded of a change of its state."""
    recorded = Activity.objects.exclude(action="campaign.state").order_by("pk").values_list()
    return {**everything(), "Campaign": [], "LedgerPoint": [], "Activity": list(recorded)}


def refused(write: str, world: World) -> None:
    """Nothing is stored, and the refusal says why."""
    before = everything()
    with pytest.raises(Refused) as refusal, transaction.atomic():
        WRITES[write](world)
    assert isinstance(refusal.value, Conflict), refusal.value.message
    assert any(word in refusal.value.message for word in ("frozen", "released")), refusal.value.message
    assert everything() == before


@pytest.mark.parametrize("state", ["frozen", "released"])
@pytest.mark.parametrize("write", WRITES)
def test_a_closed_campaign_refuses(write: str, state: str, world: Callable[..., World]) -> None:
    refused(write, world(state))


@pytest.mark.parametrize("write", WRITES)
def test_a_write_that_began_before_the_freeze_is_refused(write: str, world: Callable[..., World]) -> None:
    stale = world()
    world("frozen")
    assert stale.campaign.state == stale.work.campaign.state == "judging"
    refused(write, stale)


def at_the_moment_of_a_freeze(write: str, world: World, organiser: User) -> list[object]:
    """What becomes of a write that begins while a freeze is decided and not committed yet."""
    frozen, outcome = Event(), []

    def late() -> None:
        try:
            frozen.wait()
            with transaction.atomic():
                outcome.append(WRITES[write](world))
        except (Refused, DatabaseError) as error:
            outcome.append(error)
        finally:
            connection.close()

    thread = Thread(target=late)
    thread.start()
    with transaction.atomic():
        change_state(actor=organiser, campaign=Campaign.objects.get(pk=world.campaign.pk), state="frozen")
        frozen.set()
        thread.join(timeout=0.05)  # it waits for this transaction, or looks at what was committed before
    thread.join()
    return outcome


def test_a_write_at_the_moment_of_the_freeze_is_refused(
    committed_db: None, world: Callable[..., World], organiser: User
) -> None:
    for write in WRITES:
        stale = world("judging")
        before = everything_but_the_freeze()
        outcome = at_the_moment_of_a_freeze(write, stale, organiser)
        assert isinstance(outcome[0], Conflict), (write, outcome)
        # Work that is not judged is refused as such, where it is looked at before the freeze is committed.
        assert "frozen" in outcome[0].message or write == "finish", (write, outcome)
        assert everything_but_the_freeze() == before, write


def test_what_is_written_while_the_campaign_is_frozen_counts_or_keeps_it_open(
    committed_db: None, campaign: Campaign, organiser: User, assessor: User
) -> None:
    written, outcome = Event(), []

    def freeze() -> None:
        try:
            written.wait()
            outcome.append(freeze_campaign(actor=organiser, campaign=Campaign.objects.get(pk=campaign.pk), despite="x"))
        except Conflict as error:
            outcome.append(error)
        finally:
            connection.close()

    thread = Thread(target=freeze)
    thread.start()
    with transaction.atomic():
        topic = campaign.topics.get(number="1.1")
        create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="instances", assessor=assessor)
        written.set()
        thread.join(timeout=0.2)
        assert not outcome
    thread.join()
    assert isinstance(outcome[0], Conflict)
    assert "1 assignment not done" in outcome[0].message
    campaign.refresh_from_db()
    assert campaign.state == "judging"


def test_an_activity_stands_in_the_transaction_of_its_act(
    committed_db: None, campaign: Campaign, organiser: User
) -> None:
    with pytest.raises(TransactionManagementError, match="outside of the transaction"):
        record_activity(actor=organiser, action="item.add", campaign=campaign)
    assert not Activity.objects.exists()


def test_people_still_come_and_go(world: Callable[..., World]) -> None:
    from assess.people.domain.members import add_member

    closed = world("frozen")
    add_member(**closed.o, user=factories.user("guest"), role="organiser")
    assert closed.campaign.memberships.filter(user__username="guest").exists()


@pytest.mark.parametrize("state", ["frozen", "released"])
def test_the_people_of_a_list_are_still_invited(
    state: str, client: Client, campaign: Campaign, organiser: User
) -> None:
    Campaign.objects.update(state=state)
    client.force_login(organiser)
    fields = {"rows": "assessor,,Ada Lind\n", "client_key": str(judging.key("list"))}
    answer = client.post(reverse("invitations-make", args=[campaign.slug]), fields)
    assert answer.status_code == 200
    assert campaign.invitations.get().note == "Ada Lind"
