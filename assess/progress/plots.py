"""The drawings of the progress page as shapes. The template writes them as SVG, and the style sheet gives the
colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from assess.base.numbers import grouped
from assess.progress.queries.assignment_progress import AssignmentProgress
from assess.progress.queries.pace import Day, PersonPace

if TYPE_CHECKING:
    from assess.progress.forecast import Forecast

WIDTH, HEIGHT = 640, 200
SMALL_WIDTH, SMALL_HEIGHT = 120, 28
CELL = 10
LEAST_TOPICS, MOST_COLUMNS = 40, 250
"""The least number of topics for which cells are sized: with fewer topics, cells are no wider. The most columns: with
more topics, a column stands for several that follow one another.
"""
TICKS, SHORT_NUMBER, TICK_COLUMNS = 4, 6, 10
"""Topic numbers stand below the ends of up to this many equal parts if none has more than this many characters,
otherwise only below the first and the last column. A part is at least so many columns wide that the words fit.
"""
CHARACTER = 0.018
"""The share of the least width of the plot that a character takes, rounded up. Where two numbers don't fit, they stand
together below the first column.
"""
BEGUN, NEARLY = 0.3, 0.8
"""The strength of the colour if almost nothing is done, and if almost everything is. If everything is, it is full."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BurnUp:
    """The plot of work done against the total. ``done``, ``fan`` and ``middle`` are points, written as "x,y x,y …".

    ``done`` is the line of the past; ``fan`` is the outline of the forecast and ``middle`` its middle, both "" without
    a forecast.
    """

    done: str
    fan: str
    middle: str
    today_x: float
    first: date
    last: date
    today: date
    done_now: int
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """How much of a stage is done for one topic, or for several topics together; ``topic`` is then "".

    ``shade`` is the strength of its colour, from 0 (nothing done) to 1 (all done).
    """

    x: int
    y: int
    shade: float
    topic: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    """The number of a topic below its column.

    ``at`` is where it stands, in percent of the width; ``anchor`` is the part of the text that stands there, as in SVG.
    """

    text: str
    at: float
    anchor: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """Topics from left to right, with a line of cells for each stage."""

    width: int
    height: int
    cells: tuple[Cell, ...]
    stages: tuple[str, ...]
    ticks: tuple[Tick, ...]
    first: str
    last: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PaceLine:
    """One assessor's pace by day: the points of the line, the last point, and the height of their median."""

    points: str
    x: float
    y: float
    median_y: float


def burn_up(days: Sequence[Day], total: int, today: date, forecast: Forecast | None) -> BurnUp | None:
    """Return the plot of what is done by day; None if nothing is done or to do, or if it would show a single day."""
    if not days or not total:
        return None
    first = days[0].day
    last = max([days[-1].day, today, *(forecast.fan[-1:] and [forecast.fan[-1][0]] if forecast else [])])
    if first == last:
        return None
    span = (last - first).days + 1
    now = days[-1].so_far

    def at(day: date, number: float) -> str:
        return f"{_x(first, day, span):.1f},{HEIGHT * (1 - min(number / total, 1)):.1f}"

    begin = f"0.0,{HEIGHT}.0"
    line = [begin, *(at(day.day, day.so_far) for day in days), at(today, now)]
    fan = forecast.fan if forecast is not None else ()
    high = [at(day, now + top) for day, _, _, top in fan]
    low = [at(day, now + bottom) for day, bottom, _, _ in reversed(fan)]
    return BurnUp(
        done=" ".join(line),
        fan=" ".join([at(today, now), *high, *low]) if fan else "",
        middle=" ".join([at(today, now), *(at(day, now + middle) for day, _, middle, _ in fan)]) if fan else "",
        today_x=round(_x(first, today, span), 1),
        first=first,
        last=last,
        today=today,
        done_now=round(now),
        total=total,
    )


def _x(first: date, day: date, span: int) -> float:
    return WIDTH * ((day - first).days + 1) / span


