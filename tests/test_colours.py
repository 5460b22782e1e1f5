"""The colours of grades: each is seen on every ground that a button has, by day and night."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tracks.designs.shape import COLOURS

CSS = Path(__file__).resolve().parent.parent / "static" / "css"
TOKENS = dict(re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\)", (CSS / "tokens.css").read_text()))
GROUNDS = ("surface", "raised", "paper", "sunken")


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", COLOURS)
def test_a_colour_of_a_grade_is_seen(colour: str) -> None:
    assert f".hue.{colour} {{ --hue: var(--hue-{colour}); }}" in (CSS / "workbench.css").read_text()
    for ground in GROUNDS:
        pairs = zip(TOKENS[f"hue-{colour}"].split(", "), TOKENS[ground].split(", "), strict=True)
        assert all(contrast(*pair) >= 4.5 for pair in pairs), (colour, ground)
