"""Guidelines: plain text with a little Markdown (headings, lists, tables, code, emphasis) and no HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

HEADING = re.compile(r"(#{1,4})\s+(.*)")
ENTRY = re.compile(r"\s{0,3}(?:[-*]|(\d{1,3})[.)])\s+(.*)")
ROW = re.compile(r"\s{0,3}\|(.*)\|\s*")
RULE = re.compile(r"[\s|:-]+")
CODE = re.compile(r" {4}(.*)")
EMPHASIS = re.compile(r"(\*\*[^*\n]+\*\*|\*[^*\n]+\*|`[^`\n]+`)")

Piece = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading ("h1" to "h4"), a paragraph ("p"), a list ("ul", "ol"), code ("pre": one entry a line) or a table.

    Each entry is a list of (kind, text) pieces. A table has its rows in ``rows``, header first, and no entries.
    """

    kind: str
    entries: list[list[Piece]]
    rows: tuple[tuple[list[Piece], ...], ...] = ()


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a text. Markup that is not understood stays as it is written.

    >>> read_blocks("# Rules")
    [Block(kind='h1', entries=[[('', 'Rules')]], rows=())]
    """
    blocks: list[tuple[str, list[str]]] = []
    is_open = False  # whether the next line may continue the last entry
    for line in text.splitlines():
        kind, words = _kind_of(line, goes_on=is_open)
        if kind == "":
            is_open = False
        elif kind == "more":
            blocks[-1][1][-1] += " " + words
        elif kind in ("ul", "ol", "table", "pre") and blocks and blocks[-1][0] == kind:
            blocks[-1][1].append(words)
        else:
            blocks.append((kind, [words]))
        if kind:
            is_open = kind in ("p", "ul", "ol", "more")
    return [_block(kind, entries) for kind, entries in blocks]


def section_about(blocks: Sequence[Block], name: str) -> int | None:
    """Return the position of the heading with the most of a name's words, at least more than half; else None.

    Words that begin alike are the same: "Judging instances" is about "Judge instances".

    >>> rules = read_blocks("# Rules" + chr(10) + "## Judging instances" + chr(10) + "## Writing nuggets")
    >>> section_about(rules, "Write nuggets"), section_about(rules, "Group answers")
    (2, None)
    """
    wanted = _beginnings(name)
    headings = {
        place: _beginnings("".join(text for _, text in block.entries[0]))
        for place, block in enumerate(blocks)
        if block.kind in {"h1", "h2", "h3", "h4"}
    }
    best = max(headings, key=lambda place: (len(headings[place] & wanted), -len(headings[place])), default=None)
    return best if best is not None and 2 * len(headings[best] & wanted) > len(wanted) else None


def _beginnings(text: str) -> set[str]:
    """Return the beginnings of a text's words, without the shortest words."""
    return {word[:4].casefold() for word in re.findall(r"\w+", text) if len(word) > 2}


def _kind_of(line: str, *, goes_on: bool) -> tuple[str, str]:
    """Return the kind of a line ("" if it is empty, "more" if it continues the one before) and its text."""
    if not line.strip():
        return "", ""
    if heading := HEADING.match(line):
        return f"h{len(heading[1])}", heading[2]
    if entry := ENTRY.match(line):
        return ("ol" if entry[1] else "ul"), entry[2]
    if row := ROW.fullmatch(line):
        return "table", row[1]
    if goes_on:
        return "more", line.strip()
    if code := CODE.match(line):
        return "pre", code[1]
    return "p", line.strip()


def _block(kind: str, entries: list[str]) -> Block:
    if kind == "pre":
        return Block(kind, [[("", entry)] for entry in entries])
    if kind == "table":
        rows = [_cells(entry) for entry in entries if not RULE.fullmatch(entry)]
        return Block(kind, [], tuple(tuple(_pieces(cell) for cell in row) for row in rows))
    return Block(kind, [_pieces(entry) for entry in entries])


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)]


def _pieces(text: str) -> list[Piece]:
    pieces = []
    for part in EMPHASIS.split(text):
        if EMPHASIS.fullmatch(part):
            mark = "strong" if part.startswith("**") else "em" if part.startswith("*") else "code"
            pieces.append((mark, part.strip("*`")))
        elif part:
            pieces.append(("", part))
    return pieces
