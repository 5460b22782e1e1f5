"""What people did day by day: items done, active seconds, pace, and when the rest will be finished."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from assess.campaigns.dates import day_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.progress.queries.assignment_progress import AssignmentProgress
from assess.progress.queries.counted import Counts, DayCount
from assess.protocol import Stage

if TYPE_CHECKING:
    from assess.progress.forecast import Forecast

WEEK = 7
SLOW = 2.0
"""A pace this many times an assessor's own median is far below it."""
SLOW_AFTER = 3
"""The least number of days with timed work before somebody can count as slow."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Day:
    """A day of the campaign: items done on it and up to its end, and active seconds."""

    day: date
    done: float
    so_far: float
    seconds: float

    @property
    def hours(self) -> float:
        """Active hours."""
        return self.seconds / 3600


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonPace:
    """One assessor's work by day. ``paces`` are (day, active seconds per judgment) for days with timed judgments."""

    name: str
    person: int
    done_day: float
    done_week: float
    seconds: float
    seconds_week: float
    paces: tuple[tuple[date, float], ...]

    @property
    def hours(self) -> float:
        """The active hours, without idle time."""
        return self.seconds / 3600

    @property
    def usual(self) -> float | None:
        """The median of their daily paces; None if nothing was timed."""
        return median(pace for _, pace in self.paces) if self.paces else None

    @property
    def latest(self) -> float | None:
        """The pace of the last day with timed judgments; None if there was none."""
        return self.paces[-1][1] if self.paces else None

    @property
    def is_slow(self) -> bool:
        """Whether a judgment took far longer on the last day than on a usual day of this person; false after only a few
        days.
        """
        if self.usual is None or self.latest is None or len(self.paces) < SLOW_AFTER:
            return False
        return self.latest > SLOW * self.usual


def today_in(campaign: Campaign, now: datetime) -> date:
    """Return the current day in the campaign's time zone."""
    return day_of(now, campaign.time_zone)


def outputs(pieces: Iterable[AssignmentProgress], counts: Counts) -> dict[tuple[int, str, date], float]:
    """Return the number of items done by (assessor, stage, day). The sums equal those of the assignments.

    The items that a person has done in a stage are distributed over its days in proportion to the items settled on each
    day; in work that does not settle pooled items one by one, in proportion to the recorded acts. Items done before
    anything was recorded belong to no day.
    """
    done: dict[tuple[int, str], float] = {}
    for piece in pieces:
        place = (piece.assignment.assessor_id, piece.assignment.stage)
        done[place] = done.get(place, 0.0) + piece.tally.done
    weights: dict[tuple[int, str], dict[date, DayCount]] = {}
    for (person, stage, day), counted in counts.days.items():
        weights.setdefault((person, stage), {})[day] = counted
    found: dict[tuple[int, str, date], float] = {}
    for (person, stage), number in done.items():
        days = weights.get((person, stage), {})
        by_settled = {day: float(max(counted.settled, 0)) for day, counted in days.items()}
        shares = by_settled if sum(by_settled.values()) else {day: float(each.acts) for day, each in days.items()}
        whole = sum(shares.values())
        for day, share in shares.items():
            if share:
                found[person, stage, day] = number * share / whole
    return found


def days_of(found: dict[tuple[int, str, date], float], counts: Counts) -> list[Day]:
    """Return every day from the first with any output to the last, in order."""
    by_day: dict[date, float] = {}
    for (_, _, day), number in found.items():
        by_day[day] = by_day.get(day, 0.0) + number
    if not by_day:
        return []
    seconds: dict[date, float] = {}
    for (_, _, day), counted in counts.days.items():
        seconds[day] = seconds.get(day, 0.0) + counted.seconds
    days, so_far = [], 0.0
    first = min(by_day)
    for step in range((max(by_day) - first).days + 1):
        day = first + timedelta(days=step)
        so_far += by_day.get(day, 0.0)
        days.append(Day(day=day, done=by_day.get(day, 0.0), so_far=so_far, seconds=seconds.get(day, 0.0)))
    return days


def paces_of(
    pieces: Sequence[AssignmentProgress], found: dict[tuple[int, str, date], float], counts: Counts, today: date
) -> list[PersonPace]:
    """Return the pace of every assessor with work, by name. The week is today and the six days before."""
    names = {piece.assignment.assessor_id: piece.assignment.assessor.username for piece in pieces}
    week = today - timedelta(days=WEEK - 1)
    timed: dict[int, dict[date, DayCount]] = {}
    for (person, _, day), counted in counts.days.items():
        if person in names:
            timed.setdefault(person, {}).setdefault(day, DayCount()).add(counted)
    done_day: dict[int, float] = {}
    done_week: dict[int, float] = {}
    for (person, _, day), number in found.items():
        if day == today:
            done_day[person] = done_day.get(person, 0) + number
        if day >= week:
            done_week[person] = done_week.get(person, 0) + number
    paces = []
    for person, name in sorted(names.items(), key=lambda pair: pair[1]):
        own = sorted(timed.get(person, {}).items())
        paces.append(
            PersonPace(
                name=name,
                person=person,
                done_day=done_day.get(person, 0),
                done_week=done_week.get(person, 0),
                seconds=sum(counted.seconds for _, counted in own),
                seconds_week=sum(counted.seconds for day, counted in own if day >= week),
                paces=tuple((day, each.seconds / each.timed) for day, each in own if each.timed),
            )
        )
    return paces


def forecast_of(
    campaign: Campaign,
    pieces: Sequence[AssignmentProgress],
    found: dict[tuple[int, str, date], float],
    counts: Counts,
    today: date,
) -> Forecast | None:
    """Return when the work that is handed out will be finished (`assess.progress.forecast`); None with too little
    data.
    """
    from assess.progress.forecast import Load, forecast  # numpy, which this page alone needs

    stages: dict[str, Stage] = {stage.key: stage for task in track_of(campaign).tasks for stage in task.stages}
    left: dict[tuple[str, int], int] = {}
    for piece in pieces:
        if piece.is_finished:
            continue  # nobody will do the rest of stopped work
        place = (piece.assignment.stage, piece.assignment.assessor_id)
        left[place] = left.get(place, 0) + piece.tally.left
    rank = {key: number for number, key in enumerate(stages)}
    loads = [
        Load(person=str(person), stage=key, left=number, after=stages[key].after or "", own=stages[key].own)
        for (key, person), number in sorted(left.items(), key=lambda pair: (rank[pair[0][0]], pair[0][1]))
        if number
    ]
    past = {(str(person), stage, day): number for (person, stage, day), number in found.items()}
    spent = {(str(person), stage, day): float(each.acts) for (person, stage, day), each in counts.days.items()}
    found_day = forecast(loads, past, today=today, spent=spent)
    if found_day is None:
        return None
    return replace(found_day, left_out=tuple(stages[key].label for key in found_day.left_out))
