from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from scoring.reading.opening import CannotOpen
from tracks.input_files import unknown_in_file

LISTED = b"\xef\xbb\xbfD1\nD2\r\n\n  D3 \nD4"


@pytest.mark.parametrize(
    ("name", "data"),
    [("d.txt", LISTED), ("d.txt.gz", gzip.compress(LISTED, mtime=0)), ("d.txt.zst", zstandard.compress(LISTED))],
)
def test_unknown_docnos_are_those_not_listed(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert unknown_in_file(path, ["D1", "D2", "D3", "D4", "D5", "d1", "D"]) == {"D5", "d1", "D"}


def test_docnos_are_found_across_chunks(tmp_path: Path) -> None:
    path = tmp_path / "d.txt"
    path.write_bytes(b"".join(b"BLOG06-%08d\n" % number for number in range(300_000)))
    wanted = [f"BLOG06-{number:08d}" for number in range(0, 300_001, 1)]
    assert unknown_in_file(path, wanted) == {"BLOG06-00300000"}


def test_file_without_line_breaks_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "d.txt"
    path.write_bytes(b"x" * 5_000_000 + b"\nD1\n")
    assert unknown_in_file(path, ["D1", "D2"]) == {"D2"}


def test_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match=r"none\.txt"):
        unknown_in_file(tmp_path / "none.txt", ["D1"])
