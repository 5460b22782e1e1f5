"""Ranked runs in TREC's columns read many lines at once, for files of millions of lines.

The same lines are taken and the same issues told as by `scoring.formats.trec_run`: a piece of the file in which every
line is plain, and every topic's lines stand together, is split and checked as a whole by numpy
(`scoring.word_columns`), and from the first piece that is not, lines are read one by one.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from scoring.file_kinds import COLUMNS, reads
from scoring.formats.spec import real, whole
from scoring.formats.trec_run import LAYOUT, read_numbered_run
from scoring.line_pieces import Remaining
from scoring.reading import LINE_LIMIT
from scoring.records import Issue, RankedDoc
from scoring.unpacking import damage_errors

if TYPE_CHECKING:
    from scoring.word_columns import Numbers, Whole, Words

PIECE = 1 << 20
"""Bytes that are looked at together; no more than the longest line that is read."""
_COLUMNS = 6
_MARK = b"\xef\xbb\xbf"

Lines = tuple[str, str, Sequence[str], Sequence[float]]
"""Run tag, topic, docnos and scores of lines that follow one another; many lines keep their docnos as bytes
(`scoring.word_columns.Words`), and their scores as an array of numpy's.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Lines of one topic that follow one another and were read together, the first of which has this ``number``."""

    number: int
    tag: str
    topic: str
    docnos: Words
    ranks: Words
    scores: Numbers


@reads("run", forms=COLUMNS, layout=LAYOUT, converted_to="trec-run")
def read_run_blocks(file: BinaryIO) -> Iterator[Lines | Issue]:
    """The lines in file order, those of one topic together as far as they are read together.

    No document comes twice in a topic. Costs a twentieth of reading line by line; holds 8 bytes for each line.
    """
    for each in read_numbered_blocks(file):
        if isinstance(each, Issue):
            yield each
        elif isinstance(each, Block):
            yield each.tag, each.topic, each.docnos, cast(Sequence[float], each.scores)
        else:
            (_, line) = each
            yield line.run, line.topic, (line.docno,), (line.score,)


@reads("run", forms=COLUMNS, layout=LAYOUT, converted_to="trec-run")
def read_numbered_blocks(file: BinaryIO) -> Iterator[Block | tuple[int, RankedDoc] | Issue]:
    """The same with the numbers of the lines and with their ranks."""
    ranked = _Ranked()
    number, rest, damage = 0, b"", None
    while True:
        try:
            piece = file.read(PIECE)
        except damage_errors() as error:
            damage = error
            break
        if not piece and not rest:
            return
        rest += piece
        end = rest.rfind(b"\n") + 1 if piece else 0
        plain = rest[:end].removeprefix(_MARK) if number == 0 else rest[:end]
        is_short = plain.find(b"\n") <= LINE_LIMIT  # the first line alone may have begun in an earlier piece
        found = _plain(plain, ranked, number) if end and is_short else None
        if found is None:
            break
        number += sum(len(block.docnos) for block in found)
        rest = rest[end:]
        yield from found
    remaining = io.BufferedReader(cast(Any, Remaining(rest, file, damage)))
    yield from read_numbered_run(cast(BinaryIO, remaining), after=number, tag=ranked.tag, was_ranked=ranked.has)


def issues_of_blocks(file: BinaryIO) -> Iterator[Issue]:
    """What is wrong with single lines, apart from the rules that a run must keep."""
    return (each for each in read_run_blocks(file) if isinstance(each, Issue))


class _Ranked:
    """What pieces have said so far: the tag, and which documents of which topics, as hashes of 64 bits."""

    def __init__(self) -> None:
        self.tag: str | None = None
        self.last: str | None = None
        self.hashes: dict[str, list[Whole]] = {}
        self._sets: dict[str, set[int]] = {}

    def has(self, topic: str, docno: str) -> bool:
        """Whether a piece had this document in this topic. The first to ask of a topic pays for all its documents."""
        if topic not in self.hashes:
            return False
        from scoring.word_columns import hash_of

        if topic not in self._sets:
            self._sets[topic] = {each for some in self.hashes[topic] for each in some.tolist()}
        return hash_of(docno) in self._sets[topic]


def _plain(raw: bytes, ranked: _Ranked, before: int) -> list[Block] | None:
    """What whole lines say, of which so many came ``before``, or None where any of them is not six sound columns of
    this run, repeats a document, or goes back to a topic that was over.
    """
    import numpy as np

    from scoring.word_columns import PAD, split_columns

    columns = split_columns(raw + PAD, len(raw), _COLUMNS)
    if columns is None:
        return None
    topics, _, docnos, ranks, written, tags = columns
    scores = written.numbers(real)
    if scores is None or not ranks.all_whole(whole) or len(tags.changes()) or tags[0] != (ranked.tag or tags[0]):
        return None
    bounds = [0, *topics.changes().tolist(), len(topics)]
    names = [topics[begin] for begin in bounds[:-1]]
    later = names[1:] if names[0] == ranked.last else names
    if len(set(names)) < len(names) or not ranked.hashes.keys().isdisjoint(later):
        return None
    hashes = docnos.hashes()
    parts = [hashes[begin:end] for begin, end in pairwise(bounds)]
    earlier = ranked.hashes.get(names[0], [])
    if any(map(_has_repeats, (np.concatenate([*earlier, parts[0]]), *parts[1:]))):
        return None
    for name, part in zip(names, parts, strict=True):
        ranked.hashes.setdefault(name, []).append(part)
    ranked.tag, ranked.last = tags[0], names[-1]
    return [
        Block(
            number=before + begin + 1,
            tag=ranked.tag,
            topic=name,
            docnos=docnos[begin:end],
            ranks=ranks[begin:end],
            scores=scores[begin:end],
        )
        for name, (begin, end) in zip(names, pairwise(bounds), strict=True)
    ]


def _has_repeats(hashes: Whole) -> bool:
    import numpy as np

    ordered = np.sort(hashes)
    return bool((ordered[1:] == ordered[:-1]).any())
