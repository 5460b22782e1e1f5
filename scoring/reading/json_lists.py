"""Reads the entries of a JSON list, each with the text in which it is written, in one pass.

for written, value in written_objects('[{"a": 1}, {"a": 2}]') or ():
...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from scoring.reading.json_reading import (
    DEEPEST,
    Doubtful,
    Flaw,
    decoder_for,
    has_too_many_parts,
    is_deep,
    is_suspect,
    parse_json,
    scan_value,
)
from scoring.uncollected import uncollected

Entry = TypeVar("Entry")
Written = tuple[str, dict[str, Any]]
"""The text of an object, and the object."""

_AT_ONCE = 1 << 18
"""The number of characters of the entries that are read together."""

_SPACE = re.compile(r"[ \t\r\n]*")


def entries_of_list(text: str) -> Iterator[tuple[str, Any] | Flaw]:
    r"""Yield each entry of a list with the text between its bracket or commas, one by one.

    The text must begin with a bracket. If an entry has a flaw, the flaw is yielded after the entries before it, and
    reading ends.

    >>> list(entries_of_list('[{"a": 1},\n {} ]'))
    [('{"a": 1}', {'a': 1}), ('\n {} ', {})]
    """
    given = 0
    if not has_too_many_parts(text) and not is_suspect(text):
        for entry in _many_at_once(_sound_objects(text)):
            if entry is None:
                break
            yield entry
            given += 1
        else:
            return
    value = parse_json(text)
    if isinstance(value, Flaw):
        yield value
    else:
        yield from islice(zip(texts_of_list(text), value, strict=True), given, None)


def _many_at_once(entries: Iterator[Written | None]) -> Iterator[Written | None]:
    """Yield the entries unchanged, but read many of them at a time while the garbage collector is off."""
    while some := _next_of(entries):
        yield from some


@uncollected()
def _next_of(entries: Iterator[Written | None]) -> list[Written | None]:
    found: list[Written | None] = []
    left = _AT_ONCE
    for entry in entries:
        found.append(entry)
        left -= len(entry[0]) if entry is not None else 0
        if left < 0:
            break
    return found


def _sound_objects(text: str) -> Iterator[Written | None]:
    """Yield the entries of a list of objects, and None at the first that the quick check can't confirm as valid."""
    scan = decoder_for(text).scan_once
    may_be_deep = text.count("[") + text.count("{") > DEEPEST
    end = text.index("[")
    while True:
        start = end + 1
        try:
            value, end = scan(text, end_of_space(text, start))
        except (Doubtful, StopIteration, ValueError, RecursionError):
            break
        end = end_of_space(text, end)
        written = text[start:end]
        if type(value) is not dict or (may_be_deep and is_deep(written, [value])):
            break
        if not text.startswith(",", end):
            if not text.startswith("]", end) or end_of_space(text, end + 1) != len(text):
                break
            yield written, value
            return
        yield written, value
    yield None


def texts_of_list(text: str) -> Iterator[str]:
    r"""Yield the text between the brackets and commas of a list, white space included. The text must be a list.

    >>> list(texts_of_list('[{"a": 1},\n  2 ]'))
    ['{"a": 1}', '\n  2 ']
    """
    start = text.index("[") + 1
    end = end_of_space(text, start)
    while end < len(text) and text[end] != "]":
        after = value_end(text, end)
        end = end_of_space(text, len(text) if after is None else after)
        yield text[start:end]
        if text[end : end + 1] != ",":
            break
        start, end = end + 1, end_of_space(text, end + 1)


def value_end(text: str, start: int) -> int | None:
    """Return where the JSON value that begins at ``start`` ends. Return None if there is no value or if it is nested
    too deeply to be read.

    >>> value_end('{"a": 1} {"b"', 0), value_end('{"a": 1} {"b"', 9)
    (8, None)
    """
    try:
        return int(scan_value(text, start)[1])
    except (StopIteration, ValueError, RecursionError):
        return None


def end_of_space(text: str, place: int) -> int:
    """Return where the white space that begins at ``place`` ends."""
    found = _SPACE.match(text, place)
    return found.end() if found is not None else place


def with_last(entries: Iterable[Entry]) -> Iterator[tuple[Entry, bool]]:
    """Yield (entry, whether it is the last one) for each entry."""
    kept: list[Entry] = []
    for each in entries:
        yield from ((before, False) for before in kept)
        kept = [each]
    yield from ((last, True) for last in kept)
