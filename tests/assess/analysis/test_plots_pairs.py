"""Squares for the p of pairs: with numbers where they can be read, and readable on every shade."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from django.utils.translation import override

from assess.analysis.plots import SHADES_DARK, SHADES_LIGHT, Dot, dots_svg, pairs_svg
from assess.base.plotting import DARK, LIGHT
from tests.contrast import contrast


def words(svg: bytes) -> list[str]:
    return [word.strip() for word in ET.fromstring(svg).itertext() if word.strip()]


def test_numbers_stand_in_few_squares_and_not_in_many() -> None:
    few = words(pairs_svg(["a", "b"], [[None, 0.0004], [0.0004, None]], title="p"))
    assert few.count("<.001") == 2 and {"a", "b"} <= set(few)
    many = [f"run{number}" for number in range(60)]
    shown = words(pairs_svg(many, [[0.02] * 60 for _ in many], title="p"))
    assert set(many) <= set(shown) and ".020" not in shown


def test_the_same_values_give_the_same_bytes() -> None:
    assert pairs_svg(["$a$"], [[None]], title="p") == pairs_svg(["$a$"], [[None]], title="p")
    assert "$a$" in words(pairs_svg(["$a$"], [[None]], title="p"))


@pytest.mark.parametrize(
    ("shades", "inks"),
    [
        (SHADES_LIGHT, (LIGHT.paper, LIGHT.paper, LIGHT.ink, LIGHT.ink)),
        (SHADES_DARK, (DARK.paper, DARK.ink, DARK.ink, DARK.ink)),
    ],
)
def test_numbers_are_readable_on_every_shade(shades: tuple[str, ...], inks: tuple[str, ...]) -> None:
    assert all(contrast(shade, ink) >= 4.5 for shade, ink in zip(shades, inks, strict=True))


def test_an_undefined_dot_is_said_and_not_drawn_at_nought() -> None:
    shown = words(dots_svg([Dot(label="1.1", value=None), Dot(label="1.2", value=0.5, low=0.1, high=0.9)], title="k"))
    assert "undefined" in shown and "0.50" in shown and "0.00" not in shown
    with override("de"):
        shown = words(dots_svg([Dot(label="1.2", value=0.5, low=0.1, high=0.9)], title="k"))
        pairs = words(pairs_svg(["a", "b"], [[None, 0.0004], [0.02, None]], title="p"))
    assert {"0,50", "0,2"} <= {*shown} and {"<,001", ",020"} <= {*pairs}
    assert not [each for each in shown + pairs if "." in each.replace("1.2", "")]
