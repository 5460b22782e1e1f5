"""An answer with citations in square brackets, cut into sentences: which citation belongs to which sentence.

    Statins help [12, 34]. They are cheap. [56]

Every run of text in square brackets is a citation list: entries separated by commas. Brackets inside of one are part
of it, and separate entries as commas do: [[12], [34]], [[12][34]] and [12 [34]] are one list of two entries. The lists
are cut out, with the white space before them, before sentences are found, and all offsets mapped back, since brackets
mislead every way of finding sentences. A line break ends a sentence. A list belongs to the sentence around it. It is
dropped where it stands before any sentence or after the end of one (sentence-final punctuation, a line break); of each
list only the first so many entries count.

Source: TREC BioGen 2024, submission specification, "Answer Processing".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from scoring.sentences import Span

_BRACKET = re.compile(r"[\[\]]")
_LINE_BREAK = re.compile(r"[\n\r\u2028\u2029]")
_FINAL = re.compile(r"[.!?…。][\"'”’»)\]}]*\Z")
_ABBREVIATION = re.compile(r"(?:\b(?:et al|etc|e\.g|i\.e|vs|approx|[A-Z])|\.[A-Za-z])\.\Z")
_NEEDS_SPACE = re.compile(r"\w")

BEFORE = "before any sentence"
AFTER = "after the end of a sentence"


@dataclass(frozen=True, kw_only=True, slots=True)
class CitationList:
    """One run of square brackets. ``entries`` are as written, white space at their ends left out, those of brackets
    inside of it in the same order.

    ``start`` and ``end`` are those of the brackets in the answer. ``sentence`` is the number of its sentence, 0 where
    it is dropped, and then ``dropped`` says why; ``near`` is the sentence before it (0: none).
    """

    start: int
    end: int
    entries: tuple[str, ...]
    sentence: int = 0
    dropped: str = ""
    near: int = 0

    def counted(self, limit: int) -> tuple[str, ...]:
        """The entries that count: the first ``limit``; none of a list that is dropped."""
        return self.entries[:limit] if self.sentence else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedSentence:
    """A sentence, numbered from 1: its text without citations, and where it stands in the answer."""

    number: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CutAnswer:
    """An answer cut up: its text without citations, its sentences, its citation lists, brackets without a partner."""

    text: str
    sentences: tuple[CitedSentence, ...]
    lists: tuple[CitationList, ...]
    unpaired: tuple[int, ...]

    def lists_of(self, sentence: int) -> tuple[CitationList, ...]:
        """The citation lists of the sentence with this number."""
        return tuple(each for each in self.lists if each.sentence == sentence)

    def sentence_at(self, offset: int) -> int:
        """The number of the sentence at an offset of the answer, or the last before it; 0 where there is none."""
        return max((each.number for each in self.sentences if each.start <= offset), default=0)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A stretch of the answer that was taken out: from ``start`` to ``end`` there, at ``place`` in what is left."""

    place: int
    start: int
    end: int
    added: int  # characters put in its place


def cut_answer(answer: str, spans: Callable[[str], Sequence[Span]]) -> CutAnswer:
    """The sentences and citation lists of an answer; ``spans`` finds the sentences of a text without citations.

    >>> from scoring.sentences import sentence_spans
    >>> cut = cut_answer("It helps [12,34]. [5] It hurts", lambda text: sentence_spans(text, "rules"))
    >>> [(each.number, each.text) for each in cut.sentences]
    [(1, 'It helps.'), (2, 'It hurts')]
    >>> [(each.entries, each.sentence, each.dropped) for each in cut.lists]
    [(('12', '34'), 1, ''), (('5',), 0, 'after the end of a sentence')]
    """
    runs, unpaired = _bracket_runs(answer)
    text, cuts = _without(answer, runs)
    lines = (line for span in spans(text) for line in _lines(text, span))
    found = [span for span in lines if any(map(str.isalnum, text[span[0] : span[1]]))]
    starts = [start for start, _ in found]
    lists = tuple(
        _placed(answer, run, cut, text, found, bisect_left(starts, cut.place))
        for run, cut in zip(runs, cuts, strict=True)
    )
    last = {each.sentence: each.end for each in lists}
    original = _Offsets(cuts)
    sentences = tuple(
        CitedSentence(
            number=number,
            text=text[start:end],
            start=original.of_start(start),
            end=max(original.of_end(end), last.get(number, 0)),
        )
        for number, (start, end) in enumerate(found, start=1)
    )
    return CutAnswer(text=" ".join(text.split()), sentences=sentences, lists=lists, unpaired=unpaired)