def strip(pieces: Sequence[AssignmentProgress], stages: Sequence[str]) -> Strip | None:
    """Return how much of each stage of each topic is done by all its assessors together; None without assignments.

    Topics are in order. If there are more than `MOST_COLUMNS`, neighbouring topics share a column.
    """
    topics = list(dict.fromkeys(piece.assignment.topic.number for piece in pieces))
    together = max(-(-len(topics) // MOST_COLUMNS), 1)
    parts = [topics[begin : begin + together] for begin in range(0, len(topics), together)]
    place = {topic: column for column, part in enumerate(parts) for topic in part}
    sums: dict[tuple[int, str], tuple[int, int]] = {}
    unfinished: set[tuple[int, str]] = set()
    for piece in pieces:
        key = (place[piece.assignment.topic.number], piece.stage_label)
        done, total = sums.get(key, (0, 0))
        sums[key] = (done + piece.tally.done, total + piece.tally.total)
        if not piece.is_finished:
            unfinished.add(key)
    if not sums:
        return None
    shown = [stage for stage in stages if any(label == stage for _, label in sums)]
    cells = tuple(
        Cell(
            x=column * CELL,
            y=shown.index(stage) * (CELL + 6),
            shade=_shade(done, total, is_finished=(column, stage) not in unfinished),
            topic=parts[column][0] if together == 1 else "",
            text=gettext("%(topic)s, %(stage)s: %(done)s of %(total)s")
            % {
                "topic": "–".join(dict.fromkeys((parts[column][0], parts[column][-1]))),
                "stage": stage,
                "done": grouped(done),
                "total": grouped(total),
            },
        )
        for (column, stage), (done, total) in sums.items()
    )
    columns = max(len(parts), LEAST_TOPICS)
    return Strip(
        width=columns * CELL,
        height=len(shown) * (CELL + 6),
        cells=cells,
        stages=tuple(shown),
        ticks=tuple(_ticks([part[0] for part in parts], columns)),
        first=topics[0],
        last=topics[-1],
    )


def _ticks(topics: Sequence[str], columns: int) -> Iterator[Tick]:
    """Yield the numbers that stand below the columns: of the first topic, of the last, and of some between them if
    numbers are short and columns many. With few topics, the first and the last are written as one.
    """
    last = len(topics) - 1
    first = gettext("topic %(first)s")
    if last and (last + 1) / columns < CHARACTER * len(first % {"first": topics[0]} + topics[-1]):
        yield Tick(text=first % {"first": f"{topics[0]}–{topics[-1]}"}, at=0, anchor="start")
        return
    between = max(min(TICKS, last // TICK_COLUMNS), 1) if max(map(len, topics)) <= SHORT_NUMBER else 1
    for place in dict.fromkeys(round(step * last / between) for step in range(between + 1)):
        if place == 0:
            yield Tick(text=first % {"first": topics[0]}, at=0, anchor="start")
        elif place > 0.9 * columns:
            yield Tick(text=topics[place], at=round(100 * (place + 1) / columns, 1), anchor="end")
        else:
            yield Tick(text=topics[place], at=round(100 * (place + 0.5) / columns, 1), anchor="middle")


def _shade(done: int, total: int, *, is_finished: bool) -> float:
    """Return the shade of a cell. If there is nothing to judge (yet), it shows whether everybody has finished.

    >>> _shade(4, 210, is_finished=False), _shade(209, 210, is_finished=False), _shade(210, 210, is_finished=True)
    (0.31, 0.8, 1.0)
    """
    share = done / total if total else float(is_finished)
    return round(BEGUN + (NEARLY - BEGUN) * share, 2) if 0 < share < 1 else min(share, 1.0)


def pace_line(pace: PersonPace, slowest: float) -> PaceLine | None:
    """Return the line of one assessor's pace; None with fewer than two days with a pace.

    ``slowest`` is the pace at the top of the scale, the same for all assessors.
    """
    if len(pace.paces) < 2 or not slowest or pace.usual is None:
        return None
    step = SMALL_WIDTH / (len(pace.paces) - 1)
    points = [(number * step, _small_y(value, slowest)) for number, (_, value) in enumerate(pace.paces)]
    return PaceLine(
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        x=round(points[-1][0], 1),
        y=round(points[-1][1], 1),
        median_y=round(_small_y(pace.usual, slowest), 1),
    )


def _small_y(value: float, slowest: float) -> float:
    return SMALL_HEIGHT * (1 - value / slowest) * 0.9 + 1
