"""Judgments in TREC's columns read many lines at once, as `scoring.formats.run_blocks` reads runs.

The same lines are taken and the same issues told as by `scoring.formats.qrels`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import BinaryIO

from scoring.file_kinds import reads
from scoring.formats import run_blocks
from scoring.formats.qrels import LAYOUT, QRELS, read_numbered_qrels
from scoring.formats.seen_documents import DocumentsInBlocks
from scoring.formats.spec import whole_value
from scoring.reading.line_pieces import Rest, looked_at
from scoring.reading.opening import MARK, MARKED_LINE
from scoring.records import Issue

Judged = tuple[str, Sequence[str], Sequence[int]]
"""Topic, docnos and grades of lines that follow one another."""


@reads("qrels", takes=QRELS, formats=("qrels",))
def read_qrels_blocks(file: BinaryIO) -> Iterator[Judged | Issue]:
    """Yield the judgments in file order, those of one topic together as far as they are read together.

    No document comes twice in a topic. Costs a tenth of reading line by line.
    """
    documents = DocumentsInBlocks()
    for each in looked_at(file, partial(_plain, documents), size=run_blocks.PIECE):
        if not isinstance(each, Rest):
            yield each
            continue
        for line in read_numbered_qrels(each.file, after=each.lines, was_judged=documents.has):
            yield line if isinstance(line, Issue) else (line[1].topic, (line[1].docno,), (line[1].grade,))


def _plain(documents: DocumentsInBlocks, raw: bytes, before: int) -> list[Judged] | None:
    """What whole lines say, of which so many came ``before``, or None where any of them is not four sound columns,
    judges a document again, or goes back to a topic that was over.
    """
    from scoring.reading.word_columns import PAD, split_columns

    raw = raw if before else raw.removeprefix(MARK)
    if raw.startswith(MARK) or MARKED_LINE in raw:
        return None
    columns = split_columns(raw + PAD, len(raw), len(LAYOUT.split()))
    if columns is None:
        return None
    topics, _, docnos, written = columns
    grades = written.wholes(whole_value)
    if grades is None:
        return None
    found = documents.add(topics, docnos)
    if found is None:
        return None
    values = grades.tolist()
    return [(topic, docnos[begin:end].at(slice(None)), values[begin:end]) for topic, begin, end in found]
