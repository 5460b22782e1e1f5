"""Reads the grades of judgments.jsonl alone, and passes over the hundreds of thousands of other lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from scoring.formats.judgments_jsonl import parse_judgment
from scoring.reading.opening import TEXT_LIMIT, records_of
from scoring.release.recorded_acts import Judged

BLOCK = 1 << 18
"""The number of bytes that are looked at together."""

_OTHER_VERBS = re.compile(b'"do": "(?:match|review|vote)"')
"""The verbs, other than that of grades, of which a release has hundreds of thousands."""


def judged_of(path: Path) -> Iterator[Judged]:
    """Yield the grades of a judgments.jsonl; other acts and malformed lines are left out without an issue.

    For speed, a line is not parsed if its member ``do`` plainly has another value than a grade's.
    """
    with path.open("rb") as file:
        found = records_of(cast(BinaryIO, _WithoutOthers(file)), parse_judgment, limit=TEXT_LIMIT)
        yield from (act for act in found if isinstance(act, Judged))


class _WithoutOthers:
    """The lines of a file that may hold a grade. A line that is too long is passed on unchanged.

    The file is read in blocks of whole lines. A block is skipped if it contains neither the verb of grades nor any
    escaped character.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._block = file, io.BytesIO()

    def readline(self, size: int) -> bytes:
        """Return the next line that may hold a grade, or at most its first ``size`` bytes."""
        line = self._next(size)
        while _OTHER_VERBS.search(line) and line.endswith(b"\n"):
            line = self._next(size)
        return line

    def _next(self, size: int) -> bytes:
        line = self._block.readline(size)
        while not line and (block := self._file.read(BLOCK)):
            if not block.endswith(b"\n"):
                block += self._file.readline(size)
            if b"judge" in block or b"\\u" in block or not block.endswith(b"\n"):
                self._block = io.BytesIO(block)
                line = self._block.readline(size)
        return line
