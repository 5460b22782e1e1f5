"""Splits lines with a fixed number of words into columns, by numpy and a megabyte at a time. A word becomes a text only
when it is asked for.

    columns = split_columns(raw + PAD, len(raw), 6)
    if columns is not None:
        columns[0][17], columns[4].numbers()

Words are processed eight bytes at a time, each as a whole number of 64 bits whose lowest byte is the first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

PAD = bytes(24)
"""The bytes that must follow the lines, since eight bytes are read from the last byte of a word, and a few more after a
number.
"""

Numbers = NDArray[np.float64]
Whole = NDArray[np.uint64]
Places = NDArray[np.int64]

_BLANK = 32
_BEYOND = re.compile(r"[^\S\x00-\x7f]")
_WHITE: NDArray[np.bool_] = np.zeros(_BLANK + 1, bool)
_WHITE[[ord(each) for each in " \t\n\r"]] = True
_EVERY = (1 << 64) - 1
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)  # masks of the first 0 to 8 bytes
_ZEROS, _DOTS = np.uint64(0x3030303030303030), np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES, _HIGHS, _HALVES = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(0xF0F0F0F0F0F0F0F0)
_SIXES = np.uint64(0x0606060606060606)
_STEPS = [(10, 8, 0x00FF00FF00FF00FF), (100, 16, 0x0000FFFF0000FFFF), (10_000, 32, 0xFFFFFFFF)]
_POWERS = 10.0 ** np.arange(9)
_EXACT = np.uint64(1 << 53)
_SPREAD, _MIX = 0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD


def split_columns(raw: bytes, end: int, columns: int) -> list[Words] | None:
    """Return the columns of the whole lines in the first ``end`` bytes of ``raw``. The rest of ``raw`` must be `PAD`.

    Return None if a line has more or fewer words than ``columns``, if the lines are not UTF-8, or if they contain a
    control character or a lone CR. Words are separated by the same white space as in `str.split`.
    """
    read = np.frombuffer(raw, np.uint8, end)
    places = np.flatnonzero(read <= _BLANK)
    found = read[places]
    if not _WHITE[found].all() or (b"\r" in raw and raw.count(b"\r") != raw.count(b"\r\n")):
        return None
    begins, ends = np.concatenate(([0], places[:-1] + 1)), places
    is_word = np.greater(ends, begins)
    counted = np.flatnonzero(found == ord("\n")) + 1  # the number of words up to the end of each line
    if not is_word.all():
        begins, ends, counted = begins[is_word], ends[is_word], np.cumsum(is_word)[counted - 1]
    if len(counted) * columns != len(ends) or (counted != np.arange(columns, len(ends) + 1, columns)).any():
        return None
    if not raw.isascii() and not _is_parted_by_ascii(raw[:end]):
        return None
    parts = (np.ascontiguousarray(each.reshape(-1, columns).T) for each in (begins, ends))
    return [Words(raw, *places) for places in zip(*parts, strict=True)]


def hash_of(word: str) -> int:
    """Return the hash of this word, which is the same as in `Words.hashes`."""
    raw = word.encode()
    value = len(raw) * _SPREAD
    for begin in range(0, len(raw), 8):
        part = int.from_bytes(raw[begin : begin + 8], "little") * _MIX & _EVERY
        value += (part ^ part >> 32) * (_SPREAD + 2 * begin)
    return value & _EVERY


class Words(Sequence[str]):
    """One column of many lines: a word on each line, stored as the places in the bytes where the words begin
    and end.
    """

    __slots__ = ("_begins", "_ends", "_raw")

    def __init__(self, raw: bytes, begins: Places, ends: Places) -> None:
        self._raw, self._begins, self._ends = raw, begins, ends

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Words: ...
    def __getitem__(self, place: int | slice) -> str | Words:
        if isinstance(place, slice):
            return Words(self._raw, self._begins[place], self._ends[place])
        return self._raw[self._begins[place] : self._ends[place]].decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self.at(slice(None)))

    def at(self, places: slice | Places) -> list[str]:
        """Return the words at these places."""
        raw, begins, ends = self._raw, self._begins[places], self._ends[places]
        if not len(begins):
            return []
        first, last = int(begins.min()), int(ends.max())
        text = raw[first:last].decode()
        if len(text) == last - first:  # each character is one byte
            bounds = zip((begins - first).tolist(), (ends - first).tolist(), strict=True)
            return [text[begin:end] for begin, end in bounds]
        return [raw[begin:end].decode() for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]

    @property
    def are_ascii(self) -> bool:
        """Whether the lines of these words, and others that were read with them, have no letter beyond ASCII."""
        return self._raw.isascii()

    def changes(self) -> Places:
        """Return the places in the column of words that differ from the word before them."""
        differs: NDArray[np.bool_] = np.zeros(max(len(self) - 1, 0), bool)
        for eight in self._eights():
            differs |= eight[1:] != eight[:-1]
        return np.flatnonzero(differs) + 1

    def hashes(self) -> Whole:
        """Return a 64-bit hash of each word, the same in every process."""
        found = (self._ends - self._begins).astype(np.uint64) * np.uint64(_SPREAD)
        for place, eight in enumerate(self._eights()):
            part = eight * np.uint64(_MIX)  # nothing past a word's end, so its neighbours do not matter
            found += (part ^ part >> np.uint64(32)) * np.uint64(_SPREAD + 16 * place)
        return found

    def wholes(self, otherwise: Callable[[str], int | None]) -> Places | None:
        """Return the words as whole numbers, or None if a word is not a whole number. ``otherwise`` reads every word
        that does not consist of one to eight digits.
        """
        values, known = self._digits(self._begins, self._ends - self._begins)
        found = values.astype(np.int64)
        for place in np.flatnonzero(~known).tolist():
            value = otherwise(self[place])
            if value is None:
                return None
            found[place] = value
        return found

    def numbers(self, otherwise: Callable[[str], float | None]) -> Numbers | None:
        """Return the words as numbers, each as `float` reads it, or None if any word is not a number.

        Decimals without an exponent are read here: a whole number below 2^53 divided by a power of ten is rounded only
        once, so the result is the nearest double. ``otherwise`` reads words with more digits or in another form.
        """
        begins, view = self._begins, self._view()
        first = view[begins] & np.uint64(0xFF)
        is_negative = first == ord("-")
        begins = begins + (is_negative | (first == ord("+")))
        lengths = self._ends - begins
        dots = view[begins] ^ _DOTS
        dots = (dots - _ONES) & ~dots & _HIGHS
        before = np.minimum(np.bitwise_count((dots & (~dots + np.uint64(1))) - np.uint64(1)) >> 3, lengths)
        after = np.maximum(lengths - before - 1, 0)
        has_point = before < lengths
        values, known = self._digits(begins, before)
        parts, is_part = self._digits(begins + before + 1, after)
        known &= np.where(has_point, is_part & (before < 8), True)
        values = np.where(has_point, values * _POWERS[np.minimum(after, 8)].astype(np.uint64) + parts, values)
        known &= values <= _EXACT
        found: Numbers = values.astype(np.float64) / _POWERS[np.where(has_point, np.minimum(after, 8), 0)]
        np.negative(found, where=is_negative, out=found)
        for place in np.flatnonzero(~known).tolist():
            value = otherwise(self[place])
            if value is None:
                return None
            found[place] = value
        return found

    def _digits(self, begins: Places, lengths: Places) -> tuple[Whole, NDArray[np.bool_]]:
        """Return, for each word, the number that its bytes make, and whether these bytes are one to eight digits. A
        word's bytes begin at ``begins``, and there are ``lengths`` of them.
        """
        short = np.clip(lengths, 0, 8).astype(np.uint64) * np.uint64(8)
        known = (lengths >= 1) & (lengths <= 8)
        number = np.where(known, (self._view()[begins] << (np.uint64(64) - short)) | (_ZEROS >> short), _ZEROS)
        known &= (number & _HALVES == _ZEROS) & ((number + _SIXES) & _HALVES == _ZEROS)
        number -= _ZEROS
        for factor, bits, kept in _STEPS:
            number = (number * np.uint64(factor) + (number >> np.uint64(bits))) & np.uint64(kept)
        return number, known

    def _eights(self) -> Iterator[Whole]:
        """Yield the words' bytes eight at a time, with zeros past their ends."""
        lengths, view = self._ends - self._begins, self._view()
        for begin in range(0, int(lengths.max(initial=0)), 8):
            places = np.minimum(self._begins + begin, self._ends)
            yield view[places] & _FIRST[np.clip(lengths - begin, 0, 8)]

    def _view(self) -> Whole:
        """Return, for each byte, the eight bytes that begin there, as one number."""
        return np.ndarray((len(self._raw) - 7,), np.dtype("<u8"), self._raw, strides=(1,))


def _is_parted_by_ascii(raw: bytes) -> bool:
    """Return whether these bytes are valid UTF-8 and contain no white space beyond ASCII."""
    try:
        return not _BEYOND.search(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return False
