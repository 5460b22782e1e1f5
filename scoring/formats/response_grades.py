r"""Grades of whole responses as a tab-separated table, whichever runs returned them: responses.tsv.

    topic key criterion grade text        9-1_3	4f2a…	conciseness	2	Try a diet with …

No header; the key is the item's, the same for the same text of two runs. Tabs, backslashes and line breaks inside
a column are written as in instances.tsv. A grade of "-" is a response that was to be judged and was not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from scoring.formats.pool_tables import escape_column, topic_order, unescape_column
from scoring.formats.spec import Format, columns_issue, short, value_issue, whole
from scoring.reading import records_of
from scoring.records import Issue, ItemGrade
from scoring.sorting import sorted_externally

KIND = "response"
LAYOUT = "topic key criterion grade text"
UNJUDGED = "-"


def write_response_grades(records: Iterable[ItemGrade]) -> Iterator[str]:
    """Lines by topic, key and criterion."""
    ordered = sorted_externally(records, key=lambda r: (topic_order(r.topic), r.key, r.criterion))
    for r in ordered:
        grade = UNJUDGED if r.value is None else str(r.value)
        yield "\t".join(map(escape_column, (r.topic, r.key, r.criterion, grade, r.text)))


def read_response_grades(file: BinaryIO) -> Iterator[ItemGrade | Issue]:
    """The grades in file order, and an issue for each line that is none."""
    return records_of(file, _grade)


def _grade(number: int, text: str) -> ItemGrade | Issue:
    columns = [unescape_column(column) for column in text.split("\t")]
    if len(columns) != 5:
        return columns_issue(number, text, LAYOUT, len(columns))
    topic, key, criterion, written, answer = columns
    value = whole(written)
    if value is None and written != UNJUDGED:
        return value_issue(number, text, f"The grade is {short(written)}; it must be a whole number, or - for none.")
    if not (topic and key and criterion):
        return value_issue(number, text, "Topic, key and criterion must not be empty.")
    return ItemGrade(topic=topic, kind=KIND, key=key, criterion=criterion, value=value, text=answer)


FORMAT = Format(
    name="responses.tsv",
    label="Grades of whole responses",
    source="this project",
    layout=LAYOUT,
    record=ItemGrade,
    read=read_response_grades,
    write=write_response_grades,
)
