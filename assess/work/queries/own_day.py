"""An assessor's own day: what they judged today, in how many minutes, and what is left at their pace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, QuerySet, Sum

from assess.assignments.models import Assignment
from assess.assignments.queries.waiting import ENDED
from assess.campaigns.dates import day_of, zone_named
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import Seat
from assess.judging.models import Judgment
from assess.judging.queries.judged import answers
from assess.kinds.base import kinds
from assess.work.queries.look_again import stages_of


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnDay:
    """The items judged today, the active minutes, and the number of other acts today (marks, votes, edits).

    ``left`` is the number of graded items that are left, and ``hours_left`` the time they take at this person's own
    pace. It is None if no judgment was timed. A pause counts as a minute at most (`static/js/bench/timer.js`).
    """

    items: int
    minutes: int
    others: int
    left: int
    hours_left: float | None

    @property
    def hours_shown(self) -> float:
        """The remaining time in hours, rounded to tenths."""
        return round(self.hours_left or 0, 1)

    @property
    def counted_hours(self) -> int:
        """The number that decides between singular and plural: 1 if the remaining hours are shown as 1, otherwise 2."""
        return 1 if self.hours_shown == 1 else 2

    @property
    def minutes_left(self) -> int:
        """The remaining time in minutes, rounded to a multiple of five and at least five."""
        return max(5, 5 * round((self.hours_left or 0) * 12))


def own_day(seat: Seat, works: Mapping[int, Assignment], now: datetime, zone: str = "") -> OwnDay:
    """Return a person's day, from midnight in their own time zone, or else in the campaign's.

    What they did counts even if the work has been given to somebody else since; what is left is that of ``works``.
    There are three queries, one for each ledger of their kinds of work, and those of the tallies of graded work.
    """
    held = seat.campaign.assignments.filter(assessor=seat.user).exclude(role=Assignment.Role.MACHINE)
    stages = list(held.order_by().values_list("stage", flat=True).distinct())
    if not stages:
        return OwnDay(items=0, minutes=0, others=0, left=0, hours_left=None)
    there = zone_named(zone) or seat.campaign.time_zone
    begin = datetime.combine(day_of(now, there), time(), ZoneInfo(there))
    rows = Judgment.objects.filter(assignment__in=held).order_by()
    today = rows.filter(created_at__gte=begin)
    of_stages = rows.values("assignment__stage").annotate(
        spent=Sum("seconds", filter=Q(created_at__gte=begin)),
        in_all=Sum("seconds"),
        timed=Count("item", distinct=True, filter=Q(seconds__isnull=False)),
    )
    by_stage = {row["assignment__stage"]: row for row in of_stages}
    left, seconds, is_timed = _left(works, {key: _pace(row) for key, row in by_stage.items()})
    return OwnDay(
        items=answers(today, "item_id", "criterion").values("item").distinct().count(),
        minutes=round(sum(row["spent"] or 0 for row in by_stage.values()) / 60),
        others=_other_acts(held, {stage_of(seat.campaign, each)[1].work.key for each in stages}, begin),
        left=left,
        hours_left=seconds / 3600 if is_timed else None,
    )


def _pace(row: Mapping[str, Any]) -> float | None:
    """Return the active seconds for an item, or None if nothing was timed."""
    return row["in_all"] / row["timed"] if row["timed"] else None


def _left(works: Mapping[int, Assignment], paces: Mapping[str, float | None]) -> tuple[int, float, bool]:
    """Return the items left in stages whose pace is known, the seconds they take, and whether any pace is known."""
    left, seconds, stages = 0, 0.0, stages_of(works.values())
    for kind in kinds().values():
        own = [each for each in works.values() if stages[each.stage].work.key == kind.key]
        timed = [each for each in own if paces.get(each.stage) is not None and each.state not in ENDED]
        for pk, tally in (kind.tally(timed) if timed else {}).items():
            left += tally.left
            seconds += tally.left * (paces[works[pk].stage] or 0)
    return left, seconds, any(pace is not None for pace in paces.values())


def _other_acts(held: QuerySet[Assignment], kinds_here: Iterable[str], begin: datetime) -> int:
    ledgers = {ledger for key in kinds_here for ledger in kinds()[key].ledgers}
    return sum(
        model._default_manager.filter(created_at__gte=begin, **{f"{way}__in": held}).count() for model, way in ledgers
    )
