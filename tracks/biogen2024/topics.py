"""BioGen's questions: one object {"topics": [...]}, a list, or one object a line; ids as numbers or as text.

    {"topics": [{"id": 116, "topic": "sleep apnea", "question": "Are there ways to …?", "narrative": "The patient …"}]}

Codes, besides those of `scoring.json_reading`: shape, missing-field, field-type, empty-field, too-long, topic-id,
topic-twice, no-topics.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from assess.protocol import ContextPart, TopicRecord
from scoring.json_reading import json_lines, load_json, parse_json
from scoring.reading import excerpt_of
from scoring.records import Issue

TASK = "question"
FILE_LIMIT = 32 * 1024 * 1024
TEXT_LIMIT = 20_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_KNOWN = ("id", "topic", "question", "narrative")


def read_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """The questions in file order, and what is wrong with others. Further members are not read."""
    raw = file.read(FILE_LIMIT + 1)
    seen: set[str] = set()
    count = 0
    for found in _objects(raw):
        count += 1
        if isinstance(found, Issue):
            yield found
            continue
        where, value = found
        yield from _topic(where, value, seen, count)
    if not count:
        message = 'There is no topic in the file. Topics stand in {"topics": [...]}, in a list, or one a line.'
        yield Issue(where="", code="no-topics", message=message)


def write_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """The topics in their order, one object a line: "a newline-delimited set of JSON objects" (the specification)."""
    return (json.dumps(topic, ensure_ascii=False) for topic in _written(records))


def write_distributed(records: Iterable[TopicRecord]) -> Iterator[str]:
    """The lines of one object that holds all topics, which is the form in which the organisers handed them out."""
    yield from json.dumps({"topics": list(_written(records))}, ensure_ascii=False, indent=2).split("\n")


def _written(records: Iterable[TopicRecord]) -> Iterator[dict[str, Any]]:
    for record in sorted(records, key=lambda record: (record.ordinal, record.number)):
        identity: int | str = int(record.number) if re.fullmatch(r"[1-9][0-9]{0,8}", record.number) else record.number
        fields = {name: record.fields[name] for name in ("topic", "narrative") if record.fields.get(name)}
        values: dict[str, Any] = {"id": identity, "question": record.text, **fields}
        yield {name: values[name] for name in _KNOWN if name in values}


def context_parts(topic: TopicRecord, above: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """What assessors see beside the work: the short topic and the narrative."""
    del above
    lines = tuple(
        (label, str(topic.fields[name]))
        for name, label in (("topic", "Topic"), ("narrative", "Narrative"))
        if topic.fields.get(name)
    )
    if lines:
        yield ContextPart(heading="What is asked", lines=lines)


def _objects(raw: bytes) -> Iterator[tuple[int | str, Any] | Issue]:
    first = raw.removeprefix(b"\xef\xbb\xbf").lstrip().split(b"\n", 1)[0]
    value = parse_json(first.decode("utf-8", "replace")) if first.lstrip().startswith(b"{") else None
    if isinstance(value, dict) and "topics" not in value:
        yield from json_lines(io.BytesIO(raw))
        return
    whole = load_json(io.BytesIO(raw), limit=FILE_LIMIT)
    if isinstance(whole, Issue):
        yield whole
        return
    path, topics = ("$.topics", whole.get("topics")) if isinstance(whole, dict) else ("$", whole)
    if not isinstance(topics, list):
        message = 'The file must hold {"topics": [...]}, a list of topics, or one topic a line.'
        yield Issue(where=path, code="shape", message=message)
        return
    yield from ((f"{path}[{place}]", each) for place, each in enumerate(topics))


def _topic(where: int | str, value: Any, seen: set[str], ordinal: int) -> Iterator[TopicRecord | Issue]:
    def issue(code: str, message: str) -> Issue:
        return Issue(where=where, code=code, message=message)

    if not isinstance(value, dict):
        yield issue("field-type", "A topic must be an object with “id” and “question”.")
        return
    written = value.get("id")
    number = str(written) if isinstance(written, int) and not isinstance(written, bool) else written
    flaws = []
    if not isinstance(number, str) or not _ID.fullmatch(number):
        shown = "missing" if written is None else f"“{excerpt_of(str(written), length=40)}”"
        flaws.append(issue("topic-id", f"The id is {shown}; it must be a number or a short word."))
    elif number in seen:
        flaws.append(issue("topic-twice", f"There are two topics with the id {number}; number them apart."))
    else:
        seen.add(number)
    texts = {name: _text(value, name, flaws, issue) for name in ("question", "topic", "narrative")}
    if not flaws:
        fields = {name: texts[name] for name in ("topic", "narrative") if texts[name]}
        line = where if isinstance(where, int) else None
        yield TopicRecord(
            number=str(number), task=TASK, text=texts["question"], ordinal=ordinal, fields=fields, line=line
        )
    yield from flaws


def _text(value: Mapping[str, Any], name: str, flaws: list[Issue], issue: Any) -> str:
    """A text, white space runs to one space; only the question must be there."""
    text = value.get(name)
    if text is None and name != "question":
        return ""
    if text is None:
        flaws.append(issue("missing-field", f"“{name}” is missing. Add it."))
    elif not isinstance(text, str):
        flaws.append(issue("field-type", f"“{name}” must be text in quotes."))
    elif not text.strip() and name == "question":
        flaws.append(issue("empty-field", f"“{name}” is empty. Fill it in."))
    elif len(text) > TEXT_LIMIT:
        flaws.append(issue("too-long", f"“{name}” has {len(text):,} characters; it may have {TEXT_LIMIT:,}."))
    else:
        return " ".join(text.split())
    return ""
