"""Forecast when the work will be finished, with an interval, from what was done each day so far.

People's days differ: some are productive, on others nothing is done. Each draw of the bootstrap simulates the days to
come. Every person gets, day after day, one of their own past days at random, including free days (from the last 28;
somebody with fewer than 3 gets the days of everybody). They spend it on their remaining work, stage by stage. Work that
waits for other work opens in proportion: when half of the other work is done, half of it is open. A draw is finished on
the day on which nothing is left. The forecast is the median of the draws, and the interval goes from their 10th to
their 90th percentile. There are 400 draws; with more than 125 people fewer, with 1,000 or more 50.

Items of different stages (a judgment, a list of nuggets) take different time. So a day's output is measured in days of
work: an item of a stage counts as the days that people spent in that stage, divided by the items that they did in it.
Stages in which nothing was done yet have no such measure; they are left out, and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

DRAWS, LEAST_DRAWS = 400, 50
MOST_AT_ONCE = 50_000
"""If there are more draws times people than this, fewer draws are made, so that a forecast for a thousand people does
not take seconds.
"""
WINDOW = 28  # days
LEAST_DAYS = 3
"""The least number of days in the window with any output, over all people, for a forecast."""
HORIZON = 366
SEED = 20081117
LOW, HIGH = 10, 90
NOTHING = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """A person's remaining items in one stage. ``after`` is the stage that these items wait for, or "".

    ``own`` means that it waits only for the same person's work there.
    """

    person: str
    stage: str
    left: float
    after: str = ""
    own: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Forecast:
    """The days by which the last item is done in 10 % (``early``), 50 % (``middle``) and 90 % (``late``) of the draws.

    A day is None if it is more than a year away. ``fan`` gives for each day to come (day, low, middle, high): the
    number of items done by its end, counted from today. ``left_out`` are the stages in which nothing was done yet.
    """

    early: date | None
    middle: date | None
    late: date | None
    fan: tuple[tuple[date, float, float, float], ...]
    left_out: tuple[str, ...]


def forecast(
    loads: Sequence[Load],
    outputs: Mapping[tuple[str, str, date], float],
    *,
    today: date,
    spent: Mapping[tuple[str, str, date], float] | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Forecast | None:
    """Return the forecast from the items done by (person, stage, day) before ``today``.

    It is None if fewer than 3 of the last 28 days had any output, or if no work is left in stages that were begun.
    ``loads`` are in the order in which work is done. ``spent`` gives the weights (recorded acts; default: the outputs)
    with which a person's day is divided between stages. Today's further work is not counted. The same input gives the
    same result.
    """
    import numpy as np

    past = {key: value for key, value in outputs.items() if value > 0 and key[2] < today}
    if len({day for _, _, day in past if day >= today - timedelta(days=WINDOW)}) < LEAST_DAYS:
        return None
    cost = _costs(past, spent if spent is not None else past)
    known = [load for load in loads if load.stage in cost and load.left > 0]
    left_out = tuple(dict.fromkeys(load.stage for load in loads if load.stage not in cost and load.left > 0))
    if not known:
        return None
    histories = _histories(past, cost, {load.person for load in known}, today)
    made = min(draws, max(LEAST_DRAWS, MOST_AT_ONCE // len(histories)))
    finished, done = _play(known, cost, histories, made, np.random.default_rng(seed))
    days = [today + timedelta(days=number + 1) for number in range(done.shape[0])]
    levels = np.percentile(done, (LOW, 50, HIGH), axis=1)
    fan = tuple((day, *(round(float(level), 1) for level in levels[:, number])) for number, day in enumerate(days))
    early, middle, late = (_day(finished, share, today) for share in (LOW, 50, HIGH))
    return Forecast(early=early, middle=middle, late=late, fan=fan, left_out=left_out)  # type: ignore[arg-type]


def _costs(
    past: Mapping[tuple[str, str, date], float], spent: Mapping[tuple[str, str, date], float]
) -> dict[str, float]:
    """Return the days of work that an item takes, by stage."""
    whole: dict[tuple[str, date], float] = {}
    for (person, _, day), acts in spent.items():
        whole[person, day] = whole.get((person, day), 0.0) + acts
    days: dict[str, float] = {}
    things: dict[str, float] = {}
    for (person, stage, day), number in past.items():
        share = spent.get((person, stage, day), 0.0) / whole[person, day] if whole.get((person, day)) else 1.0
        days[stage] = days.get(stage, 0.0) + share
        things[stage] = things.get(stage, 0.0) + number
    return {stage: days[stage] / things[stage] for stage in days if days[stage] > 0}


def _histories(
    past: Mapping[tuple[str, str, date], float], cost: Mapping[str, float], people: set[str], today: date
) -> dict[str, Floats]:
    """Return each person's days in the window, in days of work; the days of everybody for a person with too few."""
    import numpy as np

    begin = today - timedelta(days=WINDOW)
    by_person: dict[str, dict[date, float]] = {}
    for (person, stage, day), number in past.items():
        if stage in cost:
            of_person = by_person.setdefault(person, {})
            of_person[day] = of_person.get(day, 0.0) + number * cost[stage]
    series: dict[str, Floats] = {}
    for person, of_person in sorted(by_person.items()):
        first = max(min(of_person), begin)
        span = (today - first).days
        series[person] = np.array([of_person.get(first + timedelta(days=step), 0.0) for step in range(span)])
    everybody = np.concatenate(list(series.values()))
    return {
        person: found if len(found := series.get(person, np.array([]))) >= LEAST_DAYS and found.any() else everybody
        for person in sorted(people)
    }


