"""Counts what was added since the last count: ledger rows after a point, and pool items after an id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from datetime import UTC, date, datetime
from functools import lru_cache
from math import inf
from typing import Any

from django.db.models import CharField, Count, Exists, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Cast, Left

from assess.campaigns.dates import day_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import rows_between, track_of
from assess.items.models import PoolItem
from assess.judging.models import Judgment
from assess.judging.queries.judged import is_judged
from assess.kinds.base import WorkKind, work_kind
from assess.ledger.models import LedgerPoint, LedgerRow
from assess.progress.queries.counted import Basis, Counts, CountsSince, DayCount, DayKey

CHUNK = 2_000
WITH_POOL = 5_000
"""If more ledger points than this are counted, new pool items are counted in a step of their own."""


def counted_since(campaign: Campaign, basis: Basis, stored: Counts, *, at_most: int) -> CountsSince:
    """Return what must be added to stored counts to bring them ``at_most`` ledger points further.

    If there are more points than that, counting begins at the campaign's first new row. Pool items are counted first:
    if there are new pool items and also many new ledger rows, only the pool items are counted. Ledgers without a new
    row are not read.
    """
    last_item = stored.newest_item
    days: dict[DayKey, DayCount] = {}
    pooled: dict[tuple[int, int, str], int] = {}
    is_far = stored.newest > stored.point + min(at_most, WITH_POOL)
    is_new = stored.newest > stored.point and (stored.point or is_far)
    first = _first_new_rows(campaign, stored.point) if is_new else None
    begin = min((first or {}).values(), default=stored.newest + 1) - 1 if is_far else stored.point
    point = min(stored.newest, begin + at_most)
    if last_item > stored.pool_item:
        new = PoolItem.objects.filter(pool__in=basis.pools, pk__gt=stored.pool_item, pk__lte=last_item).order_by()
        groups = new.values_list("pool_id", "item__topic_id", "item__kind").annotate(number=Count("pk"))
        pooled = {(pool, topic, kind): number for pool, topic, kind, number in groups}
        if stored.point:
            _count_pooled_late(campaign, basis, new, days, up_to=stored.point)
            _count_settled(campaign, days, new, since=0, up_to=stored.point)
        if point - begin > WITH_POOL:
            point = stored.point
    if point > stored.point:
        all_ledgers = _ledgers(campaign)
        fresh = {each for each in all_ledgers if first is None or first.get(each, inf) <= point}
        if Judgment in fresh:
            _count_judgments(campaign, basis, days, since=stored.point, up_to=point, last_item=last_item)
        _count_other_work(campaign, days, fresh, since=stored.point, up_to=point)
        pooled_now = PoolItem.objects.filter(pool__in=basis.pools, pk__lte=last_item)
        _count_settled(campaign, days, pooled_now, fresh, since=stored.point, up_to=point)
    return CountsSince(point=point, pool_item=last_item, days=days, pooled=pooled)


def _ledgers(campaign: Campaign) -> list[type[LedgerRow]]:
    return [Judgment, *(ledger for ledger, _ in _other_ledgers(campaign))]


def _first_new_rows(campaign: Campaign, after: int) -> dict[type[LedgerRow], int]:
    """Return the first row after a point in each ledger of the campaign that has one. One query."""
    ledgers = _ledgers(campaign)
    rows = [rows_between(ledger._default_manager.all(), campaign, after=after).order_by("id") for ledger in ledgers]
    ids = [Subquery(each.values("id")[:1]) for each in rows]
    first = LedgerPoint.objects.filter(campaign=campaign.pk).values_list(*ids).first() or ()
    return {ledger: row for ledger, row in zip(ledgers, first, strict=False) if row is not None}


_JUDGED = ("item_id", "item__topic_id", "item__kind", "criterion", "assessor_id", "value", "given", "at")


def _count_judgments(
    campaign: Campaign, basis: Basis, days: dict[DayKey, DayCount], *, since: int, up_to: int, last_item: int
) -> None:
    """Count acts and seconds in the assignment's stage, and settled items in every stage that judges them."""
    fresh = rows_between(Judgment.objects.all(), campaign, after=since, upto=up_to)
    pooled = PoolItem.objects.filter(item=OuterRef("item"), pool__in=basis.pools, pk__lte=last_item)
    rows = fresh.annotate(at=Cast("created_at", CharField()), pooled=Exists(pooled)).order_by("id")
    settling = _Settling(basis, days)
    if since:
        earlier = Judgment.objects.filter(id__lte=since, item__in=fresh.order_by().values("item")).order_by("id")
        settling.recall(earlier.values_list("item_id", "criterion", "assessor_id", "value", "given").iterator(CHUNK))
    fields = (*_JUDGED, "pooled", "assignment__topic_id", "assignment__stage", "seconds")
    for *judged, is_pooled, topic, stage, seconds in rows.values_list(*fields).iterator(CHUNK):
        if is_pooled:
            settling.take(*judged)
        at = judged[-1]
        counted = days.setdefault((topic, stage, judged[4], written_day(at, basis.zone)), DayCount())
        counted.add(DayCount(1, 0, seconds or 0.0, int(seconds is not None), _moment(at)))


