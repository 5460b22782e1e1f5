"""Reads rows of ranked runs and judgments, as names and values, from the tables and JSON of neighbouring tools."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from scoring.file_kinds import recognise
from scoring.formats.spec import value_issue
from scoring.reading.json_values import json_values
from scoring.reading.opening import excerpt_of, header_again, text_lines
from scoring.records import Issue
from scoring.wording import counted

TOPIC = (
    "qid",
    "query_id",
    "query-id",
    "queryid",
    "topic_id",
    "topic",
    "topicid",
    "narrative_id",
    "request_id",
    "query",
)
QUERY = ("qid", "id", "_id", "query_id", "topic_id")
"""The members that may hold the id of a query object."""
DOCNO = (
    "docno",
    "docid",
    "doc_id",
    "corpus-id",
    "corpus_id",
    "pid",
    "passage_id",
    "psg_id",
    "document_id",
    "documentid",
    "id",
    "_id",
)
RANK = ("rank",)
SCORE = ("score", "rsv", "sim")
TAG = ("run", "run_id", "runid", "run_tag", "tag", "runtag", "system")
_NAME = ("name",)
"""A further name of the run's name in objects that list documents. In an object for one document it is the document's
name.
"""
GRADE = ("judgment", "relevance", "rel", "grade", "label", "score")
ITERATION = ("iteration", "iter", "q0", "subtopic_id")
LISTS = ("candidates", "results", "hits", "passages", "contexts", "ctxs", "ranking", "docs")
POSITIVES = "positive_ctxs"
"""The member of DPR's training files that lists passages with the answer. Passages listed as negative were not judged.
"""
_NUMBERED = "The questions have no numbers here: they are numbered from 0 in the order of the file, as pyserini does."
TEXTS = frozenset(
    {"doc", "text", "title", "contents", "segment", "url", "passage", "prompt", "prediction", "model", "has_answer"}
)
"""Members of candidates that hold the content of a document and are not part of the ranking."""

_AROUND = frozenset({*TOPIC, *QUERY, *TAG, *_NAME, *LISTS, *TEXTS, POSITIVES, "question", "answers", "negative_ctxs"})
"""Members that may be beside candidates and in their query: what is asked, and passages that nobody judged."""

Row = tuple[int, Mapping[str, Any]]


def table_rows(file: BinaryIO, names: Sequence[str] = ()) -> Iterator[Row | Issue]:
    """Yield (line, row) for each row of a table, and an issue for each row that can't be read.

    A row maps the names of the columns, in lower case, to its cells. The names come from the file's header or, if it
    has none, from ``names``. Without both, the first line is the header. Columns are split at the separator that is
    most frequent in the file. A first column that numbers the rows and has no name, as R writes it, is not read.
    """
    found = recognise(file)
    separator = found.shape.separator or " "
    is_by_blanks = separator == " " and not found.shape.is_quoted
    is_named = bool(found.shape.header) or not names
    header: Sequence[str] = names if not found.shape.header else ()
    counted_rows: int | None = 0
    for line in text_lines(file):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        if not text.strip():
            continue
        try:
            cells = text.split() if is_by_blanks else next(csv.reader([text], delimiter=separator, strict=True))
        except csv.Error as error:
            yield value_issue(number, text, f"The line is no row of columns ({error}).")
            continue
        cells = [cell.strip() for cell in cells]
        if not header:
            header = [cell.strip("#\"' ").lower() for cell in cells]
            if twice := [name for place, name in enumerate(header) if name and name in header[:place]]:
                message = f"Two columns are called “{twice[0]}”. Give each a name of its own, or take one out."
                yield Issue(where=number, code="name", message=message, excerpt=excerpt_of(text))
                return
        elif is_named and [cell.strip("#\"' ").lower() for cell in cells] == header:
            yield header_again(number)
        elif counted_rows is not None and is_named and _is_counted(cells, header, counted_rows + 1):
            counted_rows += 1
            yield number, dict(zip(header, cells[1:], strict=True))
        elif len(cells) != len(header):
            message = f"The line has {counted(len(cells), 'column')}; it needs {len(header)}: {' '.join(header)}."
            yield Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))
        else:
            counted_rows = None
            yield number, dict(zip(header, cells, strict=True))


def _is_counted(cells: Sequence[str], header: Sequence[str], row: int) -> bool:
    """Return whether a row has the number of the row before the columns of the header."""
    return len(cells) == len(header) + 1 and cells[0] == str(row) and bool(cells[-1])


def object_rows(file: BinaryIO) -> Iterator[Row | Issue]:
    """Yield one row for each candidate in each JSON object, and issues. An object without a list of candidates is
    yielded as one row.

    If questions have no numbers (DPR's own files), they are numbered from 0, as pyserini does, and a note says so.
    """
    place, is_numbered = -1, False
    for each in json_values(file):
        if isinstance(each, Issue):
            yield each
            continue
        number, value = each
        place += 1
        if not isinstance(value, dict):
            yield Issue(where=number, code="value", message="This is no JSON object.", excerpt=excerpt_of(str(value)))
        elif value and all(isinstance(one, dict) and "contexts" in one for one in value.values()):
            for topic, one in value.items():
                yield from rows_of(number, {"qid": topic, **one})
        elif isinstance(value.get(POSITIVES), list) or isinstance(value.get("ctxs"), list):
            asked = first_named(value, TOPIC) or first_named(value, QUERY)
            if asked is None and not is_numbered:
                is_numbered = True
                yield Issue(where="", code="read-as", message=_NUMBERED, severity="note")
            yield from rows_of(number, _of_dpr(value) | {"qid": str(place) if asked is None else asked})
        else:
            yield from rows_of(number, value)


def _of_dpr(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a DPR question with its candidates. In training files the passages listed as positive are judged 1."""
    if not isinstance(value.get(POSITIVES), list):
        return dict(value)
    judged = [{"judgment": 1, **one} if isinstance(one, dict) else one for one in value[POSITIVES]]
    return {name: each for name, each in value.items() if name != POSITIVES} | {"candidates": judged}


def rows_of(number: int, value: Mapping[str, Any]) -> Iterator[Row | Issue]:
    """Yield the rows of one object, one for each candidate. The first row also lists the names of the object's other
    members, with None as their values.
    """
    listed = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
    query = value.get("query")
    topic = first_named(query, QUERY) if isinstance(query, dict) else first_named(value, TOPIC)
    tag = first_named(value, TAG if listed is None else TAG + _NAME)
    around = value if listed is not None else {}
    others = {name: None for name in (*around, *(query if isinstance(query, dict) else ())) if name not in _AROUND}
    if listed is None:
        yield number, {**others, **value, "qid": topic, **({"run": tag} if tag is not None else {})}
    for place, candidate in enumerate(listed or (), 1):
        if not isinstance(candidate, dict):
            yield Issue(where=number, code="value", message=f"Candidate {place} is no JSON object.")
        else:
            yield (
                number,
                {**others, "rank": place, **candidate, "qid": topic, **({"run": tag} if tag is not None else {})},
            )
            others = {}  # reported once for each name


def like_ranks(scores: Iterable[tuple[str, float]]) -> Iterator[Issue]:
    """Yield a warning if the scores look like ranks: in each topic they are 1, 2, 3 … in the order of the file.

    There is no warning if no topic has two scores.
    """
    last: dict[str, int] = {}
    for topic, score in scores:
        last[topic] = last.get(topic, 0) + 1
        if score != last[topic]:
            return
    if max(last.values(), default=0) > 1:
        yield Issue(where="", code="ranks", message=LIKE_RANKS, severity="warning")


LIKE_RANKS = (
    "The scores are 1, 2, 3 … in each topic, so that the last document of a topic comes first. If they are ranks, name "
    "the columns: topic, docno, rank."
)


def first_named(values: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first of these members that has a value, or None."""
    return next((values[name] for name in names if values.get(name) not in (None, "") and name in values), None)
