"""The loader of gold files that all tracks share: which file is which gold, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from scoring.records import Issue
from tracks.input_files import by_name, load_records

READERS = {"a.txt": lambda file: lines(file), "b.txt": lambda file: lines(file)}


def lines(file: BinaryIO) -> Iterator[str | Issue]:
    """The lines of a file; one that says so is an issue."""
    for number, line in enumerate(file, start=1):
        text = line.decode().strip()
        yield Issue(where=number, code="bad", message="It is bad.") if text == "bad" else text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in (("a.txt", "1\nbad\n2\n"), ("x.txt", "3\n"), ("extra", "?")):
        (tmp_path / name).write_text(content)
    return tmp_path


def load(folder: Path, *names: str, **given: Any) -> tuple[dict[str, list[Any]], list[tuple[str, str]]]:
    """The records and the (code, message) of issues of files by these names, all the content of one of the folder's."""
    issues: list[Issue] = []
    files = {name: folder / (name if (folder / name).exists() else "a.txt") for name in names}
    found = load_records(files, by_name(READERS), issues.append, **given)
    return {name: list(records) for name, records in found.items()}, [(each.code, each.message) for each in issues]


def test_records_are_those_of_the_exports_and_issues_name_their_file(folder: Path) -> None:
    assert load(folder, "a.txt") == ({"a.txt": ["1", "2"]}, [("bad", "a.txt: It is bad.")])


def test_a_second_file_of_the_same_gold_is_not_read(folder: Path) -> None:
    records, issues = load(folder, "a.txt", "a.txt.gz")
    assert records == {"a.txt": ["1", "2"]}
    assert issues == [("file-twice", "a.txt.gz: There are two files of a.txt; give one."), ("bad", "a.txt: It is bad.")]


def test_files_of_the_same_gold_are_joined_where_a_track_says_so(folder: Path) -> None:
    records, issues = load(folder, "a.txt", "a.txt.zst", joined=True)
    assert records == {"a.txt": ["1", "2", "1", "2"]}
    assert [code for code, _ in issues] == ["bad", "bad"]


def test_other_files_are_warned_of_with_the_names_that_are_known(folder: Path) -> None:
    warning = ("unknown-file", "extra: It is not used. Known: a.txt, b.txt.")
    assert load(folder, "extra", known="a.txt, b.txt") == ({}, [warning])
    assert load(folder, "extra", known="a.txt, b.txt", passed_over={"extra"}) == ({}, [])
    assert load(folder, "extra") == ({}, [])


def test_what_is_passed_over_is_not_read(folder: Path) -> None:
    assert load(folder, "a.txt", known="a.txt", passed_over={"a.txt"}) == ({}, [])
