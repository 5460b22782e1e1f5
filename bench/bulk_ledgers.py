"""Add ledger rows of benchmarks' campaigns in bulk, with times as if people had worked at the same time."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

DAYS, HOURS_A_DAY = 30, 6
BATCH = 20_000


class Said(NamedTuple):
    """What somebody said in their ``work`` about a thing (its id), when, and after how many seconds."""

    at: datetime
    seconds: float
    work: Any
    thing: int
    value: Any


class Clock:
    """Gives times to what people say: each person's clicks follow one another, and all work in the same weeks."""

    def __init__(self, campaign: int) -> None:
        self._dice = random.Random(campaign)
        self._begin = datetime.now(UTC).replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=DAYS)
        self._worked: dict[int, float] = defaultdict(float)
        self._rows: list[Said] = []

    def said(self, work: Any, thing: int, value: Any) -> None:
        """Note a click, some seconds after the last click of the same person."""
        seconds = round(self._dice.lognormvariate(2.5, 0.6), 1)
        self._worked[work.assessor_id] += seconds
        day, second = divmod(self._worked[work.assessor_id], HOURS_A_DAY * 3600)
        at = self._begin + timedelta(days=day % DAYS, seconds=second)
        self._rows.append(Said(at, seconds, work, thing, value))

    def in_order(self) -> list[Said]:
        """Return all clicks in the order of their times."""
        return sorted(self._rows, key=attrgetter("at"))


def key(dice: random.Random) -> UUID:
    """Return a client key for a click, drawn with these dice."""
    return UUID(int=dice.getrandbits(128))


def add_judgments(rows: Sequence[Said], criterion: str = "relevance") -> None:
    """Add grades. The thing of each row is an item, and its value the grade."""
    from assess.judging.models import Judgment

    columns = ("item_id", "value", "criterion", "note", "seconds")
    _add(Judgment, columns, ((row, (row.thing, row.value, criterion, "", row.seconds)) for row in rows))


def add_matches(matches: Sequence[Said], reviews: Sequence[Said]) -> None:
    """Add matches, and then reviews of finished items. The thing of each row is an item. The value of a match is the id
    of a nugget, and that of a review the id of the list.
    """
    from nuggets.models import ItemReview, NuggetMatch

    _add(
        NuggetMatch,
        ("item_id", "nugget_id", "part", "value", "quote"),
        ((row, (row.thing, row.value, 0, "full", "")) for row in matches),
    )
    _add(
        ItemReview,
        ("item_id", "nugget_list_id", "is_reviewed"),
        ((row, (row.thing, row.value, True)) for row in reviews),
    )


def add_votes(rows: Sequence[Said]) -> None:
    """Add votes. The thing of each row is a nugget, and its value the importance."""
    from nuggets.models import NuggetVote

    _add(NuggetVote, ("nugget_id", "importance"), ((row, (row.thing, row.value)) for row in rows))


def _add(model: Any, columns: Sequence[str], rows: Iterator[tuple[Said, tuple[Any, ...]]]) -> None:
    """Add rows of one ledger under the campaign's numbers, `BATCH` rows in a transaction."""
    from django.db import connection, transaction

    from assess.base.bulk import add_rows
    from assess.ledger.models import take_points

    dice, suffix = random.Random(model.__name__), "+00:00" if connection.vendor == "postgresql" else ""
    shared = ("id", "created_at", "assessor_id", "assignment_id", "client_key", "how")
    while batch := list(islice(rows, BATCH)):
        with transaction.atomic():
            numbers = take_points(batch[0][0].work.campaign_id, len(batch))
            add_rows(
                model,
                (*shared, *columns),
                [
                    (
                        *(number, said.at.strftime("%Y-%m-%d %H:%M:%S") + suffix),
                        *(said.work.assessor_id, said.work.pk, key(dice).hex, "key", *values),
                    )
                    for number, (said, values) in zip(numbers, batch, strict=True)
                ],
            )
