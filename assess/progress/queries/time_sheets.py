"""Time sheets: what each person did in a stage on a day, with the active seconds of their judgments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User

from assess.progress.queries.counted import Counts


@dataclass(frozen=True, kw_only=True, slots=True)
class SheetLine:
    """One person's work in one stage on one day of the campaign's time zone.

    ``acts`` is the number of recorded rows. ``timed`` of them have times, and ``seconds`` is the sum of these times
    without idle time.
    """

    person: User
    day: date
    stage: str
    acts: int
    timed: int
    seconds: float

    @property
    def hours(self) -> float:
        """The active hours."""
        return self.seconds / 3600

    @property
    def month(self) -> str:
        """The month of the day, as in 2026-05."""
        return f"{self.day:%Y-%m}"


def sheet_lines(counts: Counts) -> list[SheetLine]:
    """Return the lines of everybody, by name, day and stage. One query."""
    people = User.objects.in_bulk({person for person, _, _ in counts.days})
    lines = [
        SheetLine(person=people[person], day=day, stage=stage, acts=each.acts, timed=each.timed, seconds=each.seconds)
        for (person, stage, day), each in counts.days.items()
    ]
    return sorted(lines, key=lambda line: (line.person.username, line.day, line.stage))


def hours_of(lines: Iterable[SheetLine]) -> list[tuple[User, int, float]]:
    """Return (person, days worked, active hours) for each person in these lines, by name."""
    days: dict[User, set[date]] = {}
    hours: dict[User, float] = {}
    for line in lines:
        days.setdefault(line.person, set()).add(line.day)
        hours[line.person] = hours.get(line.person, 0.0) + line.hours
    return [(person, len(days[person]), hours[person]) for person in sorted(days, key=lambda each: each.username)]
