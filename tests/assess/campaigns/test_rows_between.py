"""The rows of a ledger between two points: a campaign's own, found by their ids."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection

from assess.campaigns.activity import record_activity
from assess.campaigns.queries import rows_between, rows_since
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


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has statistics of its tables")
@pytest.mark.parametrize("ledger", [Judgment, Activity])
def test_sqlite_looks_at_no_row_before_the_first_point(campaign: Campaign, ledger: type[Judgment | Activity]) -> None:
    by_work = ledger._default_manager.filter(**{ledger.campaign_path: campaign, "id__gt": 1})
    assert "(id>?" not in by_work.order_by().explain()
    assert "(id>?" in rows_between(ledger._default_manager.all(), campaign, after=1).explain()
