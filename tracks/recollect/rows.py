"""Read the files of JSON lines in a release besides its exports, with each line as a release writes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from scoring.reading.json_reading import Flaw, parse_json
from scoring.reading.opening import TEXT_LIMIT, text_lines
from scoring.records import Issue
from scoring.release.releases import ANCHORS, ITEMS, LEFT_ITEMS, POOLS, TOPIC_CHANGES, WORK, BadRelease, Release

_ITEM = frozenset({"topic", "kind", "key", "text", "docno", "fields", "given"})
MEMBERS: Mapping[str, frozenset[str]] = {
    ITEMS: _ITEM,
    LEFT_ITEMS: _ITEM,
    POOLS: frozenset({"task", "topic", "kind", "key", "stratum", "probability", "place"}),
    ANCHORS: frozenset({"docno", "quote", "start", "prefix", "suffix", "digest"}),
    TOPIC_CHANGES: frozenset({"do", "number", "topics", "reason"}),
    WORK: frozenset({"topic", "stage", "by", "role", "state"}),
}
_WRITTEN = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode

# Lines of items and pools, of which there are hundreds of thousands, mostly match a pattern: texts without escapes, and
# few other values, which occur again and again.

_TEXT = r'"([^"\\\x00-\x1f\ud800-\udfff]*)"'
_VALUE = r"(\{\}|true|false|null|[-+.0-9e]{1,25})"
_VALUES = frozenset({"fields", "given", "place", "probability"})


LINES_AT_ONCE = 100


def _pattern(members: frozenset[str]) -> re.Pattern[str]:
    """Return a regular expression for a line that has exactly these members, in alphabetical order."""
    written = (f'"{name}": {_VALUE if name in _VALUES else _TEXT}' for name in sorted(members))
    return re.compile(rf"^\{{{', '.join(written)}\}}\n", re.MULTILINE)


def _no_texts(members: frozenset[str]) -> list[int]:
    """Return the indexes of the members whose values are not texts, in the order in which a line has them."""
    return [place for place, member in enumerate(sorted(members)) if member in _VALUES]


_PATTERNS = {name: (_pattern(MEMBERS[name]), _no_texts(MEMBERS[name])) for name in (ITEMS, LEFT_ITEMS, POOLS)}


class Unlike(BadRelease):
    """Raised when a file of a release contradicts the other files."""

    def __init__(self, name: str, words: str) -> None:
        self.name, self.words = name, words
        super().__init__(f"{name}: {words}")


def rows_of(release: Release, name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file of JSON lines, in order, or none if the release has no such file.

    Refuses (`BadRelease`) a line that is not such a row, or that a release would write in another way.
    """
    path = release.path(name)
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, raw in enumerate(iter(partial(file.readline, TEXT_LIMIT), b""), start=1):
            yield _required(path, name, raw, number)


def blocks_of(release: Release, name: str) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """Yield the rows of a file of items, or of pools.jsonl, in blocks of a hundred lines. A row is a tuple of its
    members' values, in the order in which a line has them. Refuses the same lines as `rows_of`.

    Each block is yielded with the number of its first line.
    """
    path = release.path(name)
    if not path.is_file():
        return
    members, number = sorted(MEMBERS[name]), 1
    with path.open("rb") as file:
        pieces = iter(partial(file.readline, TEXT_LIMIT), b"")
        while lines := list(islice(pieces, LINES_AT_ONCE)):
            yield (
                number,
                _by_pattern(lines, *_PATTERNS[name])
                or [
                    tuple(map(_required(path, name, raw, place).__getitem__, members))
                    for place, raw in enumerate(lines, start=number)
                ],
            )
            number += len(lines)


def _required(path: Path, name: str, raw: bytes, number: int) -> dict[str, Any]:
    """Return the row in a line. Refuses (`Unlike`) a line that a release would write in another way. ``number`` is the
    line's number.
    """
    row = _row(raw, name)
    if row is None:
        raise Unlike(name, _flaw_of(path, number, MEMBERS[name]))
    return row


@lru_cache(maxsize=1_000)
def _value(text: str) -> tuple[Any] | None:
    """Return the value of a JSON text as the one entry of a tuple, since the value may be None. Return None if the text
    is not JSON or not written as a release writes it.
    """
    value = parse_json(text)
    return (value,) if not isinstance(value, Flaw) and _WRITTEN(value) == text else None


def _row(raw: bytes, name: str) -> dict[str, Any] | None:
    """Return the row in a line, or None if it is not one or not written as a release writes it."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    row = parse_json(text.removesuffix("\n"))
    if not isinstance(row, dict) or not MEMBERS[name] <= row.keys():
        return None
    return row if f"{_WRITTEN(row)}\n" == text else None


def _by_pattern(
    lines: Sequence[bytes], pattern: re.Pattern[str], others: Sequence[int]
) -> list[tuple[Any, ...]] | None:
    """Return the rows in these lines. Return None unless every line matches the pattern of a release's lines."""
    try:
        found = pattern.findall(b"".join(lines).decode())
    except UnicodeDecodeError:
        return None
    if len(found) != len(lines):  # each match is one whole line
        return None
    columns: list[Any] = list(zip(*found, strict=True))
    for place in others:
        values = {text: _value(text) for text in set(columns[place])}
        if None in values.values():
            return None
        columns[place] = [values[text][0] for text in columns[place]]  # type: ignore[index]  # there is no None
    return list(zip(*columns, strict=True))


def _flaw_of(path: Path, number: int, members: frozenset[str]) -> str:
    """Return what is wrong with a line that does not have the form in which a release writes a row."""
    with path.open("rb") as file:
        for line in text_lines(file, limit=TEXT_LIMIT):
            if isinstance(line, Issue):
                return f"line {line.where}: {line.message}"
            if line[0] == number:
                row = parse_json(line[1])
                if isinstance(row, Flaw) or not isinstance(row, dict) or not members <= row.keys():
                    return f"line {number} is no object with {', '.join(sorted(members))}"
                if _WRITTEN(row) != line[1]:
                    return f"line {number} is not written as a release writes it"
                break
    return "it holds bytes that are no lines of it: another line end, or a byte order mark"
