"""Ranked runs in TREC's columns read many lines at once, for files of millions of lines.

The same lines are taken and the same issues told as by `scoring.formats.trec_run`: a piece of the file in which every
line is plain is split and checked as a whole, and from the first piece that is not, lines are read one by one.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, BinaryIO, cast

from scoring.formats.spec import real
from scoring.formats.trec_run import read_numbered_run
from scoring.reading import damage_errors
from scoring.records import Issue

PIECE = 1 << 19
"""Bytes that are looked at together; less than the longest line that is read."""
_COLUMNS = 7  # six, and the mark at the end of a line
_DIGITS = str.maketrans("", "", "0123456789")
_OF_NUMBERS = str.maketrans("", "", "0123456789+-.")

Lines = tuple[str, str, Sequence[str], Sequence[float]]
"""Run tag, topic, docnos and scores of lines that follow one another."""


def read_run_blocks(file: BinaryIO) -> Iterator[Lines | Issue]:
    """The lines in file order, those of one topic together as far as they are read together.

    No document comes twice in a topic. Costs a fraction of reading line by line; holds the docnos of the file.
    """
    ranked: dict[str, set[str]] = {}
    tag: str | None = None
    number, rest, damage = 0, b"", None
    while True:
        try:
            piece = file.read(PIECE)
        except damage_errors() as error:
            damage = error
            break
        whole, end, tail = (rest + piece).rpartition(b"\n")
        found = _plain(whole + end, tag, ranked, first=number == 0) if piece and end else None
        if found is None:
            rest += piece
            break
        tag, rest = found[0][0], tail
        number += whole.count(b"\n") + 1
        yield from found
    remaining = io.BufferedReader(cast(Any, _Remaining(rest, file, damage)))
    for line in read_numbered_run(cast(BinaryIO, remaining), after=number, tag=tag, ranked=ranked):
        yield line if isinstance(line, Issue) else (line[1].run, line[1].topic, (line[1].docno,), (line[1].score,))


def _plain(raw: bytes, tag: str | None, ranked: dict[str, set[str]], *, first: bool) -> list[Lines] | None:
    """What whole lines say, or None where any of them is not six sound columns of this run, or repeats a document."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\0" in text or text.count("\r") != text.count("\r\n"):
        return None
    words = (text.removeprefix("\ufeff") if first else text).replace("\n", " \0 ").split()
    ends = words[6::_COLUMNS]
    if len(words) != _COLUMNS * len(ends) or text.count("\n") != len(ends) or set(ends) != {"\0"}:
        return None
    tag = words[5] if tag is None else tag
    scores = _numbers(words[4::_COLUMNS])
    if scores is None or set(words[5::_COLUMNS]) != {tag} or not _are_ranks(words[3::_COLUMNS]):
        return None
    return _by_topic(tag, words[0::_COLUMNS], words[2::_COLUMNS], scores, ranked)


def _by_topic(
    tag: str, topics: list[str], docnos: list[str], scores: list[float], ranked: dict[str, set[str]]
) -> list[Lines] | None:
    """Lines of one topic after another, and their docnos among those that were ranked; None where one is there."""
    found: list[Lines] = []
    new: dict[str, set[str]] = {}
    begin = 0
    for topic, lines in groupby(topics):
        end = begin + len(list(lines))
        some, seen = docnos[begin:end], new.setdefault(topic, set())
        before = len(seen)
        seen.update(some)
        if len(seen) != before + len(some) or not ranked.get(topic, seen - seen).isdisjoint(some):
            return None
        found.append((tag, topic, some, scores[begin:end]))
        begin = end
    for topic, seen in new.items():
        if ranked.setdefault(topic, seen) is not seen:
            ranked[topic].update(seen)
    return found


def _are_ranks(words: list[str]) -> bool:
    """Whether all are whole numbers without a sign, of at most nine digits."""
    return max(map(len, words)) <= 9 and not "".join(words).translate(_DIGITS)


def _numbers(words: list[str]) -> list[float] | None:
    """What `scoring.formats.spec.real` reads from each, or None where one is no number."""
    if "".join(words).translate(_OF_NUMBERS):  # exponents, or worse
        exact = [real(word) for word in words]
        return None if None in exact else cast(list[float], exact)
    try:
        values = list(map(float, words))
    except ValueError:
        return None
    return values if all(map(math.isfinite, values)) else None


class _Remaining(io.RawIOBase):
    """What was read of a file already, then the file, or the damage that was met in it."""

    def __init__(self, start: bytes, file: BinaryIO, damage: BaseException | None) -> None:
        self._start, self._file, self._damage = memoryview(start), file, damage

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        if not self._start:
            if self._damage is not None:
                raise self._damage
            self._start = memoryview(self._file.read(len(target)))
        count = min(len(target), len(self._start))
        target[:count] = self._start[:count]
        self._start = self._start[count:]
        return count
