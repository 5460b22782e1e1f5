"""Plots as SVG images. They hold text and shapes alone, and the same values give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence

LIGHT = {"paper": "#ffffff", "ink": "#1b1f23", "bar": "#0b5f6e"}
DARK = {"paper": "#1c2024", "ink": "#e7e9ea", "bar": "#74cbd9"}
LABEL_LIMIT = 40


def bars_svg(bars: Sequence[tuple[str, float]], *, title: str, dark: bool = False) -> bytes:
    """A bar for each (label, value), the first on top, with the value written at its end.

    Labels are text from outside: they are drawn as they are, never read as mathematics.
    """
    from assess.drawing import Figure, FigureCanvasSVG, mpl

    colours = DARK if dark else LIGHT
    figure = Figure(figsize=(7.5, 0.9 + 0.28 * max(len(bars), 1)), facecolor=colours["paper"], layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot(facecolor=colours["paper"])
    places = list(range(len(bars)))
    drawn = axes.barh(places, [value for _, value in bars], color=colours["bar"], height=0.7)
    axes.bar_label(drawn, labels=[f"{value:.3f}" for _, value in bars], padding=3, color=colours["ink"], fontsize=9)
    axes.set_yticks(places, [plot_label(label) for label, _ in bars], color=colours["ink"], fontsize=9)
    for text in axes.get_yticklabels():
        text.set_parse_math(False)
    axes.invert_yaxis()
    axes.set_title(title, color=colours["ink"], fontsize=10, loc="left", parse_math=False)
    axes.tick_params(colors=colours["ink"], length=0)
    axes.xaxis.set_visible(False)
    axes.margins(x=0.12)
    for spine in axes.spines.values():
        spine.set_visible(False)
    image = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "assay", "svg.fonttype": "none"}):
        figure.savefig(image, format="svg", metadata={"Date": None, "Creator": None})
    return image.getvalue()


def plot_label(text: str) -> str:
    """A name from outside as a plot shows it: printable, and not too long."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return shown if len(shown) <= LABEL_LIMIT else shown[: LABEL_LIMIT - 1] + "…"