@dataclass(slots=True)
class _Line:
    """One stage: the people who have work left in it (as indices), and how many items are ``left``, by person and draw.

    ``begun`` are the items that each person had at the beginning, and ``whole`` is their sum. ``before`` is the stage
    for which this one waits; with ``own``, each person waits for their own work there. An item costs ``cost`` days.
    """

    cost: float
    people: npt.NDArray[np.intp]
    begun: Floats
    left: Floats
    whole: float
    before: _Line | None = None
    own: bool = False

    def leave_out_finished(self) -> None:
        """Remove the people who have nothing left here in any draw; their work is already counted in ``whole``."""
        busy = self.left.any(axis=1)
        if not busy.all():
            self.people, self.begun, self.left = self.people[busy], self.begun[busy], self.left[busy]

    def open_share(self) -> Floats:
        """Return the share of each person's work that is open, by person and draw. A single row holds for all people, a
        single value for all draws as well.
        """
        import numpy as np

        if self.before is None:
            return np.ones((1, 1))
        if not self.own:
            done = 1.0 - self.before.left.sum(axis=0) / self.before.whole
            return np.asarray(done)[None, :]
        shares = np.ones_like(self.left)
        there = {int(person): row for row, person in enumerate(self.before.people)}
        for row, person in enumerate(self.people):
            if (earlier := there.get(int(person))) is not None:
                shares[row] = 1.0 - self.before.left[earlier] / self.before.begun[earlier]
        return shares


def _lines(loads: Sequence[Load], cost: Mapping[str, float], people: Sequence[str], draws: int) -> list[_Line]:
    import numpy as np

    lines: dict[str, _Line] = {}
    for stage in dict.fromkeys(load.stage for load in loads):
        own = [load for load in loads if load.stage == stage]
        begun = np.array([float(load.left) for load in own])
        lines[stage] = _Line(
            cost=cost[stage],
            people=np.array([people.index(load.person) for load in own]),
            begun=begun,
            left=np.repeat(begun[:, None], draws, axis=1),
            whole=float(begun.sum()),
            before=lines.get(own[0].after),
            own=own[0].own,
        )
    return list(lines.values())


def _in_one(histories: Sequence[Floats]) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return all histories one after the other, and where each person's begins. A history that several people share is
    there once.
    """
    import numpy as np

    different = {id(each): each for each in histories}
    ends = np.cumsum([len(each) for each in different.values()])
    begins = dict(zip(different, [0, *ends.tolist()], strict=False))
    return np.concatenate(list(different.values())), np.array([begins[id(each)] for each in histories])


def _play(
    loads: Sequence[Load],
    cost: Mapping[str, float],
    histories: Mapping[str, Floats],
    draws: int,
    dice: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Simulate the days to come. Return the day on which each draw is finished (1 is tomorrow, inf is never within
    `HORIZON`), and the items done by day and draw, up to the day on which the last draw is finished.
    """
    import numpy as np

    people = list(histories)
    lines = _lines(loads, cost, people, draws)
    lengths = np.array([len(histories[person]) for person in people])
    days, begins = _in_one(list(histories.values()))
    finished = np.full(draws, np.inf)
    done: list[Floats] = []
    for day in range(1, HORIZON + 1):
        busy = np.unique(np.concatenate([line.people for line in lines]))
        chosen = (dice.random((len(busy), draws)) * lengths[busy, None]).astype(int)
        effort = np.zeros((len(people), draws))
        effort[busy] = days[begins[busy, None] + chosen]
        shares = [line.open_share() for line in lines]
        for line, share in zip(lines, shares, strict=True):
            waiting = line.before is not None
            room = np.maximum(line.left - line.begun[:, None] * (1 - share), 0.0) if waiting else line.left
            took = np.minimum(effort[line.people] / line.cost, room)
            line.left = line.left - took
            line.left[line.left < NOTHING] = 0.0
            if line is not lines[-1]:
                effort[line.people] -= took * line.cost
        for line in lines:
            line.leave_out_finished()
        left = np.sum([line.left.sum(axis=0) for line in lines], axis=0)
        done.append(sum(line.whole for line in lines) - left)
        finished = np.where(np.isinf(finished) & (left == 0), day, finished)
        if not np.isinf(finished).any():
            break
    return finished, np.array(done)


def _day(finished: Floats, share: int, today: date) -> date | None:
    import numpy as np

    day = float(np.percentile(finished, share, method="higher"))
    return today + timedelta(days=int(day)) if np.isfinite(day) else None
