"""Rows by group come as they were added, however many fit into memory; and sorted by group as in memory."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from scoring.reading.kept_rows import KeptRows, sorted_by_group

ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.tuples(st.integers(0, 9), st.text(max_size=3))), max_size=40)


@given(ROWS, ROWS, st.integers(1, 12))
def test_rows_of_a_group_come_in_the_order_in_which_they_were_added(
    some: list[tuple[str, object]], more: list[tuple[str, object]], at_once: int
) -> None:
    file = io.BytesIO()
    kept: KeptRows[str, object] = KeptRows(file, at_once=at_once)
    beside: KeptRows[str, object] = KeptRows(file, at_once=at_once)
    kept.extend(some)
    beside.extend(more)
    kept.extend(more)
    both = [*some, *more]
    assert kept.groups() == {group for group, _ in both}
    for each in "abc":
        assert list(kept.of(each)) == [row for group, row in both if group == each]
        assert list(beside.of(each)) == [row for group, row in more if group == each]


@given(ROWS, st.integers(1, 12))
def test_groups_are_sorted_and_so_are_their_rows_each_once(rows: list[tuple[str, object]], at_once: int) -> None:
    found = sorted_by_group(rows, lambda group: -ord(group), at_once=at_once)
    assert [(group, row) for group, some in found for row in some] == sorted(
        set(rows), key=lambda row: (-ord(row[0]), row[1])
    )
