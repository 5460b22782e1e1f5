"""Counts of work that are kept say what counting all anew says, whatever was recorded and however often one looked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assess.campaigns.queries import ledger_point
from assess.kinds.grade.tally import counted_grade_tally, grade_tally
from assess.ledger.models import SITE, take_points
from assess.models import Assignment, Campaign, CountedUpTo, HelpRequest, Item, Judgment, Pool, PoolItem, WorkDay
from assess.progress import domain as counted_work
from assess.progress.domain import count_work
from assess.progress.queries.assignment_progress import progress_of_assignments
from assess.progress.queries.counted_since import written_day
from tests import factories

BEGIN = datetime(2026, 1, 5, 21, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Two topics of two graded stages each, three people, and a machine."""
    made = factories.campaign(organiser=factories.user("organiser"))
    anna, bela, robot = (factories.member(made, name, "assessor") for name in ("anna", "bela", "robot"))
    first = made.topics.get(number="1.1")
    second = factories.topic(made, "1.3", "Which sizes are there?", task="rigid", ordinal=3)
    for topic in (first, second):
        factories.pooled(topic, [f"answer {number}" for number in range(4)])
        factories.assignment(topic, "instances", anna)
        factories.assignment(topic, "instances", bela, role="second")
        factories.assignment(topic, "instances", robot, role="machine")
    return made


def say(campaign: Campaign, person: str, item: Item, value: int | None, *, after: int, seconds: float | None) -> None:
    """A row of the ledger, so many hours after the beginning."""
    row = Judgment(
        item=item,
        criterion="correctness",
        value=value,
        assignment=Assignment.objects.get(topic=item.topic, stage="instances", assessor__username=person),
        client_key=UUID(int=ledger_point(campaign) + 1),
        how="key",
        seconds=seconds,
    )
    row.assessor = row.assignment.assessor
    at = BEGIN + timedelta(hours=after)
    with patch("django.utils.timezone.now", return_value=at):
        row.save()


def all_tallies(campaign: Campaign) -> dict[int, object]:
    works = list(campaign.assignments.select_related("topic"))
    for work in works:
        work.campaign = campaign
    kept = counted_grade_tally(works, count_work(campaign))
    assert kept == grade_tally(works)
    return dict(kept)


def days(campaign: Campaign) -> dict[tuple[object, ...], tuple[object, ...]]:
    counts = count_work(campaign)
    return {
        key: (each.acts, each.settled, round(each.seconds, 3), each.timed, each.last_at)
        for key, each in [*counts.days.items(), *counts.pieces.items()]
        if each.acts or each.settled
    }


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["anna", "bela", "robot"]),
        st.integers(0, 7),  # which item
        st.sampled_from([None, None, -1, 1, 2]),
        st.integers(0, 6),  # hours on
        st.sampled_from([None, 3.5, 20.0]),
        st.sampled_from(["", "", "", "look", "excuse", "pool", "return"]),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, at_once=st.sampled_from([1, 3, 20_000]), behind=st.sampled_from([0, 500]))
def test_counts_kept_are_counts_made_anew(campaign: Campaign, steps: list, at_once: int, behind: int) -> None:
    from django.db import transaction

    with transaction.atomic():
        with patch.object(counted_work, "AT_ONCE", at_once), patch.object(counted_work, "BEHIND", behind):
            items = list(Item.objects.order_by("pk"))
            after = 0
            for person, place, value, hours, seconds, then in steps:
                after += hours
                say(campaign, person, items[place], value, after=after, seconds=seconds)
                work = Assignment.objects.get(topic=items[place].topic, stage="instances", assessor__username=person)
                if then == "look":
                    all_tallies(campaign)
                elif then == "excuse":
                    HelpRequest.objects.create(
                        assignment=work,
                        item=items[place],
                        text="?",
                        excused=True,
                        client_key=uuid4(),
                    )
                elif then == "pool":  # one that grows
                    item = Item.objects.get_or_create(topic=work.topic, kind="instance", key=f"late {after}")[0]
                    PoolItem.objects.get_or_create(pool=Pool.objects.get(), item=item)
                elif then == "return":
                    state = (
                        Assignment.State.DONE if work.state == Assignment.State.STARTED else Assignment.State.STARTED
                    )
                    Assignment.objects.filter(pk=work.pk).update(state=state)
            all_tallies(campaign)
            kept = days(campaign)
        CountedUpTo.objects.all().delete()
        assert days(campaign) == kept
        transaction.set_rollback(True)


def test_an_item_judged_before_it_was_pooled_counts_once_it_is(campaign: Campaign) -> None:
    topic = campaign.topics.get(number="1.1")
    found = factories.item(topic, "found by somebody")
    say(campaign, "anna", found, 1, after=0, seconds=4.0)
    with patch.object(counted_work, "BEHIND", 0):
        count_work(campaign)
    PoolItem.objects.create(pool=Pool.objects.get(), item=found)
    work = Assignment.objects.get(topic=topic, assessor__username="anna")
    assert all_tallies(campaign)[work.pk].done == 1  # type: ignore[attr-defined]


def test_another_pool_makes_the_counts_anew(campaign: Campaign) -> None:
    items = list(Item.objects.order_by("pk"))
    for item in items[:3]:
        say(campaign, "anna", item, 1, after=1, seconds=2.0)
    with patch.object(counted_work, "BEHIND", 0):
        count_work(campaign)
    smaller = Pool.objects.create(campaign=campaign, task="rigid", recipe={}, digest="1" * 64)
    PoolItem.objects.create(pool=smaller, item=items[0])
    work = Assignment.objects.get(topic=items[0].topic, assessor__username="anna")
    tally = all_tallies(campaign)[work.pk]
    assert (tally.done, tally.total) == (1, 1)  # type: ignore[attr-defined]


