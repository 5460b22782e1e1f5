"""Stores rows by group: a limited number in memory, the rest on disk."""

from __future__ import annotations

import marshal
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, Any, Generic, TypeVar

from scoring.reading.sorting import distinct_sorted

Group = TypeVar("Group", bound=Hashable)
Row = TypeVar("Row")
AT_ONCE = 50_000
"""The number of rows held in memory."""


class KeptRows(Generic[Group, Row]):
    """Stores rows by group in a file. The rows of a group keep the order in which they were added. Several stores may
    share one file.

    A row is a plain value, such as a tuple of texts and numbers: `marshal` writes those in a tenth of the time that
    `pickle` takes.
    """

    def __init__(self, file: IO[bytes], *, at_once: int = AT_ONCE) -> None:
        self._file = file
        self._places: dict[Group, list[tuple[int, int]]] = {}  # the place in the file and the number of bytes
        self._held: dict[Group, list[Row]] = {}
        self._at_once = at_once

    def extend(self, rows: Iterable[tuple[Group, Row]]) -> None:
        """Add rows, each with its group."""
        held, count = self._held, sum(map(len, self._held.values()))
        for group, row in rows:
            if group in held:
                held[group].append(row)
            else:
                held[group] = [row]
            count += 1
            if count >= self._at_once:
                self._spill()
                count = 0

    def extend_blocks(self, blocks: Iterable[tuple[Group, Sequence[Row]]]) -> None:
        """Store rows that come in blocks, each with several rows of one group. This takes a tenth of the time of adding
        them one by one.
        """
        held, count = self._held, sum(map(len, self._held.values()))
        for group, rows in blocks:
            if rows:
                held.setdefault(group, []).extend(rows)
            count += len(rows)
            if count >= self._at_once:
                self._spill()
                count = 0

    def groups(self) -> set[Group]:
        """Return the groups that have a row."""
        return {*self._places, *self._held}

    def of(self, group: Group) -> Iterator[Row]:
        """Yield the rows of a group."""
        return chain.from_iterable(self._blocks(group))

    def _blocks(self, group: Group) -> Iterator[list[Row]]:
        for place, size in self._places.get(group, ()):
            self._file.seek(place)
            rows: list[Row] = marshal.loads(self._file.read(size))  # noqa: S302 (what this process wrote, in a file without a name)
            yield rows
        yield self._held.get(group, [])

    def _spill(self) -> None:
        end = self._file.seek(0, 2)
        for group, rows in self._held.items():
            size = self._file.write(marshal.dumps(rows))
            self._places.setdefault(group, []).append((end, size))
            end += size
        self._held.clear()


def sorted_by_group(
    rows: Iterable[tuple[Group, Any]], order: Callable[[Group], Any], *, at_once: int = AT_ONCE
) -> Iterator[tuple[Group, Iterator[Any]]]:
    """Yield the groups in ``order``, each with its distinct rows, sorted. About ``at_once`` rows are held in memory.

    This is faster than sorting all rows at once: rows mostly arrive group by group, and are compared only within their
    group.

    >>> [(group, list(rows)) for group, rows in sorted_by_group([("b", 2), ("a", 1), ("b", 1), ("b", 2)], str)]
    [('a', [1]), ('b', [1, 2])]
    """
    with tempfile.TemporaryFile() as file:
        kept: KeptRows[Group, Any] = KeptRows(file, at_once=at_once)
        kept.extend(rows)
        yield from _in_order(kept, order, at_once)


def sorted_blocks(
    blocks: Iterable[tuple[Group, Sequence[Any]]], order: Callable[[Group], Any], *, at_once: int = AT_ONCE
) -> Iterator[tuple[Group, Iterator[Any]]]:
    """Yield the groups as `sorted_by_group` does. The rows are given in blocks, each of which has several rows of one
    group.

    >>> [(group, list(rows)) for group, rows in sorted_blocks([("b", [2, 1]), ("a", [1]), ("b", [2])], str)]
    [('a', [1]), ('b', [1, 2])]
    """
    with tempfile.TemporaryFile() as file:
        kept: KeptRows[Group, Any] = KeptRows(file, at_once=at_once)
        kept.extend_blocks(blocks)
        yield from _in_order(kept, order, at_once)


def _in_order(
    kept: KeptRows[Group, Any], order: Callable[[Group], Any], at_once: int
) -> Iterator[tuple[Group, Iterator[Any]]]:
    for group in sorted(kept.groups(), key=order):
        yield group, distinct_sorted(kept.of(group), at_once=at_once)
