"""The rules of ranked runs as participants submit them, checked line by line and never stopped by an error.

Codes, beside those of `scoring.formats.trec_run` (columns, value, duplicate, run-tag) and `scoring.reading`:

    empty-file          nothing in the file is a line of a run
    unknown-topic       the topic is not among those asked; once a topic
    too-many            more documents for a topic than may be ranked; once a topic
    unknown-docno       the document is not in the collection
    run-tag-form        the tag keeps another form (`scoring.run_tags`)
    run-tag-mismatch    the tag in the file is not that of the form
    rank-order          (warning, once a topic) the ranks do not follow the scores; the scores count
    missing-topic       (warning, once a file) topics without any document
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from scoring.formats.trec_run import read_numbered_run
from scoring.reading import excerpt_of
from scoring.records import Issue, RankedDoc
from scoring.run_tags import TagRule

BATCH = 5_000


@dataclass(slots=True)
class _Seen:
    """What went before."""

    counts: dict[str, int] = field(default_factory=dict)
    last: dict[str, RankedDoc] = field(default_factory=dict)
    disordered: set[str] = field(default_factory=set)


def check_ranked_run(
    file: BinaryIO,
    *,
    topics: Sequence[str],
    limit: int,
    tag: str = "",
    tags: TagRule | None = None,
    unknown_docnos: Callable[[Iterable[str]], set[str]] | None = None,
) -> Iterator[Issue]:
    """Every rule that a run breaks, in the order of its lines; valid docnos are asked for in batches.

    ``tags`` is what the run tag must look like (None: any word).
    """
    seen = _Seen()
    known = set(topics)
    waiting: list[tuple[int, str]] = []
    empty = True
    for each in read_numbered_run(file):
        if isinstance(each, Issue):
            empty = False
            yield each
            continue
        number, line = each
        if empty and tag and line.run != tag:
            message = (
                f'The run tag is "{excerpt_of(line.run, length=40)}", but the form says "{tag}". Change one of them.'
            )
            yield Issue(where=number, code="run-tag-mismatch", message=message, excerpt=_shown(line))
        if empty and tags is not None and not tags.allows(line.run):
            yield tags.issue(line.run, number)
        empty = False
        yield from _check_line(number, line, seen, known, limit)
        if unknown_docnos is not None:
            waiting.append((number, line.docno))
            if len(waiting) >= BATCH:
                yield from _check_docnos(waiting, unknown_docnos)
                waiting.clear()
    if waiting and unknown_docnos is not None:
        yield from _check_docnos(waiting, unknown_docnos)
    if empty:
        yield Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    elif missing := [topic for topic in topics if topic not in seen.counts]:
        shown = ", ".join(missing[:10]) + (" …" if len(missing) > 10 else "")
        message = f"{len(missing)} of {len(topics)} topics have no document: {shown}. They count 0."
        yield Issue(where="", code="missing-topic", message=message, severity="warning")


def _check_line(number: int, line: RankedDoc, seen: _Seen, known: set[str], limit: int) -> Iterator[Issue]:
    count = seen.counts[line.topic] = seen.counts.get(line.topic, 0) + 1
    shown = f'"{excerpt_of(line.topic, length=40)}"'
    if count == 1 and line.topic not in known:
        message = f"There is no topic {shown}. Check the topic file."
        yield Issue(where=number, code="unknown-topic", message=message, excerpt=_shown(line))
    if count == limit + 1:
        message = f"Topic {shown} has more than {limit:,} documents. Leave out those ranked lowest."
        yield Issue(where=number, code="too-many", message=message, excerpt=_shown(line))
    last = seen.last.get(line.topic)
    seen.last[line.topic] = line
    if last is None or line.topic in seen.disordered:
        return
    if (line.rank - last.rank) * (line.score - last.score) > 0 or line.rank == last.rank:
        seen.disordered.add(line.topic)
        message = f"The ranks of topic {shown} do not follow its scores. Only the scores count, ties by docno."
        yield Issue(where=number, code="rank-order", message=message, severity="warning", excerpt=_shown(line))


def _shown(line: RankedDoc) -> str:
    """The line as it is understood, shortened."""
    return excerpt_of(f"{line.topic} Q0 {line.docno} {line.rank} {line.score!r} {line.run}")


def _check_docnos(
    waiting: list[tuple[int, str]], unknown_docnos: Callable[[Iterable[str]], set[str]]
) -> Iterator[Issue]:
    unknown = unknown_docnos({docno for _, docno in waiting})
    for number, docno in waiting:
        if docno in unknown:
            message = f'The document "{excerpt_of(docno, length=60)}" is not in the collection. Check the docno column.'
            yield Issue(where=number, code="unknown-docno", message=message, excerpt=excerpt_of(docno))
