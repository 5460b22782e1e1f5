"""Reads and writes ranked runs as TREC accepts them and trec_eval reads them.

    topic Q0 docno rank score run-tag          301 Q0 FR940202-2-00150 1 2.129133 myrun1

A line has exactly six columns, separated by any white space. Measures rank by score and break ties by docno, both
descending, as trec_eval does: the rank column and the order of lines do not matter, but the rank must be a whole
number. A file holds one run (with one tag), and a document occurs once in a topic.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from scoring.file_kinds import REAL, WHOLE_GRADE, ColumnLayout, reads
from scoring.formats.pool_tables import topic_order
from scoring.formats.seen_documents import Documents
from scoring.formats.spec import Format, columns_issue, duplicate_issue, real, short, value_issue, whole_value
from scoring.reading.opening import MARK, byte_lines, decoded, excerpt_of, first_record, text_lines
from scoring.records import Issue, RankedDoc

LAYOUT = "topic Q0 docno rank score run-tag"
RUN = ColumnLayout(layout=LAYOUT, holds={"rank": WHOLE_GRADE, "score": REAL})


@reads("run", takes=RUN, formats=("trec-run",))
def read_trec_run(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Return the lines in file order, and an issue for each line that is malformed, repeats a document, or changes the
    tag.
    """
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_run(file))


def read_numbered_run(
    file: BinaryIO,
    *,
    after: int = 0,
    tag: str | None = None,
    was_ranked: Callable[[str, str], bool] = lambda topic, docno: False,
) -> Iterator[tuple[int, RankedDoc] | Issue]:
    """Yield (line number, line) and issues. If lines were read before, ``after`` is the number of those lines, ``tag``
    is their tag, and ``was_ranked`` says whether they contained a topic and docno.
    """
    documents = Documents()
    for line in text_lines(file, after=after):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        columns = text.split()
        if not columns:
            continue
        record = _ranked_doc(number, text, columns)
        if isinstance(record, Issue):
            yield record
            continue
        tag = record.run if tag is None else tag
        if record.run != tag:
            message = f"The run tag is {short(record.run)}, but the file began with {short(tag)}. One file is one run."
            yield Issue(where=number, code="run-tag", message=message, excerpt=excerpt_of(text))
        elif not documents.add(record.topic, record.docno) or was_ranked(record.topic, record.docno):
            yield duplicate_issue(number, text, f"Document {short(record.docno)} of topic {short(record.topic)}")
        else:
            yield number, record


def topics_of_run(file: BinaryIO) -> Iterator[str]:
    """Yield the topics of the lines of a checked run, in file order. Consecutive lines of a topic yield it once."""
    last, same = "", b""
    for line in byte_lines(file):
        if isinstance(line, Issue) or (same and line[1].startswith(same)):
            continue
        number, raw = line
        text = decoded(number, raw.removeprefix(MARK) if number == 1 else raw)
        if isinstance(text, Issue) or "\r" in text:
            continue
        topic = next(iter(text.split(None, 1)), "")
        if topic and topic != last:
            last, same = topic, f"{topic} ".encode()
            yield topic


def tag_of_run(file: BinaryIO) -> str | None:
    """Return the run tag of the first valid line, or None if there is none."""
    line = first_record(read_trec_run(file))
    return line.run if line is not None else None


def write_trec_run(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield lines sorted by topic and rank. A score is written so that the same number is read back."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.rank, -r.score, r.docno)):
        yield f"{r.topic} Q0 {r.docno} {r.rank} {r.score!r} {r.run or 'run'}"


def _ranked_doc(number: int, text: str, columns: list[str]) -> RankedDoc | Issue:
    if len(columns) != 6:
        return columns_issue(number, text, LAYOUT, len(columns))
    topic, _, docno, written_rank, written_score, run = columns
    rank, score = whole_value(written_rank), real(written_score)
    if rank is None:
        return value_issue(number, text, f"The rank is {short(written_rank)}; it must be a whole number.")
    if score is None:
        comma = ", with a point for its decimals" if "," in written_score else ""
        return value_issue(number, text, f"The score is {short(written_score)}; it must be a finite number{comma}.")
    return RankedDoc(topic=sys.intern(topic), docno=docno, rank=rank, score=score, run=sys.intern(run))


FORMAT = Format(
    name="trec-run",
    label="TREC run",
    source="trec_eval README; TREC participants' guidelines",
    layout=LAYOUT,
    record=RankedDoc,
    read=read_trec_run,
    write=write_trec_run,
)
