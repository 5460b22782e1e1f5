"""An assessor's own day: what they judged today, in how many minutes, and what is left at their pace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, Sum

from assess.assignments.models import Assignment
from assess.assignments.queries.waiting import ENDED
from assess.campaigns.queries import stage_of
from assess.judging.models import Judgment
from assess.kinds.base import kinds
from assess.progress.queries.pace import today_in


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
    def minutes_left(self) -> int:
        """The remaining time in minutes, rounded to a multiple of five and at least five."""
        return max(5, 5 * round((self.hours_left or 0) * 12))


def own_day(works: Mapping[int, Assignment], now: datetime) -> OwnDay:
    """Return the day of the person who has these assignments, in the campaign's time zone.

    There is one query for each ledger of their kinds of work, plus those of the tallies of graded work.
    """
    if not works:
        return OwnDay(items=0, minutes=0, others=0, left=0, hours_left=None)
    campaign = next(iter(works.values())).campaign
    begin = datetime.combine(today_in(campaign, now), time(), ZoneInfo(campaign.time_zone))
    today = Q(created_at__gte=begin)
    rows = Judgment.objects.filter(assignment__in=list(works)).order_by()
    of_stages = rows.values("assignment__stage").annotate(
        items=Count("item", distinct=True, filter=today),
        spent=Sum("seconds", filter=today),
        in_all=Sum("seconds"),
        timed=Count("item", distinct=True, filter=Q(seconds__isnull=False)),
    )
    by_stage = {row["assignment__stage"]: row for row in of_stages}
    left, seconds, is_timed = _left(works, {key: _pace(row) for key, row in by_stage.items()})
    return OwnDay(
        items=sum(row["items"] for row in by_stage.values()),
        minutes=round(sum(row["spent"] or 0 for row in by_stage.values()) / 60),
        others=_other_acts(works, begin),
        left=left,
        hours_left=seconds / 3600 if is_timed else None,
    )


def _pace(row: Mapping[str, Any]) -> float | None:
    """Return the active seconds for an item, or None if nothing was timed."""
    return row["in_all"] / row["timed"] if row["timed"] else None


def _left(works: Mapping[int, Assignment], paces: Mapping[str, float | None]) -> tuple[int, float, bool]:
    """Return the items left in stages whose pace is known, the seconds they take, and whether any pace is known."""
    left, seconds = 0, 0.0
    for kind in kinds().values():
        own = [each for each in works.values() if stage_of(each.campaign, each.stage)[1].work.key == kind.key]
        timed = [each for each in own if paces.get(each.stage) is not None and each.state not in ENDED]
        for pk, tally in (kind.tally(timed) if timed else {}).items():
            left += tally.left
            seconds += tally.left * (paces[works[pk].stage] or 0)
    return left, seconds, any(pace is not None for pace in paces.values())


def _other_acts(works: Mapping[int, Assignment], begin: datetime) -> int:
    kinds_here = {stage_of(each.campaign, each.stage)[1].work.key for each in works.values()}
    ledgers = {ledger for key in kinds_here for ledger in kinds()[key].ledgers}
    return sum(
        model._default_manager.filter(created_at__gte=begin, **{f"{way}__in": list(works)}).count()
        for model, way in ledgers
    )
