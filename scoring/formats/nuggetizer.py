"""Reads and writes nuggets in nuggetizer's JSONL (castorini/nuggetizer, TREC RAG 2024), one object a line.

    create      {"qid": "1", "query": "…", "nuggets": [{"text": "…", "importance": "vital"}]}
    assign      {… "run_id": "r", "answer_text": "…", "nuggets": [{… "assignment": "support"}]}
    retrieval   {"qid": "1", "text": "<the query>", "docid": "d", "candidate_text": "…", "nuggets": [as in assign]}

importance is vital, okay or failed. A failed nugget counts as okay, with a warning, as in nuggetizer's own scores. A
nugget without importance is vital, with a warning, as nuggetizer reads lists. assignment is support, partial_support or
not_support ("failed" counts as not_support). Nuggets are numbered from 1 by their place. Records may be in the envelope
of castorini's tools. Other members are named in a note and dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, reads
from scoring.formats.json_members import NAME, TEXT, Kind, Member, Shape, Taken, list_of, one_of
from scoring.formats.member_reports import Codes, Path, Report
from scoring.formats.nugget_banks import unwrapped
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format, short
from scoring.reading.json_values import json_values
from scoring.records import AssignedNugget, Issue, Nugget, NuggetizerLine, ResponseItem, RunMatch

LINE_LIMIT = 1 << 24
ASSIGNMENTS = ("support", "partial_support", "not_support")


@reads("nuggets", forms=JSON)
def read_nuggetizer(file: BinaryIO) -> Iterator[NuggetizerLine | Issue]:
    """Return one record for each valid line. The other lines give issues, with the line's number as the place."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_nuggetizer(file))


@reads("nuggets", forms=JSON)
def read_numbered_nuggetizer(file: BinaryIO) -> Iterator[tuple[int, NuggetizerLine] | Issue]:
    """Yield the records with the numbers of their lines, and issues. Members that are dropped are named once, at the
    end.
    """
    unused: dict[str, None] = {}
    for each in json_values(file, limit=LINE_LIMIT):
        if isinstance(each, Issue):
            yield each
            continue
        for value in unwrapped(each[1]):
            unused.update(_others(value))
            for found in _parse(each[0], value):
                yield found if isinstance(found, Issue) else (each[0], found)
    if unused:
        message = f"Of these members nothing is made: {', '.join(list(unused)[:20])}."
        yield Issue(where="", code="unused", message=message, severity="note")


@reads("nuggets", forms=JSON)
def read_equal_lists(file: BinaryIO) -> Iterator[tuple[int, NuggetizerLine] | Issue]:
    """Yield what `read_numbered_nuggetizer` yields, but an issue in place of a line with another list of nuggets.

    All lines of a topic must have the nuggets of its first line, since nuggets are numbered by place.
    """
    first: dict[str, tuple[int, NuggetizerLine]] = {}
    for each in read_numbered_nuggetizer(file):
        if not isinstance(each, Issue):
            before = first.setdefault(each[1].topic, each)
            if message := other_list(before[1], each[1]):
                yield Issue(
                    where=each[0], code="other-list", message=f"{message} The first list is in line {before[0]}."
                )
                continue
        yield each


def other_list(first: NuggetizerLine, line: NuggetizerLine) -> str:
    """Return a sentence if two lines of a topic have different lists of nuggets, otherwise ""."""
    one, two = ([(each.text, each.importance) for each in given.nuggets] for given in (first, line))
    wanted = "Write one list for each topic, the same in all of its lines."
    return "" if one == two else f"Topic {short(line.topic)} has two different lists of nuggets. {wanted}"


def _others(value: Any) -> Iterator[tuple[str, None]]:
    """Yield the names of those members of a line and of its nuggets that are not read."""
    if isinstance(value, dict):
        yield from ((name[:40], None) for name in value if name not in _KNOWN)
        nuggets = value.get("nuggets")
        for each in nuggets if isinstance(nuggets, list) else ():
            if isinstance(each, dict):
                yield from ((f"nuggets.{name[:40]}", None) for name in each if name not in _NUGGET.known)


