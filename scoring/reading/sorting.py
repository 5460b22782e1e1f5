"""Sorts more records than fit in memory."""

from __future__ import annotations

import heapq
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice, pairwise
from operator import eq
from typing import IO, Any, TypeVar

Record = TypeVar("Record")
AT_ONCE = 20_000
"""The number of records sorted in memory."""
FILES = 100
"""The number of sorted parts that are merged at once; if there are more, the merged ones are merged again."""


def sorted_externally(
    records: Iterable[Record], key: Callable[[Record], Any] | None = None, *, at_once: int = AT_ONCE
) -> Iterator[Record]:
    """Yield the records in the order of ``sorted(records, key=key)``, with at most about ``at_once`` of them in memory.

    Up to ``at_once`` records are sorted in memory. If there are more, they are sorted in parts, written to unnamed
    temporary files, and merged while the result is read. The files are gone when reading ends, even if it ends early.
    Equal records stay in order.

    >>> list(sorted_externally([3, 1, 2, 1], at_once=2))
    [1, 1, 2, 3]
    """
    remaining = iter(records)
    first = sorted(islice(remaining, at_once), key=key)  # type: ignore[type-var,arg-type]
    if len(first) < at_once:
        yield from first
        return
    piece = max(at_once // FILES, 1)  # one piece of each file, together, fit in memory
    with ExitStack() as stack:
        runs = [_spooled(first, stack, piece)]
        del first
        while batch := sorted(islice(remaining, at_once), key=key):  # type: ignore[type-var,arg-type]
            runs.append(_spooled(batch, stack, piece))
            del batch
            if len(runs) == FILES:
                runs = [_spooled(heapq.merge(*map(_read, runs), key=key), stack, piece)]
        yield from heapq.merge(*map(_read, runs), key=key)


def without_repeats(ordered: Iterable[Record]) -> Iterator[Record]:
    """Yield the records, but only the first of several equal ones in a row.

    >>> list(without_repeats([1, 1, 2, 3, 3]))
    [1, 2, 3]
    """
    last: object = object()
    for record in ordered:
        if record != last:
            yield record
            last = record


def distinct_sorted(records: Iterable[Record], *, at_once: int = AT_ONCE) -> Iterator[Record]:
    """Yield the distinct records, sorted, as `without_repeats` of `sorted_externally` does.

    >>> list(distinct_sorted([3, 1, 2, 1]))
    [1, 2, 3]
    """
    remaining = iter(records)
    first = list(islice(remaining, at_once))
    if len(first) == at_once:
        return without_repeats(sorted_externally(chain(first, remaining), at_once=at_once))
    first.sort()
    if not any(map(eq, first, islice(first, 1, None))):
        return iter(first)
    return iter([*first[:1], *(after for before, after in pairwise(first) if after != before)])


def _spooled(records: Iterable[Record], stack: ExitStack, piece: int) -> IO[bytes]:
    """Return a temporary file with the records, pickled ``piece`` at a time."""
    file = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 (the stack closes it)
    remaining = iter(records)
    while some := list(islice(remaining, piece)):
        pickle.dump(some, file, protocol=pickle.HIGHEST_PROTOCOL)
    return file


def _read(file: IO[bytes]) -> Iterator[Any]:
    end = file.tell()
    file.seek(0)
    while file.tell() < end:
        yield from pickle.load(file)  # noqa: S301 (what this process itself wrote, in a file that nobody else can name)
