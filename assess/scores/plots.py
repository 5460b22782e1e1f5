"""The plots of scores: runs by one measure, and those of score reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.html import escape
from django.utils.translation import gettext

from assess.base.numbers import grouped
from assess.base.plotting import DARK, LIGHT, Colours, plot_figure, plot_image, plot_label, svg_sheet

# The plots of score reports: told apart on white, on dark and printed in grey; marks differ in shape,
# too.

MARKS = ("o", "s", "^", "D")
TOPICS_A_PLOT = 40
"""The most lines of one plot, which fit on a printed page. More lines make several plots."""
WIDTH = 7.5  # inches

Line = tuple[str, float | None, float | None, Mapping[str, float]]
"""A topic with the median, the best, and the values of the team's runs."""


def parts_of(count: int) -> int:
    """Return the number of plots for this number of topics.

    >>> parts_of(0), parts_of(40), parts_of(41)
    (1, 1, 2)
    """
    return max(1, -(-count // TOPICS_A_PLOT))


def topics_svg(lines: Sequence[Line], runs: Sequence[str], *, title: str, part: int = 1, dark: bool = False) -> bytes:
    """Return a plot with a row for each topic: a bar from the median (a stroke) to the best, and a mark for each run.

    The marked runs are those of one team. ``part`` is as in `differences_svg`.
    """
    colours = DARK if dark else LIGHT
    shown = lines[(part - 1) * TOPICS_A_PLOT : part * TOPICS_A_PLOT]
    figure, axes = _figure(len(shown) + 1.5, colours)
    for place, (_, middle, best, values) in enumerate(shown):
        if middle is not None:
            axes.hlines(place, middle, best if best is not None else middle, color=colours.faint, linewidth=7)
            axes.plot([middle], [place], marker="|", markersize=13, markeredgewidth=2.5, color=colours.ink)
        for number, run in enumerate(runs):
            if run in values:
                axes.plot([values[run]], [place], **_mark(number, colours))
    for number, run in enumerate(runs):
        axes.plot([], [], label=_in_legend(run), **_mark(number, colours))
    axes.plot(
        [], [], marker="|", linestyle="", markersize=11, markeredgewidth=2.5, color=colours.ink, label=gettext("median")
    )
    axes.plot([], [], color=colours.faint, linewidth=7, label=gettext("median to best"))
    _name(axes, [line[0] for line in shown], colours)
    legend = figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8, labelcolor=colours.ink)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return _svg(figure, axes, title, colours)


def differences_svg(
    differences: Sequence[tuple[str, float]], *, title: str, part: int = 1, dark: bool = False
) -> bytes:
    """Return a plot with a bar for each (topic, difference from the median); the difference is written at its end.

    A plot has `TOPICS_A_PLOT` topics: ``part`` 1 shows the first of them, 2 the next, and so on.
    """
    colours = DARK if dark else LIGHT
    shown = differences[(part - 1) * TOPICS_A_PLOT : part * TOPICS_A_PLOT]
    figure, axes = _figure(len(shown), colours)
    fills = [colours.lines[0] if value >= 0 else colours.lines[1] for _, value in shown]
    drawn = axes.barh(range(len(shown)), [value for _, value in shown], color=fills, height=0.7)
    axes.bar_label(drawn, labels=[_signed(value) for _, value in shown], padding=3, color=colours.ink, fontsize=8)
    axes.axvline(0, color=colours.ink, linewidth=0.8)
    axes.margins(x=0.15)
    _name(axes, [topic for topic, _ in shown], colours)
    return _svg(figure, axes, title, colours)


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "") + grouped(value, 3)


def _mark(number: int, colours: Colours) -> dict[str, Any]:
    palette = colours.lines[: len(MARKS)]
    return {
        "marker": MARKS[number % len(MARKS)],
        "linestyle": "",
        "markersize": 7,
        "color": palette[(number + number // len(MARKS)) % len(palette)],
        "markeredgecolor": colours.paper,
        "markeredgewidth": 0.8,
        "zorder": 3,
    }


def _figure(rows: float, colours: Colours) -> tuple[Any, Any]:
    return plot_figure(width=WIDTH, height=1.0 + 0.22 * max(rows, 1), colours=colours)


def _name(axes: Any, labels: Sequence[str], colours: Colours) -> None:
    """Write the names on the left, the first one on top. A plot without any row stays empty."""
    axes.set_yticks(range(len(labels)), [plot_label(each) for each in labels], color=colours.ink, fontsize=8)
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)


def _in_legend(run: str) -> str:
    """Return a run's name for a legend, which would leave out a name that begins with an underscore."""
    shown = plot_label(run)
    return f"\N{ZERO WIDTH SPACE}{shown}" if shown.startswith("_") else shown


def _svg(figure: Any, axes: Any, title: str, colours: Colours) -> bytes:
    _plain(axes, title, colours)
    return plot_image(figure)


def _plain(axes: Any, title: str, colours: Colours) -> None:
    axes.set_title(title, color=colours.ink, fontsize=10, loc="left", parse_math=False)
    axes.tick_params(colors=colours.ink, labelsize=8)


# The plot of runs by one measure.

SHEET, BAR, LETTER, VALUE_WIDE = 540.0, 20, 5.6, 44  # points: width, a row, an average letter, a number with its room


def bars_svg(bars: Sequence[tuple[str, float]], *, title: str, dark: bool = False) -> bytes:
    """Return a plot with a bar for each (label, value), the first on top, and the value at the end of the bar.

    Labels come from outside and are drawn as plain text. The SVG is written here, since matplotlib takes half a second
    for 150 runs.
    """
    colours = DARK if dark else LIGHT
    names = [plot_label(label) for label, _ in bars]
    low, high = (found(0.0, 0.0, *(value for _, value in bars)) for found in (min, max))
    left = 12 + LETTER * max(map(len, names), default=0)
    unit = (SHEET - left - VALUE_WIDE * (2 if low < 0 else 1)) / ((high - low) or 1.0)
    zero = left + (VALUE_WIDE if low < 0 else 0) - low * unit
    parts = [f'<text x="{left:.1f}" y="16" font-size="10">{escape(title)}</text>']
    for place, (name, (_, value)) in enumerate(zip(names, bars, strict=True)):
        top, end = 26 + BAR * place, zero + value * unit
        middle, begin = top + BAR / 2 + 3, min(zero, end)
        told = (end + 4, "start") if value >= 0 else (end - 4, "end")
        box = f'x="{begin:.1f}" y="{top + 3}" width="{abs(end - zero):.1f}" height="{BAR - 6}"'
        parts += [
            f'<text x="{left - 6:.1f}" y="{middle:.1f}" text-anchor="end">{escape(name)}</text>',
            f'<rect {box} fill="{colours.bar}"/>',
            f'<text x="{told[0]:.1f}" y="{middle:.1f}" text-anchor="{told[1]}">{grouped(value, 3)}</text>',
        ]
    return svg_sheet(parts, size=(SHEET, 34 + BAR * max(len(bars), 1)), letters=9, colours=colours)