def write_nuggetizer(records: Iterable[NuggetizerLine]) -> Iterator[str]:
    """Yield lines sorted by topic and run, with the fields in nuggetizer's order."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.run, r.docno, r.answer, r.query)):
        line: dict[str, Any] = {"text" if r.docno else "query": r.query, "qid": r.topic}
        if r.docno:
            line |= {"candidate_text": r.answer, "docid": r.docno}
        if r.run:
            line |= {"answer_text": r.answer, "response_length": len(r.answer.split()), "run_id": r.run}
        line["nuggets"] = [
            {"text": each.text, "importance": each.importance}
            | ({"assignment": each.assignment} if each.assignment else {})
            for each in r.nuggets
        ]
        yield json.dumps(line, ensure_ascii=False)


def nuggets_of(line: NuggetizerLine) -> tuple[Nugget, ...]:
    """Return the line's nuggets, numbered by place."""
    return tuple(
        Nugget(topic=line.topic, number=place, importance=each.importance, text=each.text)
        for place, each in enumerate(line.nuggets, 1)
    )


def matches_of(line: NuggetizerLine) -> tuple[RunMatch, ...]:
    """Return a match for each nugget that the line's response fully supports; partial support is not a match."""
    return tuple(
        RunMatch(topic=line.topic, run=line.run, item=1, number=place)
        for place, each in enumerate(line.nuggets, 1)
        if each.assignment == "support"
    )


def response_of(line: NuggetizerLine) -> ResponseItem:
    """Return the line's response as a single string without citations."""
    return ResponseItem(topic=line.topic, run=line.run, item=1, docno="-", text=line.answer)


def _parse(number: int, line: Any) -> Iterator[NuggetizerLine | Issue]:
    of_document = isinstance(line, dict) and ("docid" in line or "candidate_text" in line)
    report = Report(at=number)
    taken = (_DOCUMENT if of_document else _RESPONSE).take(line, report)
    if not report.is_wrong and taken["docid"] and taken["run_id"]:
        report.say((), "fields", "A line of a document has no “run_id”.")
    for each in report.issues:
        yield each
        if each.severity == "error":
            return
    yield NuggetizerLine(
        topic=taken["qid"],
        query=taken["text" if of_document else "query"],
        nuggets=tuple(taken["nuggets"]),
        run=taken["run_id"],
        answer=taken["candidate_text" if of_document else "answer_text"],
        docno=taken["docid"],
    )


def _nugget(taken: Taken, report: Report, inside: Path) -> AssignedNugget | None:
    importance, assignment = taken["importance"], taken["assignment"]
    shown = report.shown(inside)
    if importance == "failed":
        message = f"{shown} has no importance (“failed”); it counts as okay."
        report.say(inside, "importance", message, severity="warning")
    elif importance is None and taken["text"] is not None:
        report.say(inside, "importance", f"{shown} has no importance; it counts as vital.", severity="warning")
    return AssignedNugget(
        text=taken["text"],
        importance="vital" if importance in ("vital", None) else "okay",
        assignment="not_support" if assignment == "failed" else assignment,
    )


def _no_break(value: str | int) -> str:
    name = str(value)
    if len(name.split()) > 1 or name != name.strip():
        raise ValueError
    return name


_NUGGET = Shape(
    members=(
        Member("text", TEXT),
        Member("importance", one_of("vital", "okay", "failed"), default=None),
        Member("assignment", one_of(*ASSIGNMENTS, "failed", ""), default=""),
    ),
    codes=Codes(missing="nugget", type="nugget"),
    make=_nugget,
)
_ID = Kind(wanted="one word", types=(str, int), make=_no_break)
_CODES = Codes(missing="fields", type="fields")
_RESPONSE = Shape(
    members=(
        Member("qid", replace(_ID, is_filled=True)),
        Member("run_id", _ID, default=""),
        Member("docid", _ID, default=""),
        Member("query", NAME, default=""),
        Member("answer_text", TEXT, default=""),
        Member("nuggets", list_of(_NUGGET)),
    ),
    codes=_CODES,
)
_DOCUMENT = Shape(
    members=(
        Member("qid", replace(_ID, is_filled=True)),
        Member("run_id", _ID, default=""),
        Member("docid", replace(_ID, is_filled=True)),
        Member("text", NAME, default=""),
        Member("candidate_text", TEXT, default=""),
        Member("nuggets", list_of(_NUGGET)),
    ),
    codes=_CODES,
)
_KNOWN = frozenset({*_RESPONSE.known, *_DOCUMENT.known, "response_length"})


FORMAT = Format(
    name="nuggetizer",
    label="nuggetizer JSONL, with or without assignments",
    source="castorini/nuggetizer; TREC RAG 2024",
    layout='{"qid", "query", "nuggets": [{"text", "importance", "assignment"}]}',
    record=NuggetizerLine,
    read=read_nuggetizer,
    write=write_nuggetizer,
)
