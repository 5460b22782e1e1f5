"""Plots of pools as SVG images: lines over depths or over judgments, and bars of teams' contributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assess.base.numbers import grouped
from assess.base.plotting import DARK, LIGHT, STYLES, plot_figure, plot_image, plot_label

WIDTH, HEIGHT = 6.4, 3.8  # inches
LETTERS = 11.0  # points between two labels
TALL = 200.0  # approximate height of the highest value, in points

Line = tuple[str, Sequence[tuple[float, float]]]
"""The label of a line, and its points."""


def lines_svg(lines: Sequence[Line], *, across: str, up: str, log: bool = False, dark: bool = False) -> bytes:
    """Return an SVG of lines of counts from 0 upwards, each labelled at its end. Lines without points are left out.

    With ``log``, the horizontal axis is logarithmic.
    """
    colours = DARK if dark else LIGHT
    figure, axes = plot_figure(width=WIDTH, height=HEIGHT, colours=colours)
    lines = [line for line in lines if line[1]]
    raised = _raised([points[-1][1] for _, points in lines])
    for number, (label, points) in enumerate(lines):
        colour, style = colours.lines[number % len(colours.lines)], STYLES[number // len(colours.lines) % len(STYLES)]
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, color=colour, linestyle=style, linewidth=1.8, marker="o" if len(points) < 30 else "")
        place: dict[str, Any] = {"ha": "left", "va": "center", "textcoords": "offset points", "annotation_clip": False}
        axes.annotate(
            plot_label(label),
            (xs[-1], ys[-1]),
            (8, raised[number]),
            color=colour,
            fontsize=9,
            parse_math=False,
            **place,
        )
    if log:
        axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    _whole_ticks(axes.xaxis)
    _whole_ticks(axes.yaxis)
    axes.set_xlabel(across, color=colours.ink, fontsize=9)
    axes.set_ylabel(up, color=colours.ink, fontsize=9)
    axes.tick_params(which="both", colors=colours.ink, labelsize=9)
    axes.grid(visible=True, axis="y", color=colours.ink, alpha=0.15)
    return plot_image(figure)


def _raised(ends: Sequence[float]) -> list[float]:
    """Return how far, in points, each label is moved from the end of its line, so that no label covers another.

    >>> _raised([10.0, 10.0, 2.0])
    [0.0, -11.0, 0.0]
    """
    scale = TALL / max([*ends, 1e-9])
    found = [0.0] * len(ends)
    below: float | None = None
    for place in sorted(range(len(ends)), key=lambda each: (-ends[each], each)):
        own = ends[place] * scale
        stands = own if below is None else min(own, below)
        found[place] = stands - own
        below = stands - LETTERS
    return found


def _whole_ticks(axis: Any) -> None:
    """Set the ticks of an axis of counts to whole numbers, each once; on a logarithmic axis, to powers of ten."""
    from assess.base.matplotlib_door import FuncFormatter, MaxNLocator

    if axis.get_scale() == "linear":
        axis.set_view_interval(0, 1)  # the least range: a smaller one may contain no whole number
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: grouped(value, 0)))
    axis.set_minor_formatter("")
