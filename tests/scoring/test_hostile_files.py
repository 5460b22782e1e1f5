"""Numbers of thousands of digits, damaged files and other content that readers must report instead of raising."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

import pytest

from scoring.collections import record_files
from scoring.collections.collection_file import BadCollection, read_collection
from scoring.collections.members import Members
from scoring.collections.model import Address
from scoring.formats.answer_checks import AnswerCheck
from scoring.formats.answer_rules import RULES
from scoring.formats.images import PNG_START, read_images
from scoring.formats.json_ranked import read_any_qrels
from scoring.formats.pool_tables import topic_order
from scoring.formats.question_runs import read_questions
from scoring.formats.tac_questions import read_questions as read_tac_questions
from scoring.formats.trec_topics import read_trec_topics
from scoring.reading import tolerant_lines
from scoring.reading.opening import open_input
from scoring.records import Issue


def codes(found: Iterable[object]) -> list[str]:
    return [each.code for each in found if isinstance(each, Issue) and each.severity == "error"]


def test_topics_of_thousands_of_digits_are_sorted() -> None:
    long = "9" * 5_000
    assert sorted([long, "2", "10"], key=topic_order) == ["2", "10", long]


@pytest.mark.parametrize("rank", ["000000001999", "000000001" + "0" * 5_000])
def test_a_rank_of_more_than_nine_digits_is_no_rank(rank: str) -> None:
    found = list(read_questions(io.BytesIO(f"t\tteam\trun\t{rank}\tWhy?\n".encode())))
    assert codes(found) == ["value"]


def test_a_grade_beyond_nine_digits_is_no_grade() -> None:
    row = {"query_id": "1", "doc_id": "D", "relevance": 1e30}
    assert codes(read_any_qrels(io.BytesIO(json.dumps(row).encode()))) == ["value"]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_no_part_of_a_file_in_another_encoding_is_dropped(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.setattr(tolerant_lines, "WHOLE_LIMIT", 1_000)
    text = '<?xml version="1.0" encoding="iso-8859-1"?>\n' + "".join(f"line {each}\n" for each in range(500))
    raw = text.encode(encoding)
    lines = tolerant_lines.TolerantLines(io.BytesIO(raw))
    lines.first_text()
    assert lines.stream.read() == raw


def test_topics_in_utf_16_are_still_decoded() -> None:
    raw = "<top>\n<num> Number: 1\n<title> Käse\n</top>\n".encode("utf-16")
    (topic,) = [each for each in read_trec_topics(io.BytesIO(raw)) if not isinstance(each, Issue)]
    assert topic.title == "Käse"


def packed(tmp_path: Path, content: bytes, *, cut: int = 0) -> Path:
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(content)[: -cut or None])
    return path


def of_ragtime(file: BinaryIO) -> Iterable[object]:
    return AnswerCheck(rules=RULES["ragtime"]).issues(file)


@pytest.mark.parametrize(
    ("read", "content"),
    [(of_ragtime, b'{"a": 1}\n' * 20_000), (read_tac_questions, b"<tacqa></tacqa>" * 20_000)],
)
def test_a_damaged_archive_is_reported(
    tmp_path: Path, read: Callable[[BinaryIO], Iterable[object]], content: bytes
) -> None:
    with open_input(packed(tmp_path, content, cut=12)) as file:
        assert "damaged-file" in codes(read(file))


def test_a_line_of_exactly_the_limit_takes_no_other_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"id": name, "text": "x" * size}) for name, size in (("a", 30), ("b", 1), ("c", 31), ("d", 1))]
    monkeypatch.setattr(record_files, "RECORD_LIMIT", len(lines[0]))
    path = tmp_path / "documents.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = list(record_files.read_members(path, Members(form="json-lines", id="id", text=("text",))))
    assert [each.code if isinstance(each, Issue) else each.docno for each in found] == ["a", "b", "line-too-long", "d"]


def test_images_in_a_damaged_or_doubly_packed_file_are_reported(tmp_path: Path) -> None:
    with open_input(packed(tmp_path, PNG_START, cut=25)) as file:
        assert codes(read_images(file, name="a.png")) == ["damaged-file"]
    with open_input(packed(tmp_path, b"PK\x03\x04" + b"0" * 100)) as file:
        assert codes(read_images(file, name="a.zip")) == ["compressed-file"]


@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 2_000])
def test_a_collection_file_that_python_cannot_read_is_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "collection.toml"
    path.write_text(f"form = {value}\n", encoding="utf-8")
    with pytest.raises(BadCollection):
        read_collection(path)


@pytest.mark.parametrize("row", ["²", "٣", "9" * 5_000])
def test_a_docno_whose_place_is_no_number_has_no_address(row: str) -> None:
    assert Address(pattern=r"(?P<shard>s)_(?P<row>\w+)", shard="{shard}.parquet").place_of(f"s_{row}") is None
