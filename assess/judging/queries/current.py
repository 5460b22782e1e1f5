"""What was judged: the current row is the newest per item, criterion and assessor; ids order the ledger."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db.models import BigIntegerField, Case, F, Max, QuerySet, Value, When

from assess.assignments.models import Assignment
from assess.items.queries import COUNTED
from assess.judging.models import Judgment
from assess.judging.snapshots import Snapshot
from assess.ledger.newest import newest_rows
from assess.topics.models import Topic

ADJUDICATOR, PRIMARY = Assignment.Role.ADJUDICATOR, Assignment.Role.PRIMARY


NUMBER = BigIntegerField()


SETTLED = 1 << 62
"""Added to the ids of an adjudicator's rows, so that the largest number is that of the row that counts."""


def current_judgments(snapshot: Snapshot) -> QuerySet[Judgment]:
    """The newest row per (item, criterion, assessor) up to the snapshot's point; withdrawn ones left out.

    What was said of control items (`ControlItem`) is not among them: they show how people judge, and are no judgments.
    """
    rows = Judgment.objects.filter(COUNTED, item__topic__campaign=snapshot.campaign, item__repeats=None)
    return _newest(rows, as_of=snapshot.as_of)


def current_judgments_of(topic: Topic, *, assessor: User | None = None) -> QuerySet[Judgment]:
    """The current judgments of one topic, of one assessor where given."""
    rows = Judgment.objects.filter(item__topic=topic)
    if assessor is not None:
        rows = rows.filter(assessor=assessor)
    return _newest(rows, as_of=None)


def judgments_in_topics(topics: Iterable[int], *, as_of: int | None = None) -> QuerySet[Judgment]:
    """The current judgments of some topics (ids), of every assessor; items that repeat others are left out."""
    rows = Judgment.objects.filter(item__topic__in=list(topics), item__repeats__isnull=True)
    return _newest(rows, as_of=as_of).order_by()


def _newest(rows: QuerySet[Judgment], *, as_of: int | None) -> QuerySet[Judgment]:
    newest = newest_rows(rows, "item_id", "criterion", "assessor_id", as_of=as_of, whole_groups=True)
    return newest.filter(value__isnull=False)


def official_judgments(snapshot: Snapshot, *, topics: Iterable[int] | None = None) -> QuerySet[Judgment]:
    """The one value that counts for each (item, criterion): the adjudicator's, else the primary assessor's.

    A second assessor's judgment is never among them. Where work went from one primary assessor to another,
    the newest of theirs counts. Control items have none. ``topics`` (ids) narrows the search, which makes it fast.
    Where another set of judgments counts in the snapshot, it does by the same rule.
    """
    rows = Judgment.objects.filter(COUNTED, item__topic__campaign=snapshot.campaign, item__repeats=None)
    if topics is not None:
        rows = rows.filter(item__topic__in=list(topics))
    if snapshot.as_of is not None:
        rows = rows.filter(id__lte=snapshot.as_of)
    newest = rows.order_by().values("item_id", "criterion", "assessor_id").annotate(newest=Max("id")).values("newest")
    chosen = Judgment.objects.filter(
        pk__in=newest, value__isnull=False, **snapshot.counting.where("assignment__role", "assessor")
    )
    rank = Case(When(assignment__role=ADJUDICATOR, then=F("id") + SETTLED), default=F("id"), output_field=NUMBER)
    best = Max(rank, output_field=NUMBER) % Value(SETTLED, output_field=NUMBER)
    groups = chosen.order_by().values("item_id", "criterion").annotate(best=best)
    return Judgment.objects.filter(pk__in=groups.values("best"))


def superseded_judgments(topics: Iterable[int], *, as_of: int | None = None) -> list[int]:
    """The ids of current judgments by authors in these topics instead of which a later author's stands, and of
    adjudicators instead of which a later adjudicator's does. One query.
    """
    rows = Judgment.objects.filter(
        item__topic__in=list(topics), item__repeats=None, assignment__role__in=(PRIMARY, ADJUDICATOR)
    )
    newest = newest_rows(rows, "item_id", "criterion", "assessor_id", as_of=as_of).filter(value__isnull=False)
    last: dict[tuple[int, str, str], int] = {}
    old: list[int] = []
    fields = ("id", "item_id", "criterion", "assignment__role")
    for row, item, criterion, role in newest.order_by("id").values_list(*fields):
        if (item, criterion, role) in last:
            old.append(last[item, criterion, role])
        last[item, criterion, role] = row
    return old
