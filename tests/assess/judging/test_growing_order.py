"""The bench of a pool that grows: what came in is put into the order that is known, which is the one drawn from all."""

from __future__ import annotations

from itertools import count

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assess.assignments.queries.work_items import handle_of, item_of
from assess.judging.queries import bench_order as orders
from assess.judging.queries.bench import BenchList, bench_item, ordered_items
from assess.judging.queries.bench_order import bench_order
from assess.judging.queries.judged_places import own_judged_places
from assess.models import Assignment, ControlItem, HelpRequest, Item, Pool, PoolItem, Topic
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.judging.ordered_bench import asked, outside_transactions, stage_of_work

pytestmark = pytest.mark.django_db
ORDINALS = count(100)


@pytest.fixture
def work(rigid: Topic, assessor: User) -> Assignment:
    return growing(rigid, assessor)


def growing(rigid: Topic, assessor: User) -> Assignment:
    """Work on a pool that grows: of its twelve items the first eight have places."""
    for place, item in enumerate(factories.pooled(rigid, [f"colour {number}" for number in range(12)]), start=1):
        if place <= 8:
            PoolItem.objects.filter(item=item).update(place=place)
    Pool.objects.update(recipe={"strategy": "max-mean"})
    return factories.assignment(rigid, "instances", assessor)


def grow(topic: Topic, texts: list[str]) -> None:
    """As a pool grows: by places after the last of the topic."""
    pool = Pool.objects.get()
    last = PoolItem.objects.filter(item__topic=topic).aggregate(last=Max("place"))["last"] or 0
    for place, item in enumerate(factories.items(topic, texts), start=last + 1):
        PoolItem.objects.create(pool=pool, item=item, place=place)


def compare(work: Assignment) -> None:
    """What is kept in memory, asked twice, is what a plain sort of everything gives."""
    stage = stage_of_work(work)
    plain = [item.pk for item in ordered_items(work, stage)]
    with outside_transactions():
        first, again = bench_order(work, stage), bench_order(work, stage)
        bench, lines = BenchList(work, stage), judging.bench_lines(work)
    assert list(first.ids) == list(again.ids) == plain
    assert [first.place_of(pk) for pk in plain] == list(range(1, len(plain) + 1))
    assert [line.handle for line in lines] == [handle_of(work, pk) for pk in plain]
    assert [bench.handle_at(place) for place in bench.places()] == [line.handle for line in lines]
    assert [bench.is_settled(line.place) for line in lines] == [line.is_settled for line in lines]
    timed = [line.seconds for line in lines if line.seconds is not None]
    assert (bench.done, bench.judged.timed) == (sum(line.is_settled for line in lines), len(timed))
    assert bench.judged.seconds == pytest.approx(sum(timed))
    for line in lines[:: max(1, len(lines) // 4)]:
        with outside_transactions():
            found = bench_item(work, stage, line.handle)
        assert found is not None
        assert (found.line.id, found.line.place, found.many) == (line.id, line.place, len(plain))


def act(work: Assignment, other: Topic, said: tuple[str, int]) -> None:
    """One thing that happens to a bench while its order is known."""
    what, number = said
    texts = [f"shade {next(ORDINALS)}" for _ in range(1 + number % 3)]
    ids = [item.pk for item in ordered_items(work, stage_of_work(work))]
    pk = ids[number % len(ids)]
    if what == "grow":
        grow(work.topic, texts)
    elif what == "grow elsewhere":
        grow(other, texts)
    elif what in ("without a place", "early place"):
        place = 2 if what == "early place" else None
        PoolItem.objects.create(pool=Pool.objects.get(), item=factories.item(work.topic, texts[0]), place=place)
    elif what == "judge":
        item = Item.objects.get(pk=pk)
        if item.repeats_id is None:
            judging.judge(work, item.text, 1 + number % 3, seconds=number / 2)
    elif what == "take back":
        item = Item.objects.get(pk=pk)
        if item.repeats_id is None and item.judgments.exists():
            judging.judge(work, item.text, None)
    elif what == "excuse":
        HelpRequest.objects.create(
            assignment=work, item_id=pk, text="?", client_key=f"{next(ORDINALS):032}", excused=True
        )
    elif what == "control item":
        first = Item.objects.filter(pk__in=ids, repeats=None).earliest("pk")
        repeat = Item.objects.create(topic=work.topic, kind=first.kind, key=texts[0], text=texts[0], repeats=first)
        ControlItem.objects.create(assignment=work, item=repeat, kind="repeat", place=1 + number)


ACTS = (
    "grow", "grow", "grow elsewhere", "judge", "judge", "take back", "excuse", "control item", "without a place",
    "early place",
)  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 40)), min_size=2, max_size=7))
def test_whatever_happens_the_order_is_that_of_the_plain_sort(
    rigid: Topic, squishy: Topic, assessor: User, said: list[tuple[str, int]]
) -> None:
    with transaction.atomic():
        work = growing(rigid, assessor)
        compare(work)
        for each in said:
            act(work, squishy, each)
            compare(work)
        transaction.set_rollback(True)


