"""Guidelines and guides: Markdown without HTML and pictures, whose links lead to other sites only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_SCHEMES = ("http://", "https://")
_ATTRIBUTES = {"table_open": {"class": "compact"}, "th_open": {"scope": "col"}, "td_open": {"class": "text"}}
_LARGE = frozenset({"h1", "h2"})
MOST_TOKENS = 20_000
"""Tables that begin after so many tokens stay text. The library fills short rows up, so a few bytes make many cells."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a text. ``kind`` is "h2" or "h3" for a heading, another word for a table or a picture, and "" for
    anything else.

    For a picture, ``text`` describes it.
    """

    kind: str
    html: str
    text: str = ""


@lru_cache(maxsize=16)
def read_blocks(text: str, *, within: str = "") -> tuple[Block, ...]:
    """Return the blocks of a text. HTML, pictures and links to anything but http and https stay as they are written.
    Links to the site's own addresses are kept if these begin with ``within``.

    The blocks of recent texts are cached, since the same guidelines are opened again and again.

    >>> read_blocks("# Rules & <b>rights</b>")
    (Block(kind='h2', html='Rules &amp; &lt;b&gt;rights&lt;/b&gt;', text='Rules & <b>rights</b>'),)
    """
    reader = _reader(within)
    blocks: list[Block] = []
    group: list[Token] = []
    for token in reader.parse(text):
        group.append(token)
        if token.level or token.nesting == 1:
            continue
        if group[0].type == "heading_open":
            kind = "h2" if group[0].tag in _LARGE else "h3"
            blocks.append(Block(kind, _html(reader, group[1:-1]), group[1].content))
        else:
            blocks.append(Block("table" if group[0].type == "table_open" else "", _html(reader, group)))
        group = []
    return tuple(blocks)


def section_about(blocks: Sequence[Block], name: str) -> int | None:
    """Return the position of the heading that has the most words of a name, and more than half of them; None if there
    is no such heading.

    Words that begin alike are the same: "Judging instances" is about "Judge instances".

    >>> rules = read_blocks("# Rules" + chr(10) + "## Judging instances" + chr(10) + "## Writing nuggets")
    >>> section_about(rules, "Write nuggets"), section_about(rules, "Group answers")
    (2, None)
    """
    wanted = _beginnings(name)
    headings = {place: _beginnings(block.text) for place, block in enumerate(blocks) if block.kind in {"h2", "h3"}}
    best = max(headings, key=lambda place: (len(headings[place] & wanted), -len(headings[place])), default=None)
    return best if best is not None and 2 * len(headings[best] & wanted) > len(wanted) else None


def _beginnings(text: str) -> set[str]:
    """Return the beginnings of a text's words, without the shortest words."""
    return {word[:4].casefold() for word in re.findall(r"\w+", text) if len(word) > 2}


@cache
def _reader(within: str) -> MarkdownIt:
    """Return the reader, loaded when the first text is read."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock, table

    class Reader(MarkdownIt):
        def validateLink(self, url: str) -> bool:  # noqa: N802 - as the library calls it
            return url.lower().startswith(_SCHEMES) or (within != "" and url.startswith(within))

    def some_tables(state: StateBlock, line: int, last: int, silent: bool) -> bool:
        return len(state.tokens) < MOST_TOKENS and table(state, line, last, silent)

    reader = Reader("js-default", {"maxNesting": 20}).disable(["image", "strikethrough"])
    reader.block.ruler.at("table", some_tables, {"alt": ["paragraph", "reference"]})
    return reader


def _html(reader: MarkdownIt, tokens: list[Token]) -> str:
    """Return tokens as HTML with no attributes but our own. The library's renderer escapes everything else."""
    for token in tokens:
        _give_attributes(token)
        for child in token.children or ():
            _give_attributes(child)
    return str(reader.renderer.render(tokens, reader.options, {}))


def _give_attributes(token: Token) -> None:
    kept = {}
    if token.type == "link_open":
        kept = {"href": token.attrs["href"]}
        if str(kept["href"]).lower().startswith(_SCHEMES):
            kept |= {"rel": "noopener noreferrer", "target": "_blank"}
    elif token.type == "ordered_list_open":
        kept = dict(token.attrs)
    token.attrs.clear()
    token.attrs.update(kept or _ATTRIBUTES.get(token.type, {}))
