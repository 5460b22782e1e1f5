"""A plot of values with their intervals as an SVG image: a dot each, the interval as a line through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assess.analysis.plots.rankings import WIDTH
from assess.base.plotting import DARK, LIGHT, plot_figure, plot_image, plot_label


@dataclass(frozen=True, kw_only=True, slots=True)
class Dot:
    """A labelled value; None where it is undefined, its interval None where there is none."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None


def dots_svg(dots: Sequence[Dot], *, title: str, dark: bool = False) -> bytes:
    """A line for each dot, the first on top, with the number at its end; "undefined" where there is none."""
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
        said = "undefined" if dot.value is None else f"{dot.value:.2f}"
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
