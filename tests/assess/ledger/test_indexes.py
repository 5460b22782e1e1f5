"""Indexes of the ledgers that grow with every click: none twice, and counting looks no row up."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from assess.ledger.models import LedgerRow
from assess.models import Judgment
from nuggets.models import ItemReview, NuggetMatch, NuggetVote

pytestmark = pytest.mark.django_db


def indexes_of(model: type[LedgerRow]) -> dict[str, dict[str, Any]]:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table)
    return {name: each for name, each in found.items() if each["index"] or each["unique"]}


@pytest.mark.parametrize("model", [Judgment, NuggetMatch, ItemReview, NuggetVote])
def test_no_index_is_only_the_beginning_of_another(model: type[LedgerRow]) -> None:
    columns = {name: each["columns"] for name, each in indexes_of(model).items()}
    shorter = [a for a in columns for b in columns if a != b and columns[b][: len(columns[a])] == columns[a]]
    assert len(columns) > 2 and shorter == []


def test_what_is_counted_of_judgments_stands_in_their_index() -> None:
    counted = ["item_id", "criterion", "assessor_id", "id", "value", "assignment_id"]
    assert indexes_of(Judgment)["current_judgment"]["columns"] == counted
