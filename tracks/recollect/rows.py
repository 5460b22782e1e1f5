"""The files of JSON lines that a release has beside its exports, each line as a release writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from scoring.json_reading import Flaw, parse_json
from scoring.reading import TEXT_LIMIT, text_lines
from scoring.records import Issue
from scoring.releases import ANCHORS, ITEMS, POOLS, TOPIC_CHANGES, WORK, BadRelease, Release

MEMBERS: Mapping[str, frozenset[str]] = {
    ITEMS: frozenset({"topic", "kind", "key", "text", "docno", "fields", "given"}),
    POOLS: frozenset({"task", "topic", "kind", "key", "stratum", "probability", "place"}),
    ANCHORS: frozenset({"docno", "quote", "start", "prefix", "suffix", "digest"}),
    TOPIC_CHANGES: frozenset({"do", "number", "topics", "reason"}),
    WORK: frozenset({"topic", "stage", "by", "role", "state"}),
}
_WRITTEN = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


class Unlike(BadRelease):
    """A file of the release does not say what its other files say."""

    def __init__(self, name: str, words: str) -> None:
        self.name, self.words = name, words
        super().__init__(f"{name}: {words}")


def rows_of(release: Release, name: str) -> Iterator[dict[str, Any]]:
    """Read the objects of a file of JSON lines, in order; none where the release has no such file.

    Refused (`BadRelease`): what is no such row, and whatever is written otherwise than a release is.
    """
    path = release.path(name)
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, raw in enumerate(iter(partial(file.readline, TEXT_LIMIT), b""), start=1):
            row = _row(raw, MEMBERS[name])
            if row is None:
                raise Unlike(name, _flaw_of(path, number, MEMBERS[name]))
            yield row


def _row(raw: bytes, members: frozenset[str]) -> dict[str, Any] | None:
    """Return the row that a line holds; None where it is none, or is not written as a release writes it."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    row = parse_json(text.removesuffix("\n"))
    if not isinstance(row, dict) or not members <= row.keys():
        return None
    return row if f"{_WRITTEN(row)}\n" == text else None


def _flaw_of(path: Path, number: int, members: frozenset[str]) -> str:
    """Return what is wrong with a line that holds no row as a release writes it."""
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
