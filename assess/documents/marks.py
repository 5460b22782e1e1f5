"""Highlights in a document: the answer that is judged, or else its likeliest place, and the words of the question.

Words are compared as search sees them (`assess.documents.words`): by their stems in the language of the text, with any
other characters between them. What is judged (an answer, a nugget, a sentence, a claim) is marked wherever it occurs.
If it occurs nowhere, its content words are marked, and the sentence most like it. The time grows only with the text: a
quarter of a second for a million characters, 0.8 seconds if words have no spaces between them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import islice

from assess.documents.likeness import content_words
from assess.documents.words import SIGNS_OF_LETTERS, UNKNOWN, find_words, units_of, words_of
from assess.rendering.answers import find_answers
from assess.rendering.highlight import MARK_LIMIT, Kind, Mark
from assess.rendering.unspaced import is_unspaced

TERM_LIMIT, TERM_CHARACTERS = 100, 200
"""The largest number of terms that are sought, and the length of the longest."""
LIKELY = 10
"""The number of sentences that are offered as evidence."""
ENOUGH_WORDS = 2
"""A sentence is marked as likely if it shares this many words with what is judged, or all of them."""
LONGEST_SENTENCE = 800
"""The length in characters at which a sentence is cut, at a blank if one is near."""

_SMALL = "".join(each for each in map(chr, range(0x61, 0x2000)) if unicodedata.category(each) == "Ll")
_SENTENCE_END = re.compile(
    rf"[.!?…؟۔।॥։።፧။។៕][\"'”’)\]]*\s+(?=[^\s{_SMALL}])|[。！？｡](?:[\"'”’」』）｣】》〉〕］]++(?!と(?!ころ)|っ)|(?![\"'”’」』）｣】》〉〕］]))\s*|"
    rf"\n[^\S\n]*\n\s*|\n(?=[^\S\n]*[^\s{_SMALL}])"
)
_THAI_BLANK = re.compile(r"(?<=[\u0e00-\u0eff])[^\S\n]+(?=[\u0e00-\u0eff])")
"""A blank, the only sign of a sentence's end in Thai and Lao. `static/js/bench/sentences.js` cuts there, too."""
SHORTEST_THAI = 30
"""The least number of characters of a sentence that ends at such a blank."""
_TWO_HIRAGANA = re.compile("[ぁ-ん]{2}")
_LONG = re.compile(rf"\S.{{{LONGEST_SENTENCE - 1}}}\S{{0,60}}\s*", re.DOTALL)
_PLAIN = re.compile(rf"[\w\s{SIGNS_OF_LETTERS}]+")
_IN_LIKELY: dict[Kind, Kind] = {"word": "likely word", "term": "likely term"}
_MIDDLE = 0.6  # the influence of a sentence's length, from 0 to 1
_LEADING = 3  # sentences that are ranked with that influence; those after them without, since long ones say more
_SATURATED = 1.2  # how quickly a repeated word stops counting more

