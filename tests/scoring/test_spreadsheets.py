"""No text in a table begins a formula, wherever in its cell it stands, and no table is written by anything else."""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.spreadsheets import _FORMULA, SIGNS, csv_lines, spreadsheet_cell

ROOT = Path(__file__).parents[2]
PACKAGES = ("assay_site", "tracks", "nuggets", "assess", "scoring", "bench")
BREAKS = re.compile("\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")


def test_a_lone_carriage_return_begins_no_row() -> None:
    (_, line) = csv_lines(("note",), [("kept\r=HYPERLINK(1)",)])
    assert line == '"kept\r\'=HYPERLINK(1)"\n'


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
@pytest.mark.parametrize("before", ["", "kept\n", "kept\r\n", "kept\r", "kept\u2028", "\n\n", "\u200b", "\ufeff"])
def test_every_line_of_a_cell_is_guarded(before: str, sign: str) -> None:
    lead = before.rstrip("\u200b\ufeff")
    assert spreadsheet_cell(f"{before}{sign}1+1") == f"{lead}'{before[len(lead) :]}{sign}1+1"


def test_signs_are_all_that_unicode_holds_to_be_the_same() -> None:
    same = {sign for sign in map(chr, range(sys.maxunicode + 1)) if unicodedata.normalize("NFKC", sign) in {*"=+-@"}}
    assert {*same} <= {*SIGNS}


def test_what_is_no_formula_stays_as_it_is() -> None:
    cells = ["a=b", "Elm-2", "a\nb+c", "", "'quoted", 3, -0.5, 'kept, "said"']
    assert [spreadsheet_cell(cell) for cell in cells] == cells


@given(st.text() | st.text(st.sampled_from("=＝⁺-@x1é \t\r\n\v\x1c\u2028\u200b\ufeff\xad"), max_size=8))
def test_a_plain_line_is_passed_over_only_where_nothing_would_be_guarded(text: str) -> None:
    assert spreadsheet_cell(text) == _FORMULA.sub("'", text)


CELLS = st.text(st.sampled_from("=＝+－@x1 \t\r\n\v\u2028\u200b\ufeff,;\"'"), max_size=12)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=4))
def test_any_table_is_read_back_with_its_guards_alone_added(rows: list[list[str]]) -> None:
    written = "".join(csv_lines(("one", "two"), rows))
    found = list(csv.reader(io.StringIO(written, newline=""), strict=True))
    assert found == [["one", "two"], *([spreadsheet_cell(cell) for cell in row] for row in rows)]
    for row in found:
        for line in (line for cell in row for line in BREAKS.split(cell)):
            assert line.strip("\t \u200b\ufeff")[:1] not in {*SIGNS} - {""}
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", written)
    assert "\r" not in unquoted


def test_all_csv_goes_through_the_one_writer() -> None:
    written = re.compile(r"csv\.(writer|DictWriter)\b|from csv import|\bto_csv\b")
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    found = {str(path.relative_to(ROOT)) for path in modules if written.search(path.read_text())}
    assert found == {"scoring/spreadsheets.py"}
