"""Grades of items, one JSON object a line with its keys in order: the judgments of any scale, with their evidence.

    {"criterion": "support", "docno": "12", "key": K, "kind": "citation", "text": S, "topic": "116", "value": 4}

Beside these, where there is anything to say: `note`, `evidence` (a list of {"quote", "start"?, "value"?}), `by`, `role`
and `fields`. A value of null is an item that is pooled and that nobody judged. Lines are sorted by topic, kind, key,
criterion and assessor.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from scoring.formats.pool_tables import topic_order
from scoring.formats.spec import Format
from scoring.json_reading import json_lines
from scoring.reading import excerpt_of
from scoring.records import Issue, ItemGrade
from scoring.sorting import sorted_externally

LINE_LIMIT = 1 << 23
GRADES_AT_ONCE = 10_000
"""How many records are sorted in memory: they hold texts and snippets."""
TEXTS = ("topic", "kind", "key", "criterion", "docno", "text", "note", "by", "role")
_MUST = ("topic", "kind", "key", "criterion")


def read_item_grades(file: BinaryIO) -> Iterator[ItemGrade | Issue]:
    """The grades in file order, and an issue for each line that is none."""
    for line in json_lines(file, limit=LINE_LIMIT):
        if isinstance(line, Issue):
            yield line
        else:
            yield _grade(*line)


def write_item_grades(records: Iterable[ItemGrade]) -> Iterator[str]:
    """One line a grade; what is empty is left out, but for the value."""
    ordered = sorted_externally(
        records, key=lambda r: (topic_order(r.topic), r.kind, r.key, r.criterion, r.by, r.role), at_once=GRADES_AT_ONCE
    )
    for record in ordered:
        values: dict[str, Any] = {name: getattr(record, name) for name in TEXTS if getattr(record, name)}
        values["value"] = record.value
        if record.evidence:
            values["evidence"] = [dict(snippet) for snippet in record.evidence]
        if record.fields:
            values["fields"] = dict(record.fields)
        yield json.dumps(values, ensure_ascii=False, sort_keys=True)


def _grade(number: int, value: Any) -> ItemGrade | Issue:
    def issue(message: str) -> Issue:
        return Issue(where=number, code="record", message=message, excerpt=excerpt_of(str(value)))

    if not isinstance(value, dict):
        return issue("The line is no object. Write {“topic”, “kind”, “key”, “criterion”, “value”}.")
    if unknown := value.keys() - {*TEXTS, "value", "evidence", "fields"}:
        return issue(f"“{excerpt_of(min(unknown), length=40)}” is not known here.")
    for name in TEXTS:
        if not isinstance(value.get(name, ""), str) or (name in _MUST and not value.get(name)):
            return issue(f"“{name}” must be text.")
    grade, evidence, fields = value.get("value"), value.get("evidence", []), value.get("fields", {})
    if isinstance(grade, bool) or not isinstance(grade, int | None):
        return issue("“value” must be a whole number, or null where nobody judged.")
    if not isinstance(evidence, list) or not all(map(_is_snippet, evidence)):
        return issue("“evidence” must be a list of {“quote”: text, “start”: number, “value”: number}.")
    if not isinstance(fields, dict):
        return issue("“fields” must be an object.")
    texts = {name: value[name] for name in TEXTS if name in value}
    return ItemGrade(**texts, value=grade, evidence=tuple(evidence), fields=fields)


def _is_snippet(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("quote"), str):
        return False
    numbers = (value.get("start"), value.get("value"))
    return all(number is None or (isinstance(number, int) and not isinstance(number, bool)) for number in numbers)


FORMAT = Format(
    name="grades.jsonl",
    label="Grades of items with their evidence",
    source="this project",
    layout='{"topic", "kind", "key", "criterion", "value", "docno", "text", "evidence"}',
    record=ItemGrade,
    read=read_item_grades,
    write=write_item_grades,
)
