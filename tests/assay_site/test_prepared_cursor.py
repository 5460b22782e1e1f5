"""PostgreSQL plans once what a connection asks often, and takes lists of any length all the same."""

from __future__ import annotations

import pytest
from django.db import connection

from assay_site.databases import OFTEN
from assay_site.prepared_cursor import MANY
from assess.base.plain_reads import first_row
from assess.models import Campaign

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no such statements"),
]
PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s"


def test_what_is_asked_often_is_prepared_and_gives_the_same() -> None:
    asked = [first_row("SELECT %s + 40 AS often_asked, %s", [number, "naïve %"]) for number in range(OFTEN + 3)]
    assert asked == [(40 + number, "naïve %") for number in range(OFTEN + 3)]
    assert first_row(PREPARED, ["%often_asked%"]) == (1,)


@pytest.mark.parametrize("number", [MANY, MANY + 1, 70_000])
def test_a_list_of_any_length_is_taken(number: int) -> None:
    marks = ", ".join(["(%s, %s)"] * number)
    sent = [each for place in range(number) for each in (place, "50 % of “it's”")]
    rows = f"(VALUES {marks}) AS sent (place, words)"
    statement = f"SELECT count(*), max(place), max(words) FROM {rows} WHERE words LIKE '%%it%%'"
    assert first_row(statement, sent) == (number, number - 1, "50 % of “it's”")
    assert not Campaign.objects.filter(pk__in=range(number)).exists()
