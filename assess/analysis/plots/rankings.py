"""Plots of rankings as SVG images: how alike each pair is, and each run's way through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assess.base.plotting import DARK, LIGHT, STYLES, plot_figure, plot_image, plot_label

WIDTH = 8.6  # inches: as wide as the page shows a plot, so that its letters have their size
CHARACTER = 0.075  # inches of an average letter
POINTS_BESIDE = 14  # from a point to its name
STRONG = 0.85  # from here on white is read better than black
LEAST, MIDDLE_LIGHT, MIDDLE_DARK, MOST_LIGHT, MOST_DARK = "#c2571a", "#ffffff", "#1c2024", "#0b7f93", "#1b7f92"


def heat_svg(labels: Sequence[str], values: Sequence[Sequence[float | None]], *, dark: bool = False) -> bytes:
    """A square for each pair of labels, coloured by its value from -1 to 1, with the value in it; None is empty."""
    from assess.base.drawing import LinearSegmentedColormap

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
                axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=8)
    names = [plot_label(label) for label in labels]
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", color=colours.ink, fontsize=8)
    axes.set_yticks(range(len(names)), names, color=colours.ink, fontsize=8)
    return plot_image(figure)


def bump_svg(rankings: Sequence[tuple[str, Mapping[str, float]]], *, dark: bool = False) -> bytes:
    """A line for each run through its places in these rankings (label, run -> place), the first place on top.

    Runs that share a place keep their own rows for their names, each with a thin line to the place.
    """
    colours = DARK if dark else LIGHT
    runs = sorted({run for _, places in rankings for run in places})
    height = 1.4 + 0.34 * max(len(runs), 1)
    names = [plot_label(run) for run in runs]
    beside = 0.4 + CHARACTER * max(map(len, names), default=0)  # inches for the names at each end
    width = max(WIDTH, 2 * beside + 0.5 * len(rankings))
    figure, axes = plot_figure(width=width, height=height, colours=colours)
    palette, rows = colours.lines, [_rows(places) for _, places in rankings]
    for number, run in enumerate(runs):
        points = [(place, places[run]) for place, (_, places) in enumerate(rankings) if run in places]
        colour = palette[number % len(palette)]
        style = STYLES[number // len(palette) % len(STYLES)]
        across, down = zip(*points, strict=True)
        axes.plot(across, down, color=colour, linestyle=style, marker="o", markersize=5, linewidth=1.8)
        for (x, y), side in ((points[0], -1), (points[-1], 1)):
            _write_name(axes, names[number], (x, y), row=rows[x][run], side=side, colour=colour)
    labels = [plot_label(label) for label, _ in rankings]
    last = max(len(labels) - 1, 1)
    room = last * beside / (width - 2 * beside)
    axes.set_xlim(-room, last + room)
    axes.set_xticks(range(len(labels)), labels, rotation=25, ha="right", color=colours.ink, fontsize=8)
    axes.set_yticks(range(1, len(runs) + 1))
    axes.set_ylabel("place", color=colours.ink, fontsize=8)
    axes.set_ylim(len(runs) + 0.6, 0.4)
    axes.tick_params(colors=colours.ink, labelsize=8)
    return plot_image(figure)


def _rows(places: Mapping[str, float]) -> dict[str, int]:
    """Run -> the row that its name stands in: its place, and of tied runs one each of the places that they share.

    >>> _rows({"C": 2.5, "B": 2.5, "A": 1.0, "D": 4.0})
    {'A': 1, 'B': 2, 'C': 3, 'D': 4}
    """
    return {run: row for row, run in enumerate(sorted(places, key=lambda run: (places[run], run)), start=1)}


def _write_name(axes: Any, name: str, point: tuple[float, float], *, row: int, side: int, colour: str) -> None:
    """A run's name beside its first point (side -1) or its last (side 1)."""
    line = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 1, "shrinkB": 3}
    axes.annotate(
        name,
        point,
        (POINTS_BESIDE * side, row),
        textcoords=("offset points", "data"),
        arrowprops=None if row == point[1] else {**line, "relpos": (1.0 if side < 0 else 0.0, 0.5)},
        color=colour,
        fontsize=8,
        parse_math=False,
        ha="right" if side < 0 else "left",
        va="center",
    )