def test_a_step_stops_where_it_should_and_the_next_goes_on(campaign: Campaign) -> None:
    items = list(Item.objects.order_by("pk"))
    say(campaign, "anna", items[6], 1, after=1, seconds=2.0)
    begin = count_work(campaign).point
    for item in items[:6]:
        say(campaign, "anna", item, 1, after=1, seconds=2.0)
    with patch.object(counted_work, "AT_ONCE", 2), patch.object(counted_work, "BEHIND", 0):
        points = [count_work(campaign, seconds=0).point for _ in range(4)]
    assert [point - begin for point in points] == [2, 4, 6, 6] and ledger_point(campaign) == points[-1]
    assert sum(day.settled for day in WorkDay.objects.all()) == 7


def test_numbers_of_other_campaigns_are_passed_over(campaign: Campaign) -> None:
    items = list(Item.objects.order_by("pk"))
    say(campaign, "anna", items[0], 1, after=1, seconds=2.0)
    count_work(campaign)
    take_points(SITE, 1_000)
    for item in items[1:3]:
        say(campaign, "anna", item, 1, after=2, seconds=2.0)
    first, second = Judgment.objects.order_by("pk").values_list("pk", flat=True)[1:]
    with patch.object(counted_work, "AT_ONCE", 1), patch.object(counted_work, "BEHIND", 0):
        assert [count_work(campaign, seconds=0).point for _ in range(2)] == [first, second]
    assert sum(day.settled for day in WorkDay.objects.all()) == 3


@pytest.mark.parametrize("of_others", [1_000, 6_000, 30_000])
def test_a_small_campaign_is_counted_in_one_step_however_much_others_recorded(
    campaign: Campaign, of_others: int
) -> None:
    take_points(SITE, of_others)
    say(campaign, "anna", Item.objects.order_by("pk")[0], 1, after=1, seconds=2.0)
    assert count_work(campaign, seconds=0).is_complete


def test_few_rows_more_are_not_stored(campaign: Campaign) -> None:
    items = list(Item.objects.order_by("pk"))
    say(campaign, "anna", items[0], 1, after=1, seconds=2.0)
    count_work(campaign)
    say(campaign, "anna", items[1], 1, after=2, seconds=2.0)
    first, second = Judgment.objects.order_by("pk").values_list("pk", flat=True)
    assert count_work(campaign).point == second
    assert CountedUpTo.objects.get().point == first


def test_what_somebody_else_stored_meanwhile_stays(campaign: Campaign) -> None:
    items = list(Item.objects.order_by("pk"))
    say(campaign, "anna", items[0], 1, after=1, seconds=2.0)
    count_work(campaign)
    real = counted_work.counted_since

    def slow(*args, **kwargs):  # type: ignore[no-untyped-def]
        found = real(*args, **kwargs)
        with patch.object(counted_work, "counted_since", real):
            count_work(campaign)
        return found

    say(campaign, "anna", items[1], 1, after=2, seconds=2.0)
    with patch.object(counted_work, "counted_since", slow), patch.object(counted_work, "BEHIND", 0):
        count_work(campaign)
    assert sum(day.acts for day in WorkDay.objects.all()) == 2


def test_days_are_those_of_the_campaigns_time_zone(campaign: Campaign) -> None:
    campaign.time_zone = "Europe/Vienna"
    campaign.save()
    item = Item.objects.order_by("pk")[0]
    say(campaign, "anna", item, 1, after=1, seconds=2.0)  # 22:00 UTC is 23:00
    say(campaign, "anna", item, 2, after=2, seconds=2.0)  # 23:00 UTC is midnight
    assert {day for _, _, day in count_work(campaign).days} == {date(2026, 1, 5), date(2026, 1, 6)}
    assert written_day("2026-07-05 22:30:00", "Europe/Vienna") == date(2026, 7, 6)


def test_of_an_adjudicator_disagreements_are_read_once_however_their_work_is_counted(campaign: Campaign) -> None:
    """Work that was taken over is counted from its judgments; what is disputed in it is counted for all together."""
    item = Item.objects.order_by("pk")[0]
    say(campaign, "anna", item, 1, after=1, seconds=None)
    say(campaign, "bela", item, 2, after=2, seconds=None)
    before, now = (factories.member(campaign, name, "adjudicator") for name in ("before", "now"))
    work = factories.assignment(item.topic, "instances", before, role="adjudicator", state="returned")
    made = factories.assignment(item.topic, "instances", now, role="adjudicator")
    Assignment.objects.filter(pk=made.pk).update(taken_over=work, chain_start=work)
    taken = campaign.assignments.select_related("topic").get(pk=made.pk)
    counts = count_work(campaign)
    with CaptureQueriesContext(connection) as queries:
        tally = counted_grade_tally([taken], counts)[taken.pk]
    assert (tally.done, tally.total, tally.unit) == (0, 1, "disagreements")
    assert sum('"assess_judgment"."note"' in query["sql"] for query in queries) == 1


def test_machines_are_in_no_piece(campaign: Campaign) -> None:
    say(campaign, "robot", Item.objects.order_by("pk")[0], 1, after=1, seconds=None)
    people = {
        piece.assignment.assessor.username for piece in progress_of_assignments(campaign, counts=count_work(campaign))
    }
    assert people == {"anna", "bela"}


def test_topics_and_people_are_read_once_and_not_once_a_piece(campaign: Campaign) -> None:
    works = [piece.assignment for piece in progress_of_assignments(campaign, counts=count_work(campaign))]
    topics, people = ({id(getattr(work, name)) for work in works} for name in ("topic", "assessor"))
    assert (len(topics), len(people)) == (
        len({work.topic_id for work in works}),
        len({work.assessor_id for work in works}),
    )
    assert len(works) > len(topics)
