"""Reads ranked runs in TREC's columns many lines at once, for files of millions of lines.

It accepts the same lines and reports the same issues as `scoring.formats.trec_run`. As long as every line is plain and
the lines of each topic are contiguous, numpy splits and checks a whole piece of the file at once
(`scoring.reading.word_columns`). From the first piece on that is not so, lines are read one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from operator import gt
from typing import TYPE_CHECKING, BinaryIO, cast

from scoring.file_kinds import reads
from scoring.formats.seen_documents import DocumentsInBlocks
from scoring.formats.spec import real, whole_value
from scoring.formats.trec_run import RUN, read_numbered_run
from scoring.reading.line_pieces import RestOfFile, closely_read
from scoring.reading.opening import MARK, MARKED_LINE
from scoring.reading.packed_rankings import PackedRankings
from scoring.records import Issue, RankedDoc

if TYPE_CHECKING:
    from scoring.reading.word_columns import Numbers, Places, Words

PIECE = 1 << 18
"""The number of bytes processed together; no more than the longest line that is read."""
_COLUMNS = 6

Lines = tuple[str, str, Sequence[str], Sequence[float]]
"""Run tag, topic, docnos and scores of consecutive lines. Of many lines the docnos are bytes
(`scoring.reading.word_columns.Words`) and the scores a numpy array.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """Consecutive lines of one topic that were read together. ``number`` is the number of the first line."""

    number: int
    tag: str
    topic: str
    docnos: Words
    ranks: Places
    scores: Numbers

    def after_first(self) -> Block:
        """Return the block without its first line."""
        rest = slice(1, None)
        return replace(
            self, number=self.number + 1, docnos=self.docnos[rest], ranks=self.ranks[rest], scores=self.scores[rest]
        )


@reads("run", takes=RUN, formats=("trec-run",))
def read_run_blocks(file: BinaryIO) -> Iterator[Lines | Issue]:
    """Yield the lines in file order, and issues. Lines of a topic that are read together are yielded as one block.

    No document is yielded twice for a topic. This takes a twentieth of the time of reading line by line, and 8 bytes of
    memory for each line.
    """
    return blocks_of_checked_run(file)


def blocks_of_checked_run(file: BinaryIO) -> Iterator[Lines | Issue]:
    """Yield what `read_run_blocks` yields, without recognising the file's kind first, which takes longer than reading
    thousands of lines.
    """
    for each in _numbered_blocks(file):
        if isinstance(each, Issue):
            yield each
        elif isinstance(each, Block):
            yield each.tag, each.topic, each.docnos, cast(Sequence[float], each.scores)
        else:
            (_, line) = each
            yield line.run, line.topic, (line.docno,), (line.score,)


@reads("run", takes=RUN, formats=("trec-run",))
def read_numbered_blocks(file: BinaryIO) -> Iterator[Block | tuple[int, RankedDoc] | Issue]:
    """Yield the lines of a run as `read_run_blocks` groups them, with the number and the rank of each, and issues."""
    return _numbered_blocks(file)


def _numbered_blocks(file: BinaryIO) -> Iterator[Block | tuple[int, RankedDoc] | Issue]:
    documents, tags = DocumentsInBlocks(), list[str]()
    for each in closely_read(file, partial(_plain, documents, tags), size=PIECE):
        if isinstance(each, RestOfFile):
            tag = tags[0] if tags else None
            yield from read_numbered_run(each.file, after=each.lines, tag=tag, was_ranked=documents.has)
        else:
            yield each


def rankings_of_blocks(lines: Iterable[Lines | Issue]) -> PackedRankings | None:
    """Return topic -> docno -> score, with each topic's documents best first. Return None if any line has an issue, or
    if a topic comes again after others.
    """
    try:
        return PackedRankings.of(_topics_of(lines))
    except _NotByTopic:
        return None


class _NotByTopic(Exception):
    """Raised for lines that can't be packed one topic after the other."""


def _topics_of(lines: Iterable[Lines | Issue]) -> Iterator[tuple[str, dict[str, float]]]:
    import numpy as np

    seen: set[str] = set()
    for topic, same in groupby(lines, key=lambda each: "" if isinstance(each, Issue) else each[1]):
        found: dict[str, float] = {}
        for each in same:
            if isinstance(each, Issue) or topic in seen:
                raise _NotByTopic
            _, _, docnos, scores = each
            found.update(zip(docnos, np.asarray(scores).tolist(), strict=True))
        seen.add(topic)
        yield topic, best_first(found)


def best_first(scores: dict[str, float]) -> dict[str, float]:
    """Return the documents of a topic by score, then docno, both descending, as trec_eval orders them. This is quick if
    they already are in that order.

    >>> list(best_first({"a": 1.0, "b": 2.0, "c": 1.0}))
    ['b', 'c', 'a']
    """
    if all(map(gt, scores.values(), islice(scores.values(), 1, None))):
        return scores
    return {docno: score for score, docno in sorted(((score, docno) for docno, score in scores.items()), reverse=True)}


def _plain(documents: DocumentsInBlocks, tags: list[str], raw: bytes, before: int) -> list[Block] | None:
    """Return the blocks of whole lines; ``before`` is the number of lines before them. Return None if any line does not
    have six valid columns with this run's tag, repeats a document, or returns to a topic that had ended. ``tags`` holds
    the first line's tag.
    """
    from scoring.reading.word_columns import PAD, split_columns

    raw = raw if before else raw.removeprefix(MARK)
    if raw.startswith(MARK) or MARKED_LINE in raw:
        return None
    columns = split_columns(raw + PAD, len(raw), _COLUMNS)
    if columns is None:
        return None
    topics, _, docnos, places, written, named = columns
    scores, ranks = written.numbers(real), places.wholes(whole_value)
    if scores is None or ranks is None or len(named.changes()) or named[0] not in (tags or [named[0]]):
        return None
    found = documents.add(topics, docnos)
    if found is None:
        return None
    tags[:] = [named[0]]
    return [
        Block(
            number=before + begin + 1,
            tag=named[0],
            topic=topic,
            docnos=docnos[begin:end],
            ranks=ranks[begin:end],
            scores=scores[begin:end],
        )
        for topic, begin, end in found
    ]
