"""Set marks into a document when it is served: where the judged answer is, where it is likely, and words of the
question.

`assess.documents.marks`, which knows languages, finds the places. In a page, <mark> elements are set into the output of
our own serializer. That output is so regular (attribute values in double quotes, `<` escaped everywhere, every end tag
written) that one regular expression reads it. Nothing is removed and only fixed strings are added, so a safe page stays
safe. In the text view, the text is cut into pieces with their kinds.

An answer may cross inline elements. Then each piece is marked, and the first carries the anchor.
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
"""The judged answer; a word of it; a word of the question; the sentence most similar to it, and words in that."""
ANCHOR = "assay-mark-"
MARK_LIMIT = 2000
"""The most marks in one document; later matches stay plain."""

STYLE = (
    "<style>mark[class^=assay-]{color:#000!important}"
    "mark.assay-term{background:#ffef9e!important;text-decoration:underline dotted 2px #6b5900!important}"
    "mark.assay-word{background:#ffef9e!important;text-decoration:underline solid 2px #a85b00!important}"
    "mark.assay-answer{background:#ffc46b!important;outline:2px solid #a85b00!important}"
    "mark.assay-likely{background:#ffedd6!important;border-block:2px dashed #a85b00!important}"
    "mark:target{outline:3px solid #0b57d0!important;scroll-margin:30vh}</style>"
)
"""The kinds also differ in their lines: a frame around the answer, dashes above and below a likely sentence, a line
under a word of the answer, dots under a word of the question."""

FITTED = (
    "<style>@media (max-width:44rem){"
    "body,body *{max-width:100%!important;min-width:0!important;box-sizing:border-box!important}"
    "body :is(table,td,th,div,section,article,main,header,footer,aside,nav,center,form,p,ul,ol,dl)"
    "{width:auto!important}"
    "body :is(td,th){white-space:normal!important}"
    "body :is(p,li,div,td,th,h1,h2,h3,h4,a,span){white-space:normal;overflow-wrap:break-word}"
    "body :is(pre,pre *){white-space:pre-wrap!important;overflow-wrap:anywhere!important}"
    "body :is(img,video,object,svg){max-width:90vw!important}"
    "}</style>"
)
"""In a small frame a page is laid out to the frame's width, whatever it was made for: no key scrolls it sideways."""

_TOKEN = re.compile(r'<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:"[^"]*"|[^">])*)>|<![^>]*>')
_ENTITY = re.compile(r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "spacer", "wbr"})
_UNMARKED = frozenset({"head", "style", "title", "textarea", "select", "option", "datalist", "svg", "math"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """A marked part of a text. If ``leads`` is false, it continues the mark before it."""

    start: int
    end: int
    kind: Kind
    leads: bool = True


class Piece(NamedTuple):
    """A stretch of a text with its kind ("" if it is not marked) and the number of the mark that begins with it."""

    text: str
    kind: Kind | Literal[""]
    number: int = 0


class NumberedMarks(NamedTuple):
    """Marks with their numbers, from 1: first the marks of the answer, ``first`` of them, then the others.

    Both groups are in the order of the text. A mark that does not lead has the number 0.
    """

    marks: Sequence[tuple[Mark, int]]
    first: int
    total: int

    @property
    def is_likely(self) -> bool:
        """Whether the answer is nowhere in the text, and a similar sentence is marked instead."""
        return self.first > 0 and not any(mark.kind == "answer" for mark, _ in self.marks)


def number_marks(marks: Sequence[Mark]) -> NumberedMarks:
    """Return the marks of a text, numbered in the order in which a reader steps through them."""
    leading = [mark for mark in marks if mark.leads]
    own = [mark for mark in leading if is_of_answer(mark)]
    order = [*own, *(mark for mark in leading if not is_of_answer(mark))]
    numbers = {mark.start: number for number, mark in enumerate(order, start=1)}
    return NumberedMarks([(mark, numbers[mark.start] if mark.leads else 0) for mark in marks], len(own), len(order))


def is_of_answer(mark: Mark) -> bool:
    """Return whether the mark shows the answer or where it is likely."""
    return mark.kind == "answer" or mark.kind.startswith("likely")


def highlight_text(text: str, marks: Sequence[Mark]) -> tuple[list[Piece], NumberedMarks]:
    """Return the text cut into pieces, and its marks with their numbers. The pieces joined are the text.

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


def highlight_page(page: str, find: Callable[[str], Sequence[Mark]]) -> tuple[str, NumberedMarks]:
    """Return a page with its marks set as <mark class="assay-term">, "assay-answer" and so on, and these marks with
    their numbers.

    ``page`` must come from our serializer. ``find`` returns the marks of its text. A mark that leads (`Mark.leads`) has
    an anchor with its number, such as `#assay-mark-1`. Apart from ``find``, it takes time linear in the page's size.
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
    """Yield (start, end) in the page's source for each text node that the text from start to end covers."""
    index = bisect_right(starts, start) - 1
    while index < len(pieces) and starts[index] < end:
        text, places = pieces[index]
        low, high = max(start - starts[index], 0), min(end - starts[index], len(text))
        if places is not None and low < high and not text[low:high].isspace():
            yield places[low], places[high]
        index += 1


def _text_pieces(page: str) -> list[tuple[str, list[int] | None]]:
    """Return the page's text nodes that may be marked, each with the source offset of every character and of its end.

    The edges of blocks and text that may not be marked are given as an empty line without offsets.
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
