"""The plot of runs by one measure."""

from __future__ import annotations

from collections.abc import Sequence

from assess.base.plotting import DARK, LIGHT, plot_figure, plot_image, plot_label


def bars_svg(bars: Sequence[tuple[str, float]], *, title: str, dark: bool = False) -> bytes:
    """A bar for each (label, value), the first on top, with the value written at its end.

    Labels are text from outside: they are drawn as they are, never read as mathematics.
    """
    colours = DARK if dark else LIGHT
    figure, axes = plot_figure(width=7.5, height=0.9 + 0.28 * max(len(bars), 1), colours=colours)
    places = list(range(len(bars)))
    drawn = axes.barh(places, [value for _, value in bars], color=colours.bar, height=0.7)
    axes.bar_label(drawn, labels=[f"{value:.3f}" for _, value in bars], padding=3, color=colours.ink, fontsize=9)
    axes.set_yticks(places, [plot_label(label) for label, _ in bars], color=colours.ink, fontsize=9)
    axes.invert_yaxis()
    axes.set_title(title, color=colours.ink, fontsize=10, loc="left", parse_math=False)
    axes.tick_params(colors=colours.ink)
    axes.xaxis.set_visible(False)
    axes.margins(x=0.12)
    return plot_image(figure)
