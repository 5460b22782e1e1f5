"""A plot of the p of every pair of runs: the stronger the colour of a square, the surer that they differ."""

from __future__ import annotations

from collections.abc import Sequence

from assess.analysis.plots.rankings import WIDTH
from assess.base.plotting import DARK, LIGHT, plot_figure, plot_image, plot_label

STEPS = (0.001, 0.01, 0.05)
WITH_NUMBERS = 16
"""Up to so many runs each square has its number in it; of more, the letters would be too small."""
SHADES_LIGHT = ("#0b5f6e", "#2f7b88", "#b4d3d8", "#ffffff")
SHADES_DARK = ("#74cbd9", "#2c6570", "#244a51", "#1c2024")


def pairs_svg(labels: Sequence[str], p: Sequence[Sequence[float | None]], *, title: str, dark: bool = False) -> bytes:
    """Rows and columns are the runs in the same order, best first; None is left empty."""
    colours = DARK if dark else LIGHT
    shades = SHADES_DARK if dark else SHADES_LIGHT
    count = max(len(labels), 1)
    side = 0.42 if count <= WITH_NUMBERS else 0.2
    figure, axes = plot_figure(width=max(WIDTH, 2.6 + side * count), height=1.8 + side * count, colours=colours)
    for row, line in enumerate(p):
        for column, value in enumerate(line):
            if value is not None:
                axes.add_patch(_square(row, column, shades[_step(value)], colours.paper))
                if count <= WITH_NUMBERS:
                    ink = colours.paper if _step(value) < (1 if dark else 2) else colours.ink
                    axes.text(column, row, _said(value), ha="center", va="center", color=ink, fontsize=7)
    size = 8 if count <= WITH_NUMBERS else 6
    names = [plot_label(label) for label in labels]
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", color=colours.ink, fontsize=size)
    axes.set_yticks(range(len(names)), names, color=colours.ink, fontsize=size)
    axes.set_xlim(-0.5, count - 0.5)
    axes.set_ylim(count - 0.5, -0.5)
    axes.set_title(title, color=colours.ink, fontsize=9, loc="left", parse_math=False)
    return plot_image(figure)


def _step(p: float) -> int:
    """0 for the surest difference, 3 for none that the test tells."""
    return sum(p >= step for step in STEPS)


def _said(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0") if p < 1 else "1"


def _square(row: int, column: int, shade: str, edge: str) -> object:
    from assess.base.drawing import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=shade, edgecolor=edge, linewidth=0.5)
