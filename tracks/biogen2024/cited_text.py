"""Cut an answer with citations in square brackets into sentences, and assign each citation to its sentence.

    Statins help [12, 34]. They are cheap. [56]

Each run of text in square brackets is a citation list, with entries separated by commas. Inner brackets are part of the
list and separate entries as commas do: [[12], [34]], [[12][34]] and [12 [34]] are one list of two entries. The lists
are cut out first (`list_cuts`), since brackets mislead every way of finding sentences, and all places are mapped back.

spaCy decides where sentences end. A single line break is white space; a blank line or an item of a list also ends a
sentence (`paragraphs`). A list belongs to the sentence around it. It is dropped if it comes before any sentence or
after the end of one (sentence-final punctuation, a blank line), whatever marks are in between. Only a limited number of
entries at the start of each list count.

Source: TREC BioGen 2024, submission specification, "Answer Processing".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from scoring.reading.sentences import Span
from tracks.biogen2024.list_cuts import AnswerOffsets, Cut, bracket_runs, ends_sentence, without_lists
from tracks.biogen2024.paragraphs import BLANK_LINE, begins_paragraph, sentences_in_paragraphs

_BRACKET = re.compile(r"[\[\]]")

BEFORE = "before any sentence"
AFTER = "after the end of a sentence"


@dataclass(frozen=True, kw_only=True, slots=True)
class CitationList:
    """A list of citations in square brackets, which may contain inner brackets. ``entries`` are the entries as written,
    without white space around them; those in inner brackets keep their places.

    ``start`` and ``end`` are the places of the brackets in the answer. ``sentence`` is the number of the list's
    sentence. It is 0 if the list is dropped; ``dropped`` then says why. ``near`` is the number of the sentence before
    the list, or 0.
    """

    start: int
    end: int
    entries: tuple[str, ...]
    sentence: int = 0
    dropped: str = ""
    near: int = 0

    def counted(self, limit: int) -> tuple[str, ...]:
        """Return the entries that count, which are the first ``limit``. If the list is dropped, none counts."""
        return self.entries[:limit] if self.sentence else ()


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedSentence:
    """A sentence, numbered from 1, with its text without citations and its place in the answer."""

    number: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CutAnswer:
    """An answer that was cut: its text without citations, its sentences and citation lists, and unpaired brackets."""

    text: str
    sentences: tuple[CitedSentence, ...]
    lists: tuple[CitationList, ...]
    unpaired: tuple[int, ...]

    def lists_of(self, sentence: int) -> tuple[CitationList, ...]:
        """Return the citation lists of the sentence with this number."""
        return tuple(each for each in self.lists if each.sentence == sentence)

    def sentence_at(self, offset: int) -> int:
        """Return the number of the sentence at an offset of the answer. If there is none, return that of the last
        sentence before it, or 0.
        """
        return max((each.number for each in self.sentences if each.start <= offset), default=0)


def cut_answer(answer: str, spans: Callable[[str], Sequence[Span]]) -> CutAnswer:
    """Return the sentences and citation lists of an answer. ``spans`` finds the sentences of a text without citations.

    >>> from scoring.reading.sentences import sentence_spans
    >>> cut = cut_answer("It helps [12,34]. [5] It hurts", lambda text: sentence_spans(text, "rules"))
    >>> [(each.number, each.text) for each in cut.sentences]
    [(1, 'It helps.'), (2, 'It hurts')]
    >>> [(each.entries, each.sentence, each.dropped) for each in cut.lists]
    [(('12', '34'), 1, ''), (('5',), 0, 'after the end of a sentence')]
    """
    runs, unpaired = bracket_runs(answer)
    text, cuts = without_lists(answer, runs)
    found = sentences_in_paragraphs(text, spans)
    starts = [start for start, _ in found]
    lists = []
    last: dict[int, int] = {}
    for cut in cuts:
        placed = _placed(cut, text, found, bisect_left(starts, cut.place))
        last[placed.sentence] = cut.end
        for start, end in cut.lists:
            entries = tuple(_entries(answer[start + 1 : end - 1]))
            lists.append(replace(placed, start=start, end=end, entries=entries))
    original = AnswerOffsets(cuts)
    sentences = tuple(
        CitedSentence(
            number=number,
            text=text[start:end],
            start=original.start_in_answer(start),
            end=max(original.end_in_answer(end), last.get(number, 0)),
        )
        for number, (start, end) in enumerate(found, start=1)
    )
    return CutAnswer(text=" ".join(text.split()), sentences=sentences, lists=tuple(lists), unpaired=unpaired)


def _placed(cut: Cut, text: str, found: Sequence[Span], near: int) -> CitationList:
    """Return the citation list that was cut out here, with the number of its sentence. ``near`` is the number of
    sentences that begin before it.
    """
    begins = begins_paragraph(text[: cut.place])
    if near and (begins or not any(map(str.isalnum, text[found[near - 1][0] : cut.place]))):
        near -= int(found[near - 1][1] > cut.place)
    placed = CitationList(start=0, end=0, entries=(), near=near)
    if near == 0:
        return replace(placed, dropped=BEFORE)
    start, end = found[near - 1]
    if begins or BLANK_LINE.search(text, end, cut.place):
        return replace(placed, dropped=AFTER)
    goes_on = cut.goes_on or any(map(str.isalnum, text[cut.place : end]))
    if ends_sentence(text[start : cut.place]) and not goes_on:
        return replace(placed, dropped=AFTER)
    return replace(placed, sentence=near)


def _entries(written: str) -> Iterator[str]:
    """Yield the entries between the brackets of a list, which are separated by commas and by inner brackets.

    If there is nothing between two commas, this is an empty entry. If there is nothing between a comma and a bracket,
    there is no entry.
    """
    for piece in written.split(","):
        inside = [entry for each in _BRACKET.split(piece) if (entry := each.strip())]
        yield from inside or [""]
