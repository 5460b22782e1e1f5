"""Work on matches and votes counted by the database is what the ledgers have, row by row."""

from __future__ import annotations

from datetime import UTC, date, datetime
from unittest.mock import patch
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assess.assignments.models import HelpRequest
from assess.campaigns.models import Campaign
from assess.progress.domain import count_work
from bench.real_campaigns import Nuggets, make
from nuggets.matches.current import finished_items
from nuggets.matches.models import ItemReview
from nuggets.matches.tally import counted_matches, tally_matches
from nuggets.votes.current import current_votes, votes_cast
from nuggets.votes.models import NuggetVote
from nuggets.writing.counting_lists import lists_for, official_lists

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    shape = Nuggets(title="T", runs=3, topics=3, strings=2, nuggets=3, matches=12, voters=2, people=3)
    found: Campaign = make("tac", shape=shape)
    return found


def again(row: ItemReview | NuggetVote, at: datetime, **said: object) -> None:
    """Say it once more, or something else, at this time."""
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    values |= {"id": None, "client_key": UUID(int=at.minute + 60 * len(said)), **said}
    with patch("django.utils.timezone.now", return_value=at):
        type(row)(**values).save()


def test_in_an_hour_in_which_a_day_begins_acts_are_counted_by_the_minute(campaign: Campaign) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(time_zone="Australia/Adelaide")  # midnight is at 13:30 there
    campaign.refresh_from_db()
    row = ItemReview.objects.order_by("id")[0]
    before = count_work(campaign).days.keys()
    for minute in (20, 29, 31):
        again(row, datetime(2026, 1, 5, 13, minute, tzinfo=UTC))
    acts = {day: each.acts for (_, _, day), each in count_work(campaign).days.items() if day < date(2026, 2, 1)}
    assert acts == {date(2026, 1, 5): 2, date(2026, 1, 6): 1}
    assert not any(day < date(2026, 2, 1) for _, _, day in before)


def test_strings_are_counted_as_each_assessor_finished_them(campaign: Campaign) -> None:
    """One taken back, one taken back and finished again, one that is excused, one that left the pool."""
    rows = list(ItemReview.objects.order_by("item_id", "id"))
    at = datetime(2026, 3, 1, 9, 1, tzinfo=UTC)
    again(rows[0], at, is_reviewed=False)
    again(rows[1], at.replace(minute=2), is_reviewed=False)
    again(rows[1], at.replace(minute=3), is_reviewed=True)
    excused = rows[-1]
    HelpRequest.objects.create(
        assignment_id=excused.assignment_id, item_id=excused.item_id, text="?", client_key=UUID(int=1), excused=True
    )
    works = list(campaign.assignments.filter(stage="matches").select_related("topic", "campaign"))
    lists = lists_for(works)
    expected = {each.pk: len(finished_items(lists[each.pk], assignment=each)) for each in works}
    expected[excused.assignment_id] -= 1
    found = tally_matches(works)
    assert {pk: tally.done for pk, tally in found.items()} == expected
    assert sum(tally.total for tally in found.values()) == len(rows) - 1
    assert counted_matches(works, count_work(campaign)) == found


def test_votes_are_counted_without_those_that_were_taken_back(campaign: Campaign) -> None:
    again(NuggetVote.objects.order_by("id")[0], datetime(2026, 3, 1, 9, 1, tzinfo=UTC), importance=None)
    lists = official_lists(campaign.topics.values_list("pk", flat=True)).values()
    people = set(NuggetVote.objects.values_list("assessor_id", flat=True))
    with CaptureQueriesContext(connection) as asked:
        cast = votes_cast(lists, people)
    votes = current_votes(lists)
    assert sum(cast.values()) == len(votes) == NuggetVote.objects.count() - 2
    assert all(number == sum((v.topic_id, v.begun_by) == key for v in votes) for key, number in cast.items())
    assert len(asked) == 3
