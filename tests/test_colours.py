"""The colours of marks: the same in the text of a document as on its page, and easy to read by day and by night."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assess.rendering import highlight
from tests.contrast import contrast
from tracks.designs.members import COLOURS

ROOT = Path(__file__).parent.parent
TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)",
        (ROOT / "static" / "css" / "tokens.css").read_text().split("@media")[0],
    )
}


@pytest.mark.parametrize("kind", ["answer", "term", "likely"])
def test_marks_have_one_colour_everywhere(kind: str) -> None:
    source = Path(highlight.__file__).read_text()
    on_page = re.search(rf"mark\.assay-{kind}\{{background:(#\w{{6}})", source)
    assert on_page is not None
    assert on_page.group(1) == TOKENS[f"mark-{kind}"][0]


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("kind", ["answer", "term", "likely"])
def test_marked_words_are_easy_to_read(kind: str, side: int) -> None:
    assert contrast(TOKENS["ink"][side], TOKENS[f"mark-{kind}"][side]) >= 4.5


TEXT = ("ink", "ink-soft", "accent", "good", "warn", "bad")
GROUNDS = ("paper", "surface", "sunken", "raised", "accent-soft", "good-soft", "warn-soft", "bad-soft")


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXT)
def test_words_stand_out_from_what_is_behind_them(text: str, ground: str, side: int) -> None:
    assert contrast(TOKENS[text][side], TOKENS[ground][side]) >= 4.5


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
def test_controls_stand_out(side: int) -> None:
    assert contrast(TOKENS["accent-ink"][side], TOKENS["accent"][side]) >= 4.5
    for ground in ("paper", "surface", "raised"):
        assert contrast(TOKENS["line-strong"][side], TOKENS[ground][side]) >= 3


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("colour", COLOURS)
def test_colours_of_grades_stand_out(colour: str, side: int) -> None:
    assert f".hue.{colour} {{ --hue: var(--hue-{colour}); }}" in (ROOT / "static/css/workbench.css").read_text()
    for ground in ("paper", "surface", "sunken", "raised"):
        assert contrast(TOKENS[f"hue-{colour}"][side], TOKENS[ground][side]) >= 4.5
