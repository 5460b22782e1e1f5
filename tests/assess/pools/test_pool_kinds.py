"""Pools of several kinds of items: ranked lists to a depth, citations, whole responses, what topics bring along."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict, Invalid
from assess.base.files import stored_path
from assess.campaigns.queries import registered_tracks, track_of
from assess.models import Campaign, Item, Judgment, Pool, PoolItem
from assess.pools.domain.building import KindPlan, NothingToPool, build_pool, pool_plan
from assess.pools.domain.summaries import pool_summary
from assess.pools.domain.wanted_documents import named_docnos
from assess.pools.queries import KindSize
from assess.runs.domain.deciding import withdraw_run
from scoring.pooling import first_docnos
from scoring.records import RankedDoc
from tests import factories
from tests.assess.toys import say, send

pytestmark = pytest.mark.django_db

Found = list[tuple[str, str, str]]


def members(pool: Pool, kind: str = "") -> Found:
    items = Item.objects.filter(pool_items__pool=pool).order_by("topic__number", "kind", "key")
    return [(item.topic.number, item.kind, item.key) for item in items if kind in ("", item.kind)]


def build(campaign: Campaign, actor: User, **options: object) -> Pool:
    return build_pool(actor=actor, campaign=campaign, task="turn", **options)  # type: ignore[arg-type]


def sentences(*texts: str, cites: tuple[str, ...] = ()) -> list[dict[str, object]]:
    return [{"text": text, "cites": list(cites)} for text in texts]


def test_all_kinds_of_a_task_are_pooled(toy: Campaign, organiser: User) -> None:
    say(toy, "9-1_1", s1="I have a boat.")
    send(
        toy,
        organiser,
        "A",
        {
            "topic": "9-1_1",
            "ranked": [["P1", 3.0], ["P2", 2.0], ["P3", 1.0]],
            "answer": "Go by boat.",
            "sentences": sentences("Go.", cites=("P1",)),
        },
    )
    send(toy, organiser, "B", {"topic": "9-1_1", "answer": "Walk.", "sentences": sentences("Walk on.")}, priority=2)
    pool = build(toy, organiser)
    assert members(pool) == [
        ("9-1_1", "answer", "Go by boat."),
        ("9-1_1", "answer", "Walk."),  # all runs, whatever their priority
        ("9-1_1", "citation", "Go. [P1]"),
        ("9-1_1", "passage", "P1"),
        ("9-1_1", "passage", "P2"),
        ("9-1_1", "sentence", "Go."),  # priority 1 only
        ("9-1_1", "statement", "s1"),
    ]
    assert [run[0] for run in pool.recipe["runs"]] == ["A", "B"]
    assert {name: value for name, value in pool.recipe.items() if name != "runs"} == {
        "strategy": "all",
        "kind": "passage",
        "kinds": [
            {"kind": "passage", "depth": 2},
            {"kind": "statement", "priorities": [1]},
            {"kind": "sentence", "priorities": [1]},
            {"kind": "citation", "priorities": [1]},
            {"kind": "answer"},
        ],
        "ranked": {"passage": {"A": [2, 2]}},
    }
    summary = pool_summary(pool)
    assert summary.kinds == (
        KindSize(kind="passage", items=2),
        KindSize(kind="statement", items=1),
        KindSize(kind="sentence", items=1),
        KindSize(kind="citation", items=1),
        KindSize(kind="answer", items=2),
    )
    assert [(size.number, size.items, size.kinds) for size in summary.topics] == [("9-1_1", 7, (2, 1, 1, 1, 2))]
    assert [(size.tag, size.items, size.unique) for size in summary.runs] == [("A", 5, 5), ("B", 1, 1)]


def test_each_run_ranks_by_score_then_docno_to_the_depth(toy: Campaign, organiser: User) -> None:
    document = factories.document(toy, "P5")
    lines = {"topic": "9-1_1", "ranked": [["P1", 1.0], ["P5", 2.0], ["P3", 1.0], ["P5", 9.0]]}
    send(toy, organiser, "A", lines, kind="ranked")
    send(
        toy,
        organiser,
        "B",
        {"topic": "9-1_1", "ranked": [["P3", 7.0]]},
        {"topic": "10_1", "ranked": [["P1", 1.0]]},
        kind="ranked",
    )
    pool = build(toy, organiser)
    assert members(pool) == [("10_1", "passage", "P1"), ("9-1_1", "passage", "P3"), ("9-1_1", "passage", "P5")]
    assert pool.recipe["ranked"] == {"passage": {"A": [2, 1], "B": [2, 1]}}
    found = Item.objects.get(key="P5")
    assert (found.docno, found.document, found.text, found.given) == ("P5", document, "", False)
    assert named_docnos(toy) == {"P1", "P3", "P5"}


def test_the_same_again_is_the_same_pool_and_adds_no_items(toy: Campaign, organiser: User) -> None:
    say(toy, "10_1", s1="I like soup.")
    send(toy, organiser, "A", {"topic": "10_1", "ranked": [["P1", 2.0]]})
    first = build(toy, organiser)
    assert build(toy, organiser) == first
    assert (Item.objects.count(), Pool.objects.count()) == (2, 1)
    PoolItem.objects.all().delete()
    Pool.objects.all().delete()
    Item.objects.all().delete()
    assert build(toy, organiser).digest == first.digest


def test_a_run_without_such_a_ranking_gives_its_segments_to_the_depth(toy: Campaign, organiser: User) -> None:
    run = factories.run(toy, "Old1", organiser)  # of a kind of file that ranks nothing
    topic = toy.topics.get(number="9-1_1")
    texts = [
        Item.objects.create(topic=topic, kind="passage", key=f"P{number}", text=f"P{number}") for number in (1, 2, 3)
    ]
    factories.response(run, topic, texts)
    run.submission = "segments"
    run.save()
    track = track_of(toy)
    plain = replace(track.submissions[0], key="segments", rankings=())
    registered_tracks()["toy"] = replace(track, submissions=(*track.submissions, plain))
    assert members(build(toy, organiser), "passage") == [("9-1_1", "passage", "P1"), ("9-1_1", "passage", "P2")]
    toy.settings = {"passage_depth": 3}
    toy.save()
    assert [key for *_, key in members(build(toy, organiser), "passage")] == ["P1", "P2", "P3"]


def test_what_topics_and_files_of_judgments_bring_needs_no_run(toy: Campaign, organiser: User) -> None:
    with pytest.raises(NothingToPool, match="No accepted run answers “Turn"):
        build(toy, organiser)
    topic = say(toy, "9-2_1", s1="I ski.", s2="I read.")
    Item.objects.create(topic=topic, kind="passage", key="P77", docno="P77", given=True)
    Item.objects.create(topic=topic, kind="passage", key="P78", docno="P78")
    pool = build(toy, organiser)
    assert members(pool) == [("9-2_1", "passage", "P77"), ("9-2_1", "statement", "s1"), ("9-2_1", "statement", "s2")]
    assert set(Item.objects.filter(given=True).values_list("key", flat=True)) == {"P77", "s1", "s2"}
    assert named_docnos(toy) == {"P77"}


def test_a_statement_said_anew_is_taken_over_until_it_is_judged(toy: Campaign, organiser: User, assessor: User) -> None:
    topic = say(toy, "9-2_1", s1="I ski.", s2="I read.")
    build(toy, organiser)
    work = factories.assignment(topic, "statements", assessor)
    judged = Item.objects.get(key="s2")
    Judgment.objects.create(
        item=judged, criterion="relevance", value=1, assessor=assessor, assignment=work, client_key="0" * 32, how="key"
    )
    say(toy, "9-2_1", s1="I ski badly.", s2="I read much.")
    build(toy, organiser)
    assert dict(Item.objects.values_list("key", "text")) == {"s1": "I ski badly.", "s2": "I read."}


def test_only_the_topics_named_are_judged(toy: Campaign, organiser: User) -> None:
    ranked = [["P1", 1.0]]
    numbers = ("9-1_1", "9-1_2", "9-2_1", "10_1")
    send(toy, organiser, "A", *({"topic": number, "ranked": ranked, "answer": f"a {number}"} for number in numbers))

    def topics(*named: str) -> list[str]:
        toy.settings = {"judged_topics": list(named)}
        toy.save()
        return [number for number, kind, _ in members(build(toy, organiser)) if kind == "passage"]

    assert topics("10_1", "9-1_2") == ["10_1", "9-1_2"]
    assert topics("9-1") == ["9-1_1", "9-1_2"]
    assert topics("9", "9-1_1") == ["9-1_1", "9-1_2", "9-2_1"]
    assert topics() == ["10_1", "9-1_1", "9-1_2", "9-2_1"]
    with pytest.raises(Invalid, match="judged_topics names 11_1, 8, which are no topics of this campaign"):
        topics("9-1_1", "8", "11_1")
    assert Pool.objects.count() == 4


def test_the_depth_must_be_one_or_more(toy: Campaign, organiser: User) -> None:
    toy.settings = {"passage_depth": 0}
    with pytest.raises(Invalid, match="The setting passage_depth is 0"):
        build(toy, organiser)


def test_the_plan_says_by_kind_what_building_does_and_writes_nothing(toy: Campaign, organiser: User) -> None:
    say(toy, "9-1_1", s1="I have a boat.")
    run = send(toy, organiser, "A", {"topic": "9-1_1", "ranked": [["P1", 3.0]], "sentences": sentences("Go.")})
    plan = pool_plan(toy, track_of(toy).tasks[0])
    assert (plan.items, plan.new, plan.kept, plan.leaving, plan.runs, plan.topics) == (3, 3, 0, 0, 1, 1)
    assert plan.kinds == (
        KindPlan(kind="passage", items=1, new=1, leaving=0),
        KindPlan(kind="statement", items=1, new=1, leaving=0),
        KindPlan(kind="sentence", items=1, new=1, leaving=0),
        KindPlan(kind="citation", items=0, new=0, leaving=0),
        KindPlan(kind="answer", items=0, new=0, leaving=0),
    )
    assert Item.objects.count() == 1  # the sentence, stored with the run
    build(toy, organiser)
    assert pool_plan(toy, track_of(toy).tasks[0]).changes_nothing
    withdraw_run(actor=organiser, run=run)
    plan = pool_plan(toy, track_of(toy).tasks[0])
    assert (plan.items, plan.kept, plan.leaving, plan.leaving_judged) == (1, 1, 2, 0)
    assert [each.leaving for each in plan.kinds] == [1, 0, 1, 0, 0]


def test_judged_items_of_any_kind_do_not_leave_in_silence(toy: Campaign, organiser: User, assessor: User) -> None:
    send(toy, organiser, "A", {"topic": "9-1_1", "ranked": [["P1", 3.0], ["P2", 2.0]]})
    build(toy, organiser)
    item = Item.objects.get(key="P2")
    work = factories.assignment(item.topic, "passages", assessor)
    Judgment.objects.create(
        item=item, criterion="relevance", value=1, assessor=assessor, assignment=work, client_key="0" * 32, how="key"
    )
    toy.settings = {"passage_depth": 1}
    toy.save()
    with pytest.raises(Conflict, match="1 judged item would leave"):
        build(toy, organiser)
    assert len(members(build(toy, organiser, drop_judged=True))) == 1


def test_a_ranked_file_that_is_gone_is_said(toy: Campaign, organiser: User) -> None:
    run = send(toy, organiser, "A", {"topic": "9-1_1", "ranked": [["P1", 3.0]]})
    stored_path(run.file).unlink()
    with pytest.raises(Exception, match="The file is not kept here any more"):
        build(toy, organiser)
    assert Pool.objects.count() == 0


def test_the_first_docnos_of_a_ranking_are_held_and_no_more() -> None:
    def doc(topic: str, docno: str, score: float) -> RankedDoc:
        return RankedDoc(topic=topic, docno=docno, rank=1, score=score)

    lines = [doc("1", "a", 1.0), doc("1", "c", 3.0), doc("2", "x", 1.0), doc("1", "b", 3.0), doc("1", "c", 9.0)]
    assert first_docnos(lines, 2) == {"1": ("c", "b"), "2": ("x",)}
    assert first_docnos(reversed(lines), 2) == {"1": ("c", "b"), "2": ("x",)}
    assert first_docnos((doc("1", f"d{number:04}", 1.0) for number in range(5000)), 2) == {"1": ("d4999", "d4998")}


def test_the_command_says_it_by_kind(toy: Campaign, organiser: User) -> None:
    def command() -> list[list[str]]:
        out = io.StringIO()
        call_command("build_pool", "toy", stdout=out)
        return [line.split("\t")[:3] for line in out.getvalue().splitlines()]

    with pytest.raises(CommandError, match="nothing to pool"):
        command()
    say(toy, "9-1_1", s1="I have a boat.")
    send(toy, organiser, "A", {"topic": "9-1_1", "ranked": [["P1", 3.0], ["P2", 1.0]]})
    assert command() == [
        ["turn", "3 items", f"pool {Pool.objects.get().pk}"],
        ["turn", "2 items", "passage"],
        ["turn", "1 item", "statement"],
    ]


def test_the_pages_show_kinds_before_and_after_building(toy: Campaign, organiser: User, client: Client) -> None:
    say(toy, "9-1_1", s1="I have a boat.", s2="I swim.")
    send(toy, organiser, "A", {"topic": "9-1_1", "ranked": [["P1", 3.0]]})
    client.force_login(organiser)
    before = client.get(reverse("pool-build", args=["toy", "turn"]))
    assert "1 run, 3 different items for 1 topic." in " ".join(before.content.decode().split())
    assert client.post(reverse("pool-build", args=["toy", "turn"])).status_code == 302
    page = " ".join(client.get(reverse("pool", args=["toy"])).content.decode().split())
    assert "They are 1 passage, 2 statements." in page
    assert "of priority" not in page
    csv = client.get(reverse("pool", args=["toy"]), {"format": "csv"})
    assert b"Turn,kind,statement,2" in b"".join(csv.streaming_content)  # type: ignore[attr-defined]
