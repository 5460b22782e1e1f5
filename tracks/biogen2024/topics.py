"""BioGen's questions: one object {"topics": [...]}, a list, or one object on each line. Ids are numbers or text.

    {"topics": [{"id": 116, "topic": "sleep apnea", "question": "Are there ways to …?", "narrative": "The patient …"}]}

Unknown members are kept as further fields (`tracks.further_fields`), and reported once.

Codes, besides those of `scoring.reading.json_reading`: shape, missing-field, field-type, empty-field, too-long,
topic-id, topic-twice, no-topics, further-fields (note).
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from assess.protocol import ContextPart, TopicRecord, Wording, named_wordings
from scoring.file_kinds import JSON, reads, recognise
from scoring.formats.json_members import MISSING, Kind, Member, Shape
from scoring.formats.member_reports import Codes, Report
from scoring.formats.topic_texts import further_note
from scoring.reading.json_reading import load_json
from scoring.reading.json_values import json_values
from scoring.records import Issue
from scoring.release.phrases import Phrase
from tracks.further_fields import further_of, further_parts, further_wordings, kept_further

TASK = "question"
FILE_LIMIT = 32 * 1024 * 1024
TEXT_LIMIT = 20_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_KNOWN = ("id", "topic", "question", "narrative")


@reads(
    "topics", forms=JSON, layout='{"topics": [{"id", "question", "topic", "narrative"}]}, a list, or one topic a line'
)
def read_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the questions in file order, and an issue for each that can't be read. The last issue is a note that names
    further members.
    """
    raw = file.read(FILE_LIMIT + 1)
    seen: set[str] = set()
    further: Counter[str] = Counter()
    count = 0
    for found in _objects(raw):
        count += 1
        if isinstance(found, Issue):
            yield found
            continue
        where, value = found
        for each in _topic(where, value, seen, count):
            if isinstance(each, TopicRecord):
                further.update(name for name, _ in further_of(each))
            yield each
    if not count:
        message = 'There is no topic in the file. Topics stand in {"topics": [...]}, in a list, or one a line.'
        yield Issue(where="", code="no-topics", message=message)
    if further:
        yield further_note(further)


def write_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the topics in order, one object on each line: "a newline-delimited set of JSON objects" (the
    specification).
    """
    return (json.dumps(topic, ensure_ascii=False) for topic in _written(records))


def write_distributed(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of one object with all topics, the format in which the organisers distributed them."""
    yield from json.dumps({"topics": list(_written(records))}, ensure_ascii=False, indent=2).split("\n")


def _written(records: Iterable[TopicRecord]) -> Iterator[dict[str, Any]]:
    for record in sorted(records, key=lambda record: (record.ordinal, record.number)):
        identity: int | str = int(record.number) if re.fullmatch(r"[1-9][0-9]{0,8}", record.number) else record.number
        fields = {name: record.fields[name] for name in ("topic", "narrative") if record.fields.get(name)}
        values: dict[str, Any] = {"id": identity, "question": record.text, **fields}
        yield {name: values[name] for name in _KNOWN if name in values} | dict(further_of(record))


def context_parts(topic: TopicRecord, above: tuple[TopicRecord, ...]) -> Iterator[ContextPart]:
    """Yield what assessors see of the topic beside their work: the short topic and the narrative, then everything else
    in its file.
    """
    del above
    lines = tuple(
        (label, str(topic.fields[name]))
        for name, label in (("topic", Phrase("Topic")), ("narrative", Phrase("Narrative")))
        if topic.fields.get(name)
    )
    if lines:
        yield ContextPart(heading=Phrase("What is asked"), lines=lines)
    yield from further_parts(topic)


def wordings(topic: TopicRecord, series: tuple[TopicRecord, ...]) -> Iterator[Wording]:
    """Yield the texts that can be amended: the short topic and the narrative, if there are any, and further texts."""
    del series
    yield from named_wordings(topic, {"topic": Phrase("Topic"), "narrative": Phrase("Narrative")})
    yield from further_wordings(topic)


def _objects(raw: bytes) -> Iterator[tuple[int | str, Any] | Issue]:
    shape = recognise(io.BytesIO(raw)).shape
    is_of_topics = shape.form == "json value" and "topics" not in shape.values[0]
    if is_of_topics or shape.form in ("json lines", "json values"):
        yield from json_values(io.BytesIO(raw))
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
    report = Report(at=where)
    taken = _TOPIC.take(value, report)
    number = None if taken is None else taken["id"]
    if number in seen:
        message = f"There are two topics with the id {number}; number them apart."
        report.say(("id",), "topic-twice", message)
    elif number is not None:
        seen.add(number)
    if number is not None and not report.issues:
        fields = {name: taken[name] for name in ("topic", "narrative") if taken[name]}
        yield TopicRecord(
            number=number,
            task=TASK,
            text=taken["question"],
            ordinal=ordinal,
            fields=fields | kept_further((name, each) for name, each in value.items() if name not in _KNOWN),
            line=where if isinstance(where, int) else None,
        )
    yield from report.issues


def _id(value: str | int) -> str:
    if not _ID.fullmatch(str(value)):
        raise ValueError
    return str(value)


def _on_one_line(value: str) -> str:
    """Return the text with single spaces for white space."""
    return " ".join(value.split())


_TEXT = Kind(wanted="a text", types=(str,), make=_on_one_line, limit=TEXT_LIMIT)
_TOPIC = Shape(
    members=(
        Member("id", Kind(wanted="a number or a short word", types=(str, int), make=_id, code="topic-id")),
        Member("question", replace(_TEXT, is_filled=True), null=MISSING),
        Member("topic", _TEXT, default="", null=""),
        Member("narrative", _TEXT, default="", null=""),
    ),
    codes=Codes(missing="missing-field", type="field-type", empty="empty-field"),
)
