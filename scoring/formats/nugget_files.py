"""Reads and writes nugget lists, votes, matches and responses in plain columns, as people type them or NIST published
them.

    nuggets     topic number vital|okay text            52.6 1 vital first woman in space
    votes       topic number assessor vital|okay        52.6 1 A3 okay
    matches     topic run item nugget                   52.6 example 12 6        (a nugget may be a part: 5.1)
    responses   topic run docno answer-string           52.6 example D1 she was the first woman in space

Columns are separated by tabs or any white space; the last one of nuggets and responses is the rest of the line. For
tables with escaped texts, as in exports, see `pool_tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TypeVar

from scoring.file_kinds import DOCNO, IMPORTANCE, RUN_NAME, WHOLE, ColumnLayout, reads
from scoring.formats.pool_tables import (
    NUGGET,
    escape_column,
    nugget_name,
    parse_importance,
    parse_nugget_name,
    topic_order,
    unescape_column,
)
from scoring.formats.spec import Format, columns_issue, duplicate_issue, short, value_issue, whole
from scoring.reading.opening import records_of
from scoring.reading.sorting import sorted_externally
from scoring.records import Issue, Nugget, NuggetVote, ResponseItem, RunMatch

Record = TypeVar("Record")

NUGGETS = ColumnLayout(
    layout="topic number vital|okay text", holds={"number": WHOLE, "vital|okay": IMPORTANCE}, ends_in_text=True
)
VOTES = ColumnLayout(layout="topic number assessor vital|okay", holds={"number": WHOLE, "vital|okay": IMPORTANCE})
MATCHES = ColumnLayout(layout="topic run item nugget", holds={"item": WHOLE, "nugget": NUGGET})
RESPONSES = ColumnLayout(
    layout="topic run docno answer-string", usually={"run": RUN_NAME, "docno": DOCNO}, ends_in_text=True
)


@reads("nuggets", takes=NUGGETS)
def read_nugget_lines(file: BinaryIO) -> Iterator[Nugget | Issue]:
    """Return the nuggets in file order. A number given twice in a topic is an issue."""
    seen: set[tuple[str, int]] = set()

    def make(number: int, line: str, columns: list[str]) -> Nugget | Issue:
        topic, written, importance, text = columns
        numbered, checked = whole(written), parse_importance(importance)
        if numbered is None or numbered < 0:
            return value_issue(number, line, f"The nugget number is {short(written)}; it must be a whole number.")
        if checked is None:
            return value_issue(number, line, f"The importance is {short(importance)}; it must be vital or okay.")
        if (topic, numbered) in seen:
            return duplicate_issue(number, line, f"Nugget {numbered} of topic {short(topic)}")
        seen.add((topic, numbered))
        return Nugget(topic=topic, number=numbered, importance=checked, text=unescape_column(text))

    return _read(file, NUGGETS, make)


@reads("votes", takes=VOTES)
def read_vote_lines(file: BinaryIO) -> Iterator[NuggetVote | Issue]:
    """Return the votes in file order, and an issue for each line that can't be read. A second vote of an assessor on a
    nugget is an issue as well.
    """
    seen: set[tuple[str, int, str]] = set()

    def make(number: int, line: str, columns: list[str]) -> NuggetVote | Issue:
        topic, written, assessor, importance = columns
        numbered, checked = whole(written), parse_importance(importance)
        if numbered is None:
            return value_issue(number, line, f"The nugget number is {short(written)}; it must be a whole number.")
        if checked is None:
            return value_issue(number, line, f"The vote is {short(importance)}; it must be vital or okay.")
        if (topic, numbered, assessor) in seen:
            return duplicate_issue(number, line, f"The vote of {short(assessor)} on nugget {numbered} of {topic[:40]}")
        seen.add((topic, numbered, assessor))
        return NuggetVote(topic=topic, number=numbered, assessor=assessor, importance=checked)

    return _read(file, VOTES, make)


@reads("matches", takes=MATCHES)
def read_match_lines(file: BinaryIO) -> Iterator[RunMatch | Issue]:
    """Return the matches in file order, and an issue for each line that can't be read. A nugget may match several items
    of a response, but counts only once for it.
    """

    def make(number: int, line: str, columns: list[str]) -> RunMatch | Issue:
        topic, run, written, name = columns
        item, nugget = whole(written), parse_nugget_name(name)
        if item is None:
            return value_issue(number, line, f"The item is {short(written)}; it must be a whole number.")
        if nugget is None:
            return value_issue(number, line, f"The nugget is {short(name)}; it must be a number, or 5.1 for a part.")
        return RunMatch(topic=topic, run=run, item=item, number=nugget[0], part=nugget[1])

    return _read(file, MATCHES, make)


@reads("answers", takes=RESPONSES)
def read_responses(file: BinaryIO) -> Iterator[ResponseItem | Issue]:
    """Return the answer strings, numbered from 1 within each topic and run in file order, and issues."""
    counts: dict[tuple[str, str], int] = {}

    def make(number: int, line: str, columns: list[str]) -> ResponseItem | Issue:
        topic, run, docno, text = columns
        counts[topic, run] = counts.get((topic, run), 0) + 1
        return ResponseItem(topic=topic, run=run, item=counts[topic, run], docno=docno, text=unescape_column(text))

    return _read(file, RESPONSES, make)


def write_nugget_lines(records: Iterable[Nugget]) -> Iterator[str]:
    """Yield lines sorted by topic and number."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.number, r.importance, r.text)):
        yield f"{r.topic}\t{r.number}\t{r.importance}\t{escape_column(r.text)}"


