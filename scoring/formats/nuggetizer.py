"""Nuggets in nuggetizer's JSONL (castorini/nuggetizer, TREC RAG 2024), one object a line.

    create      {"qid": "1", "query": "…", "nuggets": [{"text": "…", "importance": "vital"}]}
    assign      {… "run_id": "r", "answer_text": "…", "nuggets": [{… "assignment": "support"}]}
    retrieval   {"qid": "1", "text": "<the query>", "docid": "d", "candidate_text": "…", "nuggets": [as in assign]}

importance is vital, okay or failed (counted as okay, with a warning, as nuggetizer's own scores do); where it is
missing the nugget is vital, as nuggetizer reads lists (with a warning). assignment is support, partial_support or
not_support ("failed" counts as not_support). Nuggets are numbered from 1 by their place. Other fields are not kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.json_reading import read_json
from scoring.reading import excerpt_of, text_lines
from scoring.records import AssignedNugget, Issue, Nugget, NuggetizerLine, ResponseItem, RunMatch

LINE_LIMIT = 1 << 24
ASSIGNMENTS = ("support", "partial_support", "not_support")


def read_nuggetizer(file: BinaryIO) -> Iterator[NuggetizerLine | Issue]:
    """One record for each good line; all that is wrong with a line in issues whose place is the line's number."""
    return (each if isinstance(each, Issue) else each[1] for each in read_numbered_nuggetizer(file))


def read_numbered_nuggetizer(file: BinaryIO) -> Iterator[tuple[int, NuggetizerLine] | Issue]:
    """The same with the numbers of the lines."""
    for line in text_lines(file, limit=LINE_LIMIT):
        if isinstance(line, Issue):
            yield line
        elif line[1].strip():
            for each in _parse(*line):
                yield each if isinstance(each, Issue) else (line[0], each)


def write_nuggetizer(records: Iterable[NuggetizerLine]) -> Iterator[str]:
    """Lines by topic and run, the fields in nuggetizer's order."""
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
    """The line's nuggets, numbered by place."""
    return tuple(
        Nugget(topic=line.topic, number=place, importance=each.importance, text=each.text)
        for place, each in enumerate(line.nuggets, 1)
    )


def matches_of(line: NuggetizerLine) -> tuple[RunMatch, ...]:
    """The nuggets fully supported by the line's response; a partial support is no match."""
    return tuple(
        RunMatch(topic=line.topic, run=line.run, item=1, number=place)
        for place, each in enumerate(line.nuggets, 1)
        if each.assignment == "support"
    )


def response_of(line: NuggetizerLine) -> ResponseItem:
    """The line's response as one string that cites nothing."""
    return ResponseItem(topic=line.topic, run=line.run, item=1, docno="-", text=line.answer)


def _parse(number: int, text: str) -> Iterator[NuggetizerLine | Issue]:
    def issue(code: str, message: str, severity: Any = "error") -> Issue:
        return Issue(where=number, code=code, message=message, severity=severity, excerpt=excerpt_of(text))

    try:
        line = read_json(text)
        text.encode()
    except ValueError as error:
        yield issue("json", f"The line is not JSON: {excerpt_of(str(error))}.")
        return
    if not isinstance(line, dict) or not isinstance(line.get("nuggets"), list):
        yield issue("fields", 'The line must be an object with "qid" and "nuggets" (a list).')
        return
    of_document = "docid" in line or "candidate_text" in line
    topic, run, docno = (_text(line.get(name, "")) for name in ("qid", "run_id", "docid"))
    query = _text(line.get("text" if of_document else "query", ""))
    answer = line.get("candidate_text" if of_document else "answer_text", "")
    if not topic or None in (query, run, docno) or not isinstance(answer, str):
        yield issue("fields", '"qid" (one word) must be given; "query", "run_id" and "answer_text" must be text.')
        return
    if any(map(_breaks, (topic, run or "", docno or ""))) or (of_document and (run or not docno)):
        message = '"qid", "run_id" and "docid" are one word each; a line of a document has a "docid" and no "run_id".'
        yield issue("fields", message)
        return
    nuggets: list[AssignedNugget] = []
    for place, written in enumerate(line["nuggets"], 1):
        nugget = _nugget(written)
        if isinstance(nugget, str):
            yield issue("nugget", f"Nugget {place}: {nugget}")
            return
        if written.get("importance") == "failed":
            yield issue("importance", f"Nugget {place} has no importance (“failed”); it counts as okay.", "warning")
        elif "importance" not in written:
            yield issue("importance", f"Nugget {place} has no importance; it counts as vital.", "warning")
        nuggets.append(nugget)
    yield NuggetizerLine(
        topic=topic, query=query or "", nuggets=tuple(nuggets), run=run or "", answer=answer, docno=docno or ""
    )


def _text(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def _breaks(name: str) -> bool:
    return len(name.split()) > 1 or name != name.strip()


def _nugget(written: object) -> AssignedNugget | str:
    if not isinstance(written, dict) or not isinstance(written.get("text"), str):
        return 'it must be an object with "text" and "importance".'
    importance, assignment = written.get("importance", "vital"), written.get("assignment", "")
    if importance not in ("vital", "okay", "failed"):
        return "its importance must be vital, okay or failed."
    if assignment == "failed":
        assignment = "not_support"
    if (assignment and assignment not in ASSIGNMENTS) or not isinstance(assignment, str):
        return f"its assignment must be one of {', '.join(ASSIGNMENTS)}."
    return AssignedNugget(
        text=written["text"], importance="vital" if importance == "vital" else "okay", assignment=assignment
    )


FORMAT = Format(
    name="nuggetizer",
    label="nuggetizer JSONL, with or without assignments",
    source="castorini/nuggetizer; TREC RAG 2024",
    layout='{"qid", "query", "nuggets": [{"text", "importance", "assignment"}]}',
    record=NuggetizerLine,
    read=read_nuggetizer,
    write=write_nuggetizer,
)
