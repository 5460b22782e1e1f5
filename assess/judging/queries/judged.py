"""When an item is judged: by every criterion that is asked of it. Bench, tallies and progress all ask here."""

from __future__ import annotations

from django.db.models import Max, QuerySet

from assess.judging.models import Judgment


def is_judged(*, answered: int, asked: int) -> bool:
    """Whether somebody judged an item: of the criteria that are ``asked`` of it so many are ``answered`` now.

    >>> is_judged(answered=1, asked=2), is_judged(answered=2, asked=2)
    (False, True)
    """
    return answered == asked


def answers(judgments: QuerySet[Judgment], *group: str) -> QuerySet[Judgment]:
    """Of these judgments the newest of each group of equal values in the named columns, without those withdrawn.

    Grouped by item, criterion and whose word counts, each row is one criterion that is answered. One query.
    """
    newest = judgments.order_by().values(*group).annotate(newest=Max("id")).values("newest")
    return Judgment.objects.filter(pk__in=newest, value__isnull=False).order_by()
