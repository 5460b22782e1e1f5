"""judgments.parquet: every member of a line of judgments.jsonl has its place in it, and it says what the lines say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from scoring.formats.judgments_jsonl import _VERBS
from scoring.release import judgment_table
from scoring.release.judgment_table import (
    FREQUENT,
    _by_verb,
    judgment_bytes,
    judgment_schema,
    judgment_tables,
    table_difference,
)

ITEM = {"by": "assessor-1", "topic": "1.1", "docno": "D1", "answer": "blåu „x“"}
LINES: list[dict[str, Any]] = [
    {**ITEM, "do": "judge", "criterion": "relevance", "value": 2, "note": "n", "key": "k", "role": "second"},
    {
        **ITEM,
        "do": "judge",
        "criterion": "relevance",
        "value": None,
        "given": {"unsure": True, "a": [1]},
        "how": "like",
    },
    {
        **ITEM,
        "do": "judge",
        "criterion": "c",
        "value": -1,
        "order": [2, 0, 1],
        "version": 3,
        "draft": "open",
        "evidence": [{"quote": "q", "start": 0, "value": 1, "label": "l"}, {"quote": "r"}],
    },
    {"by": "a", "topic": "1", "do": "none", "criterion": "c"},
    {**ITEM, "do": "find_answer", "class": "C", "number": 1},
    {**ITEM, "do": "class", "class": "C"},
    {
        "by": "a",
        "topic": "1",
        "do": "nugget",
        "number": 1,
        "importance": "vital",
        "text": "t",
        "group": "g",
        "fields": {"ö": {"b": 1}},
        "sources": [{"docno": "D", "quote": ""}],
    },
    {"by": "a", "topic": "1", "do": "freeze", "refused": [{"by": "machine-A", "number": 3, "text": "s"}]},
    {**ITEM, "do": "match", "nugget": "5.1", "quote": "q", "value": "partial", "draft": "full"},
    {**ITEM, "do": "match", "nugget": "5"},
    {**ITEM, "do": "review"},
    {"by": "a", "topic": "1", "do": "vote", "number": 1, "importance": "okay"},
]


def written(folder: Path, lines: list[dict[str, Any]], name: str = "judgments") -> tuple[Path, Path]:
    """The table of these lines, and the lines."""
    text, table = folder / f"{name}.jsonl", folder / f"{name}.parquet"
    text.write_text("".join(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n" for line in lines))
    table.write_bytes(b"".join(judgment_bytes(text)))
    return table, text


def without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    return {k: without_nulls(v) for k, v in value.items() if v is not None} if isinstance(value, dict) else value


def test_every_member_of_every_verb_is_a_column_and_no_other_is() -> None:
    members = {member.name for shape in _VERBS.values() for member in shape.members}
    assert set(judgment_schema().names) == members | {"mark"}
    assert {name for line in LINES for name in line} == members, "LINES has each of them once"


def test_the_members_of_frequent_verbs_are_all_but_what_each_campaign_has_of_its_own() -> None:
    members = {verb: {member.name for member in shape.members} - {"given"} for verb, shape in _VERBS.items()}
    assert {verb: {*named.split(), "do"} for verb, named in FREQUENT.items()} == {
        verb: members[verb] for verb in FREQUENT
    }


ODD = [
    '{"do": "match", "by": "a", "topic": "1", "nugget": "1", "value": null, "quote": "\\u00e9 \\ud83d\\ude00"}',
    '{"do": "match", "by": "a", "topic": "1", "nugget": "1"}  ',
    '{"by": "a", "do": "review", "topic": "1", "other": 1}',
    '{"by": "a", "do": "judge", "topic": "1", "value": -0, "order": [], "evidence": [{}, {"start": 2}]}',
    '{"by": "a", "do": "vote", "importance": "x\u2028y\x85", "number": 123456789012345678}',
]


@pytest.mark.parametrize(
    "lines", [[json.dumps(line, ensure_ascii=False) for line in LINES * 2], ODD, *([o] for o in ODD)]
)
def test_both_ways_to_read_lines_give_the_same_rows(
    lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "judgments.jsonl"
    text.write_text("".join(f"{line}\n" for line in lines))
    at_once = list(judgment_tables(text))
    monkeypatch.setattr(judgment_table, "FREQUENT", {})
    assert list(judgment_tables(text)) == at_once


@pytest.mark.parametrize("together", [1, 2, 3, 100])
def test_lines_are_taken_together_as_long_as_they_have_one_verb(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgment_table, "TOGETHER", together)
    verbs = ["match", "match", "match", "review", "match", "vote", "vote"]
    lines = [json.dumps({"answer": '"do": "vote"', "do": verb}).encode() + b"\n" for verb in verbs]
    lines += [b"{}\n", lines[0], b'{"do": "match", "fields": {"do": "match"}}\n']
    found = list(_by_verb(lines))
    assert [(verb, len(same)) for verb, same in found] == [
        ("match", 3), ("review", 1), ("match", 1), ("vote", 2), ("", 1), ("match", 2)
    ]  # fmt: skip
    assert [line for _, same in found for line in same] == lines


BAD = (
    b'{"do": "match", "nugget": "\xff"}\n',
    b'{"do": "match", "nugget": "1", "nugget": "2"}\n',
    b'{"do": "match", "nugget": "\\u0000"}\n',
    b'{"do": "match", "nugget": "\\ud800"}\n',
    b'{"do": "match"}{"do": "match"}\n',
    b'{"do": "match"}{"do": "match"}\n{\n',
    b'{"do": "match"}\n\n',
    b' {"do": "match"}\n',
    b'{"do": "match", "nugget": 1}\n',
    b'{"do": "vote", "number": "1"}\n',
    b'["do": "vote"]\n',
    b'{"value": 1}\n',
)


@pytest.mark.parametrize("content", BAD)
def test_both_ways_refuse_what_is_no_line_or_agree(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tmp_path / "judgments.jsonl"
    text.write_bytes(content)

    def found() -> Any:
        try:
            return list(judgment_tables(text))
        except (ValueError, TypeError, AttributeError) as error:
            return type(error), str(error)

    at_once = found()
    monkeypatch.setattr(judgment_table, "FREQUENT", {})
    assert found() == at_once


def test_rows_say_what_the_lines_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgment_table, "ROWS", 5)
    table, text = written(tmp_path, LINES)
    found = []
    for row in without_nulls(pyarrow.parquet.read_table(table).to_pylist()):
        row |= {name: json.loads(row[name]) for name in ("given", "fields") if name in row}
        if "mark" in row:
            row["value"] = row.pop("mark")
        found.append(row)
    assert found == [without_nulls(line) for line in LINES]
    assert pyarrow.parquet.ParquetFile(table).num_row_groups == 3
    assert table_difference(table, text) == ""
    assert b"".join(judgment_bytes(text)) == table.read_bytes(), "the same lines give the same bytes"


def test_no_line_is_an_empty_table(tmp_path: Path) -> None:
    table, text = written(tmp_path, [])
    assert (pyarrow.parquet.read_table(table).num_rows, table_difference(table, text)) == (0, "")


def test_the_first_difference_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgment_table, "ROWS", 5)
    _, text = written(tmp_path, LINES)
    other = [*LINES[:6], {**LINES[6], "sources": [{"docno": "E", "quote": ""}]}, *LINES[7:]]

    def said(lines: list[dict[str, Any]]) -> str:
        return table_difference(written(tmp_path, lines, "other")[0], text)

    assert said(other) == "rows 6 to 10: sources differs from the file of lines"
    assert said(LINES[:-1]) == "after row 10: it has other rows than the file of lines"
    assert said(LINES[:5]) == "after row 5: it has other rows than the file of lines"
    assert said([*LINES, *LINES[:8]]) == "after row 10: it has other rows than the file of lines"
    assert said([*LINES[:10], *LINES[10:], *LINES[:3], *LINES]) != ""
    fewer, shorter = tmp_path / "fewer.jsonl", "".join(text.read_text().splitlines(keepends=True)[:10])
    fewer.write_text(shorter)
    assert table_difference(written(tmp_path, LINES, "all")[0], fewer) == "after row 10: it has rows that no line gives"


@pytest.mark.parametrize("content", [b"", b"PAR1", b"{}\n" * 100, b"PAR1" + b"\xff" * 200 + b"PAR1"])
def test_what_is_no_table_is_told(content: bytes, tmp_path: Path) -> None:
    _, text = written(tmp_path, LINES)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(content)
    assert "it can't be read as such a table" in table_difference(broken, text)


def test_another_table_is_told(tmp_path: Path) -> None:
    _, text = written(tmp_path, LINES)
    other = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"topic": ["1"]}), other)
    assert table_difference(other, text) == "its columns are not those of such a table"
