"""From one counter of all ledgers to a point of each campaign and back: numbers go on above all that were given."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from assess.campaigns.activity import record_activity
from assess.campaigns.queries import ledger_point
from assess.models import Activity, LedgerPoint, LedgerRow
from tests import factories

BEFORE = ("assess", "0007_unfinished_imports")
LEDGERS = LedgerRow.__subclasses__()


def migrate(*to: tuple[str, str]) -> None:
    MigrationExecutor(connection).migrate([*to])


@pytest.mark.usefixtures("committed_db")
def test_numbers_go_on_where_they_were() -> None:
    organiser = factories.user("organiser")
    one, two = (factories.campaign(organiser=organiser, slug=slug) for slug in ("one", "two"))
    for campaign in (one, two, one, None, two):
        with transaction.atomic():
            newest = record_activity(actor=organiser, action="help.ask", campaign=campaign).pk
    kept = list(Activity.objects.order_by("pk").values_list("pk", "campaign"))
    migrate(BEFORE)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT id, value FROM assess_ledgerpoint")
            assert cursor.fetchall() == [(1, newest)]
    finally:
        migrate(
            *MigrationExecutor(connection).loader.graph.leaf_nodes()
        )  # the next test has the database after this one
    points = dict(LedgerPoint.objects.values_list("campaign", "value"))
    assert points == {0: newest, one.pk: newest, two.pk: newest}
    assert list(Activity.objects.order_by("pk").values_list("pk", "campaign")) == kept
    with transaction.atomic():
        row = record_activity(actor=organiser, action="help.ask", campaign=one)
    assert (ledger_point(one), ledger_point(two)) == (row.pk, newest) and row.pk > newest


@pytest.mark.parametrize("ledger", LEDGERS, ids=lambda ledger: ledger.__name__)
def test_each_ledger_knows_the_way_to_its_campaign(ledger: type[LedgerRow]) -> None:
    model = ledger
    for name in ledger.campaign_path.split("__"):
        model = model._meta.get_field(name).related_model  # type: ignore[assignment]
    assert model.__name__ == "Campaign"
