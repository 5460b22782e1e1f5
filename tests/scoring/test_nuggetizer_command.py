"""nuggetizer's own four measures from its assign file, in both of its forms; and conversions that can be read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.__main__ import main

LABELS = [("vital", "support"), ("vital", "support"), ("vital", "partial_support"), ("vital", "not_support"),
          ("okay", "support"), ("okay", "partial_support"), ("failed", "failed")]  # fmt: skip
NUGGETS = [{"text": f"n{n}", "importance": i, "assignment": a} for n, (i, a) in enumerate(LABELS)]
NONE = [{"text": "n", "importance": "okay", "assignment": "support"}]


def answer(topic: str, run: str, nuggets: list[dict[str, str]]) -> dict[str, Any]:
    return {"query": "q", "qid": topic, "answer_text": "a b", "response_length": 2, "run_id": run, "nuggets": nuggets}


def document(topic: str, docno: str, nuggets: list[dict[str, str]]) -> dict[str, Any]:
    return {"text": "the query", "qid": topic, "candidate_text": "words", "docid": docno, "nuggets": nuggets}


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[list[str]], str]:
    try:
        status = main(list(arguments))
    except SystemExit as end:
        status = int(end.code or 0)
    shown = capsys.readouterr()
    return status, [line.split("\t") for line in shown.out.splitlines()], shown.err


def written(folder: Path, lines: list[dict[str, Any]]) -> str:
    path = folder / "assign.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_answers_are_scored_by_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, [answer("1", "A", NUGGETS), answer("2", "A", NONE), answer("1", "B", NONE)])
    status, rows, _ = call(capsys, "nuggets", "--nuggetizer", path)
    assert status == 0
    assert rows[:4] == [
        ["A", "1", "strict_vital_score", "0.500000"],
        ["A", "1", "strict_all_score", "0.428571"],
        ["A", "1", "vital_score", "0.625000"],
        ["A", "1", "all_score", "0.571429"],
    ]
    assert [row[3] for row in rows[4:8]] == ["0.000000", "1.000000", "0.000000", "1.000000"]
    assert rows[8:12] == [
        ["A", "all", "strict_vital_score", "0.250000"],
        ["A", "all", "strict_all_score", "0.714286"],
        ["A", "all", "vital_score", "0.312500"],
        ["A", "all", "all_score", "0.785714"],
    ]
    assert [row[:2] for row in rows[12:]] == [["B", "1"]] * 4 + [["B", "all"]] * 4


def test_documents_are_scored_and_averaged_over_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, [document("1", "d1", NUGGETS), document("1", "d2", NONE), document("2", "d1", NONE)])
    status, rows, _ = call(capsys, "nuggets", "--nuggetizer", path)
    assert status == 0
    assert [row[:2] for row in rows[::4]] == [["d1", "1"], ["d2", "1"], ["d1", "2"], ["-", "all"]]
    assert rows[12] == ["-", "all", "strict_vital_score", "0.166667"]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([{"query": "q", "qid": "1", "nuggets": [{"text": "n", "importance": "vital"}]}], "assign file"),
        ([answer("1", "A", [{"text": "n", "importance": "vital"}])], "assign file"),
        ([answer("1", "A", NONE), answer("1", "A", NUGGETS)], "second line"),
        ([answer("1", "A", [{"text": "n", "importance": "vital", "assignment": "yes"}])], "assignment” must be one of"),
        ([document("1", "", NONE)], "“docid” is empty"),
        ([], "no line"),
    ],
)
def test_what_is_no_assign_file_is_refused_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[dict[str, Any]], told: str
) -> None:
    status, rows, error = call(capsys, "nuggets", "--nuggetizer", written(tmp_path, lines))
    assert (status, rows) == (1, [])
    assert told in error


@pytest.mark.parametrize("more", [["--matches", "x"], ["--pyramid"], ["--lengths", "x"]])
def test_the_one_file_is_given_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str]) -> None:
    path = written(tmp_path, [answer("1", "A", NONE)])
    status, _, error = call(capsys, "nuggets", "--nuggetizer", path, *more)
    assert status == 2
    assert "leave out" in error


def test_files_are_asked_for_where_none_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = call(capsys, "nuggets", "--nuggets", "x")
    assert status == 2
    assert "--nuggetizer F alone" in error


def test_lines_of_documents_come_back_as_they_were(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [document("1", "d1", NONE), document("1", "d2", NONE)]
    path = written(tmp_path, lines)
    assert main(["convert", "--from", "nuggetizer", "--to", "nuggetizer", path]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == lines


@pytest.mark.parametrize("target", ["matches", "nuggets", "responses"])
def test_a_conversion_is_read_again_or_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    lines = [answer("1", "A", NONE), answer("1", "A", NUGGETS), document("2", "d", NONE), answer("2", "B", [])]
    status, rows, error = call(capsys, "convert", "--from", "nuggetizer", "--to", target, written(tmp_path, lines))
    assert (status == 0) == bool(rows)
    if rows:
        (tmp_path / "again").write_text("".join("\t".join(row) + "\n" for row in rows))
        assert call(capsys, "convert", "--from", target, "--to", target, str(tmp_path / "again"))[0] == 0
    else:
        assert "would be refused" in error or "nothing that can be written" in error or "two different lists" in error


@pytest.mark.parametrize("option", ["--nuggets", "--matches"])
def test_a_topic_with_two_lists_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    """Nuggets are numbered by place, so the second list would be left out, or matched by the numbers of the first."""
    other = [dict(NONE[0], text="another")]
    path = written(tmp_path, [answer("1", "A", NONE), answer("2", "A", NONE), answer("1", "B", other)])
    (tmp_path / "plain").write_text("1 1 okay n\n2 1 okay n\n" if option == "--matches" else "1 A 1 1\n")
    rest = "--nuggets" if option == "--matches" else "--matches"
    (tmp_path / "lengths").write_text("1 A 3\n")
    files = [option, path, rest, str(tmp_path / "plain"), "--lengths", str(tmp_path / "lengths")]
    status, rows, error = call(capsys, "nuggets", *files)
    assert (status, rows) == (1, [])
    assert "3\terror\tother-list\tTopic" in error and "The first list is in line 1." in error
    assert call(capsys, "convert", "--from", "nuggetizer", "--to", "nuggets", path)[0] == 2


def test_matches_of_another_list_than_the_given_one_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list").write_text("1 1 okay something else\n")
    path = written(tmp_path, [answer("1", "A", NONE)])
    status, _, error = call(capsys, "nuggets", "--nuggets", str(tmp_path / "list"), "--matches", path)
    assert status == 1 and 'is "n" here, and "something else" in the list' in error


def test_a_second_line_about_a_response_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, [answer("1", "A", NONE), answer("1", "A", NONE)])
    status, _, error = call(capsys, "nuggets", "--nuggets", path, "--matches", path)
    assert status == 1 and "duplicate" in error


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_lines_of_nuggetizer_are_known_behind_a_byte_order_mark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], codec: str
) -> None:
    path = Path(written(tmp_path, [answer("1", "A", NUGGETS)]))
    whole = call(capsys, "nuggets", "--nuggets", str(path), "--matches", str(path))
    path.write_bytes(path.read_text().encode(codec))
    assert call(capsys, "nuggets", "--nuggets", str(path), "--matches", str(path))[:2] == whole[:2]
    assert whole[0] == 0
