"""Reads and writes document lists as NIST gave them out: for each target the documents that a search engine ranked
highest.

    qnum rank docid rsv           3 1 BLOG06-20060118-000-0010432021 14.2871

Columns are separated by any white space; rank starts at 1; rsv is the similarity, and larger is better. Codes: columns,
rank, rsv, duplicate-docid, duplicate-rank, list-length (warning: more than 1000 documents for a target), rsv-order
(warning, once for each target: a document has a larger rsv than one of a better rank).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import BinaryIO

from scoring.file_kinds import DOCNO, FROM_ONE, REAL, ColumnLayout, reads
from scoring.formats.pool_tables import topic_order
from scoring.reading.opening import excerpt_of, records_of
from scoring.records import Issue, RankedDoc

MAX_RANKED = 1000
_LISTS = ColumnLayout(layout="qnum rank docid rsv", holds={"rank": FROM_ONE, "rsv": REAL}, usually={"docid": DOCNO})
_DIGITS = frozenset("0123456789")


@reads("document-list", takes=_LISTS)
def read_document_list(file: BinaryIO) -> Iterator[RankedDoc | Issue]:
    """Yield the lines in file order, and an issue for each line that can't be used.

    Such a line is malformed, or repeats a document or a rank of its target. Yield a warning for a target with more than
    `MAX_RANKED` documents, and for one whose ranks and scores disagree.
    """
    docnos: set[tuple[str, str]] = set()
    ranks: set[tuple[str, int]] = set()
    lengths: Counter[str] = Counter()
    values: dict[str, list[tuple[int, float]]] = {}
    for parsed in records_of(file, _parse_line):
        if isinstance(parsed, Issue):
            yield parsed
            continue
        number, record = parsed
        issue = _repeated(number, record, docnos, ranks)
        if issue is not None:
            yield issue
            continue
        docnos.add((record.topic, record.docno))
        ranks.add((record.topic, record.rank))
        lengths[record.topic] += 1
        values.setdefault(record.topic, []).append((record.rank, record.score))
        if lengths[record.topic] == MAX_RANKED + 1:
            message = f"Target {record.topic[:40]} has more than {MAX_RANKED:,} documents; lists end there as a rule."
            yield Issue(where=number, code="list-length", message=message, severity="warning")
        yield record
    for topic, ranked in values.items():
        yield from _disagreement(topic, sorted(ranked))


def write_document_list(records: Iterable[RankedDoc]) -> Iterator[str]:
    """Yield lines sorted by target and rank; `read_document_list` reads the same values back."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.rank, r.docno)):
        yield f"{r.topic} {r.rank} {r.docno} {r.score!r}"


def _repeated(
    number: int, record: RankedDoc, docnos: set[tuple[str, str]], ranks: set[tuple[str, int]]
) -> Issue | None:
    if (record.topic, record.docno) in docnos:
        message = f"The document stands in the list of target {record.topic[:40]} already. Delete the line."
        return Issue(where=number, code="duplicate-docid", message=message, excerpt=record.docno[:80])
    if (record.topic, record.rank) in ranks:
        message = f"Rank {record.rank} of target {record.topic[:40]} is given twice. Number the documents 1, 2, 3 …"
        return Issue(where=number, code="duplicate-rank", message=message, excerpt=record.docno[:80])
    return None


def _disagreement(topic: str, ranked: list[tuple[int, float]]) -> Iterator[Issue]:
    """Yield a warning if the ranks and the rsv values of a target's documents give different orders. A larger rsv is
    better.
    """
    wrong = [(rank, upper) for (upper, best), (rank, score) in pairwise(ranked) if score > best]
    if wrong:
        rank, upper = wrong[0]
        more = f" ({len(wrong):,} places of the list)" if len(wrong) > 1 else ""
        message = (
            f"Target {topic[:40]}: rank {rank} has a larger rsv than rank {upper}{more}. A larger rsv is better, so "
            "one of the two columns is wrong. The ranks count."
        )
        yield Issue(where="", code="rsv-order", message=message, severity="warning")


def _parse_line(number: int, line: str) -> tuple[int, RankedDoc] | Issue:
    columns = line.split()
    if len(columns) != 4:
        return _wrong(number, line, "columns", f"The line has {len(columns)} columns, not qnum rank docid rsv.")
    topic, rank, docno, rsv = columns
    if len(rank) > 9 or not _DIGITS.issuperset(rank) or int(rank) < 1:
        return _wrong(number, line, "rank", f'The rank is "{rank[:20]}"; it must be a whole number from 1.')
    try:
        score = float(rsv)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        return _wrong(number, line, "rsv", f'The rsv is "{rsv[:20]}"; it must be a number.')
    return number, RankedDoc(topic=topic, docno=docno, rank=int(rank), score=score)


def _wrong(number: int, line: str, code: str, message: str) -> Issue:
    return Issue(where=number, code=code, message=message, excerpt=excerpt_of(line))
