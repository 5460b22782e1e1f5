"""Building pools: the same runs give the same pool, and judged items never leave in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.access import held_work
from assess.base.bulk import add_rows
from assess.base.errors import Conflict, Invalid
from assess.items.queries import current_pools, pooled_items
from assess.jobs.progress import Stopped
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Activity, Assignment, Campaign, Item, Job, Pool, PoolItem, Run, Topic
from assess.pools.domain import building, summaries
from assess.pools.domain.building import build_pool
from assess.pools.domain.summaries import pool_summary, summary_at_hand
from assess.pools.queries import KindSize, RunSize, TopicSize
from assess.runs.domain.deciding import withdraw_run
from tests import factories
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(campaign: Campaign, organiser: User, rigid: Topic, squishy: Topic) -> dict[str, Run]:
    """Three runs of priorities 1, 2, 3; the second shares an item with the first."""
    blue, red, green = (factories.item(rigid, text) for text in ("blue", "red", "green"))
    made = {tag: factories.run(campaign, tag, organiser, priority=int(tag[-1])) for tag in ("A1", "B2", "C3")}
    factories.response(made["A1"], rigid, [blue, red])
    factories.response(made["B2"], rigid, [red])
    factories.response(made["C3"], rigid, [green, red])
    factories.response(made["A1"], squishy, [factories.item(squishy, "light")])
    return made


def texts(pool: Pool) -> list[str]:
    return sorted(Item.objects.filter(pool_items__pool=pool).values_list("text", flat=True))


def test_a_pool_holds_the_distinct_items_of_judged_priorities(
    campaign: Campaign, organiser: User, runs: dict[str, Run], rigid: Topic
) -> None:
    pool = build_pool(actor=organiser, campaign=campaign, task="rigid")
    assert texts(pool) == ["blue", "red"]
    assert pool.recipe == {
        "strategy": "all",
        "kind": "instance",
        "priorities": [1, 2],
        "runs": [["A1", "0" * 64], ["B2", "0" * 64]],
    }
    assert sorted(item.text for item in pooled_items(rigid, "instance")) == ["blue", "red"]
    assert texts(build_pool(actor=organiser, campaign=campaign, task="squishy")) == ["light"]


def test_the_same_again_is_the_same_pool(campaign: Campaign, organiser: User, runs: dict[str, Run]) -> None:
    first = build_pool(actor=organiser, campaign=campaign, task="rigid")
    count = Activity.objects.count()
    assert build_pool(actor=organiser, campaign=campaign, task="rigid") == first
    assert (Pool.objects.count(), Activity.objects.count()) == (1, count)


def test_the_digest_does_not_depend_on_row_numbers(
    campaign: Campaign, organiser: User, runs: dict[str, Run], rigid: Topic
) -> None:
    digest = build_pool(actor=organiser, campaign=campaign, task="rigid").digest
    Pool.objects.all().delete()
    run = runs["A1"]
    run.responses.filter(topic=rigid).delete()
    Item.objects.filter(topic=rigid, text="blue").delete()
    factories.response(run, rigid, [Item.objects.get(topic=rigid, text="red"), factories.item(rigid, "blue")])
    assert build_pool(actor=organiser, campaign=campaign, task="rigid").digest == digest


def test_a_third_priority_is_judged_if_the_organiser_says(
    campaign: Campaign, organiser: User, runs: dict[str, Run]
) -> None:
    first = build_pool(actor=organiser, campaign=campaign, task="rigid")
    second = build_pool(actor=organiser, campaign=campaign, task="rigid", priorities=[3, 1, 2, 2])
    assert texts(second) == ["blue", "green", "red"]
    assert second.pk > first.pk
    campaign.settings = {"judged_priorities": [1, 2, 3]}
    assert build_pool(actor=organiser, campaign=campaign, task="rigid") == second


def test_withdrawn_and_rejected_runs_are_not_pooled(campaign: Campaign, organiser: User, runs: dict[str, Run]) -> None:
    Run.objects.filter(tag="A1").update(state="withdrawn")
    assert texts(build_pool(actor=organiser, campaign=campaign, task="rigid")) == ["red"]


def test_judged_items_do_not_leave_in_silence(
    campaign: Campaign, organiser: User, runs: dict[str, Run], rigid: Topic, assessor: User
) -> None:
    pool = build_pool(actor=organiser, campaign=campaign, task="rigid")
    work = factories.assignment(rigid, "instances", assessor)
    judge(work, rigid.items.get(text="blue"))
    Run.objects.filter(tag="A1").update(state="withdrawn")
    with pytest.raises(Conflict, match="1 judged item would leave"):
        build_pool(actor=organiser, campaign=campaign, task="rigid")
    assert Pool.objects.count() == 1
    smaller = build_pool(actor=organiser, campaign=campaign, task="rigid", drop_judged=True)
    assert (texts(pool), texts(smaller)) == (["blue", "red"], ["red"])
    assert Activity.objects.filter(action="pool.build").first().data["judged_items_left"] == 1  # type: ignore[union-attr]


def judge(assignment: Assignment, item: Item) -> None:
    from uuid import UUID

    value = JudgmentInput(item=item, criterion="correctness", value=1, client_key=UUID(int=item.pk))
    record_judgment(actor=assignment.assessor, assignment=assignment, judgment=value)


def test_what_can_not_be_pooled_is_refused(campaign: Campaign, organiser: User, runs: dict[str, Run]) -> None:
    with pytest.raises(Invalid, match="Use one of: rigid, squishy"):
        build_pool(actor=organiser, campaign=campaign, task="essay")
    with pytest.raises(Invalid, match="Name the priorities"):
        build_pool(actor=organiser, campaign=campaign, task="rigid", priorities=[])
    Run.objects.update(state="rejected")
    with pytest.raises(Conflict, match="nothing to pool"):
        build_pool(actor=organiser, campaign=campaign, task="rigid")
    campaign.state = Campaign.State.FROZEN
    with pytest.raises(Conflict, match="frozen"):
        build_pool(actor=organiser, campaign=campaign, task="rigid")


def test_the_summary_counts_by_topic_and_by_run(
    campaign: Campaign, organiser: User, runs: dict[str, Run], django_assert_num_queries
) -> None:
    pool = build_pool(actor=organiser, campaign=campaign, task="rigid")
    with django_assert_num_queries(11):  # of citations and of answers, which no run returned, one each
        summary = pool_summary(pool)
    with django_assert_num_queries(5):  # counted once for the same runs, topics and items
        assert pool_summary(pool) == summary
    assert summary.items == 2
    assert summary.topics == (
        TopicSize(number="1.1", text="Which colours do people like?", items=2, documents=1, kinds=(2,)),
    )
    assert (summary.kinds, summary.priorities) == ((KindSize(kind="instance", items=2),), (1, 2))
    assert summary.runs == (
        RunSize(tag="A1", team="A", priority=1, items=2, unique=1),
        RunSize(tag="B2", team="B", priority=2, items=1, unique=0),
        RunSize(tag="C3", team="C", priority=3, items=1, unique=0),
    )
    Run.objects.filter(tag="B2").update(state="withdrawn")
    Item.objects.filter(text="red").update(docno="")
    assert [(size.items, size.documents) for size in pool_summary(pool).topics] == [(2, 1)]
    assert [(run.tag, run.unique) for run in pool_summary(pool).runs] == [("A1", 1), ("C3", 0)]
    Topic.objects.filter(number="1.1").update(dropped=True)
    assert pool_summary(pool).topics == ()


def test_a_large_pool_is_counted_by_the_worker_once_for_all_who_ask(
    campaign: Campaign, organiser: User, runs: dict[str, Run], at_desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = [build_pool(actor=organiser, campaign=campaign, task=task) for task in ("rigid", "squishy")]
    page, call = reverse("pool", args=[campaign.slug]), reverse("api-pool-detail", args=[campaign.slug, pools[0].pk])
    assert at_desk.get(page).status_code == 200
    monkeypatch.setattr(summaries, "AT_ONCE", 0)
    assert at_desk.get(page).status_code == 200  # it was counted, and nothing came or went
    Run.objects.filter(tag="B2").update(state="withdrawn")
    with monkeypatch.context() as watched:
        watched.setattr(summaries, "pool_counts", None)
        assert [at_desk.get(page).status_code for _ in range(2)] == [202, 202]
        refused = at_desk.get(call)
    assert (refused.status_code, refused.json()["code"]) == (409, "still-counting-pool")
    run_worker()
    job = Job.objects.get(kind="pool-counts")
    assert (job.state, job.message) == ("done", "The pools have 3 items.")
    assert [at_desk.get(address).status_code for address in (page, call)] == [200, 200]
    assert [run["tag"] for run in at_desk.get(call).json()["runs"]] == ["A1", "C3"]


def test_a_pool_that_grows_is_counted_at_once(
    campaign: Campaign, organiser: User, runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = build_pool(actor=organiser, campaign=campaign, task="rigid")
    monkeypatch.setattr(summaries, "AT_ONCE", 0)
    pool.recipe["strategy"] = "move-to-front"
    assert summary_at_hand(pool, actor=organiser) == pool_summary(pool)


def test_what_is_built_is_counted_before_its_page_opens(
    campaign: Campaign,
    organiser: User,
    runs: dict[str, Run],
    django_assert_num_queries,
    django_capture_on_commit_callbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        pool = build_pool(actor=organiser, campaign=campaign, task="rigid")
    with django_assert_num_queries(5):
        assert pool_summary(pool).items == 2


def test_a_pool_is_stored_in_pieces_and_there_with_its_last(
    campaign: Campaign, organiser: User, runs: dict[str, Run], rigid: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build_pool(actor=organiser, campaign=campaign, task="rigid")
    seen: list[list[Pool]] = []

    def add(model: type[PoolItem], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        seen.append([*current_pools(campaign), *campaign.pools.all()])
        add_rows(model, columns, rows)

    monkeypatch.setattr(building, "PIECE", 1)
    monkeypatch.setattr(building, "add_rows", add)
    whole = build_pool(actor=organiser, campaign=campaign, task="rigid", priorities=[1, 2, 3])
    assert seen == [[first, first]] * 3
    assert list(current_pools(campaign)) == [whole]
    in_order = whole.pool_items.order_by("pk").values_list("item__key", flat=True)
    assert list(in_order) == sorted(in_order)


def test_a_run_withdrawn_between_the_pieces_of_a_pool_is_not_pooled(
    campaign: Campaign, organiser: User, runs: dict[str, Run], rigid: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(model: type[PoolItem], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        withdraw_run(actor=organiser, run=runs["A1"])
        add_rows(model, columns, rows)

    monkeypatch.setattr(building, "add_rows", add)
    with pytest.raises(Conflict, match="withdrawn while the pool was built"):
        build_pool(actor=organiser, campaign=campaign, task="rigid")
    assert not Pool.with_unfinished.exists()


@pytest.mark.parametrize("is_killed", [False, True])
def test_nothing_is_left_of_a_pool_that_was_not_built_to_its_end(
    campaign: Campaign,
    organiser: User,
    assessor: User,
    runs: dict[str, Run],
    rigid: Topic,
    monkeypatch: pytest.MonkeyPatch,
    is_killed: bool,
) -> None:
    def add(model: type[PoolItem], columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        if PoolItem.objects.filter(pool__unfinished=True).exists():
            raise Stopped
        add_rows(model, columns, rows)

    work = factories.assignment(rigid, "instances", assessor)
    first = build_pool(actor=organiser, campaign=campaign, task="rigid")
    with monkeypatch.context() as patch:
        patch.setattr(building, "PIECE", 1)
        patch.setattr(building, "add_rows", add)
        if is_killed:  # nothing runs after it
            patch.setattr(building, "_remove_unfinished", lambda campaign: None)
        with pytest.raises(Stopped):
            build_pool(actor=organiser, campaign=campaign, task="rigid", priorities=[1, 2, 3])
    assert Pool.with_unfinished.count() == 1 + is_killed
    assert list(current_pools(campaign)) == [first]
    with held_work(assessor, campaign.slug, work.pk) as held:
        assert held.pool == first.pk
    whole = build_pool(actor=organiser, campaign=campaign, task="rigid", priorities=[1, 2, 3])
    assert [*Pool.with_unfinished.order_by("pk")] == [first, whole]
    assert texts(whole) == ["blue", "green", "red"]
