"""Plots of rankings, of values with their intervals, and of every pair of runs, as SVG images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import cos, degrees, radians, sin

from django.utils.html import escape
from django.utils.translation import gettext

from assess.base.numbers import grouped
from assess.base.plotting import DARK, LIGHT, Colours, plot_figure, plot_image, plot_label, svg_sheet

# Plots of rankings as SVG images: the similarity of each pair, and the places of each run.

WIDTH = 8.6  # inches: the width of a plot on the page, so that its text is not scaled
SHEET, HEAD, ROW = 620.0, 8.0, 24.5  # points: width, space above, height of a run's row
LETTER, NUMBERS_WIDE, BESIDE = 5.4, 34, 28  # points: width of an average letter, of places, of space next to a name
SLANT = radians(25)
POINTS_BESIDE = 14  # distance of a name from its point
DASHES = ("", "6 3", "1.5 2.5", "6 2 1.5 2")
"""Line styles for lines of the same colour."""
STRONG = 0.85  # on stronger colours, white text is more readable than black
LEAST, MIDDLE_LIGHT, MIDDLE_DARK, MOST_LIGHT, MOST_DARK = "#c2571a", "#ffffff", "#1c2024", "#0b7f93", "#1b7f92"


def heat_svg(labels: Sequence[str], values: Sequence[Sequence[float | None]], *, dark: bool = False) -> bytes:
    """Return an image with a square for each pair of labels, coloured by the pair's value from -1 to 1 and labelled
    with it.

    The square of a pair without a value is left empty.
    """
    from assess.base.matplotlib_door import LinearSegmentedColormap

    colours = DARK if dark else LIGHT
    count = max(len(labels), 1)
    figure, axes = plot_figure(width=max(WIDTH, 2.6 + 0.62 * count), height=1.2 + 0.42 * count, colours=colours)
    middle, most = (MIDDLE_DARK, MOST_DARK) if dark else (MIDDLE_LIGHT, MOST_LIGHT)
    shades = LinearSegmentedColormap.from_list("likeness", [LEAST, middle, most])
    cells = [[float("nan") if value is None else value for value in row] for row in values]
    if cells:
        axes.imshow(cells, cmap=shades, vmin=-1, vmax=1, aspect="auto")
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            if value is not None:
                ink = "#ffffff" if abs(value) > STRONG else colours.ink
                axes.text(column, row, grouped(value, 2), ha="center", va="center", color=ink, fontsize=8)
    names = [plot_label(label) for label in labels]
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", color=colours.ink, fontsize=8)
    axes.set_yticks(range(len(names)), names, color=colours.ink, fontsize=8)
    return plot_image(figure)


def bump_svg(rankings: Sequence[tuple[str, Mapping[str, float]]], *, dark: bool = False) -> bytes:
    """Return an image of rankings (label, run -> place) side by side, with a line for each run through its places.

    The first place is on top. Runs that share a place have separate rows for their names, each with a thin line to the
    place. The SVG is written directly, since matplotlib takes more than a second for 150 runs.
    """
    colours = DARK if dark else LIGHT
    runs = sorted({run for _, places in rankings for run in places})
    labels = [plot_label(label) for label, _ in rankings]
    beside = BESIDE + LETTER * max((len(plot_label(run)) for run in runs), default=0)
    slanted = LETTER * max(map(len, labels), default=0)
    left = max(beside + NUMBERS_WIDE, slanted * cos(SLANT) + NUMBERS_WIDE)
    width = max(SHEET, left + beside + 36 * (len(rankings) - 1))
    step = (width - left - beside) / max(len(rankings) - 1, 1)
    foot = HEAD + ROW * max(len(runs), 1)
    drawn = _Lines(across=[left + step * place for place in range(len(rankings))], colours=colours)
    turned, named = f"rotate(-90 {ROW / 2} {foot / 2:.1f})", escape(gettext("place"))
    parts = [f'<text x="{ROW / 2}" y="{foot / 2:.1f}" transform="{turned}">{named}</text>']
    for place in range(1, len(runs) + 1):
        parts.append(f'<text x="{NUMBERS_WIDE}" y="{_middle(place) + 3:.1f}" text-anchor="end">{place}</text>')
    rows = [_rows(places) for _, places in rankings]
    for number, run in enumerate(runs):
        points = [(place, places[run]) for place, (_, places) in enumerate(rankings) if run in places]
        parts += drawn.of_run(number, run, points, rows)
    for label, x in zip(labels, drawn.across, strict=True):
        turned = f"rotate(-{degrees(SLANT):.0f} {x:.1f} {foot + 12:.1f})"
        parts.append(
            f'<text x="{x:.1f}" y="{foot + 12:.1f}" text-anchor="end" transform="{turned}">{escape(label)}</text>'
        )
    return svg_sheet(parts, size=(width, foot + 20 + slanted * sin(SLANT)), letters=8, colours=colours)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Lines:
    """The lines of runs through rankings whose horizontal positions are ``across``."""

    across: Sequence[float]
    colours: Colours

    def of_run(
        self, number: int, run: str, points: Sequence[tuple[int, float]], rows: Sequence[Mapping[str, int]]
    ) -> Iterator[str]:
        """Yield a run's line, a dot at each of its places, and its name at both ends."""
        palette = self.colours.lines
        colour, dashes = palette[number % len(palette)], DASHES[number // len(palette) % len(DASHES)]
        at = [(self.across[place], _middle(down)) for place, down in points]
        way = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        dotted = f' stroke-dasharray="{dashes}"' if dashes else ""
        yield f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.8"{dotted}/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in at)
        for (place, down), side in ((points[0], -1), (points[-1], 1)):
            x, y = self.across[place], _middle(rows[place][run])
            anchor, end = ("end" if side < 0 else "start"), x + POINTS_BESIDE * side
            if rows[place][run] != down:
                thin = f'x1="{end - side:.1f}" y1="{y:.1f}" x2="{x + 3 * side:.1f}" y2="{_middle(down):.1f}"'
                yield f'<line {thin} stroke="{colour}" stroke-width=".7"/>'
            name = escape(plot_label(run))
            yield f'<text x="{end:.1f}" y="{y + 3:.1f}" text-anchor="{anchor}" fill="{colour}">{name}</text>'


def _middle(place: float) -> float:
    """Return the vertical position of the middle of a row; rows count from 1."""
    return HEAD + ROW * (place - 0.5)


def _rows(places: Mapping[str, float]) -> dict[str, int]:
    """Return run -> the row of its name. A run's row is its place; tied runs get one row each, of the places that they
    share.

    >>> _rows({"C": 2.5, "B": 2.5, "A": 1.0, "D": 4.0})
    {'A': 1, 'B': 2, 'C': 3, 'D': 4}
    """
    return {run: row for row, run in enumerate(sorted(places, key=lambda run: (places[run], run)), start=1)}


# A plot of values with their intervals as an SVG image: a dot for each, with its interval as a line through it.


@dataclass(frozen=True, kw_only=True, slots=True)
class Dot:
    """A labelled value. ``value`` is None if it is undefined; ``low`` and ``high`` are None without an interval."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


def dots_svg(dots: Sequence[Dot], *, title: str, dark: bool = False) -> bytes:
    """Return an image with a row for each dot, the first on top.

    A row has the interval as a line, the value as a dot and, at the end, the value in figures or "undefined".
    """
    colours = DARK if dark else LIGHT
    figure, axes = plot_figure(width=WIDTH, height=1.1 + 0.26 * max(len(dots), 1), colours=colours)
    known = [each for dot in dots for each in (dot.value, dot.low, dot.high) if each is not None]
    low, high = min([0.0, *known]), max([1.0, *known])
    axes.axvline(0, color=colours.ink, linewidth=0.6, alpha=0.5)
    for place, dot in enumerate(dots):
        if dot.low is not None and dot.high is not None:
            axes.plot((dot.low, dot.high), (place, place), color=colours.bar, linewidth=1.6, alpha=0.7)
        if dot.value is not None:
            axes.plot(dot.value, place, marker="o", markersize=6, color=colours.bar)
        said = gettext("undefined") if dot.value is None else grouped(dot.value, 2)
        axes.annotate(
            said, (high, place), (14, 0), textcoords="offset points", color=colours.ink, fontsize=8, va="center"
        )
    axes.set_yticks(range(len(dots)), [plot_label(dot.label) for dot in dots], color=colours.ink, fontsize=8)
    axes.set_ylim(len(dots) - 0.4, -0.6)
    room = (high - low) * 0.02
    axes.set_xlim(low - room, high + room)
    axes.set_title(title, color=colours.ink, fontsize=10, loc="left", parse_math=False)
    axes.tick_params(colors=colours.ink, labelsize=8)
    return plot_image(figure)


# The p of every pair of runs as an SVG image: the stronger a square's colour, the more certain the difference.
#
# Adjacent squares of a colour in a row are one shape, so that the image of 150 runs has 100 kB.

STEPS = (0.001, 0.01, 0.05)
WITH_NUMBERS = 16
"""The number of runs up to which each square shows its number; with more, the text would be too small."""
SHADES_LIGHT = ("#0b5f6e", "#2f7b88", "#b4d3d8", "#ffffff")
SHADES_DARK = ("#74cbd9", "#2c6570", "#244a51", "#1c2024")
NAMES_WIDE, HEAD_HIGH = 250, 60  # pixels


def pairs_svg(
    labels: Sequence[str], p: Sequence[Sequence[float | None]], *, title: str, dark: bool = False, group: int = 0
) -> bytes:
    """Return an image of the ``p`` of every pair of runs. Rows and columns are the runs in order, numbered from 1.

    The square of a pair without a value is left empty. A line is drawn after the first ``group`` runs.
    """
    colours, shades = (DARK, SHADES_DARK) if dark else (LIGHT, SHADES_LIGHT)
    count = len(labels)
    side = 40 if count <= WITH_NUMBERS else 13
    size = NAMES_WIDE + side * count + 10, HEAD_HIGH + side * count + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{max(size[0], 640)}" height="{size[1]}" '
        f'font-family="sans-serif" font-size="{11 if count <= WITH_NUMBERS else 10}" fill="{colours.ink}">',
        f'<title>{escape(title)}</title><rect width="100%" height="100%" fill="{colours.paper}"/>',
        f'<text x="8" y="18" font-size="13">{escape(title)}</text>',
    ]
    for place, label in enumerate(labels):
        middle = HEAD_HIGH + side * place + side // 2 + 4
        parts.append(f'<text x="{NAMES_WIDE - 6}" y="{middle}" text-anchor="end">{_row_name(place, label)}</text>')
        if count <= WITH_NUMBERS or place % 5 == 4 or place == 0:
            across = NAMES_WIDE + side * place + side // 2
            parts.append(f'<text x="{across}" y="{HEAD_HIGH - 6}" text-anchor="middle">{place + 1}</text>')
    for step, shade in enumerate(shades):
        if shapes := "".join(_shapes(p, step, side)):
            parts.append(f'<path fill="{shade}" stroke="{colours.paper}" stroke-width="1" d="{shapes}"/>')
    if count <= WITH_NUMBERS:
        for row, column, value in ((r, c, v) for r, line in enumerate(p) for c, v in enumerate(line) if v is not None):
            ink = colours.paper if _step(value) < (1 if dark else 2) else colours.ink
            x, y = NAMES_WIDE + side * column + side // 2, HEAD_HIGH + side * row + side // 2 + 4
            parts.append(f'<text x="{x}" y="{y}" text-anchor="middle" fill="{ink}">{escape(_p_label(value))}</text>')
    if 0 < group < count:
        x, y, end = NAMES_WIDE + side * group, HEAD_HIGH + side * group, HEAD_HIGH + side * count
        line = f"M{NAMES_WIDE} {y}H{NAMES_WIDE + side * count}M{x} {HEAD_HIGH}V{end}"
        parts.append(f'<path d="{line}" stroke="{colours.ink}" stroke-width="2" fill="none"/>')
    return "".join([*parts, "</svg>"]).encode()


def _row_name(place: int, label: str) -> str:
    return f"{escape(plot_label(label))} <tspan>{place + 1}</tspan>"


def _shapes(p: Sequence[Sequence[float | None]], step: int, side: int) -> Iterator[str]:
    """Yield the squares of one step as pieces of a path; adjacent squares are one piece."""
    for row, line in enumerate(p):
        y, steps = HEAD_HIGH + side * row, [None if value is None else _step(value) for value in line]
        for found, alike in groupby(range(len(steps)), key=steps.__getitem__):
            if found == step:
                places = list(alike)
                yield f"M{NAMES_WIDE + side * places[0]} {y}h{side * len(places)}v{side}h{-side * len(places)}z"


def _step(p: float) -> int:
    """Return the step of a p value: 0 for the most certain differences, 3 for a difference that is not significant."""
    return sum(p >= step for step in STEPS)


def _p_label(p: float) -> str:
    return "<" + _p_label(0.001) if p < 0.001 else grouped(p, 3).removeprefix("0") if p < 1 else "1"
