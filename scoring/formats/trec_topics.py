"""Topics of ad hoc tasks, in any of the three forms they are published in; which one is seen from the first line.

    <top>                                    TREC: <num>, <title>, <desc> and <narr>, closed or not
    <num> Number: 301
    <title> international organized crime
    <desc> Description:
    Identify organisations that take part in it.
    <narr> Narrative: …
    </top>

    301<TAB>international organized crime    TSV: number and query, one a line

    {"id": "301", "title": "international organized crime", "description": "…", "narrative": "…"}    JSON lines

Names in JSON lines: id, qid, num, number or topic_id; title, query or text; description or desc; narrative or narr. A
number is one word and comes once; a topic without title has its description for one.

Codes: empty-file, json, columns, unclosed, outside (text between topics), number-missing, number (no single word),
title-missing, duplicate, and those of `scoring.reading`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import BinaryIO

from scoring.formats.json_members import NAME, TEXT, Kind, Member, Shape, Taken
from scoring.formats.member_reports import Path, Report
from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.json_reading import read_json
from scoring.reading import Line, excerpt_of, text_lines
from scoring.records import Issue

NAMES = {
    "number": ("id", "qid", "num", "number", "topic_id"),
    "title": ("title", "query", "text"),
    "description": ("description", "desc"),
    "narrative": ("narrative", "narr"),
}
NUMBER_LIMIT = 10**12
"""A topic's number that is no text is smaller."""

_TAG = re.compile(r"<(/?)(top|num|title|desc|narr)>", re.IGNORECASE)
_PREFIX = {"num": "Number:", "title": "Topic:", "desc": "Description:", "narr": "Narrative:"}


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicText:
    """One topic: its number and what is said of it; ``line`` is where it begins."""

    number: str
    title: str
    description: str = ""
    narrative: str = ""
    line: int = 0


def read_trec_topics(file: BinaryIO) -> Iterator[TopicText | Issue]:
    """The topics in file order, and an issue for all that is none; a number comes once."""
    seen: set[str] = set()
    empty = True
    for record in _read(text_lines(file)):
        empty = False
        if isinstance(record, Issue):
            yield record
        elif record.number in seen:
            yield _issue(record.line, "duplicate", f'Topic "{record.number[:40]}" comes twice. Keep one of them.')
        else:
            seen.add(record.number)
            yield record
    if empty:
        yield Issue(where="", code="empty-file", message="There are no topics in the file. Check the file chosen.")


def write_trec_topics(records: Iterable[TopicText]) -> Iterator[str]:
    """JSON lines by number; what is empty is left out."""
    for r in sorted(records, key=lambda r: topic_order(r.number)):
        values = {"id": r.number, "title": r.title, "description": r.description, "narrative": r.narrative}
        yield json.dumps({name: value for name, value in values.items() if value}, ensure_ascii=False)


def _read(lines: Iterator[Line | Issue]) -> Iterator[TopicText | Issue]:
    """The records of the form that the first line that is not blank has."""
    for line in lines:
        if isinstance(line, Issue):
            yield line
        elif line[1].strip():
            start = line[1].lstrip()
            rest = chain([line], lines)
            if start.startswith("<"):
                yield from _read_tagged(rest)
            else:
                parse = _from_json if start.startswith("{") else _from_columns
                yield from (each if isinstance(each, Issue) else parse(*each) for each in rest if _is_filled(each))
            return


def _is_filled(line: Line | Issue) -> bool:
    return isinstance(line, Issue) or bool(line[1].strip())


def _from_columns(number: int, text: str) -> TopicText | Issue:
    topic, tab, query = text.partition("\t")
    if not tab:
        return _issue(number, "columns", "The line has no tab. Write the topic's number, a tab and the query.", text)
    return _checked(number, {"number": topic.strip(), "title": " ".join(query.split())}, text)


