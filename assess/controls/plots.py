"""The plot of how somebody's judging changes as they go on."""

from __future__ import annotations

from collections.abc import Sequence

from assess.base.plotting import DARK, LIGHT, plot_image, plot_sheet
from assess.controls.queries.consistency import Tenth


def drift_svg(tenths: Sequence[Tenth], *, dark: bool = False) -> bytes:
    """Two panels above each other: the share of planted items judged as expected, and the median of seconds.

    A tenth without planted items, or without times, has no point and no line.
    """
    colours = DARK if dark else LIGHT
    figure = plot_sheet(width=7.5, height=4.2, colours=colours)
    panels = figure.subplots(2, 1, sharex=True)
    numbers = [tenth.number for tenth in tenths]
    lines = (
        ("as expected, of planted items", [tenth.share for tenth in tenths], (0.0, 1.0), "{:.2f}"),
        ("seconds a judgment, median", [tenth.seconds for tenth in tenths], None, "{:.3g}"),
    )
    for axes, (title, values, limits, form) in zip(panels, lines, strict=True):
        axes.set_facecolor(colours.paper)
        known = [float("nan") if value is None else value for value in values]
        axes.plot(numbers, known, color=colours.bar, marker="o", markersize=5, linewidth=1.5)
        for number, value in zip(numbers, values, strict=True):
            if value is not None:
                axes.annotate(
                    form.format(value),
                    (number, value),
                    textcoords="offset points",
                    xytext=(0, 7),
                    ha="center",
                    fontsize=8,
                    color=colours.ink,
                )
        axes.set_title(title, color=colours.ink, fontsize=10, loc="left", parse_math=False)
        axes.tick_params(colors=colours.ink, labelsize=9)
        axes.set_xticks(numbers)
        if limits is not None:
            axes.set_ylim(limits[0] - 0.05, limits[1] + 0.18)
        else:
            axes.set_ylim(bottom=0)
            axes.margins(y=0.25)
    panels[-1].set_xlabel("tenth of the work", color=colours.ink, fontsize=9)
    return plot_image(figure)
