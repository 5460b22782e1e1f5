"""Ranked runs in TREC's format as files of a track: how they are read, shown, and checked for what looks wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from assess.protocol import CheckContext, RunContent, RunForm, SegmentRecord
from scoring.formats.trec_run import read_numbered_run, read_trec_run, tag_of_run
from scoring.measures.ranked import by_rank
from scoring.none_judged import none_judged
from scoring.records import Issue, RankedDoc


def no_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Return no segments, since a ranked run has no text of its own."""
    del file, context
    return iter(())


def read_ranking(file: BinaryIO, context: CheckContext) -> Iterator[RankedDoc]:
    """Yield the documents of each topic, best first. Lines that can't be read are skipped."""
    del context
    return by_rank(line for line in read_trec_run(file) if isinstance(line, RankedDoc))


def pooled_rows(file: BinaryIO, context: CheckContext) -> Iterator[tuple[str, ...] | Issue]:
    """Yield an issue for each line that can't be read, and then (topic, rank, document, score) for each document down
    to the campaign's pool depth.
    """
    found = list(read_trec_run(file))
    yield from (each for each in found if isinstance(each, Issue))
    for line in by_rank(each for each in found if isinstance(each, RankedDoc)):
        if line.rank <= context.settings.pool_depth:
            yield line.topic, str(line.rank), line.docno, repr(line.score)


def read_form(file: BinaryIO) -> RunForm | None:
    """Return the run's form: its tag, whose first 50 characters are also used as the team. Return None if the run has
    no tag.
    """
    tag = tag_of_run(file)
    return RunForm(tag=tag, team=tag[:50]) if tag is not None else None


def doubts_of_run(gold: Mapping[str, Mapping[str, int]], content: RunContent, run: str) -> Iterator[Issue]:
    """Yield a warning if no document of the run is in the gold. The file is read only up to the first document
    that is.
    """
    with content.open() as file:
        lines = (each[1] for each in read_numbered_run(file) if not isinstance(each, Issue))
        pairs = ((line.topic, line.docno) for line in lines)
        if issue := none_judged(pairs, gold, run=run):
            yield issue
