"""A frozen campaign, and one that is released, refuses every write of the domain; and nothing of it changes."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from assess.domain.activity import record_activity
from assess.domain.campaigns.campaigns import change_settings, publish_guideline
from assess.domain.documents.docnos import load_docnos
from assess.domain.documents.lists import load_document_list
from assess.domain.documents.loading import load_documents
from assess.domain.errors import Conflict, Refused
from assess.domain.judging.help import answer_question, ask_organiser
from assess.domain.pools.building import build_pool
from assess.domain.runs.submitting import submit_run, withdraw_run
from assess.domain.topics import load_topics
from assess.domain.work.assignments import (
    create_assignment,
    finish_assignment,
    open_assignment,
    reopen_assignment,
    return_assignment,
)
from assess.domain.work.handing_out import balance_work, hand_out
from assess.models import Assignment, Campaign, HelpRequest, Item, Run
from assess.protocol import RunForm
from nuggets.domain.classes import create_class
from nuggets.domain.lists import freeze_list, revise_list, start_list
from nuggets.domain.matches import MatchInput, record_match, review_items
from nuggets.domain.nuggets import add_nugget, edit_nugget
from nuggets.domain.replay import import_judgments
from nuggets.domain.votes import record_vote
from nuggets.models import Nugget, NuggetList
from tests import factories
from tests.assess import judged_campaign as judging

pytestmark = pytest.mark.django_db

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

    @property
    def a(self) -> dict[str, Any]:
        return {"actor": self.assessor, "assignment": self.work}

    @property
    def o(self) -> dict[str, Any]:
        return {"actor": self.organiser, "campaign": self.campaign}


def bench(world: World, work: Assignment) -> dict[str, Any]:
    return {"actor": work.assessor, "assignment": work, "client_key": judging.key("frozen", work.pk)}


WRITES: dict[str, Callable[[World], object]] = {
    "judge": lambda w: judging.judge(w.work, "green bicycle", 1),
    "open": lambda w: open_assignment(actor=w.voting.assessor, assignment=w.voting),
    "finish": lambda w: finish_assignment(**w.a),
    "reopen": lambda w: reopen_assignment(actor=w.assessor, assignment=w.done),
    "return": lambda w: return_assignment(actor=w.organiser, assignment=w.work),
    "ask": lambda w: ask_organiser(**bench(w, w.work), item=w.item, text="Why?"),
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
    "settings": lambda w: change_settings(**w.o, values={"beta": 1}),
    "guidelines": lambda w: publish_guideline(**w.o, text="Judge otherwise."),
    "topics": lambda w: load_topics(**w.o, file_key="questions", stream=io.BytesIO(QUESTIONS), name="q.xml"),
    "docnos": lambda w: load_docnos(**w.o, stream=io.BytesIO(b"BLOG06-1\n"), name="docnos.txt"),
    "document list": lambda w: load_document_list(**w.o, stream=io.BytesIO(b"1 Q0 D 1 1.0 x\n"), name="top.txt"),
    "documents": lambda w: load_documents(**w.o, sources=[]),
    "pool": lambda w: build_pool(**w.o, task="rigid"),
    "hand out": lambda w: hand_out(**w.o, cells=["1.2:votes"], assessor=w.assessor),
    "assign": lambda w: create_assignment(
        **w.o, topic=w.campaign.topics.get(number="1.2"), stage="votes", assessor=w.assessor, role="second"
    ),
    "balance": lambda w: balance_work(**w.o),
    "submit": lambda w: submit_run(
        **w.o,
        form=RunForm(tag="Pier1", team="Pier", priority=1, fields={"documents": "collection"}),
        stream=io.BytesIO(b"1.1 Pier1 BLOG06-20060101-000-0000000001 blue\n"),
        file_name="Pier1.txt",
    ),
    "withdraw": lambda w: withdraw_run(actor=w.organiser, run=w.run),
    "import": lambda w: import_judgments(**w.o, stream=io.BytesIO(b""), people={}),
    "any deed": lambda w: record_activity(**w.o, action="item.add"),
}


@pytest.fixture
def world(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    second_assessor: User,
    participant: User,
    grading: Assignment,
    nugget_writing: Assignment,
    squishy_items: list[Item],
    settings,
    tmp_path,
) -> Callable[[str], World]:
    """The campaign with work of every kind under way, closed in the state that is asked for."""
    settings.DATA_DIR = tmp_path
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

    def closed(state: str) -> World:
        Campaign.objects.filter(pk=campaign.pk).update(state=state)

        def anew(row: Any) -> Any:
            return type(row)._base_manager.get(pk=row.pk)

        return World(
            organiser=organiser,
            assessor=assessor,
            campaign=anew(campaign),
            work=anew(grading),
            done=anew(done),
            writing=anew(nugget_writing),
            matching=anew(matching),
            grouping=anew(grouping),
            second_writing=anew(second_writing),
            voting=anew(voting),
            item=Item.objects.get(text="blue bicycle"),
            string=squishy_items[0],
            draft=anew(draft),
            nugget=Nugget.objects.get(nugget_list=frozen),
            run=anew(run),
            question=anew(question),
        )

    return closed


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of both apps."""
    models = [model for label in ("assess", "nuggets") for model in apps.get_app_config(label).get_models()]
    return {model.__name__: list(model._base_manager.order_by("pk").values_list()) for model in models}


@pytest.mark.parametrize("state", ["frozen", "released"])
@pytest.mark.parametrize("write", WRITES)
def test_a_closed_campaign_refuses(write: str, state: str, world: Callable[[str], World]) -> None:
    closed = world(state)
    before = everything()
    with pytest.raises(Refused) as refused:
        WRITES[write](closed)
    assert isinstance(refused.value, Conflict), refused.value.message
    assert any(word in refused.value.message for word in ("frozen", "released")), refused.value.message
    assert everything() == before


def test_people_still_come_and_go(world: Callable[[str], World]) -> None:
    from assess.domain.people.members import add_member

    closed = world("frozen")
    add_member(**closed.o, user=factories.user("guest"), role="organiser")
    assert closed.campaign.memberships.filter(user__username="guest").exists()
