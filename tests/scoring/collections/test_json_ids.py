"""Ids at the ends of lines, read by what stood around the one before: the same lines are found as by reading each."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.collections.json_forms import search_json_lines
from scoring.collections.model import Collection, Search
from scoring.reading.arrow_columns import arrow_column
from scoring.records import DocumentRecord

COLLECTION = Collection(name="c", folder=".", shards=("x",), form="json-lines", id=("docid",), text=("body",))
LINES = (
    '{"body": "w", "docid": "%s"}',
    '{"body": "w","docid":"%s"}',
    '{"body": "w", "docid": "%s" }\r',
    '{"docid": "%s", "body": "w"}',
    '{"body": "\\"docid\\": \\"b\\"}", "docid": "%s"}',
    '{"docid": "%s", "body": "\\"docid\\": \\"b"}',
    '{"body": "w", "docid": "%s", "more": "b"}',
    '{"docid": "%s", "body": "w", "more": {"docid": "b"}}',
    '{"body": "w", "docid": "\\u0061%s"}',
)


def found(lines: list[str], wanted: frozenset[str]) -> list[tuple[str, int, int]]:
    search = Search(collection=COLLECTION, docnos=wanted, places=None, name="x")
    hits = list(search_json_lines(io.BytesIO("".join(f"{line}\n" for line in lines).encode()), search))
    assert search.read == len(lines)
    return [(hit.docno, hit.line, hit.offset) for hit in hits if isinstance(hit, DocumentRecord)]


def by_reading_each(lines: list[str], wanted: frozenset[str]) -> list[tuple[str, int, int]]:
    offset, rows = 0, []
    for number, line in enumerate(lines, start=1):
        docno = json.loads(line)["docid"]
        if docno in wanted:
            rows.append((docno, number, offset))
        offset += len(line.encode()) + 1
    return rows


@given(st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(["a", "b", "ab", "c-1", "x y"])), max_size=12))
def test_lines_of_any_shape_in_any_order_are_found_as_by_reading_each(made: list[tuple[str, str]]) -> None:
    lines = [shape % docno for shape, docno in made]
    wanted = frozenset({"a", "b", "aa", "ab", "aab"})
    assert found(lines, wanted) == by_reading_each(lines, wanted)


@pytest.mark.parametrize(
    ("of", "values"),
    [
        (pyarrow.string(), ["a", "", "Käse 经济", None, "b"]),
        (pyarrow.string(), [None] * 9),
        (pyarrow.binary(), [b"\x00\xff", None, b""]),
        (pyarrow.int64(), [0, -1, 2**40]),
        (pyarrow.int64(), [7, None, 0]),
    ],
)
def test_a_column_is_what_pyarrow_makes_of_the_values(of: pyarrow.DataType, values: list[object]) -> None:
    made = arrow_column(values, of)
    made.validate(full=True)
    assert made.equals(pyarrow.array(values, type=of))


def test_making_a_column_imports_no_pandas() -> None:
    """It is half a second in each process that searches."""
    code = (
        "import sys, pyarrow; from scoring.reading.arrow_columns import arrow_column; "
        "arrow_column(['a'], pyarrow.string()); assert 'pandas' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
