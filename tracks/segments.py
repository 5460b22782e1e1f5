"""Segments of runs whose lines are answers: the same for every track with such runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from assess.protocol import SegmentRecord
from scoring.folding import answer_key
from scoring.formats.tac_runs import RunLine
from scoring.own_items import own_key


def segments_of_lines(lines: Iterable[RunLine], item_kind: str, *, each: bool = False) -> Iterator[SegmentRecord]:
    """One segment a line, numbered within its question.

    The same string from the same document (white space apart) of two runs has the same item key; with ``each`` every
    one has its own (`scoring.own_items`).
    """
    ordinals: Counter[str] = Counter()
    places: Counter[tuple[str, str]] = Counter()
    for line in lines:
        ordinals[line.topic] += 1
        key = answer_key(line.text, line.docno)
        if each:
            places[line.topic, key] += 1
            key = own_key(key, line.run, places[line.topic, key])
        yield SegmentRecord(
            topic=line.topic,
            ordinal=ordinals[line.topic],
            text=line.text,
            docno=line.docno,
            item_kind=item_kind,
            item_key=key,
            line=line.line,
            no_docno=line.no_docno,
        )
