"""Gold files are read as they are asked for, and every message says which file it is about."""

from __future__ import annotations

from pathlib import Path

from scoring.formats.graded_qrels import read_graded_qrels
from scoring.records import Issue
from tracks.gold_files import read_gold_file


def test_no_more_is_read_than_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("1 0 D-1 2\n1 0 D-2\n1 0 D-3 1\n")
    issues: list[Issue] = []
    records = read_gold_file("qrels.txt", path, read_graded_qrels, issues.append)
    assert (next(records).key, issues) == ("D-1", [])
    assert [record.key for record in records] == ["D-3"]
    assert [issue.message.split(":")[0] for issue in issues] == ["qrels.txt"]


def test_a_file_that_is_not_there_has_no_records(tmp_path: Path) -> None:
    issues: list[Issue] = []
    assert list(read_gold_file("qrels.txt", tmp_path / "qrels.txt", read_graded_qrels, issues.append)) == []
    assert [(issue.code, issue.message.split(":")[0]) for issue in issues] == [("cannot-open", "qrels.txt")]