_CUT = re.compile(
    r"[\u200b-\u200d\u2060\ufeff]+|(?<!\d)[-\u2010\u2011]\s*|[-\u2010\u2011]\s*(?!\d)|(?<!\d)[.'’](?!\d)|"
    r"(?<=\d)[,.'’ \u00a0\u2009\u202f](?=\d{3}(?!\d))"
)
"""What stands between two words that another text has as one: "infor-", "mation"; "1,000", "U.S.A.", "e-mail"."""
WORD = re.compile(r"\w[\w'’-]*\w|\w")
SHORTEST = 3
_COMMON_WORDS = """
 about after again all also and any are been before being but can could did does doing down each few for from get
give had has have having her here him his how into its itself just like made make many may might more most much
name names not now off once one only other our out over own people said same say says she should some such than
that the their them then there these they this those through too under until use used very was were what when where
which while who whom whose why will with would you your list find think thinks likes dislike things thing reason
reasons opinion opinions
"""
COMMON = frozenset(_COMMON_WORDS.split())

Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class SoughtWords:
    """What is sought in documents: what is judged (or ""), and the words of the question."""

    answer: str = ""
    terms: Sequence[str] = ()

    def marks_in(self, text: str, language: str = "") -> list[Mark]:
        """Return the marks in a text, in order and without overlap.

        >>> found = SoughtWords(answer="cheap wines", terms=["staff"]).marks_in("The staff sell wine. Cheap, wine!")
        >>> [(mark.kind, mark.start, mark.end) for mark in found]
        [('term', 4, 9), ('answer', 21, 32)]
        """
        return self._marks(_Words(text, language or UNKNOWN))

    def find_in(self, text: str, language: str = "") -> tuple[list[Mark], list[Span]]:
        """Return the marks, and the sentences most likely to contain what is judged, likeliest first.

        If nothing is judged, the sentences are those likely for the question.
        """
        words = _Words(text, language or UNKNOWN)
        return self._marks(words), self._likely(words)

    def _marks(self, words: _Words) -> list[Mark]:
        places = [Mark(start=start, end=end, kind="answer") for start, end in _answer_places(words, self.answer)]
        own = [] if places else _content(self.answer, words.language)
        start, end = next(iter(_ranked(words, own, enough=True)), (0, 0))
        hits = [Mark(start=begin, end=stop, kind="word") for begin, stop in _hits(words, own)]
        hits += [Mark(start=begin, end=stop, kind="term") for begin, stop in _hits(words, _needles(words, self.terms))]
        others = [mark for mark in _without_overlap(places, hits) if not self._says_little(words.text, mark)]
        kept = [mark for at, mark in enumerate(others) if at < MARK_LIMIT - len(places) or start <= mark.start < end]
        found = sorted([*places, *kept], key=lambda mark: mark.start)
        return list(_with_sentence(found, start, end)) if end else found

    @staticmethod
    def _says_little(text: str, mark: Mark) -> bool:
        """Return whether a mark is of two hiragana alone, as are most endings and hardly a word that is sought."""
        return mark.kind == "word" and _TWO_HIRAGANA.fullmatch(text, mark.start, mark.end) is not None

    def _likely(self, words: _Words) -> list[Span]:
        places = dict.fromkeys(words.sentence_at(start) for start, _ in _answer_places(words, self.answer))
        ranked = _ranked(words, _content(self.answer, words.language) or _needles(words, self.terms))
        return list(dict.fromkeys([*(words.sentences[place] for place in places), *ranked]))[:LIKELY]


def question_words(texts: Sequence[str]) -> list[str]:
    """Return the content words of some texts, each once, in the order of their first occurrence."""
    words = [word for text in texts for word in WORD.findall(text)]
    kept = [word for word in words if word.isdigit() or (len(word) >= SHORTEST and word.lower() not in COMMON)]
    return list({word.lower(): word for word in reversed(kept)}.values())[::-1]


