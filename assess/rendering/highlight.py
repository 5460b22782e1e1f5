"""Marks query terms and the answer string in a document, at serving time.

In the page: <mark> elements are set into the text of our own serializer's output, which is so regular (all
attribute values in double quotes, `<` escaped everywhere, every end tag written) that it is read by one
regular expression. Nothing is taken away and only fixed strings are put in, so a safe page stays safe.
In the text view: the text is cut into pieces with their kinds.

Matching ignores case, and takes any run of white space for any other, within whole words; where words stand without
blanks between them, as in Chinese, anywhere. An answer may cross inline elements: each piece is marked, and the first
carries the anchor.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from assess.rendering.allowed import HIDDEN, INLINE
from assess.rendering.answers import find_answers
from assess.rendering.unspaced import is_unspaced

Kind = Literal["", "term", "answer"]
ANCHOR = "assay-mark-"
MARK_LIMIT = 2000
"""Marks in one document; what matches after them stays plain."""
TERM_LIMIT, TERM_CHARACTERS = 100, 200
"""Terms that are marked, and the longest of them: each is tried at every word."""

STYLE = (
    "<style>mark.assay-term{background:#ffef9e!important;color:#000!important}"
    "mark.assay-answer{background:#ffc46b!important;color:#000!important;outline:1px solid #a85b00}"
    "mark:target{outline:3px solid #0b57d0!important;scroll-margin:30vh}</style>"
)

_TOKEN = re.compile(r'<(/?)([a-zA-Z][a-zA-Z0-9-]*)((?:"[^"]*"|[^">])*)>|<![^>]*>')
_ENTITY = re.compile(r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "spacer", "wbr"})
_UNMARKED = frozenset({"head", "style", "title", "textarea", "select", "option", "datalist", "svg", "math"})
_FOLDED = {"'": "['’‘]", "’": "['’‘]", '"': '["“”]', "“": '["“”]', "”": '["“”]'}
Match = tuple[int, int, Kind]


def find_marks(text: str, terms: Sequence[str], answer: str) -> list[Match]:
    """(start, end, kind) of what is marked in a text, in order and without overlap; the answer wins."""
    words_wanted = _terms_pattern(terms)
    found: list[Match] = []
    position = 0
    for start, end in find_answers(text, answer):
        found.extend(_terms_in(text, position, start, words_wanted))
        found.append((start, end, "answer"))
        position = end
        if len(found) >= MARK_LIMIT:
            return found[:MARK_LIMIT]
    found.extend(_terms_in(text, position, len(text), words_wanted))
    return found[:MARK_LIMIT]


def highlight_text(text: str, terms: Sequence[str], answer: str) -> list[tuple[str, Kind]]:
    """The text in pieces, each with its kind; joined they are the text.

    >>> highlight_text("Cheap wine.", ["wine"], "")
    [('Cheap ', ''), ('wine', 'term'), ('.', '')]
    """
    pieces: list[tuple[str, Kind]] = []
    position = 0
    for start, end, kind in find_marks(text, terms, answer):
        if start > position:
            pieces.append((text[position:start], ""))
        pieces.append((text[start:end], kind))
        position = end
    if position < len(text):
        pieces.append((text[position:], ""))
    return pieces


def highlight_page(page: str, terms: Sequence[str], answer: str) -> str:
    """A page of ours with <mark class="assay-term"> and "assay-answer" around what is found in its text.

    Each match has an anchor, `#assay-mark-1` and so on in the order of the page; `count_marks` counts them.
    Linear in the page's size: about 10 ms for a page of 100 kB.
    """
    pieces = _text_pieces(page)
    shown = "".join(text for text, _ in pieces)
    marks = find_marks(shown, terms, answer)
    if not marks:
        return page
    starts: list[int] = []
    total = 0
    for text, _ in pieces:
        starts.append(total)
        total += len(text)
    result: list[str] = []
    written = 0
    for number, (start, end, kind) in enumerate(marks, 1):
        anchor = f' id="{ANCHOR}{number}"'
        for first, last in _stretches(pieces, starts, start, end):
            result.append(f'{page[written:first]}<mark class="assay-{kind}"{anchor}>{page[first:last]}</mark>')
            written, anchor = last, ""
    result.append(page[written:])
    return "".join(result).replace("</head>", STYLE + "</head>", 1)


def count_marks(page: str) -> int:
    """How many matches a highlighted page has: the anchors run from 1 to this."""
    return len(re.findall(rf'<mark class="assay-(?:term|answer)" id="{ANCHOR}[0-9]+">', page))


def first_answer_mark(page: str) -> int:
    """The number of the first mark of the answer in a highlighted page; 0 where it has none."""
    found = re.search(rf'<mark class="assay-answer" id="{ANCHOR}([0-9]+)">', page)
    return int(found[1]) if found else 0


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

    Edges of blocks, and text that may not be marked, stand as one line break with no place.
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
            pieces.append(("\n", None))
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


def _terms_in(text: str, start: int, end: int, pattern: re.Pattern[str] | None) -> Iterator[Match]:
    if pattern is not None:
        for match in islice(pattern.finditer(text, start, end), MARK_LIMIT):
            yield match.start(), match.end(), "term"


def _terms_pattern(terms: Sequence[str]) -> re.Pattern[str] | None:
    wanted = {" ".join(term.split()).lower() for term in terms[:TERM_LIMIT] if len(term) <= TERM_CHARACTERS} - {""}
    longest_first = sorted(wanted, key=lambda term: (-len(term), term))
    anywhere = [term for term in longest_first if is_unspaced(term) or is_unspaced(term[-1])]
    in_words = [term for term in longest_first if term not in anywhere]
    choices = [rf"(?<!\w)(?:{'|'.join(map(_words, in_words))})(?!\w)"] if in_words else []
    choices += map(_words, anywhere)
    return re.compile("|".join(choices), re.IGNORECASE) if choices else None


def _words(term: str) -> str:
    return r"\s+".join(_word(piece) for piece in term.split())


def _word(word: str) -> str:
    return "".join(_FOLDED.get(character) or re.escape(character) for character in word)
