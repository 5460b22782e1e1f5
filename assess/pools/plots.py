"""Plots of pools as SVG images: lines over depths or over judgments, bars of what teams bring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assess.base.plotting import DARK, LIGHT, STYLES, plot_figure, plot_image, plot_label

WIDTH, HEIGHT = 6.4, 3.8  # inches
LETTERS = 11.0  # points between two labels
TALL = 200.0  # points that the highest value stands above 0, about

Line = tuple[str, Sequence[tuple[float, float]]]
"""A label and its points."""


def lines_svg(lines: Sequence[Line], *, across: str, up: str, log: bool = False, dark: bool = False) -> bytes:
    """Lines of counts from 0 upwards, each with its label at its end; ``log`` spaces the axis across by ratios."""
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
    """How many points each label stands above the end of its line, so that none covers another.

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
    """On an axis that counts things: ticks at whole numbers, each once. Spaced by ratios they are powers of ten."""
    from assess.base.matplotlib_door import FuncFormatter, MaxNLocator

    if axis.get_scale() == "linear":
        axis.set_view_interval(0, 1)  # at least: in a part of it no whole number may stand
        axis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axis.set_minor_formatter("")
