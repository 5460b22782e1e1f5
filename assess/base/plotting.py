"""What all plots share: colours, a sheet to draw on, labels for foreign names, and the image as SVG."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.utils.formats import get_format

# The same values give the same bytes. Everybody can distinguish the colours, on a light or dark background.

LABEL_LIMIT = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Colours:
    """Colours by their purpose. ``lines`` distinguish runs, in this order; ``faint`` is for the background."""

    paper: str
    ink: str
    bar: str
    faint: str
    lines: tuple[str, ...]


LIGHT = Colours(
    paper="#ffffff",
    ink="#1b1f23",
    bar="#0b5f6e",
    faint="#b9bec2",
    lines=("#0b5f6e", "#a1242a", "#7a5200", "#4b3f9e", "#22653a", "#8a2f7a", "#1b5fb0", "#535b63"),
)
DARK = Colours(
    paper="#1c2024",
    ink="#e7e9ea",
    bar="#74cbd9",
    faint="#5b646c",
    lines=("#74cbd9", "#f39a9a", "#e5b860", "#b3a8ff", "#7fcf97", "#e79ad8", "#8fbcf5", "#a5adb5"),
)
STYLES = ("-", "--", ":", "-.")
"""Line styles for lines of the same colour."""


def plot_sheet(*, width: float, height: float, colours: Colours) -> Any:
    """Return an empty figure; width and height are in inches."""
    from assess.base.matplotlib_door import Figure, FigureCanvasSVG

    figure = Figure(figsize=(width, height), facecolor=colours.paper, layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def plot_figure(*, width: float, height: float, colours: Colours) -> tuple[Any, Any]:
    """Return a figure and its axes; width and height are in inches."""
    figure = plot_sheet(width=width, height=height, colours=colours)
    return figure, figure.add_subplot(facecolor=colours.paper)


def plot_image(figure: Any) -> bytes:
    """Return the image, without frames; labels are text and never read as mathematics, and numbers are written as the
    page's language does.
    """
    from assess.base.matplotlib_door import ScalarFormatter, mpl

    class Numbers(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return plot_number(super().__call__(x, pos))

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(Numbers())
        for text in (*axes.get_xticklabels(), *axes.get_yticklabels()):
            text.set_parse_math(False)
        axes.tick_params(which="both", length=0)
        for spine in axes.spines.values():
            spine.set_visible(False)
    image = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "assay", "svg.fonttype": "none"}):
        figure.savefig(image, format="svg", metadata={"Date": None, "Creator": None})
    return image.getvalue()


def plot_number(text: str) -> str:
    """Return a number that Python wrote as the page's language writes it."""
    return text.replace(".", get_format("DECIMAL_SEPARATOR"))


def plot_label(text: str) -> str:
    """Return a foreign name as a plot shows it: with printable characters, and not too long."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return shown if len(shown) <= LABEL_LIMIT else shown[: LABEL_LIMIT - 1] + "…"


def svg_sheet(parts: Iterable[str], *, size: tuple[float, float], letters: float, colours: Colours) -> bytes:
    """Return an SVG image with these elements; its size and the default size of letters are in points."""
    width, height = (f"{each:.0f}" for each in size)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="{letters}" fill="{colours.ink}">'
        f'<rect width="100%" height="100%" fill="{colours.paper}"/>'
    )
    return "".join([head, *parts, "</svg>"]).encode()


# An SVG image as a response that can't run or load anything.


def svg_response(svg: bytes) -> HttpResponse:
    """Return the image as a response that only the requester may cache, and that can't run or load anything."""
    response = HttpResponse(svg, content_type="image/svg+xml")
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response
