"""Makes ranked documents and judgments of the rows of a table or of JSON objects, whatever tool wrote them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.formats.neighbour_rows import (
    DOCNO,
    GRADE,
    ITERATION,
    LISTS,
    RANK,
    SCORE,
    TAG,
    TEXTS,
    TOPIC,
    Row,
    first_named,
    like_ranks,
)
from scoring.formats.seen_documents import Documents
from scoring.formats.spec import real, short, value_issue, whole_value
from scoring.reading.opening import excerpt_of
from scoring.records import Issue, Qrel, RankedDoc


def _of_documents(
    rows: Iterable[Row | Issue], known: _Known
) -> Iterator[tuple[int, Mapping[str, Any], str, str] | Issue]:
    """Yield (number, row, topic, docno) for each row. A row without a topic or a docno is an issue, and so is a column
    "id" that numbers the rows of several topics.
    """
    first: tuple[int, str] | None = None
    count, is_counted = 0, True
    for each in rows:
        if isinstance(each, Issue):
            yield each
            continue
        number, row = each
        known.look(row)
        topic, docno = _word(first_named(row, TOPIC)), _word(first_named(row, DOCNO))
        yield (number, row, topic, docno) if topic and docno else _nameless(number, row, topic)
        if is_counted:
            first = first or (int(docno == "1"), topic)
            is_counted = docno == str(count + first[0]) and first_named(row, _NAMED_DOCNO) is None
            count += 1
    if is_counted and first is not None and count > 2 and topic != first[1]:
        message = "“id” numbers the rows here and names no document. Call the column or member of the docnos docno."
        yield Issue(where="", code="name", message=message)


_NAMED_DOCNO = DOCNO[:-2]
"""The names of a document's id, without "id" and "_id", which may be those of a row."""


def runs_of(rows: Iterable[Row | Issue], what: str) -> Iterator[RankedDoc | Issue]:
    """Yield the ranked documents of rows, issues, and a note of how the rows were read.

    Rows without ranks come last, sorted by score within each topic, since their order has no meaning.
    """
    documents, tags, known = Documents(), set[str](), _Known((TOPIC, DOCNO, RANK, SCORE, TAG, ITERATION))
    has_scores: bool | None = None  # decided by the first row
    unranked: dict[str, list[RankedDoc]] = {}
    for each in _of_documents(rows, known):
        if isinstance(each, Issue):
            yield each
            continue
        number, row, topic, docno = each
        written_rank, written_score = first_named(row, RANK), first_named(row, SCORE)
        rank, score = whole_value(str(written_rank)), real(str(written_score))
        if (written_rank is not None and rank is None) or (written_score is not None and score is None):
            which = f"rank {short(str(written_rank))}" if rank is None and written_rank is not None else ""
            message = f"The {which or 'score ' + short(str(written_score))} is no number."
            comma = " Write decimals with a point." if re.fullmatch("[+-]?[0-9]*,[0-9]+", str(written_score)) else ""
            yield value_issue(number, str(row), message + comma)
            continue
        if rank is None and score is None:
            yield value_issue(number, str(row), "There is neither a rank nor a score.")
            continue
        has_scores = score is not None if has_scores is None else has_scores
        if has_scores != (score is not None):
            there, before = ("no score", "have one") if has_scores else ("a score", "have none")
            message = f"There is {there} here, but the documents before {before}. Give all of them a score, or none."
            yield value_issue(number, str(row), message)
            continue
        written_tag = first_named(row, TAG)
        tag = _word(written_tag)
        if written_tag is not None and not tag and not tags:
            message = f"The run tag {short(str(written_tag))} is not one word. It is not used: the run has no tag."
            yield Issue(where=number, code="run-tag", message=message, severity="warning")
        tags.add(str(written_tag or ""))
        if len(tags) > 1:
            shown = short(str(written_tag or ""))
            message = f"The run tag is {shown}, but the file began with another. One file is one run."
            yield Issue(where=number, code="run-tag", message=message)
            return
        if score is None and rank is not None and rank < 1:
            yield value_issue(number, str(row), f"The rank is {rank}; without a score it must be 1 or more.")
        elif not documents.add(topic, docno):
            message = f"Document {short(docno)} of topic {short(topic)} stands in the file already. Keep one of them."
            yield Issue(where=number, code="duplicate", message=message)
        else:
            by = score if score is not None else 1 / (rank or 1)
            found = RankedDoc(topic=topic, docno=docno, rank=rank or 0, score=by, run=tag)
            if rank is None:
                unranked.setdefault(topic, []).append(found)
            else:
                yield found
    yield from like_ranks((topic, line.score) for topic, lines in unranked.items() for line in lines)
    for lines in unranked.values():
        lines.sort(key=lambda line: (line.score, line.docno), reverse=True)
        yield from (replace(line, rank=place) for place, line in enumerate(lines, 1))
    yield _note(f"This was read as {what}", known)


