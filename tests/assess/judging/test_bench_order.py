"""An item is found on the bench without reading all others, in the order that is drawn from all of them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.controls.domain import make_control_items
from assess.controls.plan import Wish
from assess.judging.queries.bench import bench_item, ordered_items
from assess.judging.queries.bench_order import bench_order
from assess.models import Assignment, HelpRequest, Pool, PoolItem, Topic
from assess.work.domain import hand_over
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.judging.ordered_bench import asked, outside_transactions, stage_of_work

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(rigid: Topic, assessor: User) -> Assignment:
    factories.pooled(rigid, [f"colour {number}" for number in range(12)])
    return factories.assignment(rigid, "instances", assessor)


def known(work: Assignment) -> list[int]:
    """The order as pages know it, read twice."""
    stage = stage_of_work(work)
    with outside_transactions():
        first, again = bench_order(work, stage), bench_order(work, stage)
    assert list(first.ids) == list(again.ids)
    return list(again.ids)


def drawn(work: Assignment) -> list[int]:
    return [item.pk for item in ordered_items(work, stage_of_work(work))]


def test_the_order_is_the_drawn_one_and_is_drawn_once(work: Assignment) -> None:
    stage = stage_of_work(work)
    assert asked(lambda: bench_order(work, stage)) == 3
    assert asked(lambda: bench_order(work, stage)) == 2
    assert known(work) == drawn(work)
    assert len(known(work)) == 12


def test_a_pool_that_grows_and_one_that_is_built_anew_are_ordered_anew(work: Assignment, rigid: Topic) -> None:
    Pool.objects.update(recipe={"strategy": "max-mean"})
    before = known(work)
    pool = Pool.objects.get()
    for text in ("something else", "one more"):
        PoolItem.objects.create(pool=pool, item=factories.item(rigid, text))
    grown = known(work)
    assert (grown, len(grown)) == (drawn(work), len(before) + 2)
    placed = Pool.objects.create(campaign=rigid.campaign, task=rigid.task, recipe={}, digest="1" * 64)
    for place, pk in enumerate(sorted(before)[:4], start=1):
        PoolItem.objects.create(pool=placed, item_id=pk, place=place)
    with outside_transactions():
        assert bench_order(work, stage_of_work(work)).is_placed
    assert known(work) == sorted(before)[:4] == drawn(work)


def test_what_is_planted_while_the_order_is_known_stands_at_its_place(work: Assignment, organiser: User) -> None:
    before = known(work)
    for pk in before:
        judging.judge(work, work.topic.items.get(pk=pk).text, 1)
    make_control_items(actor=organiser, campaign=work.campaign, stage="instances", wish=Wish(repeats=2, gold=0))
    planted = set(work.control_items.values_list("item", flat=True))
    found = known(work)
    assert (len(planted), [pk for pk in found if pk not in planted]) == (2, before)
    assert found == drawn(work)


def test_who_takes_work_over_has_its_order_under_numbers_of_their_own(
    work: Assignment, organiser: User, second_assessor: User
) -> None:
    before = known(work)
    onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
    assert known(onward) == before == drawn(onward)
    assert handle_of(work, before[0]) != handle_of(onward, before[0])


def test_inside_of_a_transaction_the_order_is_drawn_each_time(work: Assignment) -> None:
    stage = stage_of_work(work)
    assert asked(lambda: bench_order(work, stage)) == 3
    with CaptureQueriesContext(connection) as queries:
        bench_order(work, stage)
    assert len(queries) == 2


def test_given_items_whose_text_may_be_taken_over_are_ordered_each_time(work: Assignment, rigid: Topic) -> None:
    rigid.items.update(given=True)
    assert known(work) == drawn(work)
    rigid.items.filter(pk=drawn(work)[0]).update(text="another text")
    assert known(work) == drawn(work)


def test_one_item_is_what_the_list_says_of_it(work: Assignment, organiser: User, second_assessor: User) -> None:
    judging.judge(work, "colour 3", 1, note="dark")
    judging.judge(work, "colour 4", 2)
    other = work.topic.items.get(text="colour 5")
    HelpRequest.objects.create(assignment=work, item=other, text="Which?", client_key="0" * 32)
    onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
    Assignment.objects.filter(pk=onward.pk).update(state="started")
    onward.refresh_from_db()
    judging.judge(onward, "colour 4", 3)
    lines = judging.bench_lines(onward)
    for line in lines:
        found = bench_item(onward, stage_of_work(onward), line.handle)
        assert found is not None
        assert (found.line, found.item.pk, found.many) == (line, line.id, 12)
    assert sorted({line.state for line in lines}) == ["carried", "flagged", "judged", "open"]
    assert bench_item(onward, stage_of_work(onward), handle_of(work, lines[0].id)) is None


def test_an_item_costs_the_same_whatever_the_pool(work: Assignment, rigid: Topic, client: Client) -> None:
    client.force_login(work.assessor)

    def cost() -> int:
        first = handle_of(work, known(work)[0])
        address = reverse("work-item", args=[work.campaign.slug, work.pk, first])
        client.get(address)
        return asked(lambda: client.get(address))

    few = cost()
    larger = Pool.objects.create(campaign=rigid.campaign, task=rigid.task, recipe={}, digest="1" * 64)
    for item in [*rigid.items.all(), *(factories.item(rigid, f"shade {number}") for number in range(40))]:
        PoolItem.objects.create(pool=larger, item=item)
    assert (cost(), len(known(work))) == (few, 52)
    last = handle_of(work, known(work)[-1])
    with outside_transactions(), CaptureQueriesContext(connection) as queries:
        assert bench_item(work, stage_of_work(work), last) is not None
    assert not [query for query in queries if '"pool_place"' in query["sql"]]
