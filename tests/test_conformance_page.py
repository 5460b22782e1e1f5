"""docs/conformance.md names each statement of the specifications once, and only modules and tests that there are."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/conformance.md").read_text(encoding="utf-8")
COUNTS = {"B": 17, "T": 73, "A": 58, "I": 50, "C": 34}
UNMET = ("not yet: ", "outside of the site: ")
ROW = re.compile(r"^\| ([A-Z]\d+) \| ([^|]+) \| ([^|]+) \|(?: ([^|]+))? \|$", re.MULTILINE)
TABLES = PAGE.split("## Doubtful places")[0]
ROWS = ROW.findall(TABLES)
TESTS = re.findall(r"`(tests/[^`:]+)::(\w+)`", PAGE)


@cache
def _tests_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def test_every_statement_stands_there_once_and_in_its_order() -> None:
    assert [row[0] for row in ROWS] == [f"{key}{n}" for key, count in COUNTS.items() for n in range(1, count + 1)]


def test_no_line_of_a_table_escapes_the_check() -> None:
    lines = re.findall(r"^\| [A-Z]\d+ \|.*$", TABLES, re.MULTILINE)
    assert len(lines) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_what_holds_has_a_module_and_a_test_and_what_does_not_says_so(row: tuple[str, str, str, str]) -> None:
    _, _, place, test = row
    if place.startswith(UNMET):
        assert not test
    else:
        modules = re.findall(r"`([^`]+)`", place)
        assert modules
        assert [module for module in modules if not (ROOT / module).is_file()] == []
        assert re.fullmatch(r"(`tests/[\w/]+\.py::test_\w+`(, )?)+", test)


@pytest.mark.parametrize(("path", "name"), sorted(set(TESTS)))
def test_every_test_that_is_named_is_there(path: str, name: str) -> None:
    assert name in _tests_of(path)
