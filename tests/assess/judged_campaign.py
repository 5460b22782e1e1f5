"""A small campaign with two runs, judged through the domain by functions that say little."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from django.contrib.auth.models import User
from django.test import Client

from assess.adjudication.queries.listing import shown_name
from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import BenchItem, BenchList
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.opinions import AdjudicableItem, Disagreement
from assess.models import Assignment, Campaign, Item, Judgment, Run
from assess.pools.domain.building import build_pool
from assess.protocol import RunForm
from assess.runs.domain.submitting import submit_run
from nuggets.classes.record import create_class
from nuggets.matches.record import MatchInput, record_match
from nuggets.models import NuggetList
from nuggets.votes.record import record_vote
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget
from tests import factories
from tests.remembered import remembered

CHEAP, WEEK, KIND = "It is cheap and light.", "It broke in a week.", "The staff are kind."
AMBER = f"1.1 Amber1 D1 blue\n1.1 Amber1 D2 red\n1.2 Amber1 D1 {CHEAP}\n1.2 Amber1 D2 {WEEK}\n"
BASIL = f"1.1 Basil1 D1 blue\n1.1 Basil1 D1 the blue one\n1.1 Basil1 D3 green\n1.2 Basil1 D3 {KIND}\n"


@pytest.fixture
@remembered
def begun_grading(campaign: Campaign, organiser: User, assessor: User, settings: Any, tmp_path: Path) -> Assignment:
    """Grading one question, with one judgment of what two runs returned for it."""
    settings.DATA_DIR = tmp_path / "data"
    submit(campaign, organiser, "Amber1", AMBER)
    submit(campaign, organiser, "Basil1", BASIL)
    pool_all(campaign, organiser)
    grading = work(campaign, "1.1", "instances", assessor)
    judge(grading, "blue", 1)
    return grading


@pytest.fixture
def at_desk(organiser: User, client: Client) -> Client:
    """The organiser, logged in."""
    client.force_login(organiser)
    return client


def shown(
    row: AdjudicableItem | Item | Disagreement, campaign: Campaign, person: User, stage: str = "instances"
) -> str:
    """What names a thing, or an item that is one, to a person who settles the stage."""
    if isinstance(row, Item):
        row = AdjudicableItem(topic_id=row.topic_id, item_id=row.pk)
    thing = row.thing if isinstance(row, Disagreement) else row
    return shown_name(campaign, stage_of(campaign, stage)[1], thing, person)


def key(*said: object) -> UUID:
    return uuid5(NAMESPACE_OID, repr(said))


def submit(campaign: Campaign, organiser: User, tag: str, content: str) -> Run:
    form = RunForm(tag=tag, team=tag[:-1], priority=int(tag[-1]), fields={"documents": "collection"})
    stream = io.BytesIO(content.encode())
    run = submit_run(actor=organiser, campaign=campaign, form=form, file=stream, file_name=f"{tag}.txt")
    assert run.state == "accepted", run.report
    return run


def pool_all(campaign: Campaign, organiser: User) -> None:
    for task in ("rigid", "squishy"):
        build_pool(actor=organiser, campaign=campaign, task=task)


def bench_lines(work: Assignment) -> list[BenchItem]:
    """All lines of the bench, as its list shows them."""
    bench = BenchList(work, stage_of(work.campaign, work.stage)[1])
    return bench.lines(bench.places())


def item(campaign: Campaign, text: str, docno: str = "") -> Item:
    found = Item.objects.filter(topic__campaign=campaign, text=text)
    return (found.filter(docno=docno) if docno else found).get()


def work(campaign: Campaign, number: str, stage: str, person: User, *, role: str = "primary") -> Assignment:
    return factories.assignment(campaign.topics.get(number=number), stage, person, role=role)


def judge(
    work: Assignment,
    text: str,
    value: int | None,
    *,
    again: int = 0,
    note: str = "",
    seconds: float | None = None,
    how: str = "key",
) -> Judgment:
    made = JudgmentInput(
        item=item(work.campaign, text),
        criterion="correctness",
        value=value,
        client_key=key(work.pk, text, value, again),
        note=note,
        seconds=seconds,
        how=how,
    )
    return record_judgment(actor=work.assessor, assignment=work, judgment=made)


def group(work: Assignment, label: str, *texts: str) -> None:
    items = [item(work.campaign, text) for text in texts]
    create_class(actor=work.assessor, assignment=work, items=items, label=label, client_key=key(work.pk, label))


def write_list(work: Assignment, **nuggets: str) -> NuggetList:
    """Freeze a list of these nuggets: text -> importance, numbered from 1."""
    made = start_list(actor=work.assessor, assignment=work)
    for text, importance in nuggets.items():
        add_nugget(
            actor=work.assessor, nugget_list=made, text=text, importance=importance, client_key=key(work.pk, text)
        )
    return freeze_list(actor=work.assessor, nugget_list=made, client_key=key(work.pk, "freeze"), without_vital=True)


def mark(work: Assignment, nuggets: NuggetList, number: int, text: str, *, value: str = "full") -> None:
    match = MatchInput(
        nugget=nuggets.nuggets.get(number=number),
        item=item(work.campaign, text),
        value=value,
        client_key=key(work.pk, number, text, value),
    )
    record_match(actor=work.assessor, assignment=work, match=match)


def vote(work: Assignment, nuggets: NuggetList, number: int, importance: str | None) -> None:
    record_vote(
        actor=work.assessor,
        assignment=work,
        nugget=nuggets.nuggets.get(number=number),
        importance=importance,
        client_key=key(work.pk, number, importance),
    )