def test_what_came_in_is_read_alone(work: Assignment, squishy: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, drawn = stage_of_work(work), []
    assert asked(lambda: bench_order(work, stage)) == 4
    assert asked(lambda: bench_order(work, stage)) == 3
    draw = orders._drawn
    monkeypatch.setattr(orders, "_drawn", lambda *given: drawn.append(given) or draw(*given))
    grow(work.topic, ["ochre", "umber"])
    assert asked(lambda: bench_order(work, stage)) == 4
    assert asked(lambda: bench_order(work, stage)) == 3
    grow(squishy, ["sepia"])
    assert asked(lambda: bench_order(work, stage)) == 4
    assert asked(lambda: bench_order(work, stage)) == 3
    assert drawn == []
    compare(work)


def test_where_much_came_in_the_order_is_drawn_anew(work: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(work)
    monkeypatch.setattr(orders, "AT_ONCE", 2)
    grow(work.topic, ["ochre", "umber", "sienna"])
    compare(work)


def test_an_answer_to_what_came_in_counts_wherever_it_was_known_first(work: Assignment) -> None:
    compare(work)
    grow(work.topic, ["ochre"])
    judging.judge(work, "ochre", 1, seconds=2.0)
    stage = stage_of_work(work)
    known = [item.pk for item in ordered_items(work, stage) if item.text != "ochre"]
    with outside_transactions():  # a request that found the order before the pool grew, and the judgment after it
        sign = bench_order(work, stage).sign
        before = own_judged_places(work, known, stage.criteria, sign)
    assert (before.done, before.point > 0) == (0, True)
    compare(work)


def test_an_item_of_a_growing_pool_costs_the_same_whatever_the_pool(
    work: Assignment, rigid: Topic, client: Client
) -> None:
    client.force_login(work.assessor)

    def cost() -> int:
        first = handle_of(work, ordered_items(work, stage_of_work(work))[0].pk)
        address = reverse("work-item", args=[work.campaign.slug, work.pk, first])
        with outside_transactions():
            client.get(address)
        with outside_transactions(), CaptureQueriesContext(connection) as queries:
            client.get(address)
        assert not [query for query in queries if '"pool_place"' in query["sql"]]
        return len(queries)

    few = cost()
    grow(rigid, [f"shade {number}" for number in range(60)])
    assert cost() == few


def test_numbers_stay_the_same_while_a_pool_grows(work: Assignment) -> None:
    before = {item.pk: handle_of(work, item.pk) for item in ordered_items(work, stage_of_work(work))}
    compare(work)
    grow(work.topic, ["ochre", "umber"])
    after = ordered_items(work, stage_of_work(work))
    assert {pk: handle_of(work, pk) for pk in before} == before
    assert [item_of(work, handle_of(work, item.pk)) for item in after] == [item.pk for item in after]
