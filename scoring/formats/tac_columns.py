"""Reads many lines of a TAC 2008 QA run at once, as columns, so that the rules of `tac_run_rules` can check them
together.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import BinaryIO

from scoring.folding import answer_keys, count_characters, fold_answer
from scoring.reading.line_pieces import Piece, plain_pieces

MAX_DOCNO_LENGTH = 128


def is_visible(text: str) -> bool:
    """Return whether the text has a visible character. White space, controls, and zero-width or combining characters
    ("Cf" and "Mn") are not visible.
    """
    return any(not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc", "Mn") for c in text)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunLine:
    """One line of a run. White space around the answer-string is removed; otherwise it is as submitted.

    ``no_docno`` is the text in the docno column if the line has no docno and the format defines what stands for one.
    """

    line: int
    topic: str
    run: str
    docno: str
    text: str
    no_docno: str = field(default="", compare=False)


@dataclass(slots=True)
class Columns:
    """The columns of many valid lines, with the answer strings normalised for comparison and the lengths by topic.

    The rules check such lines together. If all rules allow them, they are accepted; otherwise each line is checked
    alone.
    """

    number: int
    runs: Sequence[str]
    docnos: Sequence[str]
    distinct_docnos: set[str]
    keys: list[int]
    lengths: dict[str, int]


def columns_of(piece: Piece) -> Columns | None:
    """Return the lines as `Columns`. Return None unless every line has four columns, a visible character in the last
    one, and a topic of at most `MAX_DOCNO_LENGTH` characters.
    """
    tabbed = _between_tabs(piece)
    columns = tabbed or _between_gaps(piece)
    if columns is None:
        return None
    topics, runs, docnos, texts = columns
    if piece.is_ascii:
        lengths: Counter[str] = Counter()
        end = 0
        for topic, some in groupby(topics):
            begin, end = end, end + len(list(some))
            joined = "".join(texts[begin:end])
            lengths[topic] += len(joined) - joined.count(" ") - (0 if tabbed else joined.count("\t"))
        folded: Iterable[str] = texts if tabbed else [" ".join(text.split()) for text in texts]
    elif all(map(is_visible, texts)):
        lengths = Counter()
        for topic, text in zip(topics, texts, strict=True):
            lengths[topic] += count_characters(text)
        folded = [fold_answer(text) for text in texts]
    else:
        return None
    if max(map(len, lengths)) > MAX_DOCNO_LENGTH:
        return None
    keys = list(map(hash, zip(topics, folded, docnos, strict=True)))
    return Columns(piece.number, runs, docnos, set(docnos), keys, lengths)


def string_lengths(file: BinaryIO) -> dict[str, dict[str, float]] | None:
    """Return topic -> key (`answer_key`) -> length, for each string in file order. The length is the number of
    characters that are not white space.

    A pair of string and docid that is repeated in a topic is counted once. Return None unless every line has all
    columns and `scoring.reading.line_checks.read_lines` would report nothing.
    """
    found: dict[str, dict[str, float]] = {}
    for columns in (pieces := _all_columns(file)) or ():
        topics, _, docnos, texts = columns
        for topic, key, length in zip(topics, answer_keys(texts, docnos), _lengths(texts), strict=True):
            of_topic = found.setdefault(topic, {})
            if key not in of_topic:
                of_topic[key] = length
    return None if pieces is None else found


def _lengths(texts: Sequence[str]) -> list[int]:
    """Return the `count_characters` of each text. The only white space in texts in ASCII is blanks and tabs."""
    if "".join(texts).isascii():
        return [len(text) - text.count(" ") - text.count("\t") for text in texts]
    return list(map(count_characters, texts))


def run_strings(file: BinaryIO) -> list[tuple[str, int, str, str, str]] | None:
    """Return (topic, number in its topic, key (`answer_key`), docid, text) for each string, in file order.

    Return None if `string_lengths` would return None.
    """
    found: list[tuple[str, int, str, str, str]] = []
    ordinals: Counter[str] = Counter()
    for columns in (pieces := _all_columns(file)) or ():
        topics, _, docnos, texts = columns
        for topic, key, docno, text in zip(topics, answer_keys(texts, docnos), docnos, texts, strict=True):
            ordinals[topic] += 1
            found.append((topic, ordinals[topic], key, docno, text.strip()))
    return None if pieces is None else found


def _all_columns(file: BinaryIO) -> list[list[Sequence[str]]] | None:
    """Return the four columns of all lines, some lines at a time, or None if any line needs a closer look."""
    found: list[list[Sequence[str]]] = []
    for piece in plain_pieces(file):
        columns = _columns(piece) if isinstance(piece, Piece) else None
        if columns is None:
            return None
        found.append(columns)
    return found


def _columns(piece: Piece) -> list[Sequence[str]] | None:
    """Return the four columns of these lines. Return None unless every line has four columns, a visible character in
    the last one, and a topic of at most `MAX_DOCNO_LENGTH` characters.
    """
    columns = _between_tabs(piece) or _between_gaps(piece)
    if columns is None or max(map(len, columns[0])) > MAX_DOCNO_LENGTH:
        return None
    return columns if piece.is_ascii or all(map(is_visible, columns[3])) else None


def _between_tabs(piece: Piece) -> list[Sequence[str]] | None:
    """Return the four columns of lines in ASCII. Return None unless there is exactly one tab after each of the first
    three columns, without other white space beside it.
    """
    import numpy as np

    if not piece.is_ascii:
        return None
    read = np.frombuffer(f"\n{piece.text}\n".encode(), np.uint8)
    is_end = (read == ord("\t")) | (read == ord("\n"))
    is_white = is_end | (read == ord(" "))
    ends = read[np.flatnonzero(is_end)][1:]
    is_sound = len(ends) % 4 == 0 and (ends.view("<u4") == int.from_bytes(b"\t\t\t\n", "little")).all()
    if not is_sound or (is_white[1:] & is_white[:-1]).any():
        return None
    cells = piece.text.replace("\n", "\t").split("\t")
    columns: list[Sequence[str]] = [cells[place::4] for place in range(4)]
    return None if any(" " in "".join(column) for column in columns[:3]) else columns


def _between_gaps(piece: Piece) -> list[Sequence[str]] | None:
    """Return the four columns of lines separated by any white space; None if a line has fewer columns."""
    split = [line.split(None, 3) for line in piece.lines]
    return list(zip(*split, strict=True)) if set(map(len, split)) == {4} else None
