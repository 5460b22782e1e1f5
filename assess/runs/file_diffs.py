"""The differences between two files of lines, as the hunks of a unified diff, however long the files are.

Lines are compared within a window, so memory is bounded and hunks are yielded one by one. The diff is correct, but may
be longer than necessary if lines moved far. Invisible characters are shown: `‹BOM›`, `‹CR›` for CR, `→` for a tab, `·`
for spaces at the end of a line, `‹no line break›`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import islice
from typing import BinaryIO, Literal

CONTEXT = 3
WINDOW = 400
LINE_SHOWN = 300
HUNK_LINES = 200
"""The most lines of a hunk. Longer ones are split, so that no page holds a whole file."""
READ = 1 << 16

Kind = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a hunk: in both files (" "), only in the old one ("-"), or only in the new one ("+")."""

    kind: Kind
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Hunk:
    """Lines that differ, with some equal lines around them, and where they begin in both files, counted from 1."""

    old_start: int
    new_start: int
    lines: tuple[DiffLine, ...]

    @property
    def header(self) -> str:
        """The header as in a unified diff: @@ -1,4 +1,3 @@."""
        old = sum(line.kind != "+" for line in self.lines)
        new = sum(line.kind != "-" for line in self.lines)
        return f"@@ -{self.old_start},{old} +{self.new_start},{new} @@"


def diff_hunks(old: BinaryIO, new: BinaryIO, *, window: int = WINDOW) -> Iterator[Hunk]:
    r"""Yield the hunks of the differences between two files, in order.

    >>> import io
    >>> [hunk] = diff_hunks(io.BytesIO(b"a\n b\r\n"), io.BytesIO(b"a\n b\n"))
    >>> hunk.header, [(line.kind, line.text) for line in hunk.lines]
    ('@@ -1,2 +1,2 @@', [(' ', 'a'), ('-', ' b‹CR›'), ('+', ' b')])
    """
    before: deque[bytes] = deque(maxlen=CONTEXT)  # equal lines that might open the next hunk
    lines: list[DiffLine] = []
    old_at = new_at = 1  # numbers of the next line
    start = (1, 1)
    equal = 0  # lines at the end of the hunk that are the same
    for kind, line in _edits(_lines(old), _lines(new), window):
        if kind == " ":
            before.append(line)
            if lines:
                equal += 1
                lines.append(DiffLine(kind, shown(line)))
                if equal > 2 * CONTEXT:
                    yield _hunk(start, lines[: len(lines) - equal + CONTEXT])
                    lines, equal = [], 0
        else:
            if not lines:
                start = (old_at - len(before), new_at - len(before))
                lines = [DiffLine(" ", shown(each)) for each in before]
            lines.append(DiffLine(kind, shown(line)))
            before.clear()
            equal = 0
        if len(lines) >= HUNK_LINES:
            yield _hunk(start, lines)
            before.clear()
            lines, equal = [], 0
        old_at += kind != "+"
        new_at += kind != "-"
    if lines:
        yield _hunk(start, lines[: len(lines) - max(0, equal - CONTEXT)])


def shown(line: bytes) -> str:
    """Return a line for display: invisible characters made visible, and what follows 300 characters left out."""
    text = line.decode("utf-8", "replace")
    end = "" if text.endswith("\n") else "‹no line break›"
    text = text.removesuffix("\n")
    body = text.rstrip(" \t\r")
    tail = text[len(body) :].replace(" ", "·")
    text = (body[:LINE_SHOWN] + ("…" if len(body) > LINE_SHOWN else "") + tail[:LINE_SHOWN]).replace("\t", "→")
    text = text.replace("\r", "‹CR›").replace("\ufeff", "‹BOM›")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text) + end


def _hunk(start: tuple[int, int], lines: list[DiffLine]) -> Hunk:
    return Hunk(old_start=start[0], new_start=start[1], lines=tuple(lines))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Return the lines with their ends; a very long line is split."""
    return iter(lambda: file.readline(READ), b"")


def _edits(old: Iterator[bytes], new: Iterator[bytes], window: int) -> Iterator[tuple[Kind, bytes]]:
    """Yield every line of both files in order, and the file or files that contain it."""
    a: deque[bytes] = deque()
    b: deque[bytes] = deque()
    while True:
        a.extend(islice(old, window - len(a)))
        b.extend(islice(new, window - len(b)))
        if not a and not b:
            return
        if a and b and a[0] == b[0]:
            while a and b and a[0] == b[0]:
                yield " ", a.popleft()
                b.popleft()
            continue
        matcher = SequenceMatcher(None, list(a), list(b), autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        until_a, until_b = (blocks[-1].a, blocks[-1].b) if blocks else (len(a), len(b))
        yield from _window_edits(list(islice(a, until_a)), list(islice(b, until_b)), blocks[:-1])
        for queue, count in ((a, until_a), (b, until_b)):
            for _ in range(count):
                queue.popleft()


def _window_edits(a: list[bytes], b: list[bytes], blocks: list[Match]) -> Iterator[tuple[Kind, bytes]]:
    at_a = at_b = 0
    for block in [*blocks, Match(len(a), len(b), 0)]:
        yield from (("-", line) for line in a[at_a : block.a])
        yield from (("+", line) for line in b[at_b : block.b])
        yield from ((" ", line) for line in a[block.a : block.a + block.size])
        at_a, at_b = block.a + block.size, block.b + block.size