def _bracket_runs(answer: str) -> tuple[list[Span], tuple[int, ...]]:
    """The runs of square brackets that stand in no other, and the places of brackets without a partner."""
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


def _lines(text: str, span: Span) -> Iterator[Span]:
    """A sentence cut at its line breaks, white space around each line left out."""
    start = span[0]
    for end in (*(match.start() for match in _LINE_BREAK.finditer(text, *span)), span[1]):
        piece = text[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
        start = end


def _without(answer: str, runs: Sequence[Span]) -> tuple[str, list[_Cut]]:
    """The answer without these runs and the white space before them on their line, and what was cut where.

    Words that would run together are parted by a space.
    """
    pieces: list[str] = []
    cuts: list[_Cut] = []
    position = length = 0
    for start, end in runs:
        kept = answer[position:start]
        piece = kept[: max(len(kept.rstrip()), max((each.end() for each in _LINE_BREAK.finditer(kept)), default=0))]
        pieces.append(piece)
        length += len(piece)
        added = int(bool(_NEEDS_SPACE.match(answer, end)) and length > 0)
        cuts.append(_Cut(place=length, start=position + len(piece), end=end, added=added))
        pieces.append(" " * added)
        length += added
        position = end
    return "".join([*pieces, answer[position:]]), cuts


class _Offsets:
    """Where places in the text without citations stand in the answer."""

    def __init__(self, cuts: Sequence[_Cut]) -> None:
        self.places = [cut.place for cut in cuts]
        self.moved = [0, *accumulate(cut.end - cut.start - cut.added for cut in cuts)]

    def of_start(self, place: int) -> int:
        """A place at which something begins: after what was cut out there."""
        return place + self.moved[bisect_right(self.places, place)]

    def of_end(self, place: int) -> int:
        """A place at which something ends: before what was cut out there."""
        return place + self.moved[bisect_left(self.places, place)]


def _placed(answer: str, run: Span, cut: _Cut, text: str, found: Sequence[Span], near: int) -> CitationList:
    """The list with the sentence that it belongs to; ``near`` sentences begin before it."""
    entries = tuple(_entries(answer[run[0] + 1 : run[1] - 1]))
    placed = CitationList(start=run[0], end=run[1], entries=entries, near=near)
    if near == 0:
        return replace(placed, dropped=BEFORE)
    start, end = found[near - 1]
    if _LINE_BREAK.search(text, end, cut.place) or _is_after(
        text[start : cut.place], text[cut.place : max(end, cut.place)]
    ):
        return replace(placed, dropped=AFTER)
    return replace(placed, sentence=near)


def _entries(written: str) -> Iterator[str]:
    """The entries between the brackets of a list: what commas separate, and inside of that, brackets.

    Nothing between two commas is an empty entry; nothing between a comma and a bracket is none.
    """
    for piece in written.split(","):
        inside = [entry for each in _BRACKET.split(piece) if (entry := each.strip())]
        yield from inside or [""]


def _is_after(before: str, rest: str) -> bool:
    """Whether a list after ``before`` and with ``rest`` of its sentence to come stands outside of the sentence."""
    if any(map(str.isalnum, rest)) or not _FINAL.search(before.rstrip()):
        return False
    return not (rest.strip() and _ABBREVIATION.search(before.rstrip()))
