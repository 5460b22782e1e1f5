r"""Recognises a header line of topics in columns that has unknown names.

    tweet_id<TAB>tweet_content          the column of numbers ends in id, no or number, the other in text, query …
    1234<TAB>Masks work well.           between tabs, commas, semicolons or vertical bars

If columns are separated by tabs and only the form of the first line suggests that it is a header, the line is read as a
topic, and a warning says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from scoring.file_kinds import name_words
from scoring.formats.topic_texts import NUMBER
from scoring.reading.opening import Line, excerpt_of
from scoring.records import Issue

HEADER_LINES = 200
"""The number of lines by which a header is recognised."""

_QUOTED = re.compile(r'(?:[^"]++|"")*+')
_NAME = re.compile(r"[^\W\d][\w -]{0,60}")
NUMBER_WORDS = frozenset({"id", "no", "nr", "num", "number", "qid"})
TEXT_WORDS = frozenset({
    "text", "content", "contents", "query", "question", "title", "topic", "claim", "utterance", "description", "body",
    "keywords", "sentence",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class HeaderNames:
    """What the first line of a table means: the names of its columns, or () if the line is read as a topic.

    ``issue`` tells people how the line was read.
    """

    columns: tuple[str, ...] = ()
    issue: Issue


def header_names(rows: Sequence[Sequence[str]]) -> HeaderNames | None:
    """Return what the first row means if it is a header or looks like one. Return None if it is a topic."""
    if len(rows) < 2:
        return None
    cells, below = [cell.strip() for cell in rows[0]], [row for row in rows[1:] if len(row) == len(rows[0])]
    if not below or not all(map(_NAME.fullmatch, cells)):
        return None
    numbers = [place for place, cell in enumerate(cells) if _is_number(cell) and _are_numbers(below, place)]
    texts = [place for place, cell in enumerate(cells) if name_words(cell)[-1] in TEXT_WORDS and place not in numbers]
    if numbers and texts:
        number, text = numbers[0], max(texts, key=lambda place: _variety(below, place))
        named = {number: "id", text: "title"}
        message = (
            f"The first line was read as names of the columns: the topic's number is “{excerpt_of(cells[number])}”, "
            f"its query “{excerpt_of(cells[text])}”."
        )
        columns = tuple(named.get(place, cell) for place, cell in enumerate(cells))
        return HeaderNames(columns=columns, issue=Issue(where=1, code="read-as", message=message, severity="note"))
    has_digits = [any(map(str.isdigit, row[0])) for row in below]
    if len(below) > 1 and all(has_digits) and not any(" " in cell for cell in cells):
        message = (
            f"The first line was read as the topic “{excerpt_of(cells[0], length=40)}”. "
            "If it names the columns, take it out, and load the file again."
        )
        return HeaderNames(issue=Issue(where=1, code="header", message=message, severity="warning"))
    return None


def _is_number(name: str) -> bool:
    words = name_words(name)
    return name.lower() in NUMBER or (len(words) > 1 and words[-1] in NUMBER_WORDS)


def _are_numbers(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether this column may hold topic numbers: one word in each row, and never the same word twice."""
    values = {row[place].strip() for row in rows}
    return len(values) == len(rows) and all(len(value.split()) == 1 for value in values)


def _variety(rows: Sequence[Sequence[str]], place: int) -> tuple[int, int]:
    """Return how many different texts a column has, and their total length."""
    return len({row[place] for row in rows}), sum(len(row[place]) for row in rows)


ROW_LINES = 200
"""The most lines in one row; a quote that is open for longer counts as plain text."""


def joined_rows(lines: Iterable[Line | Issue], separator: str) -> Iterator[Line | Issue]:
    """Yield the lines of a table, and issues. If a quoted column continues on the next line, the lines are joined. In
    tables with tabs, quotes have no meaning.
    """
    opening = re.compile(rf'(?:^|{re.escape(separator)})\s*"')
    waiting = iter(lines)
    ahead: list[Line | Issue] = []
    while ahead or (ahead := list(islice(waiting, 1))):
        line = ahead.pop(0)
        if separator == "\t" or isinstance(line, Issue) or not _is_open(line[1], opening, is_open=False):
            yield line
            continue
        ahead += islice(waiting, ROW_LINES - len(ahead))
        texts = [line[1]]
        for more in ahead:
            if isinstance(more, Issue):
                break
            texts.append(more[1])
            if not _is_open(more[1], opening, is_open=True):
                line, ahead = (line[0], "\n".join(texts)), ahead[len(texts) - 1 :]
                break
        yield line


def _is_open(text: str, opening: re.Pattern[str], *, is_open: bool) -> bool:
    """Return whether a quoted column is still open at the end of a line. ``is_open`` says whether it was open at the
    beginning.
    """
    place = 0
    while True:
        if is_open:
            place = _QUOTED.match(text, place).end()  # type: ignore[union-attr]
            if place == len(text):
                return True
        if (found := opening.search(text, place)) is None:
            return False
        place, is_open = found.end(), True
