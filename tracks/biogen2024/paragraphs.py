r"""Find sentences in a text with paragraphs and lists, where a blank line or an item ends one, but a line break does
not.

    Statins lower the risk of
    heart attack. They
    1. cost little
    2. are safe

These are four sentences. They are found, by spaCy or another function, in the text with single blanks for white space
and without the marks of items, and all places are mapped back.

A mark of an item is one of `- * + • # –` or a number or letter with a full stop or parenthesis, at the beginning of a
line. A number or letter counts only at the beginning of a paragraph, after a line that ends with a mark, or if it
continues the item before: the number in "fell to\n20. Later" is not a mark.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from scoring.reading.sentences import PIECE_LIMIT, Span

_LINE_BREAK = r"(?:\r\n|\r(?!\n)|[\n\x85\u2028])"
BLANK_LINE = re.compile(rf"{_LINE_BREAK}\s*{_LINE_BREAK}|\u2029")
_MARK = re.compile(r"\s*(?:[-*+•◦‣▪●·–—]|#{1,6}|\(?(?P<number>[0-9]{1,3}|[A-Za-z])[.)])(?:\s+|\Z)")
_LINE_ENDS = re.compile(r"[.!?:;…。][^\w\s]*\s*\Z")
_WORD = re.compile(rf"\S{{1,{PIECE_LIMIT}}}")  # longer ones are split, since spaCy's time is quadratic

BULLET, FIRST = "-", ("1", "a", "A")
PARTED = "\n\n"
"""What separates paragraphs in the text that is searched for sentences."""


@dataclass(slots=True)
class _Paragraph:
    """A stretch of text in which sentences are found. It begins at ``start``. If it is a list item, it begins with the
    item's mark, and the item's words begin at ``words``.
    """

    start: int
    words: int
    end: int


def sentences_in_paragraphs(text: str, spans: Callable[[str], Sequence[Span]]) -> list[Span]:
    r"""Return the sentences of a text. Sentences without a letter or digit are left out. ``spans`` finds the sentences
    in a text that has no paragraphs.

    >>> from scoring.reading.sentences import sentence_spans
    >>> text = "Causes of\nthis are\n- salt\n- cold. Or\n\nheat"
    >>> [text[start:end] for start, end in sentences_in_paragraphs(text, lambda each: sentence_spans(each, "rules"))]
    ['Causes of\nthis are', '- salt', '- cold.', 'Or', 'heat']
    """
    flat: list[str] = []
    origins: list[int] = []
    ends: list[int] = []
    marks: list[int] = []
    for each in _paragraphs(text):
        for word in _WORD.finditer(text, each.words, each.end):
            between = "" if not flat else " " if len(marks) > len(ends) else PARTED
            if len(marks) == len(ends):
                marks.append(each.start)
            flat += [between, word[0]]
            origins += [word.start()] * len(between) + list(range(word.start(), word.end()))
        if len(marks) > len(ends):
            ends.append(len(origins))
    found: list[Span] = []
    begun = -1
    for start, end in _cut_at(ends, spans("".join(flat))):
        if any(map(str.isalnum, (text[origin] for origin in origins[start:end]))):
            paragraph = bisect_right(ends, start)
            first = marks[paragraph] if paragraph != begun else origins[start]
            found.append((first, origins[end - 1] + 1))
            begun = paragraph
    return found


def begins_paragraph(text: str) -> bool:
    r"""Return whether a new paragraph, or the words of a list item, would begin right after this text.

    >>> begins_paragraph("It helps.\n\n"), begins_paragraph("Causes:\n- "), begins_paragraph("It helps.\n")
    (True, True, False)
    """
    kept = text.rstrip()
    if not kept or BLANK_LINE.search(text, len(kept)):
        return True
    return bool(_MARK.fullmatch(kept[max(map(kept.rfind, "\n\r\x85\u2028\u2029")) + 1 :]))


def _cut_at(ends: Sequence[int], spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans. A span in which a paragraph ends is cut there; the separators between paragraphs are
    left out.
    """
    for start, end in spans:
        for place in ends[bisect_left(ends, start + 1) : bisect_left(ends, end)]:
            yield start, place
            start = place + len(PARTED)
        if start < end:
            yield start, end


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """Yield the paragraphs of a text in order. A list item counts as a paragraph."""
    current: _Paragraph | None = None
    offset, before, number = 0, "", ""
    for line in text.splitlines(keepends=True):
        if not line.strip():
            before = ""
        else:
            mark = _MARK.match(line)
            if mark and mark["number"] and before and not _LINE_ENDS.search(before) and not _follows(mark, number):
                mark = None
            if mark or not before:
                if current is not None:
                    yield current
                start = offset + len(line) - len(line.lstrip())
                current = _Paragraph(start=start, words=offset + mark.end() if mark else start, end=start)
                number = (mark["number"] or BULLET) if mark else ""
            assert current is not None
            current.end = offset + len(line.rstrip())
            before = line
        offset += len(line)
    if current is not None:
        yield current


def _follows(mark: re.Match[str], number: str) -> bool:
    """Return whether the number or letter of a list item is the next one after ``number``, that of the item before."""
    following = mark["number"]
    if number == BULLET:
        return following in FIRST
    if following.isdigit() and number.isdigit():
        return int(following) == int(number) + 1
    return len(following) == len(number) == 1 and ord(following) == ord(number) + 1
