"""An assessor's own day: what they judged today, in how many minutes, and what is left at their pace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, time
from itertools import pairwise
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
from assess.ledger.models import How
from assess.work.queries.look_again import stages_of

LONGEST = 60
"""The seconds that a gap between two acts counts at most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnDay:
    """The items judged today, the number of other acts today (marks, votes, edits), and the active minutes of both.
    What an organiser imported in this person's name is not their day's work.

    ``left`` is the number of items that are left in stages whose pace is known, and ``hours_left`` the time they take
    at this person's own pace. It is None if no pace is known. A pause counts as a minute at most: within judgments by
    `static/js/bench/timer.js`, between other acts, which nobody times, by `_active`.
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
    """Return what a person did today and what is left, with the day beginning at midnight in ``zone``.

    An empty or unknown zone stands for the campaign's. Acts count even if the work has been given to somebody else
    since; what is left is that of ``works``. There are three queries, one for each ledger of their kinds of work, and
    those of the tallies of the work begun.
    """
    held = seat.campaign.assignments.filter(assessor=seat.user).exclude(role=Assignment.Role.MACHINE)
    stages = list(held.order_by().values_list("stage", flat=True).distinct())
    if not stages:
        return OwnDay(items=0, minutes=0, others=0, left=0, hours_left=None)
    there = zone_named(zone) or seat.campaign.time_zone
    begin = datetime.combine(day_of(now, there), time(), ZoneInfo(there))
    rows = Judgment.objects.filter(assignment__in=held).order_by()
    today = rows.filter(created_at__gte=begin).exclude(how=How.IMPORT)
    of_stages = rows.values("assignment__stage").annotate(
        spent=Sum("seconds", filter=Q(created_at__gte=begin)),
        in_all=Sum("seconds"),
        timed=Count("item", distinct=True, filter=Q(seconds__isnull=False)),
    )
    by_stage = {row["assignment__stage"]: row for row in of_stages}
    acts, untold = _other_acts(held, {stage_of(seat.campaign, each)[1].work.key for each in stages})
    of_today = {stage: [at for at in times if at >= begin] for stage, times in acts.items()}
    spent = sum(row["spent"] or 0 for row in by_stage.values()) + sum(map(_active, of_today.values()))
    paces = {stage: _pace(row) for stage, row in by_stage.items()}
    left, seconds, is_known = _left(works, paces, {key: _active(acts[key]) for key in acts.keys() - untold})
    return OwnDay(
        items=answers(today, "item_id", "criterion").values("item").distinct().count(),
        minutes=round(spent / 60),
        others=sum(map(len, of_today.values())),
        left=left,
        hours_left=seconds / 3600 if is_known else None,
    )


def _pace(row: Mapping[str, Any]) -> float | None:
    """Return the active seconds for an item, or None if nothing was timed."""
    return row["in_all"] / row["timed"] if row["timed"] else None


def _active(times: Iterable[datetime]) -> float:
    """Return the seconds between acts at these times; a longer gap counts as `LONGEST`."""
    return sum(min((later - earlier).total_seconds(), LONGEST) for earlier, later in pairwise(sorted(times)))


def _left(
    works: Mapping[int, Assignment], paces: Mapping[str, float | None], spent: Mapping[str, float]
) -> tuple[int, float, bool]:
    """Return the items left in stages whose pace is known, the seconds they take, and whether any pace is known.

    Where judgments are not timed one by one, the pace is that of the items done in ``spent`` seconds, without work that
    was taken over from somebody else, who did some of it.
    """
    left, seconds, stages = 0, 0.0, stages_of(works.values())
    known = {stage: pace for stage, pace in paces.items() if pace is not None}
    for kind in kinds().values():
        own = [each for each in works.values() if stages[each.stage].work.key == kind.key]
        begun = [each for each in own if each.stage in known or each.stage in spent]
        tallies = kind.tally(begun) if begun else {}
        for stage in {each.stage for each in begun} - known.keys():
            done = sum(tallies[each.pk].done for each in begun if each.stage == stage and each.taken_over_id is None)
            if done:
                known[stage] = spent[stage] / done
        for each in begun:
            if each.stage in known and each.state not in ENDED:
                left += tallies[each.pk].left
                seconds += tallies[each.pk].left * known[each.stage]
    return left, seconds, bool(known)


def _other_acts(held: QuerySet[Assignment], kinds_here: Iterable[str]) -> tuple[dict[str, list[datetime]], set[str]]:
    """Return stage key -> the times of this person's acts there that are no judgments and were not imported, and the
    stages of which these times tell no pace: some acts were imported, or what is counted there is whole nugget lists.
    """
    found: dict[str, list[datetime]] = {}
    untold: set[str] = set()
    for model, way in {ledger for key in kinds_here for ledger in kinds()[key].ledgers}:
        how = ["how"] if any(each.name == "how" for each in model._meta.fields) else []
        rows = model._default_manager.filter(**{f"{way}__in": held}).order_by()
        for stage, at, *by in rows.values_list(f"{way}__stage", "created_at", *how):
            times = found.setdefault(stage, [])
            if by != [How.IMPORT]:
                times.append(at)
            if by in ([], [How.IMPORT]):
                untold.add(stage)
    return found, untold
