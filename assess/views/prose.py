"""Guidelines are plain text with a little Markdown: headings, lists, paragraphs, emphasis. Nothing in them is HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEADING = re.compile(r"(#{1,4})\s+(.*)")
ENTRY = re.compile(r"\s{0,3}(?:[-*]|(\d{1,3})[.)])\s+(.*)")
EMPHASIS = re.compile(r"(\*\*[^*\n]+\*\*|\*[^*\n]+\*|`[^`\n]+`)")

Piece = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading ("h1" to "h4"), a paragraph ("p") or a list ("ul", "ol"); each entry is pieces of (kind, text)."""

    kind: str
    entries: list[list[Piece]]


def read_blocks(text: str) -> list[Block]:
    """The blocks of a text. What is not understood stays as it is written.

    >>> read_blocks("# Rules")
    [Block(kind='h1', entries=[[('', 'Rules')]])]
    """
    blocks: list[tuple[str, list[str]]] = []
    is_open = False
    for line in text.splitlines():
        heading, entry = HEADING.match(line), ENTRY.match(line)
        if not line.strip():
            is_open = False
        elif heading:
            blocks.append((f"h{len(heading[1])}", [heading[2]]))
            is_open = False
        elif entry:
            kind = "ol" if entry[1] else "ul"
            if blocks and blocks[-1][0] == kind:
                blocks[-1][1].append(entry[2])
            else:
                blocks.append((kind, [entry[2]]))
            is_open = True
        elif is_open:
            blocks[-1][1][-1] += " " + line.strip()
        else:
            blocks.append(("p", [line.strip()]))
            is_open = True
    return [Block(kind, [_pieces(entry) for entry in entries]) for kind, entries in blocks]


def _pieces(text: str) -> list[Piece]:
    pieces = []
    for part in EMPHASIS.split(text):
        if EMPHASIS.fullmatch(part):
            mark = "strong" if part.startswith("**") else "em" if part.startswith("*") else "code"
            pieces.append((mark, part.strip("*`")))
        elif part:
            pieces.append(("", part))
    return pieces