class _Words:
    """The words of a text, joined into one line so that a string search finds sequences of words, and the place of each
    word.
    """

    def __init__(self, text: str, language: str, words: Iterable[tuple[str, int, int]] = ()) -> None:
        self.text, self.language = text, language
        self.starts, self.ends, self._places = array("q"), array("q"), array("q")
        written: list[str] = []
        length = 1
        for word, start, end in words or find_words(text, language, folded=True, pairs=False):
            written.append(word)
            self.starts.append(start)
            self.ends.append(end)
            self._places.append(length)
            length += len(word) + 1
        self.line = f" {' '.join(written)} "

    @cached_property
    def joined(self) -> _Words:
        """The same text with those words joined that another text may write as one."""
        return _Words(self.text, self.language, list(self._joined()))

    def _joined(self) -> Iterator[tuple[str, int, int]]:
        text, written, last = self.text, self.line.split(), len(self.starts) - 1
        first = 0
        for at, end in enumerate(self.ends):
            if at < last and (text[end : end + 1] != " " or text[end - 1].isdigit()):
                cut = _CUT.match(text, end)
                if cut and cut.end() == self.starts[at + 1]:
                    continue
            if first == at:
                yield written[at], self.starts[at], end
            else:
                pieces = (text[self.starts[each] : self.ends[each]] for each in range(first, at + 1))
                for word in words_of("".join(pieces), self.language, folded=True):
                    yield word, self.starts[first], end
            first = at + 1

    def find(self, line: str) -> list[Span]:
        """Return (start, end) in the text of each occurrence of what another `line` has."""
        places = islice(self.places_of(line), MARK_LIMIT) if line.strip() else ()
        return [(self.starts[first], self.ends[last - 1]) for first, last in places]

    def places_of(self, needle: str) -> Iterator[Span]:
        """Yield (first word, word after the last) of each occurrence, without overlap. ``needle`` is what `_line`
        returns.
        """
        size, at = needle.count(" ") - 1, 0
        while (at := self.line.find(needle, at)) >= 0:
            first = bisect_right(self._places, at + 1) - 1
            yield first, first + size
            at += len(needle) - 1

    @cached_property
    def sentences(self) -> list[Span]:
        """(start, end) of each sentence."""
        found: list[Span] = []
        start = 0
        for end in self._ends():
            for piece in _LONG.finditer(self.text, start, end) if end - start > LONGEST_SENTENCE else ():
                found.append((start, start := piece.end()))
            if self.text[start:end].strip():
                found.append((start, end))
            start = end
        return [_trimmed(self.text, *span) for span in found]

    def _ends(self) -> Iterator[int]:
        start = 0
        for end in [*(match.end() for match in _SENTENCE_END.finditer(self.text)), len(self.text)]:
            for blank in _THAI_BLANK.finditer(self.text, start, end):
                if blank.start() - start >= SHORTEST_THAI:
                    yield (start := blank.end())
            yield (start := end)

    @cached_property
    def _sentence_starts(self) -> list[int]:
        return [start for start, _ in self.sentences]

    def sentence_at(self, place: int) -> int:
        """Return the number, from 0, of the sentence with the character at this place."""
        return max(bisect_right(self._sentence_starts, place) - 1, 0)

    @cached_property
    def sizes(self) -> Counter[int]:
        """The number of words in each sentence."""
        return Counter(map(self.sentence_at, self.starts))


def sentences_of(text: str) -> list[Span]:
    """Return (start, end) of each sentence of a text, in code points, as on the bench where evidence is chosen."""
    return _Words(text, UNKNOWN).sentences


def _line(text: str, language: str) -> str:
    """Return the words of a sought text in the form of `_Words.line`, or "" if it has none."""
    words = [word for word, _, _ in find_words(text, language, folded=True, pairs=False)]
    return f" {' '.join(words)} " if words else ""


def _answer_places(words: _Words, answer: str) -> list[Span]:
    """Return the places at which the judged text occurs.

    If the answer contains signs, such as the ones in C++, only places with the same signs are returned, unless there is
    no such place. If the words do not occur as they are, words that another text may write as one are joined, in both
    texts.
    """
    if not _PLAIN.fullmatch(answer) and (exact := list(islice(find_answers(words.text, answer), MARK_LIMIT))):
        return exact
    sought = _Words(answer, words.language)
    return words.find(sought.line) or words.joined.find(sought.joined.line)


def _content(answer: str, language: str) -> list[str]:
    """Return what to search for if the answer itself does not occur: its content words."""
    found = sorted(
        content_words(answer, language) or words_of(answer, language, folded=True), key=lambda word: (-len(word), word)
    )
    words = [" ".join(units_of(word)) if is_unspaced(word) else word for word in dict.fromkeys(found)]
    pairs = [word for word in words if not is_unspaced(word) or " " in word]
    return [f" {word} " for word in (pairs or words)[:TERM_LIMIT]]


def _needles(words: _Words, terms: Sequence[str]) -> list[str]:
    known = (term for term in terms[:TERM_LIMIT] if len(term) <= TERM_CHARACTERS)
    lines = (_line(term, words.language) for term in known if content_words(term, words.language))
    return [line for line in dict.fromkeys(lines) if line]


