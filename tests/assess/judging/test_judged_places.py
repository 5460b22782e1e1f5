"""What a bench counts without reading its items is what its lines say, also while judgments come in."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assess.campaigns.queries import stage_of
from assess.judging.queries.bench import BenchList
from assess.judging.queries.judged_places import JudgedPlaces
from assess.models import Assignment, HelpRequest, Judgment, Topic
from assess.protocol import Criterion
from assess.work.domain import hand_over
from tests import factories
from tests.assess import judged_campaign as judging
from tests.assess.judging.ordered_bench import outside_transactions

pytestmark = pytest.mark.django_db


@pytest.fixture
def work(rigid: Topic, assessor: User) -> Assignment:
    factories.pooled(rigid, [f"colour {number}" for number in range(12)])
    return factories.assignment(rigid, "instances", assessor)


def compare(work: Assignment) -> BenchList:
    """The list counts what its lines say one by one."""
    stage = stage_of(work.campaign, work.stage)[1]
    with outside_transactions():
        bench, lines = BenchList(work, stage), judging.bench_lines(work)
    settled = [line.place for line in lines if line.is_settled]
    assert [place for place in bench.places() if bench.is_settled(place)] == settled
    assert (bench.done, len(bench)) == (len(settled), len(lines))
    timed = [line.seconds for line in lines if line.seconds is not None]
    assert (bench.judged.seconds, bench.judged.timed) == (pytest.approx(sum(timed)), len(timed))
    assert bench.places("unjudged") == [line.place for line in lines if not line.is_settled]
    assert bench.places("flagged") == [line.place for line in lines if line.flag or line.note]
    open_ = [line.place for line in lines if not line.is_settled]
    unasked = [line.place for line in lines if not line.is_settled and not line.flag]
    assert bench.first_open() == next(iter(unasked or open_), 1)
    for line in lines:
        onward = [place for place in open_ if place > line.place] + [place for place in open_ if place < line.place]
        assert bench.first_open(after=line.place) == next(iter(onward), None)
    return bench


def test_what_came_since_is_counted_with_what_was_known(work: Assignment) -> None:
    compare(work)
    judging.judge(work, "colour 3", 1, seconds=2.5)
    judging.judge(work, "colour 4", 2, note="look")
    compare(work)
    judging.judge(work, "colour 3", 2, seconds=4.0)
    judging.judge(work, "colour 5", -1, seconds=1.0)
    assert compare(work).judged.seconds == pytest.approx(5.0)
    judging.judge(work, "colour 3", None)
    other = work.topic.items.get(text="colour 6")
    HelpRequest.objects.create(assignment=work, item=other, text="Which?", client_key="0" * 32, excused=True)
    HelpRequest.objects.create(
        assignment=work, item=work.topic.items.get(text="colour 7"), text="Why?", client_key="1" * 32
    )
    assert compare(work).done == 3


def test_what_was_handed_over_counts(work: Assignment, organiser: User, second_assessor: User) -> None:
    judging.judge(work, "colour 3", 1, seconds=2.5)
    judging.judge(work, "colour 4", 1)
    onward = hand_over(actor=organiser, assignment=work, to=second_assessor)
    Assignment.objects.filter(pk=onward.pk).update(state="started")
    onward.refresh_from_db()
    judging.judge(onward, "colour 4", 2, seconds=3.0)
    bench = compare(onward)
    assert (bench.done, bench.judged.seconds) == (2, pytest.approx(3.0))


def test_only_what_came_since_is_read(work: Assignment) -> None:
    for number in range(6):
        judging.judge(work, f"colour {number}", 1)
    compare(work)
    judging.judge(work, "colour 8", 1)
    with outside_transactions(), CaptureQueriesContext(connection) as queries:
        bench = BenchList(work, stage_of(work.campaign, work.stage)[1])
    newest = Judgment.objects.order_by("id").values_list("pk", flat=True)[5]
    read = [query["sql"] for query in queries if "assess_judgment" in query["sql"]]
    assert (bench.done, len(read), f'"assess_judgment"."id" > {newest}' in read[0]) == (7, 1, True)


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_answers_to_several_criteria(seed: int) -> None:
    draw = random.Random(seed)
    ids, criteria = list(range(101, 109)), ["fact", "style"]
    condition = ((("fact", (1,)),),) if seed % 2 else ()
    fact, style = (Criterion(key=key, question="?") for key in criteria)
    places = JudgedPlaces(ids, [fact, replace(style, asked_if=condition)])
    standing: dict[tuple[int, str], float | None] = {}
    facts: dict[int, int | None] = {}
    for number in range(60):
        item, key = draw.choice([*ids, 7]), draw.choice([*criteria, "other"])
        value, seconds = draw.choice([None, 0, 1]), draw.choice([None, 1.5, 2.0])
        given = draw.choice([None, {"unsure": True}]) if value is None else None
        places.take([(number, item, key, value, given, seconds)])
        facts |= {item: value} if key == "fact" else {}
        if item != 7 and key != "other":
            standing.pop((item, key), None)
            if value is not None or given:
                standing[item, key] = seconds
        judged = [
            (pk, "fact") in standing and ((pk, "style") in standing or bool(condition and facts.get(pk) != 1))
            for pk in ids
        ]
        assert [places.is_judged(place) for place in range(1, 9)] == judged
        times = [each for each in standing.values() if each is not None]
        timed = {pk for (pk, _), each in standing.items() if each is not None}
        assert (places.done, places.seconds, places.timed) == (sum(judged), pytest.approx(sum(times)), len(timed))
    assert places.point == 59
