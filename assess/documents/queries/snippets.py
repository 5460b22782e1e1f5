"""Snippets: the part of a text that shows best why a document was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assess.documents.words import find_words

SOURCE = 200_000  # characters from which a snippet is taken
LENGTH = 280
BEFORE = 60  # characters before the first match
MATCHES = 200

Snippet = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Indexed words in a row; with ``is_open``, the last one may be only the beginning of a word."""

    words: tuple[str, ...]
    is_open: bool = False


def make_snippet(text: str, language: str, phrases: Iterable[Phrase]) -> Snippet:
    """Return about 280 characters of a text, in pieces: (text, whether it is a match).

    They are taken where the largest number of different phrases occurs together. Costs some milliseconds for 100,000
    characters; the text after the first 200,000 is ignored.
    """
    text = text[:SOURCE]
    matches = list(_matches(text, language, phrases))
    start, end = _window(text, matches)
    pieces = [("…", False)] if start else []
    place = start
    for first, last, _ in matches:
        if first < place or last > end:
            continue
        if first > place:
            pieces.append((text[place:first], False))
        pieces.append((text[first:last], True))
        place = last
    if place < end:
        pieces.append((text[place:end], False))
    return (*pieces, ("…", False)) if end < len(text) else tuple(pieces)


def _matches(text: str, language: str, phrases: Iterable[Phrase]) -> Iterator[tuple[int, int, Phrase]]:
    """Yield (start, end, phrase) of each match, without overlap; of several that begin together, the longest."""
    begun: dict[str, list[Phrase]] = defaultdict(list)
    opened = [phrase for phrase in phrases if phrase.is_open and len(phrase.words) == 1]
    for phrase in phrases:
        if phrase.words and phrase not in opened:
            begun[phrase.words[0]].append(phrase)
    words = list(find_words(text, language))
    reached = found = 0
    for place, (word, start, _) in enumerate(words):
        if start < reached:
            continue
        ends = [(end, each) for each in begun.get(word, ()) if (end := _end(words, place, each))]
        ends += [(start + len(each.words[0]), each) for each in opened if word.startswith(each.words[0])]
        if ends:
            reached, phrase = max(ends, key=lambda each: each[0])
            yield start, reached, phrase
            found += 1
            if found == MATCHES:
                return


def _end(words: Sequence[tuple[str, int, int]], place: int, phrase: Phrase) -> int:
    """Return the end of the phrase that begins at this word, or 0 if the phrase does not occur there."""
    here = words[place : place + len(phrase.words)]
    if len(here) < len(phrase.words):
        return 0
    *firsts, (last, start, end) = here
    wanted = phrase.words[-1]
    if any(word != each for (word, _, _), each in zip(firsts, phrase.words, strict=False)):
        return 0
    if phrase.is_open and last.startswith(wanted):
        return start + len(wanted)
    return end if last == wanted else 0


def _window(text: str, matches: Sequence[tuple[int, int, Phrase]]) -> tuple[int, int]:
    """Return where the snippet begins and ends, at nearby spaces if there are any."""
    best, most = 0, (0, 0)
    for place, (start, _, _) in enumerate(matches):
        inside = [phrase for first, last, phrase in matches[place : place + 40] if last <= start + LENGTH - BEFORE]
        if (count := (len(set(inside)), len(inside))) > most:
            best, most = start, count
    start = 0 if best <= 2 * BEFORE else _at_blank(text, best - BEFORE, best)
    end = len(text) if len(text) <= start + LENGTH else _at_blank(text, start + LENGTH - 30, start + LENGTH, last=True)
    return start, max([end, *(last for first, last, _ in matches if first < end < last)])


def _at_blank(text: str, first: int, end: int, *, last: bool = False) -> int:
    found = text.rfind(" ", first, end) if last else text.find(" ", first, end)
    return (end if last else first) if found < 0 else found if last else found + 1
