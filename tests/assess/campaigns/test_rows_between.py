"""The rows of a ledger between two points: a campaign's own, found by their ids."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from assess.campaigns.activity import record_activity
from assess.campaigns.queries import LATELY, has_more_rows, rows_between, rows_since, was_newest
from assess.ledger.models import LedgerPoint
from assess.models import Activity, Campaign, Judgment
from tests import factories

pytestmark = pytest.mark.django_db


def test_only_a_campaigns_own_rows_are_among_them(campaign: Campaign, organiser: User) -> None:
    other = factories.campaign(organiser=organiser, slug="other")
    acts = [
        record_activity(actor=organiser, campaign=each, action="export.write")
        for each in (campaign, other, campaign, campaign)
    ]
    first, _, second, third = (act.pk for act in acts)
    found = rows_between(Activity.objects.all(), campaign, after=first, upto=second)
    assert list(found.values_list("pk", flat=True)) == [second]
    assert set(rows_between(Activity.objects.all(), campaign, after=first).values_list("pk", flat=True)) == {
        second,
        third,
    }
    assert rows_since(campaign, first) == 2 and rows_since(other, first) == 1
    assert rows_since(campaign, 0) == campaign.activities.count()


@pytest.mark.parametrize(("hours", "is_it"), [(0, True), (1, False), (-1, False)])
def test_a_point_was_the_newest_lately_but_not_if_the_clock_was_set_since(
    campaign: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch, hours: int, is_it: bool
) -> None:
    point = record_activity(actor=organiser, campaign=campaign, action="export.write").pk
    record_activity(actor=organiser, campaign=campaign, action="export.write")
    now = timezone.now() + timedelta(hours=hours)
    monkeypatch.setattr(timezone, "now", lambda: now)
    assert was_newest(campaign, point, within=LATELY) is is_it


def test_rows_of_all_ledgers_are_counted_no_further_than_is_asked(campaign: Campaign, organiser: User) -> None:
    topic = factories.topic(campaign, "9.1", "Blue?", task="ts")
    item, person = factories.item(topic, "blue"), factories.member(campaign, "carol", "assessor")
    work = factories.assignment(topic, "instances", person)
    keys = {"assessor": person, "assignment": work, "item": item, "criterion": "correct", "value": 1}
    for number in range(3):
        Judgment.objects.create(id=1_000 + number, client_key=f"{number:032}", **keys)
    other = factories.campaign(organiser=organiser, slug="other")
    record_activity(actor=organiser, campaign=other, action="export.write")
    LedgerPoint.objects.update_or_create(campaign=campaign.pk, defaults={"value": 1_002})
    held = campaign.activities.count() + 3
    assert [has_more_rows(campaign, than=than) for than in (-1, 0, held - 1, held, 2_000)] == [True] * 3 + [False] * 2


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has statistics of its tables")
@pytest.mark.parametrize("ledger", [Judgment, Activity])
def test_sqlite_looks_at_no_row_before_the_first_point(campaign: Campaign, ledger: type[Judgment | Activity]) -> None:
    by_work = ledger._default_manager.filter(**{ledger.campaign_path: campaign, "id__gt": 1})
    assert "(id>?" not in by_work.order_by().explain()
    assert "(id>?" in rows_between(ledger._default_manager.all(), campaign, after=1).explain()
