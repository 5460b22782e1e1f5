"""Pools by a strategy: what comes in, with which chance, what is kept of the recipe, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid
from assess.campaigns.queries import track_of
from assess.models import Campaign, ListedDocument, PoolItem, Run
from assess.pools.domain.building import build_pool, pool_plan
from assess.pools.domain.rankings_file import gather_rankings, gathered_rankings
from assess.pools.domain.strategy import FIELDS, WORDS, make_selection, read_pairs
from scoring.pooling import STRATEGIES
from tests.assess.pooling import build, grade, letters, submit, work
from tests.assess.toys import send

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"strategy": "depth", "depth": 2}, "abcx"),
        ({"strategy": "depth", "depth": 8, "budget": 6}, "abcxy"),  # five to depth 3, eight to depth 4
        ({"strategy": "rrf", "budget": 3}, "abc"),
        ({"strategy": "rbp", "budget": 2, "p": 0.5}, "ax"),
        ({"strategy": "rbp", "budget": 1, "p": 0.5, "combine": "max"}, "a"),
        ({"strategy": "depth", "depth": 1, "lists": 1}, "aqx"),
        ({"strategy": "depth", "depth": 1, "listed": (("1", "Dr"),), "list_name": "more.txt"}, "arx"),
    ],
    ids=str,
)
def test_what_comes_in(retrieval: Campaign, organiser: User, values: dict[str, Any], found: str) -> None:
    for rank, docno in enumerate(("Dq", "Ds"), 1):
        ListedDocument.objects.create(topic=retrieval.topics.get(number="1"), rank=rank, docno=docno, score=1)
    assert letters(build(retrieval, organiser, **values)) == found


def test_depths_by_priority_take_only_runs_that_have_one(retrieval: Campaign, organiser: User) -> None:
    Run.objects.filter(tag="alp1").update(priority=1)
    Run.objects.filter(tag="alp2").update(priority=2)
    pool = build(retrieval, organiser, strategy="priority", depths=((1, 2), (2, 1)))
    assert letters(pool) == "ab"
    assert pool.recipe["ranked"] == {"document": {"alp1": [4, 0], "alp2": [4, 0], "bay1": [4, 0]}}


def test_a_sample_keeps_stratum_and_probability(retrieval: Campaign, organiser: User) -> None:
    pool = build(retrieval, organiser, strategy="stratified", strata=((2, 1.0), (8, 0.25)), seed=7)
    rows = PoolItem.objects.filter(pool=pool, item__topic__number="1").order_by("stratum", "item__key")
    found = [(row.item.key, row.stratum, row.probability) for row in rows.select_related("item")]
    assert found[:4] == [(f"D{letter}", "1", 1.0) for letter in "abcx"]
    assert [row[1:] for row in found[4:]] == [("2", 0.25)] * 2  # two of eight
    other = build(retrieval, organiser, strategy="stratified", strata=((2, 1.0), (8, 0.25)), seed=8)
    assert (other.digest != pool.digest, other.recipe["selection"]["recipe"]["seed"]) == (True, 8)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_again_is_the_same_pool(retrieval: Campaign, organiser: User, strategy: str) -> None:
    Run.objects.update(priority=1)
    values = {"depth": 3, "depths": ((1, 2),), "budget": 4, "strata": ((1, 1.0), (5, 0.5)), "seed": 3}
    first = build(retrieval, organiser, strategy=strategy, **values)
    assert build(retrieval, organiser, strategy=strategy, **values) == first
    copy = (first.digest, letters(first))
    PoolItem.objects.all().delete()
    first.delete()
    again = build(retrieval, organiser, strategy=strategy, **values)
    assert (again.digest, letters(again)) == copy
    assert again.recipe["strategy"] == strategy
    assert again.recipe["selection"]["recipe"]["strategy"] == strategy


def test_what_is_judged_can_be_left_out(retrieval: Campaign, organiser: User, assessor: User) -> None:
    build(retrieval, organiser, strategy="depth", depth=2)
    grade(work(retrieval, "1", assessor), "a", 1)
    with pytest.raises(Conflict, match="1 judged item would leave"):
        build(retrieval, organiser, strategy="priority", depths=((5, 1),), listed=(("1", "Dz"),))
    pool = build(retrieval, organiser, strategy="depth", depth=3, minus_judged=True)
    assert letters(pool) == "bcxy"
    assert pool.recipe["selection"]["minus_judged"]["documents"] == 1
    assert build(retrieval, organiser, strategy="depth", depth=3, minus_judged=True) == pool


def test_the_plan_says_what_building_does(retrieval: Campaign, organiser: User) -> None:
    build(retrieval, organiser, strategy="depth", depth=1)
    task = track_of(retrieval).tasks[0]
    plan = pool_plan(retrieval, task, selection=make_selection({"strategy": "depth", "depth": 2}))
    assert (plan.items, plan.kept, plan.new, plan.leaving, plan.topics) == (8, 5, 3, 0, 2)


def test_only_the_ranked_kind_is_selected(toy: Campaign, organiser: User) -> None:
    line = {"topic": "9-1_1", "ranked": [["P1", 3.0], ["P2", 2.0], ["P3", 1.0]], "answer": "Go by boat."}
    send(toy, organiser, "A", line)
    selection = make_selection({"strategy": "rrf", "budget": 1})
    pool = build_pool(actor=organiser, campaign=toy, task="turn", selection=selection)
    assert sorted(pool.pool_items.values_list("item__kind", "item__key")) == [
        ("answer", "Go by boat."),
        ("passage", "P1"),
    ]


def test_a_task_without_rankings_has_no_strategies(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(Invalid, match="Runs rank nothing for “Rigid list”"):
        build_pool(
            actor=organiser,
            campaign=campaign,
            task="rigid",
            selection=make_selection({"strategy": "depth", "depth": 1}),
        )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"strategy": "best"}, "There is no strategy “best”. Use one of: whole, depth, "),
        ({"strategy": "depth"}, "Depth needs a depth: how many documents of each run to take."),
        ({"strategy": "rrf"}, "Rrf needs a budget: how many documents of each topic to take."),
        ({"strategy": "rrf", "budget": 0}, "Depth and budget must be 1 or more"),
        ({"strategy": "priority"}, "Priority needs depths"),
        ({"strategy": "stratified", "strata": ((9, 1.0), (3, 0.5))}, "strata whose last ranks rise"),
        ({"strategy": "max-mean", "budget": 9, "batch": 0}, "The batch must be from 1 to 1,000"),
        ({"strategy": "depth", "depth": 3, "lists": -1}, "must be 0 or more"),
    ],
    ids=str,
)
def test_what_no_pool_can_be_made_of_is_refused(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Invalid, match=sentence):
        make_selection(values)


def test_a_listed_topic_that_is_not_there_is_refused(retrieval: Campaign, organiser: User) -> None:
    with pytest.raises(Invalid, match="The list names topic 99, which is not among those pooled"):
        build(retrieval, organiser, strategy="depth", depth=1, listed=(("99", "Dq"),))


def test_every_strategy_has_its_fields() -> None:
    assert tuple(FIELDS) == WORDS
    assert make_selection({"strategy": "whole", "depth": 3}) is None
    with pytest.raises(Invalid, match="“5” is not bound:rate, as in 10:1"):
        read_pairs("1:0.5,5", float, form="bound:rate, as in 10:1")


def test_rankings_are_gathered_once(retrieval: Campaign, organiser: User) -> None:
    runs = list(retrieval.runs.all())
    assert gathered_rankings(retrieval, "document", runs, 3) is None
    found = gather_rankings(retrieval, "document", runs, 3)
    assert gathered_rankings(retrieval, "document", runs, 3) == found
    assert (found.topics, found.runs) == (("1", "2"), ("alp1", "alp2", "bay1"))
    assert found.of("1") == {"alp1": ["Da", "Db", "Dc"], "alp2": ["Da", "Dc", "Db"], "bay1": ["Dx", "Da", "Dy"]}
    assert dict(found.each()) == {number: found.of(number) for number in ("1", "2")}
    assert found.of("no such topic") == {}
    submit(retrieval, organiser, "cow1", "Cow", {"1": "z"})
    assert gathered_rankings(retrieval, "document", list(retrieval.runs.all()), 3) is None
