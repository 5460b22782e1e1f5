"""Plots of rankings: names from outside are text, the same values give the same bytes, and no value breaks one."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest

from assess.analysis.plots import bump_svg, heat_svg

TEXT = "{http://www.w3.org/2000/svg}text"
HOSTILE = "$x^2$<script>\x07"


def words(svg: bytes) -> str:
    return "".join(ET.fromstring(svg).itertext())


@pytest.mark.parametrize("dark", [False, True])
def test_names_are_drawn_as_they_are(dark: bool) -> None:
    bump = words(bump_svg([("F", {HOSTILE: 1.0, "B": 2.0}), ("$R$", {"B": 1.0})], dark=dark))
    assert "$x^2$<script>�" in bump
    assert "$R$" in bump
    heat = words(heat_svg([HOSTILE, "b"], [[1.0, -0.25], [None, 1.0]], dark=dark))
    assert "$x^2$<script>�" in heat
    assert "-0.25" in heat


def test_the_same_values_give_the_same_bytes() -> None:
    rankings = [("F", {"A": 1.0, "B": 2.5, "C": 2.5}), ("G", {"A": 2.0, "B": 1.0})]
    assert bump_svg(rankings) == bump_svg(rankings)
    assert heat_svg(["a"], [[1.0]]) == heat_svg(["a"], [[1.0]])


def test_names_of_tied_runs_stand_below_each_other() -> None:
    runs = [f"Run{number}" for number in range(1, 8)]
    tied = dict(zip(runs, (1.0, 3.0, 3.0, 3.0, 5.0, 6.5, 6.5), strict=True))
    drawn = ET.fromstring(bump_svg([("F", tied), ("G", dict.fromkeys(runs, 4.0))])).iter(TEXT)
    names = [(float(each.attrib["x"]) > 300, float(each.attrib["y"])) for each in drawn if each.text in runs]
    for is_right in (False, True):
        heights = sorted(height for where, height in names if where == is_right)
        assert len(heights) == 7
        assert min(below - above for above, below in itertools.pairwise(heights)) > 12  # the letters are 8 points high


def test_nothing_at_all_is_an_empty_plot() -> None:
    drawn = [each.text for each in ET.fromstring(bump_svg([])).iter(TEXT)]
    assert drawn == ["place"]
    assert ET.fromstring(heat_svg([], [])).findall(f".//{TEXT}") == []
    assert "R39" in words(bump_svg([("F", {f"R{number}": float(number) for number in range(40)})]))
