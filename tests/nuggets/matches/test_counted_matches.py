"""Work on matches and votes counted by the database is what the ledgers have, row by row."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, date, datetime
from unittest.mock import patch
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from assess.assignments.models import Assignment, HelpRequest
from assess.campaigns.models import Campaign
from assess.campaigns.queries import ledger_point
from assess.items.models import Item, PoolItem
from assess.progress.domain import count_work
from bench.real_campaigns import ORGANISER, Nuggets, make
from nuggets.matches.current import finished_items
from nuggets.matches.models import ItemReview
from nuggets.matches.tally import counted_matches, tally_matches
from nuggets.votes.current import current_votes, votes_cast
from nuggets.votes.models import NuggetVote
from nuggets.writing.counting_lists import lists_for, official_lists
from nuggets.writing.lists import copy_nuggets
from nuggets.writing.models import Nugget, NuggetList

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


def test_what_was_counted_once_is_counted_on(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken back, said twice, found before it is pooled, under another version of the list: stored after each step."""
    monkeypatch.setattr("assess.progress.domain.BEHIND", 0)
    works = list(campaign.assignments.filter(stage="matches").select_related("topic", "campaign", "assessor"))
    rows = list(ItemReview.objects.filter(assignment=works[0]).order_by("id"))
    at = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    done = []

    def counted() -> int:
        found = tally_matches(works)
        assert counted_matches(works, count_work(campaign)) == found
        done.append(found[works[0].pk].done)
        return done[-1]

    begun = counted()
    again(rows[0], at.replace(minute=1), is_reviewed=False)
    assert counted() == begun - 1
    again(rows[0], at.replace(minute=2), is_reviewed=True)
    again(rows[1], at.replace(minute=3), is_reviewed=True)
    assert counted() == begun
    item = Item.objects.get(pk=rows[0].item_id)
    item.pk, item.key = None, "late"
    item.save()
    again(rows[0], at.replace(minute=4), item_id=item.pk)
    assert counted() == begun
    PoolItem.objects.create(pool=campaign.pools.get(), item=item)
    assert counted() == begun + 1
    frozen_again(rows[0].nugget_list)
    assert counted() == begun + 1
    again(rows[2], at.replace(minute=5), nugget_list_id=lists_for(works)[works[0].pk].pk)
    assert counted() == begun + 1
    frozen_again(lists_for(works)[works[0].pk], text="something else")
    assert counted() == 0
    again(rows[2], at.replace(minute=6), nugget_list_id=lists_for(works)[works[0].pk].pk)
    assert counted() == 1


def frozen_again(nugget_list: NuggetList, **first_nugget: str) -> None:
    """Add a further version of the list, frozen, in which the first nugget may be another."""
    made = NuggetList.objects.create(
        topic_id=nugget_list.topic_id,
        owner_id=nugget_list.owner_id,
        assignment_id=nugget_list.assignment_id,
        version=nugget_list.version + 1,
        previous=nugget_list,
        last_number=nugget_list.last_number,
    )
    copy_nuggets(source=nugget_list, target=made)
    if first_nugget:
        Nugget.objects.filter(pk=made.nuggets.earliest("number").pk).update(**first_nugget)
    NuggetList.objects.filter(pk=made.pk).update(
        frozen_point=ledger_point(made.topic.campaign), frozen_at=datetime(2026, 3, 1, 9, tzinfo=UTC)
    )


def test_votes_of_work_that_was_handed_over_and_on_a_later_version_are_one_persons(campaign: Campaign) -> None:
    """Somebody else goes on: votes on some nuggets anew and takes one back; then the list gets another version."""
    work = campaign.assignments.filter(stage="votes").select_related("topic")[0]
    votes = list(NuggetVote.objects.filter(assignment=work).order_by("id"))
    other = User.objects.create_user("next")
    later = Assignment.objects.get(pk=work.pk)
    later.pk, later.assessor, later.chain_start, later.taken_over = None, other, work, work
    later.save()
    at = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    again(votes[0], at.replace(minute=1), assessor_id=other.pk, assignment_id=later.pk)
    again(votes[1], at.replace(minute=2), assessor_id=other.pk, assignment_id=later.pk, importance=None)

    def counted() -> int:
        lists = official_lists([work.topic_id]).values()
        begun = {vote.begun_by for vote in current_votes(lists)}
        cast = votes_cast(lists, begun)
        assert cast == Counter((vote.topic_id, vote.begun_by) for vote in current_votes(lists))
        return cast[work.topic_id, work.assessor_id]

    assert counted() == len(votes) - 1
    frozen_again(official_lists([work.topic_id])[work.topic_id], text="something else")
    assert counted() == len(votes) - 2


def test_a_call_counts_a_bounded_part_and_says_how_far_it_is(
    campaign: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.progress.domain.AT_ONCE", 4)
    monkeypatch.setattr("assess.progress.domain.BEHIND", 0)
    monkeypatch.setattr("assess.progress.domain.IN_A_CALL", 0)
    monkeypatch.setattr("assess.progress.queries.counted_since.WITH_POOL", 0)
    client.force_login(User.objects.get(username=ORGANISER))
    address = reverse("api-progress-summary", args=[campaign.slug])
    first = client.get(address)
    assert (first.status_code, first.json()["code"]) == (409, "still-counting")
    assert re.search(r"up to ledger point [\d,]+ of [\d,]+\. Each call counts on: ask again\.", first.json()["detail"])
    answers = [client.get(address) for _ in range(20)]
    assert answers[-1].status_code == 200
    assert answers[-1].json()["as_of"] == ledger_point(campaign)


def test_votes_are_counted_without_those_that_were_taken_back(campaign: Campaign) -> None:
    again(NuggetVote.objects.order_by("id")[0], datetime(2026, 3, 1, 9, 1, tzinfo=UTC), importance=None)
    lists = official_lists(campaign.topics.values_list("pk", flat=True)).values()
    people = set(NuggetVote.objects.values_list("assessor_id", flat=True))
    with CaptureQueriesContext(connection) as asked:
        cast = votes_cast(lists, people)
    votes = current_votes(lists)
    assert sum(cast.values()) == len(votes) == NuggetVote.objects.count() - 2
    assert all(number == sum((v.topic_id, v.begun_by) == key for v in votes) for key, number in cast.items())
    assert len(asked) == 1
