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


def test_a_line_as_a_release_writes_it_is_told_by_its_look() -> None:
    for name, line in ((ITEMS, ITEM), (POOLS, MEMBER)):
        with mock.patch.object(rows, "parse_json", side_effect=AssertionError):
            rows._value.cache_clear()
            with pytest.raises(AssertionError):
                rows._row(line.encode(), name)  # the values beside the texts are read once
        told = rows._row(line.encode(), name)
        with mock.patch.object(rows, "parse_json", side_effect=AssertionError):
            assert rows._row(line.encode(), name) == told
        with mock.patch.object(rows, "_PATTERNS", {}):
            assert rows._row(line.encode(), name) == told


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
    found = rows._row(line, POOLS)
    with mock.patch.object(rows, "_PATTERNS", {}):
        assert rows._row(line, POOLS) == found
    assert (found is not None) == is_row
