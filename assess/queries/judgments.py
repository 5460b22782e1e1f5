"""What was judged: the current row is the newest per item, criterion and assessor; ids order the ledger."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Max, QuerySet

from assess.models import Assignment, Campaign, Judgment, Topic


def current_judgments(campaign: Campaign, *, as_of: int | None = None) -> QuerySet[Judgment]:
    """The newest row per (item, criterion, assessor) up to ledger point ``as_of``; withdrawn ones left out."""
    rows = Judgment.objects.filter(item__topic__campaign=campaign)
    return _newest(rows, as_of=as_of)


def current_judgments_of(topic: Topic, *, assessor: User | None = None, as_of: int | None = None) -> QuerySet[Judgment]:
    """The current judgments of one topic, of one assessor where given."""
    rows = Judgment.objects.filter(item__topic=topic)
    if assessor is not None:
        rows = rows.filter(assessor=assessor)
    return _newest(rows, as_of=as_of)


def _newest(rows: QuerySet[Judgment], *, as_of: int | None) -> QuerySet[Judgment]:
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    newest = rows.order_by().values("item_id", "criterion", "assessor_id").annotate(newest=Max("id")).values("newest")
    return Judgment.objects.filter(pk__in=newest, value__isnull=False)


def official_judgments(campaign: Campaign, *, as_of: int | None = None) -> QuerySet[Judgment]:
    """The one value that counts for each (item, criterion): the adjudicator's, else the primary assessor's.

    A second assessor's judgment is never among them.
    """
    current = current_judgments(campaign, as_of=as_of)
    adjudicated = current.filter(assignment__role=Assignment.Role.ADJUDICATOR)
    primary = current.filter(assignment__role=Assignment.Role.PRIMARY)
    return official_rows(adjudicated, primary)


def official_rows(adjudicated: QuerySet[Judgment], primary: QuerySet[Judgment]) -> QuerySet[Judgment]:
    """The adjudicated rows and those primary rows that no adjudicated row replaces."""
    from django.db.models import Exists, OuterRef, Q

    settled = adjudicated.filter(item_id=OuterRef("item_id"), criterion=OuterRef("criterion"))
    return Judgment.objects.filter(
        Q(pk__in=adjudicated.values("pk")) | Q(pk__in=primary.filter(~Exists(settled)).values("pk"))
    )