def _hits(words: _Words, needles: Iterable[str]) -> Iterator[Span]:
    """Yield (start, end) in the text of each occurrence of each needle."""
    for needle in needles:
        for first, last in islice(words.places_of(needle), MARK_LIMIT):
            yield words.starts[first], words.ends[last - 1]


def _ranked(words: _Words, needles: Sequence[str], *, enough: bool = False) -> list[Span]:
    """Return the sentences that contain some of the needles, likeliest first.

    They are ranked by BM25 over the sentences of this text, with two changes: a word's weight is squared, as in a
    cosine, which raises rare words; and a sentence's length counts only for the first three. With the claims and papers
    of Context25, a sentence that people took is among the first three for .39 of the claims, and among the first ten
    for .61 (`bench.bench_marks`). If length counted for all sentences, it would be among the first ten for .55. With
    ``enough``, only sentences that contain enough of the needles to be marked are returned.
    """
    having: list[Counter[int]] = []
    for needle in needles:
        having.append(Counter(words.sentence_at(words.starts[first]) for first, _ in words.places_of(needle)))
    if not any(having):
        return []
    number, usual = len(words.sentences), len(words.starts) / len(words.sentences)
    scores: defaultdict[int, float] = defaultdict(float)
    whole: defaultdict[int, float] = defaultdict(float)
    shared: Counter[int] = Counter()
    for found in filter(None, having):
        weight = math.log(1 + (number - len(found) + 0.5) / (len(found) + 0.5)) ** 2
        for place, times in found.items():
            long = 1 - _MIDDLE + _MIDDLE * words.sizes[place] / usual
            scores[place] += weight * times * (_SATURATED + 1) / (times + _SATURATED * long)
            whole[place] += weight * times * (_SATURATED + 1) / (times + _SATURATED)
            shared[place] += 1
    least = min(ENOUGH_WORDS, len(needles)) if enough else 1
    known = [place for place in scores if shared[place] >= least]
    leading = nsmallest(_LEADING, known, key=lambda place: (-scores[place], place))
    others = nsmallest(LIKELY, known, key=lambda place: (-whole[place], place))
    order = dict.fromkeys([*leading, *others])
    return [words.sentences[place] for place in islice(order, LIKELY)]


def _without_overlap(first: list[Mark], others: list[Mark]) -> list[Mark]:
    """Return those of the other marks that overlap none of the ``first``.

    Of two others that overlap, the one that begins earlier is returned or, if they begin together, the longer. Two
    overlapping marks of one kind become one, as with adjacent pairs of characters.
    """
    taken = [mark.start for mark in first]
    kept: list[Mark] = []
    for mark in sorted(others, key=lambda mark: (mark.start, -mark.end, mark.kind != "word")):
        before = bisect_right(taken, mark.start) - 1
        if before >= 0 and first[before].end > mark.start:
            continue
        if before + 1 < len(first) and first[before + 1].start < mark.end:
            continue
        if not kept or kept[-1].end <= mark.start:
            kept.append(mark)
        elif kept[-1].kind == mark.kind and kept[-1].end < mark.end:
            kept[-1] = replace(kept[-1], end=mark.end)
    return kept


def _with_sentence(marks: Iterable[Mark], start: int, end: int) -> Iterator[Mark]:
    """Yield the marks, and mark the sentence from ``start`` to ``end`` as likely to hold what is judged. It is split at
    the words marked in it, and its first part is marked as leading (`Mark.leads`). A mark across its ends is left out.
    """
    at, leads = start, True
    inside = [mark for mark in marks if start <= mark.start and mark.end <= end]
    yield from (mark for mark in marks if mark.start < start and mark.end <= start)
    for mark in inside:
        if at < mark.start:
            yield Mark(start=at, end=mark.start, kind="likely", leads=leads)
            leads = False
        yield Mark(start=mark.start, end=mark.end, kind=_IN_LIKELY[mark.kind], leads=leads)
        at, leads = mark.end, False
    if at < end:
        yield Mark(start=at, end=end, kind="likely", leads=leads)
    yield from (mark for mark in marks if mark.start >= end)


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    return begin, max(begin, start + len(piece.rstrip()))
