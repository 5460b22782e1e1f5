"""Topics as lines of JSON, whatever their track: topics.jsonl of a release."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, BinaryIO

from assess.protocol.records import TopicRecord
from scoring.json_reading import Flaw, parse_json
from scoring.reading import records_of
from scoring.records import Issue

MEMBERS = tuple(field.name for field in fields(TopicRecord) if field.name != "line")
_KINDS: dict[str, tuple[type, ...]] = {
    "number": (str,),
    "task": (str,),
    "text": (str,),
    "parent": (str, type(None)),
    "ordinal": (int,),
    "fields": (dict,),
}


def write_topic_lines(records: Iterable[TopicRecord]) -> Iterator[str]:
    """One object a line with all that the site knows of a topic, in the order given."""
    for record in records:
        values: dict[str, Any] = {name: getattr(record, name) for name in MEMBERS}
        yield json.dumps({**values, "fields": dict(record.fields)}, ensure_ascii=False, sort_keys=True)


def read_topic_lines(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """The topics in file order, and an issue for each line that is none."""
    return records_of(file, _parse)


def _parse(number: int, line: str) -> TopicRecord | Issue:
    value = parse_json(line)
    if isinstance(value, Flaw) or not isinstance(value, dict) or value.keys() != set(MEMBERS):
        return Issue(where=number, code="fields", message=f"The line is no object with {', '.join(MEMBERS)}.")
    for name, kinds in _KINDS.items():
        if not isinstance(value[name], kinds) or isinstance(value[name], bool):
            return Issue(where=number, code="field-type", message=f"“{name}” is of another type than it must be.")
    return TopicRecord(**value, line=number)