def _count_pooled_late(
    campaign: Campaign, basis: Basis, new: QuerySet[PoolItem], days: dict[DayKey, DayCount], *, up_to: int
) -> None:
    """Count items that were judged before they were pooled."""
    rows = Judgment.objects.filter(id__lte=up_to, assignment__campaign=campaign, item__in=new.values("item"))
    settling = _Settling(basis, days)
    for judged in rows.annotate(at=Cast("created_at", CharField())).order_by("id").values_list(*_JUDGED):
        settling.take(*judged)


def _count_other_work(
    campaign: Campaign, days: dict[DayKey, DayCount], fresh: Set[type[LedgerRow]], *, since: int, up_to: int
) -> None:
    """Count acts of the other kinds of work, from those of their ledgers that have new rows (``fresh``)."""
    for model, way in (each for each in _other_ledgers(campaign) if each[0] in fresh):
        rows = rows_between(model._default_manager.all(), campaign, after=since, upto=up_to)
        for key, number, last in _by_day(rows, way, campaign.time_zone):
            days.setdefault(key, DayCount()).add(DayCount(number, last_at=last))


def _count_settled(
    campaign: Campaign,
    days: dict[DayKey, DayCount],
    pooled: QuerySet[PoolItem],
    fresh: Set[type[LedgerRow]] | None = None,
    *,
    since: int,
    up_to: int,
) -> None:
    """Count pooled items settled by kinds of work other than grading, less those that were reopened.

    If ``fresh`` (the ledgers with new rows) is given, kinds of work that record in none of them are skipped.
    """
    for kind in _kinds_of(campaign):
        if kind.settled is None or (fresh is not None and not any(ledger in fresh for ledger, _ in kind.ledgers)):
            continue
        way, settled, unsettled = kind.settled(campaign, pooled, since, up_to)
        for rows, step in ((settled, 1), (unsettled, -1)):
            for key, number, _ in _by_day(rows, way, campaign.time_zone) if rows is not None else ():
                days.setdefault(key, DayCount()).settled += step * number


def _by_day(rows: QuerySet[Any], way: str, zone: str) -> Iterator[tuple[DayKey, int, datetime]]:
    """Yield, by assignment and day, how many of these rows were added, and when the last was. A day may come twice.

    The database counts by the hour. If a day of the campaign's time zone begins within an hour, that hour is counted by
    the minute.
    """
    by_hour = _acts(rows, way, HOUR)
    split = sorted({hour for *_, hour, _, _ in by_hour if _holds_midnight(hour, zone)})
    counted = [each for each in by_hour if each[3] not in split]
    if split:
        written = Left(Cast("created_at", CharField()), HOUR)
        counted += _acts(rows.annotate(written_hour=written).filter(written_hour__in=split), way, MINUTE)
    for topic, stage, person, at, number, last in counted:
        yield (topic, stage, person, written_day(f"{at}:00"[:MINUTE], zone)), number, _moment(last)