def write_vote_lines(records: Iterable[NuggetVote]) -> Iterator[str]:
    """Yield lines sorted by topic, nugget and assessor."""
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.number, r.assessor, r.importance)):
        yield f"{r.topic}\t{r.number}\t{r.assessor}\t{r.importance}"


def write_match_lines(records: Iterable[RunMatch]) -> Iterator[str]:
    """Yield lines sorted by topic, run, item and nugget."""
    for r in sorted_externally(records, key=lambda r: (topic_order(r.topic), r.run, r.item, r.number, r.part)):
        yield f"{r.topic}\t{r.run}\t{r.item}\t{nugget_name(r.number, r.part)}"


def write_responses(records: Iterable[ResponseItem]) -> Iterator[str]:
    """Yield lines sorted by topic, run and item number."""
    for r in sorted_externally(records, key=lambda r: (topic_order(r.topic), r.run, r.item, r.docno, r.text)):
        yield f"{r.topic}\t{r.run}\t{r.docno}\t{escape_column(r.text)}"


def _read(
    file: BinaryIO, taken: ColumnLayout, make: Callable[[int, str, list[str]], Record | Issue]
) -> Iterator[Record | Issue]:
    layout = taken.layout
    width = len(layout.split())

    def parse(number: int, line: str) -> Record | Issue:
        columns = line.split("\t")
        if len(columns) != width or not all(column.strip() for column in columns[:-1]):
            columns = line.split(None, width - 1)
        if len(columns) != width or (len(columns[-1].split()) > 1 and not taken.ends_in_text):
            return columns_issue(number, line, layout, len(line.split()))
        return make(number, line, [*(column.strip() for column in columns[:-1]), columns[-1]])

    return records_of(file, parse)


FORMATS = (
    Format(
        name="nuggets", label="Nugget lists", source="this project", layout="topic number vital|okay text",
        record=Nugget, read=read_nugget_lines, write=write_nugget_lines,
    ),
    Format(
        name="votes", label="Votes on nuggets", source="this project", layout="topic number assessor vital|okay",
        record=NuggetVote, read=read_vote_lines, write=write_vote_lines,
    ),
    Format(
        name="matches", label="Nuggets found in responses", source="TREC QA 2005, README.list+other.results",
        layout="topic run item nugget", record=RunMatch, read=read_match_lines, write=write_match_lines,
    ),
    Format(
        name="responses", label="Answer strings of runs", source="TAC 2008 QA guidelines",
        layout="topic run docno answer-string", record=ResponseItem, read=read_responses, write=write_responses,
    ),
)  # fmt: skip
