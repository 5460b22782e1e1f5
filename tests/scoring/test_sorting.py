"""Sorting through temporary files gives what sorting in memory gives."""

from __future__ import annotations

import gc
import os
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reading import sorting
from scoring.reading.sorting import sorted_externally, without_repeats


@dataclass(frozen=True, slots=True)
class Line:
    topic: str
    number: int


@given(st.lists(st.tuples(st.integers(0, 9), st.text(max_size=3))), st.integers(1, 12))
def test_it_is_sorted_as_in_memory(rows: list[tuple[int, str]], at_once: int) -> None:
    assert list(sorted_externally(rows, at_once=at_once)) == sorted(rows)


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(1, 5))
def test_equal_records_keep_their_order(numbers: list[int], at_once: int) -> None:
    rows = [Line("a", number * 100 + place) for place, number in enumerate(numbers)]
    ordered = list(sorted_externally(rows, key=lambda line: line.number // 100, at_once=at_once))
    assert ordered == sorted(rows, key=lambda line: line.number // 100)


def test_many_files_are_merged_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "FILES", 3)
    rows = [(number * 7919 % 101, chr(0xD800 + number)) for number in range(101)]  # any text, half a character too
    assert list(sorted_externally(rows, at_once=4)) == sorted(rows)


def test_temporary_files_are_gone_when_reading_stops_early() -> None:
    gc.collect()  # what other tests left open
    before = _open_files()
    ordered = sorted_externally(range(1000, 0, -1), at_once=10)
    assert next(ordered) == 1
    assert _open_files() > before
    ordered.close()  # type: ignore[attr-defined]
    gc.collect()
    assert _open_files() == before


def _open_files() -> int:
    return len(os.listdir(Path("/proc/self/fd")))


def test_equal_records_in_a_row_come_once() -> None:
    assert list(without_repeats(["a", "a", "b", "a"])) == ["a", "b", "a"]


def test_much_less_is_in_memory_than_there_is() -> None:
    def peak(at_once: int) -> int:
        tracemalloc.start()
        rows = ((number * 7919 % 1_000_003, f"document {number}") for number in range(40_000))
        assert sum(1 for _ in sorted_externally(rows, at_once=at_once)) == 40_000
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return highest

    assert 8 * peak(1_000) < peak(50_000)
