"""The pictures of the guides are those of the pages as they are."""

from __future__ import annotations

import pytest

from tests.parts import WHOLE
from tests.pictures import MADE_FROM, PICTURES, digest_of, made_from, record

AGAIN = "take the pictures anew: ASSAY_TAKE_PICTURES=yes pytest -n 0 tests/browser/test_pictures.py"


def test_each_picture_says_what_it_was_made_from() -> None:
    assert [name for name, made in made_from().items() if not ((PICTURES / name).is_file() and made["files"])] == []


@pytest.mark.skipif(not WHOLE, reason="a change of a style need not wait for its pictures: in make test-all")
def test_no_picture_is_out_of_date() -> None:
    assert [name for name, made in made_from().items() if digest_of(made["files"]) != made["digest"]] == [], AGAIN


def test_a_picture_is_out_of_date_once_a_file_of_its_page_is_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr("tests.pictures.ROOT", tmp_path)
    monkeypatch.setattr("tests.pictures.MADE_FROM", tmp_path / "made-from.json")  # type: ignore[operator]
    style = tmp_path / "desk.css"  # type: ignore[operator]
    style.write_text("a {}")
    record("desk.png", ["desk.css", "gone.html"])
    (made,) = made_from().values()
    assert digest_of(made["files"]) == made["digest"]
    style.write_text("b {}")
    assert digest_of(made["files"]) != made["digest"]
    assert MADE_FROM.name == "made-from.json"
