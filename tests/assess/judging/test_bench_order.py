"""The order of a bench and what of it is judged, read anew each time; an item is found without the others."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
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
from assess.campaigns.queries import stage_of
from assess.controls.domain import make_control_items
from assess.controls.plan import ControlItemRequest
from assess.judging.queries.bench import BenchList, bench_item, own_order
from assess.models import Assignment, ControlItem, HelpRequest, Item, Judgment, Pool, PoolItem, Topic
from assess.protocol import Criterion, Stage
from assess.work.domain import hand_over
from tests import factories
from tests.assess import judged_campaign as judging

pytestmark = pytest.mark.django_db
ORDINALS = count(100)


@pytest.fixture
def work(rigid: Topic, assessor: User) -> Assignment:
    return growing(rigid, assessor)


def growing(rigid: Topic, assessor: User) -> Assignment:
    """Work on a pool that grows: of its twelve items the first four have places."""
    for place, item in enumerate(factories.pooled(rigid, [f"colour {number}" for number in range(12)]), start=1):
        if place <= 4:
            PoolItem.objects.filter(item=item).update(place=place)
    return factories.assignment(rigid, "instances", assessor)


def stage_of_work(work: Assignment) -> Stage:
    return stage_of(work.campaign, work.stage)[1]


def order_of(work: Assignment) -> list[int]:
    return own_order(work, stage_of_work(work))[0]


def drawn(work: Assignment) -> list[int]:
    """The order as it has been drawn since the first version: it must not change under whoever is judging."""

    def lot(thing: object) -> bytes:
        return hashlib.sha256(f"{work.seed}\0{thing}".encode()).digest()

    pool = Pool.objects.latest("pk")
    rows = PoolItem.objects.filter(pool=pool, item__topic=work.topic).values_list("place", "item", "item__text")
    keyed = sorted((place is None, place or 0, lot(text), lot(pk), pk) for place, pk, text in rows)
    found = [pk for *_, pk in keyed]
    for each in ControlItem.objects.filter(assignment=work).order_by("place", "id"):
        found.insert(each.place - 1, each.item_id)
    return found


def compare(work: Assignment) -> BenchList:
    """The list is in the order that is drawn, and counts what its lines say one by one."""
    stage = stage_of_work(work)
    bench, lines = BenchList(work, stage), judging.bench_lines(work)
    assert [line.id for line in lines] == drawn(work) == order_of(work)
    assert [line.handle for line in lines] == [handle_of(work, line.id) for line in lines]
    assert [bench.place_of_handle(line.handle) for line in lines] == [line.place for line in lines]
    settled = [line.place for line in lines if line.is_settled]
    assert (bench.done, len(bench)) == (len(settled), len(lines))
    timed = [line.seconds for line in lines if line.seconds is not None]
    assert (bench.seconds, bench.timed) == (pytest.approx(sum(timed)), len(timed))
    assert bench.places("unjudged") == [line.place for line in lines if not line.is_settled]
    assert bench.places("flagged") == [line.place for line in lines if line.flag or line.note]
    open_ = [line.place for line in lines if not line.is_settled]
    unasked = [line.place for line in lines if not line.is_settled and not line.flag]
    assert bench.first_open() == next(iter(unasked or open_), 1)
    for line in lines:
        onward = [place for place in open_ if place > line.place] + [place for place in open_ if place < line.place]
        assert bench.first_open(after=line.place) == next(iter(onward), None)
    for line in lines[:: max(1, len(lines) // 4)]:
        found = bench_item(work, stage, line.handle)
        assert found is not None
        assert found.line == replace(line, place=0)
    return bench


def act(work: Assignment, other: Topic, said: tuple[str, int]) -> None:
    """One thing that happens to a bench while somebody judges at it."""
    what, number = said
    texts = [f"shade {next(ORDINALS)}" for _ in range(1 + number % 3)]
    ids = order_of(work)
    pk = ids[number % len(ids)]
    topic, pool = other if what == "grow elsewhere" else work.topic, Pool.objects.latest("pk")
    if what.startswith("grow"):
        last = PoolItem.objects.filter(item__topic=topic).aggregate(last=Max("place"))["last"] or 0
        for place, item in enumerate(factories.items(topic, texts), start=last + 1):
            PoolItem.objects.create(pool=pool, item=item, place=place)
    elif what == "without a place":
        PoolItem.objects.create(pool=pool, item=factories.item(topic, texts[0]))
    elif what == "built again":
        built = Pool.objects.create(campaign=work.campaign, task=topic.task, recipe={}, digest="1" * 64)
        for kept in PoolItem.objects.filter(pool=pool).exclude(item=pk):
            PoolItem.objects.create(pool=built, item_id=kept.item_id, place=kept.place)
    elif what in ("judge", "take back"):
        item = Item.objects.get(pk=pk)
        if item.repeats_id is None and (what == "judge" or item.judgments.exists()):
            judging.judge(work, item.text, 1 + number % 3 if what == "judge" else None, seconds=number / 2)
    elif what in ("excuse", "ask"):
        HelpRequest.objects.create(
            assignment=work, item_id=pk, text="?", client_key=f"{next(ORDINALS):032}", excused=what == "excuse"
        )
    elif what == "control item":
        first = Item.objects.filter(pk__in=ids, repeats=None).earliest("pk")
        repeat = Item.objects.create(topic=topic, kind=first.kind, key=texts[0], text=texts[0], repeats=first)
        ControlItem.objects.create(assignment=work, item=repeat, kind="repeat", place=1 + number)


ACTS = (
    "grow", "grow elsewhere", "without a place", "built again", "judge", "judge", "take back", "excuse", "ask",
    "control item",
)  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 40)), min_size=2, max_size=7))
def test_whatever_happens_the_list_is_the_one_drawn_and_counts_what_its_lines_say(
    rigid: Topic, squishy: Topic, assessor: User, said: list[tuple[str, int]]
) -> None:
    with transaction.atomic():
        work = growing(rigid, assessor)
        for each in said:
            act(work, squishy, each)
            compare(work)
        transaction.set_rollback(True)


def test_a_pool_says_which_items_come_first_and_that_more_may_come(work: Assignment, rigid: Topic) -> None:
    assert BenchList(work, stage_of_work(work)).grows
    assert order_of(work)[:4] == list(rigid.items.order_by("pk").values_list("pk", flat=True)[:4])
    PoolItem.objects.update(place=None)
    assert not BenchList(work, stage_of_work(work)).grows


def test_what_is_planted_stands_at_its_place(work: Assignment, organiser: User) -> None:
    before = order_of(work)
    for pk in before:
        judging.judge(work, work.topic.items.get(pk=pk).text, 1)
    make_control_items(
        actor=organiser, campaign=work.campaign, stage="instances", wish=ControlItemRequest(repeats=2, gold=0)
    )
    planted = set(work.control_items.values_list("item", flat=True))
    compare(work)
    assert (len(planted), [pk for pk in order_of(work) if pk not in planted]) == (2, before)


def test_who_takes_work_over_has_its_order_under_numbers_of_their_own(
    work: Assignment, organiser: User, second_assessor: User
) -> None:
    before = order_of(work)
    onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
    assert order_of(onward) == before
    assert handle_of(work, before[0]) != handle_of(onward, before[0])


def test_numbers_stay_the_same_while_a_pool_grows(work: Assignment, squishy: Topic) -> None:
    before = {pk: handle_of(work, pk) for pk in order_of(work)}
    act(work, squishy, ("grow", 1))
    assert {pk: handle_of(work, pk) for pk in before} == before
    assert [item_of(work, handle_of(work, pk)) for pk in order_of(work)] == order_of(work)


def test_the_newest_answers_count_and_their_time(work: Assignment) -> None:
    judging.judge(work, "colour 3", 1, seconds=2.5)
    judging.judge(work, "colour 4", 2, note="look")
    judging.judge(work, "colour 3", 2, seconds=4.0)
    judging.judge(work, "colour 5", -1, seconds=1.0)
    assert compare(work).seconds == pytest.approx(5.0)
    judging.judge(work, "colour 3", None)
    assert compare(work).done == 2


def test_what_the_pool_holds_no_more_is_not_counted(work: Assignment, squishy: Topic) -> None:
    first = Item.objects.get(pk=order_of(work)[0])
    judging.judge(work, first.text, 1, seconds=2.5)
    act(work, squishy, ("built again", 0))
    bench = compare(work)
    assert (bench.place_of(first.pk), bench.done, bench.seconds, bench.timed) == (None, 0, 0.0, 0)
    assert bench_item(work, stage_of_work(work), handle_of(work, first.pk)) is None


def test_what_was_handed_over_counts(work: Assignment, organiser: User, second_assessor: User) -> None:
    judging.judge(work, "colour 3", 1, note="dark", seconds=2.5)
    judging.judge(work, "colour 4", 2)
    other = work.topic.items.get(text="colour 5")
    HelpRequest.objects.create(assignment=work, item=other, text="Which?", client_key="0" * 32)
    onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
    Assignment.objects.filter(pk=onward.pk).update(state="started")
    onward.refresh_from_db()
    judging.judge(onward, "colour 4", 3, seconds=3.0)
    bench = compare(onward)
    assert (bench.done, bench.seconds) == (2, pytest.approx(3.0))
    lines = judging.bench_lines(onward)
    assert sorted({line.state for line in lines}) == ["carried", "flagged", "judged", "open"]
    assert bench_item(onward, stage_of_work(onward), handle_of(work, lines[0].id)) is None


@pytest.mark.parametrize("condition", [(), ((("fact", (1,)),),)])
def test_any_order_of_answers_to_several_criteria(
    work: Assignment, condition: tuple[tuple[str, tuple[int, ...]]]
) -> None:
    draw = random.Random(len(condition))
    ids = order_of(work)
    fact, style = (Criterion(key=key, question="?") for key in ("fact", "style"))
    stage = stage_of_work(work).asking((fact, replace(style, asked_if=condition)))
    standing: dict[tuple[int, str], float | None] = {}
    facts: dict[int, int | None] = {}
    for number in range(1, 61):
        item, key = draw.choice(ids), draw.choice(["fact", "style", "other"])
        value, seconds = draw.choice([None, 0, 1]), draw.choice([None, 1.5, 2.0])
        answer = draw.choice([None, {"unsure": True}]) if value is None else None
        Judgment.objects.create(
            id=number, item_id=item, criterion=key, value=value, given=answer, seconds=seconds,
            assessor=work.assessor, assignment=work, client_key=f"{number:032}",
        )  # fmt: skip
        facts |= {item: value} if key == "fact" else {}
        standing.pop((item, key), None)
        if value is not None or answer:
            standing[item, key] = seconds
    standing = {(pk, key): took for (pk, key), took in standing.items() if key != "other"}
    open_ = [
        place
        for place, pk in enumerate(ids, start=1)
        if (pk, "fact") not in standing or ((pk, "style") not in standing and not (condition and facts.get(pk) != 1))
    ]
    times = [took for took in standing.values() if took is not None]
    timed = {pk for (pk, _), took in standing.items() if took is not None}
    bench = BenchList(work, stage)
    assert (bench.places("unjudged"), bench.seconds, bench.timed) == (open_, pytest.approx(sum(times)), len(timed))


def test_an_item_costs_the_same_whatever_the_pool(work: Assignment, squishy: Topic, client: Client) -> None:
    client.force_login(work.assessor)

    def cost() -> int:
        address = reverse("work-item", args=[work.campaign.slug, work.pk, handle_of(work, order_of(work)[-1])])
        client.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        assert not [query for query in queries if "pool_place" in query["sql"]]
        return len(queries)

    few = cost()
    for _ in range(20):
        act(work, squishy, ("grow", 2))
    assert (cost(), len(order_of(work))) == (few, 72)