def _from_json(number: int, text: str) -> TopicText | Issue:
    try:
        values = read_json(text)
        text.encode()
    except ValueError as error:
        return _issue(number, "json", f"The line is not one JSON object ({excerpt_of(str(error))}).", text)
    report = Report(at=number)
    found = _LINE.read(values, report, ())
    if found is None or report.issues:
        return replace(report.issues[0], excerpt=excerpt_of(text))
    return _checked(number, found, text)


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError
    return " ".join(value.split())


def _number(value: str | int) -> str:
    if isinstance(value, str):
        return _text(value)
    if abs(value) >= NUMBER_LIMIT:
        raise ValueError
    return str(value)


def _member(field: str, kind: Kind) -> Member:
    """A text by any of its names, white space made single; "" where there is none."""
    first, *also = NAMES[field]
    return Member(first, replace(kind, code="json", sentence=f'"{field}" must be text.'), default="", also=tuple(also))


def _named(taken: Taken, report: Report, inside: Path) -> dict[str, str]:
    del report, inside
    return {field: taken[names[0]] for field, names in NAMES.items()}


_LINE = Kind(
    wanted="an object",
    types=(dict,),
    each=Shape(
        members=tuple(
            _member(field, replace(NAME, make=_number) if field == "number" else replace(TEXT, make=_text))
            for field in NAMES
        ),
        make=_named,
    ),
    code="json",
    sentence='The line is no JSON object; write {"id": …, "title": …}.',
)


def _read_tagged(lines: Iterable[Line | Issue]) -> Iterator[TopicText | Issue]:
    """Topics between <top> and </top>; a field goes on until the next tag."""
    begun, field = 0, ""
    found: dict[str, list[str]] = {}
    for line in lines:
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        place = 0
        for tag in chain(_TAG.finditer(text), [None]):
            piece = text[place : tag.start() if tag else len(text)]
            place = tag.end() if tag else len(text)
            if piece.strip() and field:
                found.setdefault(field, []).append(piece)
            elif piece.strip():
                yield _issue(number, "outside", "There is text outside the fields of a topic.", piece)
            if tag is None:
                continue
            name = tag[2].lower()
            if name == "top" and begun:
                if not tag[1]:
                    yield _issue(begun, "unclosed", "The topic that begins here has no </top>.")
                yield _tagged(begun, found)
            if name == "top":
                begun, field, found = (0 if tag[1] else number), "", {}
            else:
                field = "" if tag[1] else name if begun else ""
                if not begun:
                    yield _issue(number, "outside", f"<{name}> stands outside <top>.", text)
    if begun:
        yield _issue(begun, "unclosed", "The topic that begins here has no </top>.")
        yield _tagged(begun, found)


def _tagged(line: int, found: dict[str, list[str]]) -> TopicText | Issue:
    texts = {name: " ".join(" ".join(found.get(name, ())).split()) for name in _PREFIX}
    texts = {name: text.removeprefix(_PREFIX[name]).strip() for name, text in texts.items()}
    return _checked(
        line,
        {
            "number": texts["num"],
            "title": texts["title"] or texts["desc"],
            "description": texts["desc"],
            "narrative": texts["narr"],
        },
    )


def _checked(line: int, found: dict[str, str], text: str = "") -> TopicText | Issue:
    if not found["number"]:
        return _issue(line, "number-missing", "The topic has no number.", text)
    if len(found["number"].split()) > 1 or len(found["number"]) > 100:
        shown = excerpt_of(found["number"], length=40)
        return _issue(line, "number", f'The topic number is "{shown}"; it must be one word.', text)
    if not found["title"]:
        return _issue(line, "title-missing", f"Topic {found['number']} has no text.", text)
    return TopicText(**found, line=line)


def _issue(where: int, code: str, message: str, text: str = "") -> Issue:
    return Issue(where=where, code=code, message=message, excerpt=excerpt_of(text))


FORMAT = Format(
    name="trec-topics",
    label="Topics of ad hoc tasks: TREC, TSV or JSON lines",
    source="trec.nist.gov/data/topics_eng; TREC RAG 2024",
    layout='<top>…</top> | number<TAB>query | {"id", "title", "description", "narrative"}',
    record=TopicText,
    read=read_trec_topics,
    write=write_trec_topics,
)
