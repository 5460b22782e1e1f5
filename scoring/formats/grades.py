"""Reads and writes grades of items as JSON lines, and grades of whole responses as a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from scoring.file_kinds import JSON, ColumnLayout, reads
from scoring.formats.json_members import OBJECT, TEXT, WHOLE, Kind, Member, Shape, list_of
from scoring.formats.member_reports import Codes, Report
from scoring.formats.pool_tables import escape_column, topic_order, unescape_column
from scoring.formats.spec import Format, columns_issue, short, value_issue, whole
from scoring.reading.json_reading import json_lines
from scoring.reading.opening import excerpt_of, records_of
from scoring.reading.sorting import sorted_externally
from scoring.records import Issue, ItemGrade

# Grades of items, one JSON object a line with sorted keys: the judgments on any scale, with their evidence.
#
#     {"criterion": "support", "docno": "12", "key": K, "kind": "citation", "text": S, "topic": "116", "value": 4}
#
# Further members, if they have a value, are `note`, `evidence` (a list of {"quote", "start"?, "value"?}), `by`, `role`
# and `fields`. A value of null is an item that is pooled but not judged. Lines are sorted by topic, kind, key,
# criterion and assessor.

LINE_LIMIT = 1 << 23
GRADES_AT_ONCE = 10_000
"""The number of records sorted in memory, since they hold texts and snippets."""
TEXTS = ("topic", "kind", "key", "criterion", "docno", "text", "note", "by", "role")
_MUST = ("topic", "kind", "key", "criterion")


@reads("grades", forms=JSON)
def read_item_grades(file: BinaryIO) -> Iterator[ItemGrade | Issue]:
    """Yield the grades in file order, and an issue for each malformed line."""
    for line in json_lines(file, limit=LINE_LIMIT):
        if isinstance(line, Issue):
            yield line
        else:
            yield _grade(*line)


def write_item_grades(records: Iterable[ItemGrade]) -> Iterator[str]:
    """Yield one line for each grade, sorted by topic and item. Members that have no value are left out, except the
    grade's own value.
    """
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
    report = Report(at=number, excerpt=excerpt_of(str(value)))
    taken = _GRADE.take(value, report)
    if report.issues:
        return report.issues[0]
    snippets = tuple(value.get("evidence", ()))  # sorted with all members that are written
    return ItemGrade(**taken | {"evidence": snippets, "fields": taken["fields"] or {}})


_CODES = Codes(missing="record", type="record", unknown="record")
_WHOLE_OR_NULL = Kind(wanted="a whole number, or null where nobody judged", types=(int, type(None)))
_SNIPPET = Shape(
    members=(
        Member("quote", TEXT),
        Member("start", WHOLE, default=None, null=None),
        Member("value", WHOLE, default=None, null=None),
    ),
    codes=_CODES,
)
_GRADE = Shape(
    members=(
        *(Member(name, replace(TEXT, is_filled=True)) for name in _MUST),
        *(Member(name, TEXT, default="") for name in TEXTS if name not in _MUST),
        Member("value", _WHOLE_OR_NULL, default=None),
        Member("evidence", list_of(_SNIPPET), default=()),
        Member("fields", OBJECT, default=None),
    ),
    codes=_CODES,
    others="refused",
)


ITEM_GRADES = Format(
    name="grades.jsonl",
    label="Grades of items with their evidence",
    source="this project",
    layout='{"topic", "kind", "key", "criterion", "value", "docno", "text", "evidence"}',
    record=ItemGrade,
    read=read_item_grades,
    write=write_item_grades,
)


# Grades of whole responses as a tab-separated table, whichever runs returned them: responses.tsv.
#
#     topic key criterion grade text        9-1_3 4f2a…   conciseness     2       Try a diet with …
#
# There is no header. The key is the item's, which is the same for equal texts of two runs. Tabs, backslashes and line
# breaks inside a column are written as in instances.tsv. A grade of "-" is a response that should have been judged but
# was not.

RESPONSE = "response"
LAYOUT = "topic key criterion grade text"
UNJUDGED = "-"
_RESPONSES = ColumnLayout(layout=LAYOUT, holds={"grade": re.compile("-?[0-9]*")}, separator="\t")


def write_response_grades(records: Iterable[ItemGrade]) -> Iterator[str]:
    """Yield lines sorted by topic, key and criterion."""
    ordered = sorted_externally(records, key=lambda r: (topic_order(r.topic), r.key, r.criterion))
    for r in ordered:
        grade = UNJUDGED if r.value is None else str(r.value)
        yield "\t".join(map(escape_column, (r.topic, r.key, r.criterion, grade, r.text)))


@reads("grades", takes=_RESPONSES)
def read_response_grades(file: BinaryIO) -> Iterator[ItemGrade | Issue]:
    """Return the grades in file order, and an issue for each malformed line."""
    return records_of(file, _response_grade)


def _response_grade(number: int, text: str) -> ItemGrade | Issue:
    columns = [unescape_column(column) for column in text.split("\t")]
    if len(columns) != 5:
        return columns_issue(number, text, LAYOUT, len(columns))
    topic, key, criterion, written, answer = columns
    value = whole(written)
    if value is None and written != UNJUDGED:
        return value_issue(
            number,
            text,
            f"The grade is {short(written)}; it must be a whole number of at most nine digits, or - for none.",
        )
    if not (topic and key and criterion):
        return value_issue(number, text, "Topic, key and criterion must not be empty.")
    return ItemGrade(topic=topic, kind=RESPONSE, key=key, criterion=criterion, value=value, text=answer)


RESPONSE_GRADES = Format(
    name="responses.tsv",
    label="Grades of whole responses",
    source="this project",
    layout=LAYOUT,
    record=ItemGrade,
    read=read_response_grades,
    write=write_response_grades,
)
