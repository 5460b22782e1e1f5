"""Reads and writes judgments of runs as NIST published those of TREC QA 2005 (README.list+other.results).

    list_judged   qid tag docid correctness distinct? string
                  correctness -1 wrong, 1 right, 2 unsupported, 3 inexact; distinct is 1 only on the one
                  (arbitrary) instance of an answer that is counted, else 0
    otherjudged   two parts: qid tag item-number docno string
                  then:      qid tag item-number nugget-number        52.6 example 12 6
                  a nugget is marked once in a response; nugget numbers may name a part (5.1)

Columns are separated by one space; the string is the rest of the line. Strings contain no line break, by the rules for
the runs that they come from. A nugget line has four columns, and an item line five or more.

    final-answer-sets   qid answer-key label       one line for each distinct answer item
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

from scoring.file_kinds import DOCNO, WHOLE, ColumnLayout, reads
from scoring.formats.pool_tables import (
    CORRECTNESS,
    NUGGET,
    ROWS_AT_ONCE,
    escape_column,
    escape_columns,
    nugget_name,
    parse_nugget_name,
    topic_order,
    unescape_column,
)
from scoring.reading.kept_rows import sorted_blocks
from scoring.reading.opening import excerpt_of, records_of
from scoring.reading.sorting import sorted_externally, without_repeats
from scoring.records import AnswerClass, Issue, JudgedInstance, JudgedResponse, ResponseItem, RunMatch
from scoring.wording import counted

_LIST_JUDGED = ColumnLayout(
    layout="qid tag docid correctness distinct? string",
    holds={"correctness": re.compile("-?[0-9]"), "distinct?": re.compile("[01]")},
    ends_in_text=True,
)
_OTHER_JUDGED = (
    ColumnLayout(
        layout="qid tag item docno string", holds={"item": WHOLE}, usually={"docno": DOCNO}, ends_in_text=True
    ),
    ColumnLayout(layout="qid tag item nugget", holds={"item": WHOLE, "nugget": NUGGET}),
)
_ANSWER_SETS = ColumnLayout(layout="qid answer-key label", ends_in_text=True)
_WHOLE = frozenset("0123456789")


@reads("assessments", takes=_LIST_JUDGED)
def read_list_judged(file: BinaryIO) -> Iterator[JudgedInstance | Issue]:
    """Return the judged instances, and an issue for each malformed line."""
    return records_of(file, _parse_list_line)


def write_list_judged(records: Iterable[JudgedInstance]) -> Iterator[str]:
    """Yield lines of list_judged, sorted by question, run, docno and answer-string."""
    ordered = sorted_externally(
        records, key=lambda r: (topic_order(r.topic), r.run, r.docno, r.text, r.correctness, r.distinct)
    )
    for r in without_repeats(ordered):
        yield f"{r.topic} {r.run} {r.docno} {r.correctness} {int(r.distinct)} {escape_column(r.text)}"


@reads("assessments", "matches", takes=_OTHER_JUDGED)
def read_other_judged(file: BinaryIO) -> Iterator[ResponseItem | RunMatch | Issue]:
    """Return the items and the nuggets found in them, in file order, and an issue for each line of otherjudged that is
    neither.
    """
    return records_of(file, _parse_other_line)


def write_other_judged(records: Iterable[ResponseItem | RunMatch | JudgedResponse]) -> Iterator[str]:
    """Yield lines of otherjudged: all items by question, run and number, then all nuggets found in them."""
    for (part, topic), rows in sorted_blocks(chain.from_iterable(map(_placed, records)), _part_order):
        if part == 0:
            while some := list(islice(rows, ROWS_AT_ONCE)):
                texts = escape_columns([row[3] for row in some])
                for (run, item, docno, _), text in zip(some, texts, strict=True):
                    yield f"{topic} {run} {item} {docno} {text}"
        else:
            yield from (f"{topic} {run} {item} {nugget_name(number, part)}" for run, item, number, part in rows)


_Part = tuple[int, str]
_Row = tuple[str, int, Any, Any]


def _placed(record: ResponseItem | RunMatch | JudgedResponse) -> Iterator[tuple[_Part, list[_Row]]]:
    """Yield ((part, topic), rows) for a record. The part is 0 for items and 1 for nuggets found in them; a row holds
    the run and the rest of the line.

    Rows are not grouped by run. A topic has about a thousand lines and each of its runs a dozen, so there would be very
    many tiny groups.
    """
    topic, run = record.topic, record.run
    if isinstance(record, JudgedResponse):
        yield (0, topic), [(run, *each) for each in record.strings]
        yield (1, topic), [(run, *each) for each in record.nuggets]
    elif isinstance(record, ResponseItem):
        yield (0, topic), [(run, record.item, record.docno, record.text)]
    else:
        yield (1, topic), [(run, record.item, record.number, record.part)]


def _part_order(place: tuple[int, str]) -> tuple[int, object]:
    part, topic = place
    return part, topic_order(topic)


@reads("assessments", takes=_ANSWER_SETS)
def read_answer_sets(file: BinaryIO) -> Iterator[AnswerClass | Issue]:
    """Return the final answer sets, and an issue for each line that can't be read. This format does not say who found
    an answer.
    """
    return records_of(file, _parse_answer_line)


def write_answer_sets(records: Iterable[AnswerClass]) -> Iterator[str]:
    """Yield lines of final-answer-sets, sorted by question and key."""
    rows = {(r.topic, r.key, r.label) for r in records}
    for topic, key, label in sorted(rows, key=lambda row: (topic_order(row[0]), row[1:])):
        yield f"{topic} {_escape_spaces(key)} {escape_column(label)}"


def _parse_list_line(number: int, line: str) -> JudgedInstance | Issue:
    columns = line.split(None, 5)
    if len(columns) != 6:
        return _wrong(number, line, "columns", "The line needs six columns: qid tag docid correctness distinct string.")
    topic, run, docno, correctness, distinct, text = columns
    if correctness not in map(str, CORRECTNESS):
        return _wrong(number, line, "value", f'The correctness is "{correctness[:20]}"; it must be -1, 1, 2 or 3.')
    if distinct not in ("0", "1"):
        return _wrong(number, line, "value", f'The fifth column is "{distinct[:20]}"; it must be 1 or 0.')
    return JudgedInstance(
        topic=topic,
        run=run,
        docno=docno,
        correctness=int(correctness),
        distinct=distinct == "1",
        text=unescape_column(text),
    )


def _parse_other_line(number: int, line: str) -> ResponseItem | RunMatch | Issue:
    columns = line.split(None, 4)
    if len(columns) < 4:
        layout = "qid tag item-number docno string, or qid tag item-number nugget-number"
        return _wrong(number, line, "columns", f"The line has {counted(len(columns), 'column')}; it needs {layout}.")
    topic, run, item = columns[:3]
    if len(item) > 9 or not _WHOLE.issuperset(item):
        return _wrong(number, line, "value", f'The item number is "{item[:20]}"; it must be a whole number.')
    if len(columns) == 5:
        return ResponseItem(topic=topic, run=run, item=int(item), docno=columns[3], text=unescape_column(columns[4]))
    nugget = parse_nugget_name(columns[3])
    if nugget is None:
        return _wrong(
            number, line, "value", f'The nugget is "{columns[3][:20]}"; it must be a number, or 5.1 for a part.'
        )
    return RunMatch(topic=topic, run=run, item=int(item), number=nugget[0], part=nugget[1])


def _parse_answer_line(number: int, line: str) -> AnswerClass | Issue:
    columns = line.split(None, 2)
    if len(columns) != 3:
        return _wrong(number, line, "columns", "The line needs three columns: qid answer-key label.")
    topic, key, label = columns
    return AnswerClass(topic=topic, key=unescape_column(key), label=unescape_column(label))


def _escape_spaces(key: str) -> str:
    r"""Return the key as one column: white space is escaped as \uXXXX, like other special characters."""
    return "".join(f"\\u{ord(c):04x}" if c.isspace() else escape_column(c) for c in key)


def _wrong(number: int, line: str, code: str, message: str) -> Issue:
    return Issue(where=number, code=code, message=message, excerpt=excerpt_of(line))