def qrels_of(rows: Iterable[Row | Issue], what: str) -> Iterator[Qrel | Issue]:
    """Yield the judgments of rows, and a note of how they were read."""
    documents, known = Documents(), _Known((TOPIC, DOCNO, GRADE, ITERATION, RANK))
    for each in _of_documents(rows, known):
        if isinstance(each, Issue):
            yield each
            continue
        number, row, topic, docno = each
        written = first_named(row, GRADE)
        value = real(re.sub("^L(?=[0-9])", "", str(written)))
        grade = int(value) if value is not None and value == int(value) and abs(value) < 10**9 else None
        if written is None:
            yield Issue(where=number, code="value", message="There is no grade.", excerpt=excerpt_of(str(dict(row))))
        elif grade is None:
            yield value_issue(
                number,
                str(row),
                f"The grade is {short(str(written))}; it must be a whole number of at most nine digits.",
            )
        elif not documents.add(topic, docno):
            message = f"Document {short(docno)} of topic {short(topic)} stands in the file already. Keep one of them."
            yield Issue(where=number, code="duplicate", message=message)
        else:
            yield Qrel(topic=topic, docno=docno, grade=grade, iteration=_word(first_named(row, ITERATION)) or "0")
    yield _note(f"This was read as {what}", known)


class _Known:
    """Collects the names of columns or members that are not read: unknown ones, and those beside another name for the
    same thing, which is read before them.
    """

    def __init__(self, kinds: Iterable[Sequence[str]]) -> None:
        self._kinds = tuple(kinds)
        self._names = frozenset(name for names in self._kinds for name in names) | TEXTS | frozenset(LISTS)
        self._several: dict[tuple[str, ...], list[list[str]]] = {}
        self.others: dict[str, None] = {}

    def look(self, row: Mapping[str, Any]) -> None:
        """Remember those names in a row that are not read."""
        several = self._several.get(names := tuple(row))
        if several is None:
            self.others.update(dict.fromkeys(name for name in names if name not in self._names))
            found = ([name for name in kind if name in row and name != "query"] for kind in self._kinds)
            several = self._several[names] = [each for each in found if len(each) > 1]
        for kind in several:
            taken = first_named(row, kind)
            self.others.update(dict.fromkeys(name for name in kind if row[name] not in (None, "", taken)))


def _word(value: Any) -> str:
    """Return the value as a name, or "" if it is not one word."""
    written = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return written if len(written.split()) == 1 else ""


def _nameless(number: int, row: Mapping[str, Any], topic: str) -> Issue:
    names, what = (DOCNO, "document") if topic else (TOPIC, "topic")
    message = f"No member or column names the {what} in one word. It may be called {', '.join(names[:4])}."
    return Issue(where=number, code="name", message=message, excerpt=excerpt_of(str(dict(row))))


def _note(message: str, known: _Known) -> Issue:
    others = ", ".join(list(known.others)[:10])
    passed = f"; passed over: {excerpt_of(others, length=400)}" if others else ""
    return Issue(where="", code="read-as", message=f"{message}{passed}.", severity="note")
