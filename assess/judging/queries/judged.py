"""Decide when an item is judged: when every criterion that applies to it is answered.

Benches, tallies and progress all ask here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from assess.judging.models import Judgment
from assess.kinds.base import kinds
from assess.protocol import Criterion, Said, asked_criteria, is_plain

ANSWERED = Q(value__isnull=False) | Q(given__isnull=False)
"""The condition for rows that give an answer, with or without a grade. Other rows withdraw one."""


def is_judged(criteria: Sequence[Criterion], said: Said) -> bool:
    """Return whether every required criterion that applies to an item is answered; false without any answer."""
    return bool(said) and all(each.key in said for each in asked_criteria(criteria, said) if each.required)


def judged_groups(given: QuerySet[Judgment], criteria: Sequence[Criterion], *group: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values in the columns ``group`` of each group of answers that makes an item judged. One query.

    ``given`` are the `answers` to these criteria. The columns must be such that a group holds one person's answers
    about one item.
    """
    if is_plain(criteria):
        counted = given.values_list(*group).annotate(number=Count("id"))
        yield from (tuple(columns) for *columns, number in counted if number == len(criteria))
        return
    rows = given.order_by(*group).values_list(*group, "criterion", "value")
    for columns, of_group in groupby(rows.iterator(), key=lambda row: row[: len(group)]):
        if is_judged(criteria, {row[-2]: row[-1] for row in of_group}):
            yield columns


def judged_numbers(
    given: QuerySet[Judgment], criteria: Sequence[Criterion], *group: str, of: str
) -> dict[tuple[Any, ...], int]:
    """Count the different values in the column ``of``, such as items, that are judged. The keys are the values in the
    columns ``group``; groups in which nothing is judged have none.

    One query. If there is one criterion, the database counts them.
    """
    if is_plain(criteria) and len(criteria) == 1:
        counted = given.values_list(*group).annotate(number=Count("id"))
        return {tuple(columns): number for *columns, number in counted}
    return Counter(columns[:-1] for columns in judged_groups(given, criteria, *group, of))


def answers(judgments: QuerySet[Judgment], *group: str) -> QuerySet[Judgment]:
    """Return the newest judgment of each group of rows with equal values in the named columns.

    A group whose newest judgment is a withdrawal is left out. Grouped by item, criterion and judge, each row is one
    answered criterion. One query.
    """
    newest = judgments.order_by().values(*group).annotate(newest=Max("id")).values("newest")
    return Judgment.objects.filter(ANSWERED, pk__in=newest).order_by()


def marked() -> Q:
    """Return the condition for items about which work other than grading, such as marking, has recorded something."""
    said = Q(pk=None)
    for ledger in (ledger for kind in kinds().values() for ledger, _ in kind.ledgers):
        if any(each.name == "item" for each in ledger._meta.get_fields()):
            rows: QuerySet[Any] = ledger._default_manager.all()
            said |= Q(Exists(rows.filter(item=OuterRef("pk"))))
    return said
