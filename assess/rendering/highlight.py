"""Sets marks into a document, at serving time: of what is judged, where it is likely, and of words of the question.

Where they stand is said by who knows the language (`assess.documents.marks`). In the page: <mark> elements are set into
the text of our own serializer's output, which is so regular (all attribute values in double quotes, `<` escaped
everywhere, every end tag written) that it is read by one regular expression. Nothing is taken away and only fixed
strings are put in, so a safe page stays safe. In the text view: the text is cut into pieces with their kinds.

What is judged may cross inline elements: each piece is marked, and the first carries the anchor.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from assess.rendering.allowed import HIDDEN, INLINE

Kind = Literal["answer", "word", "term", "likely", "likely word", "likely term"]
"""What is judged; a word of it and a word of the question; the sentence that is most like it, and words in that."""
ANCHOR = "assay-mark-"
MARK_LIMIT = 2000
"""Marks in one document; what matches after them stays plain."""

STYLE = (
    "<style>mark[class^=assay-]{color:#000!important}"
    "mark.assay-term{background:#ffef9e!important;text-decoration:underline dotted 2px #6b5900!important}"
    "mark.assay-word{background:#ffef9e!important;text-decoration:underline solid 2px #a85b00!important}"
    "mark.assay-answer{background:#ffc46b!important;outline:2px solid #a85b00!important}"
    "mark.assay-likely{background:#ffedd6!important;border-block:2px dashed #a85b00!important}"
    "mark:target{outline:3px solid #0b57d0!important;scroll-margin:30vh}</style>"
)
"""The kinds differ in their lines, too: a frame around what is judged, dashes above and below what is likely, a line
under a word of it, dots under one of the question."""

_TOKEN = re.compile(r'<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:"[^"]*"|[^">])*)>|<![^>]*>')
_ENTITY = re.compile(r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "spacer", "wbr"})
_UNMARKED = frozenset({"head", "style", "title", "textarea", "select", "option", "datalist", "svg", "math"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A stretch of a text that is marked. One that does not lead belongs to the one before it."""

    start: int
    end: int
    kind: Kind
    leads: bool = True


class Piece(NamedTuple):
    """A stretch of a text with its kind, "" where nothing is marked, and the number of the mark that begins with it."""

    text: str
    kind: Kind | Literal[""]
    number: int = 0


class Marked(NamedTuple):
    """Marks with their numbers, from 1: first those of what is judged, ``first`` of them, then the others.

    In both groups they run in the order of the text. What does not lead has the number 0.
    """

    marks: Sequence[tuple[Mark, int]]
    first: int
    total: int

    @property
    def is_likely(self) -> bool:
        """Whether what is judged stands nowhere, and a sentence that is like it is marked in its place."""
        return self.first > 0 and not any(mark.kind == "answer" for mark, _ in self.marks)


def number_marks(marks: Sequence[Mark]) -> Marked:
    """Return the marks of a text in the order in which one goes from one to the next."""
    leading = [mark for mark in marks if mark.leads]
    own = [mark for mark in leading if is_of_answer(mark)]
    order = [*own, *(mark for mark in leading if not is_of_answer(mark))]
    numbers = {mark.start: number for number, mark in enumerate(order, start=1)}
    return Marked([(mark, numbers[mark.start] if mark.leads else 0) for mark in marks], len(own), len(order))


def is_of_answer(mark: Mark) -> bool:
    """Return whether this is a place of what is judged, or where that is likely."""
    return mark.kind == "answer" or mark.kind.startswith("likely")


def highlight_text(text: str, marks: Sequence[Mark]) -> tuple[list[Piece], Marked]:
    """The text in pieces, which joined are the text, and its marks.

    >>> highlight_text("wine.", [Mark(start=0, end=4, kind="term")])[0]
    [Piece(text='wine', kind='term', number=1), Piece(text='.', kind='', number=0)]
    """
    marked = number_marks(marks)
    pieces: list[Piece] = []
    position = 0
    for mark, number in marked.marks:
        if mark.start > position:
            pieces.append(Piece(text[position : mark.start], ""))
        pieces.append(Piece(text[mark.start : mark.end], mark.kind, number))
        position = mark.end
    if position < len(text):
        pieces.append(Piece(text[position:], ""))
    return pieces, marked


def highlight_page(page: str, find: Callable[[str], Sequence[Mark]]) -> tuple[str, Marked]:
    """A page of ours with <mark class="assay-term">, "assay-answer" and so on around what ``find`` says of its text.

    Each mark has an anchor with its number, `#assay-mark-1` and so on. Linear in the page's size beside ``find``.
    """
    pieces = _text_pieces(page)
    marked = number_marks(find("".join(text for text, _ in pieces)))
    if not marked.marks:
        return page, marked
    starts: list[int] = []
    total = 0
    for text, _ in pieces:
        starts.append(total)
        total += len(text)
    result: list[str] = []
    written = 0
    for mark, number in marked.marks:
        anchor = f' id="{ANCHOR}{number}"' if number else ""
        classes = " ".join(f"assay-{kind}" for kind in mark.kind.split())
        for first, last in _stretches(pieces, starts, mark.start, mark.end):
            result.append(f'{page[written:first]}<mark class="{classes}"{anchor}>{page[first:last]}</mark>')
            written, anchor = last, ""
    result.append(page[written:])
    return "".join(result).replace("</head>", STYLE + "</head>", 1), marked


def _stretches(
    pieces: list[tuple[str, list[int] | None]], starts: list[int], start: int, end: int
) -> Iterator[tuple[int, int]]:
    """The stretches of the page's source, one a text node, in which text from start to end stands."""
    index = bisect_right(starts, start) - 1
    while index < len(pieces) and starts[index] < end:
        text, places = pieces[index]
        low, high = max(start - starts[index], 0), min(end - starts[index], len(text))
        if places is not None and low < high and not text[low:high].isspace():
            yield places[low], places[high]
        index += 1


def _text_pieces(page: str) -> list[tuple[str, list[int] | None]]:
    """The page's text nodes that may be marked, each with the source offset of every character and of its end.

    Edges of blocks, and text that may not be marked, stand as an empty line with no place.
    """
    pieces: list[tuple[str, list[int] | None]] = []
    closed_by: list[str] = []  # elements open inside one that is not marked
    position = 0
    for token in _TOKEN.finditer(page):
        if token.start() > position and not closed_by:
            pieces.append(_text_node(page, position, token.start()))
        position = token.end()
        name = token[2]
        if name is None:
            continue
        if token[1]:
            if closed_by and closed_by[-1] == name:
                closed_by.pop()
        elif name not in _VOID and (closed_by or name in _UNMARKED or f" {HIDDEN}=" in _unquoted(token[3])):
            closed_by.append(name)
        if name not in INLINE:
            pieces.append(("\n\n", None))
    return pieces


def _unquoted(attributes: str) -> str:
    return re.sub(r'"[^"]*"', "", attributes)


def _text_node(page: str, start: int, end: int) -> tuple[str, list[int]]:
    source = page[start:end]
    if "&" not in source:
        return source, list(range(start, end + 1))
    characters: list[str] = []
    places: list[int] = []
    position = 0
    for entity in _ENTITY.finditer(source):
        characters.append(source[position : entity.start()])
        places.extend(range(start + position, start + entity.start()))
        character = html.unescape(entity[0])
        characters.append(character)
        places.extend([start + entity.start()] * len(character))
        position = entity.end()
    characters.append(source[position:])
    places.extend(range(start + position, end + 1))
    return "".join(characters), places
