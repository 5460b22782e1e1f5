"""A line of items or pools that is told by its look is what reading it closely gives; any other is read closely."""

from __future__ import annotations

from unittest import mock

import pytest

from scoring.release.releases import ITEMS, POOLS
from tracks.recollect import rows

ITEM = '{"docno": "D1", "fields": {}, "given": false, "key": "k", "kind": "instance", "text": "wine", "topic": "1.1"}\n'
MEMBER = (
    '{"key": "k", "kind": "instance", "place": null, "probability": 0.5, "stratum": "", "task": "t", "topic": "1.1"}\n'
)


def by_pattern(line: bytes, name: str) -> object:
    return rows._by_pattern([line] * 3, *rows._PATTERNS[name])


def read_closely(line: bytes, name: str) -> object:
    """The same of each line by itself, as `blocks_of` gives it."""
    row = rows._row(line, name)
    return None if row is None else [tuple(map(row.__getitem__, sorted(rows.MEMBERS[name])))] * 3


def test_lines_as_a_release_writes_them_are_told_by_their_look() -> None:
    for name, line in ((ITEMS, ITEM.encode()), (POOLS, MEMBER.encode())):
        assert by_pattern(line, name) == read_closely(line, name)
        with mock.patch.object(rows, "parse_json", side_effect=AssertionError):  # the values are read once
            assert by_pattern(line, name) is not None


@pytest.mark.parametrize(
    ("old", "new", "is_row"),
    [
        ("0.5", "0.50", False),
        ("0.5", "5e-1", False),
        ("0.5", "05", False),
        ("0.5", "1e999", False),
        ("0.5", "NaN", False),
        ("0.5", "1234567890123456789", False),
        ("null", "3", True),
        ('"k"', '"\\u006b"', False),
        ('"k"', '"\\\\"', True),
        ('"k"', '"\udcff"', False),
        ('"k"', '"k\t"', False),
        (', "kind"', ',"kind"', False),
        ('"task": "t", ', '"task": "t", "task": "t", ', False),
        ('"task": "t", ', '"task": "t", "then": 1, ', True),
        ('"task": "t", ', "", False),
        ("}\n", "}", False),
        ("}\n", "} \n", False),
        ("}\n", "}\r\n", False),
    ],
)
def test_any_other_line_is_read_closely(old: str, new: str, is_row: bool) -> None:
    line = MEMBER.replace(old, new, 1).encode("utf-8", "surrogateescape")
    closely = read_closely(line, POOLS)
    assert by_pattern(line, POOLS) in (None, closely)
    assert (closely is not None) == is_row
