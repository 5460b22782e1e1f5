"""Draw how the measured times grow with the size, in the style of the site's plots."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import median
from typing import Any

from assess.base.plotting import DARK, LIGHT, plot_image, plot_sheet
from bench.figures import Measured

COLUMNS = 3
WIDTH, HEIGHT = 3.1, 2.3  # inches of one panel
CLEARLY = 2  # times as much, so that their names stand apart


def draw_growth(figures: Sequence[tuple[str, Sequence[Measured]]]) -> bytes:
    """Return an SVG with one panel for each (title, figure at several sizes). The size is on the horizontal axis and
    what Assay took on the vertical one; both are logarithmic.

    The picture is light, or dark for readers whose system is set to dark.
    """
    rows = ceil(len(figures) / COLUMNS)
    sheet = plot_sheet(width=WIDTH * COLUMNS, height=HEIGHT * rows, colours=LIGHT)
    for place, (title, sizes) in enumerate(figures, 1):
        _panel(sheet.add_subplot(rows, COLUMNS, place, facecolor=LIGHT.paper), title, sizes)
    return _dark_where_asked(plot_image(sheet))


def _panel(axes: Any, title: str, sizes: Sequence[Measured]) -> None:
    across = [each.size for each in sizes]
    upwards = [median(each.took) for each in sizes]
    axes.loglog(across, [upwards[0] * size / across[0] for size in across], color=LIGHT.faint, linewidth=1)
    axes.loglog(across, upwards, color=LIGHT.bar, marker="o", markersize=4)
    axes.set_title(title, fontsize=8, color=LIGHT.ink, loc="left", wrap=True)
    axes.set_xlabel(sizes[0].of, fontsize=8, color=LIGHT.ink)
    axes.set_ylabel(sizes[0].took_unit, fontsize=8, color=LIGHT.ink)
    axes.set_xticks(across, [f"{size:,}" for size in across])
    ends = {min(upwards), max(upwards)} if max(upwards) > CLEARLY * min(upwards) else {max(upwards)}
    axes.set_yticks(sorted(ends), [f"{value:.3g}" for value in sorted(ends)])
    axes.minorticks_off()
    axes.tick_params(labelsize=7, colors=LIGHT.ink)


def _dark_where_asked(image: bytes) -> bytes:
    """Return the image with a style sheet that replaces its colours for readers whose system is set to dark."""
    names = ("paper", "ink", "bar", "faint")
    rules = "".join(
        f'[style*="{part}: {getattr(LIGHT, name)}"]{{{part}:{getattr(DARK, name)}!important}}'
        for name in names
        for part in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>\n <defs>"
    return image.replace(b"<defs>", style.encode(), 1)
