"""Plots of rankings as SVG images: how alike each pair is, and each run's way through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assess.plotting import DARK, LIGHT, STYLES, plot_figure, plot_image, plot_label

WIDTH = 8.6  # inches: as wide as the page shows a plot, so that its letters have their size
CHARACTER = 0.075  # inches of an average letter
STRONG = 0.85  # from here on white is read better than black
LEAST, MIDDLE_LIGHT, MIDDLE_DARK, MOST_LIGHT, MOST_DARK = "#c2571a", "#ffffff", "#1c2024", "#0b7f93", "#1b7f92"


def heat_svg(labels: Sequence[str], values: Sequence[Sequence[float | None]], *, dark: bool = False) -> bytes:
    """A square for each pair of labels, coloured by its value from -1 to 1, with the value in it; None is empty."""
    from assess.drawing import LinearSegmentedColormap

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
    """A line for each run through its places in these rankings (label, run -> place), the first place on top."""
    colours = DARK if dark else LIGHT
    runs = sorted({run for _, places in rankings for run in places})
    height = 1.4 + 0.34 * max(len(runs), 1)
    names = [plot_label(run) for run in runs]
    beside = 0.3 + CHARACTER * max(map(len, names), default=0)  # inches for the names at each end
    width = max(WIDTH, 2 * beside + 0.5 * len(rankings))
    figure, axes = plot_figure(width=width, height=height, colours=colours)
    palette = colours.lines
    for number, run in enumerate(runs):
        points = [(place, places[run]) for place, (_, places) in enumerate(rankings) if run in places]
        colour = palette[number % len(palette)]
        style = STYLES[number // len(palette) % len(STYLES)]
        across, down = zip(*points, strict=True)
        axes.plot(across, down, color=colour, linestyle=style, marker="o", markersize=5, linewidth=1.8)
        for (x, y), side in ((points[0], -1), (points[-1], 1)):
            place = {"ha": "right" if side < 0 else "left", "va": "center", "textcoords": "offset points"}
            axes.annotate(names[number], (x, y), (8 * side, 0), color=colour, fontsize=8, parse_math=False, **place)
    labels = [plot_label(label) for label, _ in rankings]
    last = max(len(labels) - 1, 1)
    room = last * beside / (width - 2 * beside)
    axes.set_xlim(-room, last + room)
    axes.set_xticks(range(len(labels)), labels, rotation=25, ha="right", color=colours.ink, fontsize=8)
    axes.set_yticks(range(1, len(runs) + 1))
    axes.set_ylabel("place", color=colours.ink, fontsize=8)
    axes.invert_yaxis()
    axes.margins(y=0.08)
    axes.tick_params(colors=colours.ink, labelsize=8)
    return plot_image(figure)
