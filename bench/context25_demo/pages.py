"""Drawn page images: a caption, and plots or a table under it. Pillow's own font, few colours, a few kilobytes each."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw

SIZE = (360, 480)
INK, PAPER, RULE = 0, 255, 160


def write_pages(folder: Path, pages: Mapping[str, tuple[str, str]]) -> None:
    """Write the image of each page into a folder: as JPEG where its name ends in .jpg, otherwise as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (caption, panels) in pages.items():
        (folder / name).write_bytes(_encoded(_page(caption, panels), name))


def _page(caption: str, panels: str) -> Image.Image:
    image = Image.new("L", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    for line in range(5):
        draw.line((30, 30 + 12 * line, 330 - 40 * (line == 4), 30 + 12 * line), fill=RULE)
    if panels == "#":
        _table(draw)
    else:
        width = 300 // max(len(panels), 1)
        for place, panel in enumerate(panels or " "):
            _plot(draw, (30 + place * width, 120, 20 + (place + 1) * width, 330), panel, rise=3 + 4 * place)
    draw.text((30, 350), caption, fill=INK)
    for line in range(6):
        draw.line((30, 385 + 12 * line, 330, 385 + 12 * line), fill=RULE)
    return image


def _plot(draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], panel: str, *, rise: int) -> None:
    left, top, right, bottom = box
    draw.text((left, top - 14), panel, fill=INK)
    draw.line((left, top, left, bottom, right, bottom), fill=INK)
    steps = range(0, right - left - 10, 10)
    points = [(left + step, bottom - 10 - step * step * rise // (right - left) // 4) for step in steps]
    draw.line(points, fill=INK, width=2)
    draw.line([(x, bottom - 8 - step // 3) for (x, _), step in zip(points, steps, strict=True)], fill=RULE, width=2)


def _table(draw: ImageDraw.ImageDraw) -> None:
    for row, cells in enumerate((("", "light", "heavy"), ("days", "12", "12"), ("median", "2.0", "9.0"))):
        draw.line((30, 140 + 40 * row, 330, 140 + 40 * row), fill=INK)
        for column, cell in enumerate(cells):
            draw.text((40 + 100 * column, 152 + 40 * row), cell, fill=INK)
    draw.line((30, 260, 330, 260), fill=INK)


def _encoded(image: Image.Image, name: str) -> bytes:
    out = io.BytesIO()
    if name.endswith(".jpg"):
        image.save(out, "JPEG", quality=60)
    else:
        image.quantize(4).save(out, "PNG", optimize=True)
    return out.getvalue()
