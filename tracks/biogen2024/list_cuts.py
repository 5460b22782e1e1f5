"""Cut citation lists out of an answer, and map each place in the remaining text back.

What would be left over goes with a list: the white space before it, brackets and quotation marks that enclose only the
list, commas, dashes and "and" between it and the next list, and a mark that no longer separates anything:

    help [1], [2].     -> help.      help ([1]).        -> help.         help, [1].     -> help.
    help. [1]; [2].    -> help.      help. - [1] Rest   -> help. Rest    [1]: Rest      -> Rest

What follows a list after the end of a sentence is cut out up to the next word, and so is the second full stop of "et
al. [1].".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from scoring.reading.sentences import Span
from tracks.biogen2024.paragraphs import BLANK_LINE, begins_paragraph

_BRACKET = re.compile(r"[\[\]]")
_FINAL = re.compile(r"[.!?…。][^\w.!?…。]*\Z")
_ABBREVIATION = re.compile(r"(?:\b(?:et al|etc|e\.g|i\.e|vs|approx)|\.[A-Za-z])\.\Z")
_TIES = ",;|/·&+–—-"
_BETWEEN = re.compile(rf"[ \t\xa0:{_TIES}]*\s*(?:\b(?:and|or)\b)?\s*")
_LOOSE_AFTER = re.compile(rf"(?:[ \t\xa0]*[.!?…。:{_TIES}]+(?=[\s\"”’)}}]|\Z))+")
_MARK_AFTER = re.compile(rf"\s*(?:[!?…。)}}:{_TIES}]|\.(?!\w))")
_FULL_STOP_AFTER = re.compile(r"\s*[.!?…。](?!\w)")
_END_AFTER = re.compile(rf"\s*\Z|{BLANK_LINE.pattern}")
_NEEDS_SPACE = re.compile(r"[\w({“‘«\"]")
_PAIRS = {"(": ")", "{": "}", "“": "”", "‘": "’", "«": "»"}
_QUOTES = re.compile(r"(?<!\S)[\"'*_]{1,3}\Z")
_OPENING = tuple(_PAIRS)
_WHITE = " \t\xa0\r\n"
_BLANKS = re.compile(r"[ \t\xa0]+")
_BLANKS_BEFORE_MARK = re.compile(r"[ \t\xa0]+(?=[,;:.!?…)](?:\s|\Z))")
_TIES_AND_BLANKS = re.compile(rf"[ \t\xa0{_TIES}]+")
_NEAR = 20  # characters beside a list that are searched for enclosing brackets
_TAIL = 80  # characters before a list that show whether a sentence ended there


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """A stretch that was cut out, from ``start`` to ``end`` of the answer, at ``place`` in the remaining text.

    ``lists`` are the runs of brackets in it, and ``added`` is the number of characters put in its place. ``goes_on``
    means that the sentence continues after the cut: the full stop before it ends only an abbreviation.
    """

    place: int
    start: int
    end: int
    lists: tuple[Span, ...]
    added: int
    goes_on: bool


class AnswerOffsets:
    """Converts positions in the text without lists to positions in the answer."""

    def __init__(self, cuts: Sequence[Cut]) -> None:
        self.places = [cut.place for cut in cuts]
        self.moved = [0, *accumulate(cut.end - cut.start - cut.added for cut in cuts)]

    def start_in_answer(self, place: int) -> int:
        """Convert the position at which something begins. If a list was cut out there, return the position after the
        list.
        """
        return place + self.moved[bisect_right(self.places, place)]

    def end_in_answer(self, place: int) -> int:
        """Convert the position at which something ends. If a list was cut out there, return the position before the
        list.
        """
        return place + self.moved[bisect_left(self.places, place)]


def ends_sentence(text: str) -> bool:
    """Return whether a text ends with sentence-final punctuation, possibly followed by other marks.

    >>> ends_sentence("It helps.”"), ends_sentence("It helps. -"), ends_sentence("It helps,")
    (True, True, False)
    """
    return bool(_FINAL.search(text[-_TAIL:]))


def bracket_runs(answer: str) -> tuple[list[Span], tuple[int, ...]]:
    """Return the spans of the outermost pairs of square brackets, and the places of unpaired brackets."""
    opened: list[int] = []
    runs: list[Span] = []
    unpaired = []
    for match in _BRACKET.finditer(answer):
        if match[0] == "[":
            opened.append(match.start())
        elif not opened:
            unpaired.append(match.start())
        else:
            start = opened.pop()
            while runs and runs[-1][0] > start:
                runs.pop()
            runs.append((start, match.end()))
    return runs, tuple(sorted([*unpaired, *opened]))


def without_lists(answer: str, runs: Sequence[Span]) -> tuple[str, list[Cut]]:
    """Return the answer with these spans cut out, and the cuts. If two words would run together, a space separates
    them.
    """
    text = ""
    cuts: list[Cut] = []
    position = 0
    for (start, end), lists in _tied(answer, runs):
        before = text + answer[position:start]
        text = _kept_before(before, answer, end)
        begins, tail = begins_paragraph(text), text[-_TAIL:]
        is_abbreviation = not begins and bool(_ABBREVIATION.search(tail))
        position = end
        if (begins or (ends_sentence(text) and not is_abbreviation)) and (loose := _LOOSE_AFTER.match(answer, end)):
            position = loose.end()
        is_opened = tail.endswith(_OPENING)
        if begins or is_opened:
            position = _after(_TIES_AND_BLANKS if is_opened else _BLANKS, answer, position)
        stop = _FULL_STOP_AFTER.match(answer, end) if is_abbreviation else None
        if stop and stop[0].strip() == ".":
            position = stop.end()
        position = _after(_BLANKS_BEFORE_MARK, answer, position)
        is_parted = not text or is_opened or text[-1].isspace()
        cut = Cut(
            place=len(text),
            start=start - (len(before) - len(text)),
            end=position,
            lists=lists,
            added=int(not is_parted and bool(_NEEDS_SPACE.match(answer, position))),
            goes_on=stop is not None,
        )
        cuts.append(cut)
        text += " " * cut.added
    return text + answer[position:], cuts


def _kept_before(text: str, answer: str, end: int) -> str:
    """Return what is kept of the text before a list that ends at ``end``. Blank lines and the marks of list items are
    kept.
    """
    if begins_paragraph(text):
        return text
    kept = text.rstrip()
    if ends_sentence(kept) or _MARK_AFTER.match(answer, end):
        return kept.rstrip(f":{_TIES}{_WHITE}")
    return kept.rstrip(f"{_TIES}{_WHITE}") if _END_AFTER.match(answer, end) else kept


def _after(pattern: re.Pattern[str], answer: str, place: int) -> int:
    match = pattern.match(answer, place)
    return match.end() if match else place


def _tied(answer: str, runs: Sequence[Span]) -> Iterator[tuple[Span, tuple[Span, ...]]]:
    """Yield (stretch of the answer that is cut out, the bracketed lists in it). Lists that have only commas, dashes or
    "and" between them are cut out as one stretch.
    """
    stretch: Span = (0, 0)
    lists: tuple[Span, ...] = ()
    for run in runs:
        around = _with_brackets(answer, run)
        between = answer[stretch[1] : around[0]]
        if lists and _BETWEEN.fullmatch(between) and not BLANK_LINE.search(between):
            stretch = _with_brackets(answer, (stretch[0], around[1]))
            lists = (*lists, run)
            continue
        if lists:
            yield stretch, lists
        stretch, lists = around, (run,)
    if lists:
        yield stretch, lists


def _with_brackets(answer: str, span: Span) -> Span:
    """Return the span, extended to round brackets and quotation marks around it that enclose nothing else."""
    start, end = span
    while True:
        before, after = answer[max(start - _NEAR, 0) : start], answer[end : end + _NEAR]
        inner = after.lstrip(f" .:{_TIES}")
        opening = before.rstrip(" ")
        if opening and inner and _PAIRS.get(opening[-1]) == inner[0]:
            start, end = start - len(before) + len(opening) - 1, end + len(after) - len(inner) + 1
        elif (quotes := _QUOTES.search(before)) and after.startswith(quotes[0]):
            start, end = start - len(quotes[0]), end + len(quotes[0])
        else:
            return start, end