HOUR, MINUTE = 13, 16
"""The lengths of a time as the database writes it, up to the hour and up to the minute."""


def _acts(rows: QuerySet[Any], way: str, letters: int) -> list[tuple[int, str, int, str, int, str]]:
    """Return (topic, stage, assessor, time to this precision, number, time of the last) for these rows."""
    written = Cast("created_at", CharField())
    by_time = rows.annotate(written_in=Left(written, letters)).order_by()
    groups = by_time.values_list(f"{way}__topic_id", f"{way}__stage", f"{way}__assessor_id", "written_in")
    return list(groups.annotate(acts=Count("pk"), last_at=Max(written)))


def _holds_midnight(hour: str, zone: str) -> bool:
    """Return whether a day begins within this hour.

    >>> _holds_midnight("2026-01-05 18", "Asia/Kolkata"), _holds_midnight("2026-01-05 23", "Europe/Berlin")
    (True, False)
    """
    return _day_of_minute(f"{hour}:00", zone) != _day_of_minute(f"{hour}:59", zone)


def _kinds_of(campaign: Campaign) -> list[WorkKind]:
    """Return the kinds of work in the campaign's track."""
    works = dict.fromkeys(stage.work.key for task in track_of(campaign).tasks for stage in task.stages)
    return [work_kind(work) for work in works]


def _other_ledgers(campaign: Campaign) -> Iterable[tuple[type[LedgerRow], str]]:
    """Return the ledgers of the other kinds of work, each with the lookup from its rows to the assignment."""
    return dict.fromkeys(ledger for kind in _kinds_of(campaign) for ledger in kind.ledgers)


class _Settling:
    """Follows, row by row, which items each person has judged by every criterion of a stage."""

    def __init__(self, basis: Basis, days: dict[DayKey, DayCount]) -> None:
        self.basis, self.days = basis, days
        self.said: dict[tuple[int, int], dict[str, int | None]] = {}

    def recall(self, rows: Iterable[tuple[int, str, int, int | None, object]]) -> None:
        """Take earlier answers into account, in order."""
        for item, criterion, person, value, given in rows:
            self._keep((item, person), criterion, value, given)

    def take(
        self,
        item: int,
        topic: int,
        kind: str,
        criterion: str,
        person: int,
        value: int | None,
        given: object,
        at: str,
    ) -> None:
        """Take one more row. If it settles an item, add 1 to its day; if it undoes that, subtract 1."""
        asking = [stage for stage in self.basis.asked.get(kind, ()) if any(each.key == criterion for each in stage[1])]
        if not asking:
            return
        said = self.said.get((item, person), {})
        before = [is_judged(criteria, said) for _, criteria in asking]
        said = self._keep((item, person), criterion, value, given)
        for (stage, criteria), was in zip(asking, before, strict=True):
            if step := int(is_judged(criteria, said)) - int(was):
                key = (topic, stage, person, written_day(at, self.basis.zone))
                self.days.setdefault(key, DayCount()).settled += step

    def _keep(self, place: tuple[int, int], criterion: str, value: int | None, given: object) -> dict[str, int | None]:
        said = self.said.setdefault(place, {})
        if value is None and given is None:
            said.pop(criterion, None)
        else:
            said[criterion] = value
        return said


def written_day(at: str, zone: str) -> date:
    """Return the day, in a time zone, of a time as the database writes it (UTC).

    >>> written_day("2026-01-05 23:30:00", "Europe/Berlin")
    datetime.date(2026, 1, 6)
    """
    return _day_of_minute(at[:16], zone)


@lru_cache(maxsize=10_000)
def _day_of_minute(minute: str, zone: str) -> date:
    return day_of(datetime.fromisoformat(minute).replace(tzinfo=UTC), zone)


@lru_cache(maxsize=10_000)
def _moment(at: str) -> datetime:
    return datetime.fromisoformat(at[:19]).replace(tzinfo=UTC)
