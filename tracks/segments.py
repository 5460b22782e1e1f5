"""Segments of runs whose lines are answers: the same for every track with such runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from assess.protocol import SegmentRecord
from scoring.folding import answer_key
from scoring.formats.tac_runs import RunLine


def segments_of_lines(lines: Iterable[RunLine], item_kind: str) -> Iterator[SegmentRecord]:
    """One segment a line, numbered within its question.

    The same string from the same document (white space apart) of two runs has the same item key.
    """
    ordinals: Counter[str] = Counter()
    for line in lines:
        ordinals[line.topic] += 1
        yield SegmentRecord(
            topic=line.topic,
            ordinal=ordinals[line.topic],
            text=line.text,
            docno=line.docno,
            item_kind=item_kind,
            item_key=answer_key(line.text, line.docno),
            line=line.line,
        )
