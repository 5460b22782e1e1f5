r"""Reads and writes the judgments of the AQUAINT definition pilot, in the file formats in which it was published.

    holistic             comments, then: qnum run c1 o1 c2 o2 c3 o3
                         content and organization (0-10) by the contractor, the question's author, the other assessor
    <assessor>.<n>       the assessor's nugget list for question n: number [*] text; "*" marks a vital nugget
    sys.<assessor>.<n>   qnum run item nugget docid piece: the item's number in the response, the nugget's number on the
                         assessor's own list (5.1 and 5.2 if items together make nugget 5), the piece of the item;
                         a line of asterisks separates runs

    12 A 7 5 8 6 7 4
    5 * first woman to win the prize
    12 A 3 5.1 APW19990101.0001 the first woman

All lines of `holistic` before the first line of scores are comments, and so are later lines that begin with "#". A
score that was not given is "-" (our addition: the pilot's files are complete). A nugget list for several questions has
a line <qnum> before the nuggets of each question. Inside texts a backslash and control characters are written \\ \t \n
\uXXXX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from scoring.file_kinds import COLUMNS, TAGGED, WHOLE, ColumnLayout, LineLayout, reads
from scoring.formats.definition_runs import SEPARATOR, crossed_out_docno, docno_column, docno_of, is_separator
from scoring.formats.definition_topics import QNUM
from scoring.formats.pool_tables import (
    NUGGET,
    escape_column,
    nugget_name,
    parse_nugget_name,
    topic_order,
    unescape_column,
)
from scoring.formats.spec import Format, columns_issue, duplicate_issue, short, value_issue, whole
from scoring.reading.opening import TEXT_LIMIT, excerpt_of, records_of, text_lines
from scoring.reading.sorting import sorted_externally, without_repeats
from scoring.records import Issue, Nugget, NuggetPiece

ABSENT = "-"
HIGHEST = 10
HOLISTIC_LAYOUT = "qnum run content1 organization1 content2 organization2 content3 organization3"
COMMENTS = f"""\
Content and organization (0-10) of each response: by the contractor, the question's author, the other.
# {HOLISTIC_LAYOUT}
"""
PIECE_LAYOUT = "qnum run item nugget docid piece"

_TOPIC = re.compile(rf"<({QNUM})>\s*")
_NUGGET = re.compile(r"\s*([0-9]{1,9})[.):]?(?:\s*(\*)\s*|\s+(?!\*))(\S.*)")
_TEXT_LINE = r"\s*[0-9]{1,9}[.):]?(?:\s*\*\s*|\s+)(?![0-9*]|Q0\s)[^\t]+"
_NUGGETS = LineLayout(layout="number [*] text", form=re.compile(f"{_TEXT_LINE}|{_TOPIC.pattern}"))
_PIECES = ColumnLayout(layout=PIECE_LAYOUT, holds={"item": WHOLE, "nugget": NUGGET}, ends_in_text=True)
_NUMBERED = re.compile(r"[0-9][A-Za-z0-9._-]*")

Pair = tuple[int | None, int | None]
"""Content and organization, each from 0 to 10; None if it was not given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HolisticScores:
    """The scores that the three assessors gave to one response."""

    topic: str
    run: str
    contractor: Pair = (None, None)
    author: Pair = (None, None)
    other: Pair = (None, None)


@reads("assessments", forms=COLUMNS)
def read_holistic(file: BinaryIO) -> Iterator[HolisticScores | Issue]:
    """Yield the scores in file order, and an issue for each line of scores that is wrong or repeats a response."""
    seen: set[tuple[str, str]] = set()
    in_scores = False
    for line in text_lines(file):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        columns = text.split()
        in_scores = in_scores or is_score_line(text)
        if not columns or not in_scores or columns[0].startswith("#"):
            continue
        parsed = _holistic(number, text, columns)
        if isinstance(parsed, HolisticScores):
            if (parsed.topic, parsed.run) in seen:
                what = f"Run {short(parsed.run)} of question {short(parsed.topic)}"
                parsed = duplicate_issue(number, text, what)
            else:
                seen.add((parsed.topic, parsed.run))
        yield parsed
    if not in_scores:
        message = f"There is no line of scores in the file. Write: {HOLISTIC_LAYOUT}."
        yield Issue(where="", code="no-scores", message=message, severity="warning")


def read_comments(file: BinaryIO) -> str | None:
    """Return the lines before the first line of scores, each with a line feed. Return None if one of these lines is not
    readable text.
    """
    lines = []
    for line in text_lines(file):
        if isinstance(line, Issue):
            return None
        if is_score_line(line[1]):
            break
        lines.append(f"{line[1]}\n")
    return "".join(lines)


def write_holistic(records: Iterable[HolisticScores], *, comments: str = COMMENTS) -> Iterator[str]:
    """Yield the comments line by line. Then yield one line for each question and run that have a score."""
    if comments:
        yield from comments.removesuffix("\n").split("\n")
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.run)):
        values = [value for pair in (r.contractor, r.author, r.other) for value in pair]
        if any(value is not None for value in values):
            yield " ".join([r.topic, r.run, *(ABSENT if value is None else str(value) for value in values)])


@reads("nuggets", takes=_NUGGETS, forms=COLUMNS | TAGGED)
def read_definition_nuggets(file: BinaryIO, topic: str = "") -> Iterator[Nugget | Issue]:
    """Yield the nuggets in file order, and an issue for each line that can't be read. The name of the file gives
    ``topic``, the question of the nuggets before the first line <qnum>.
    """
    seen: set[tuple[str, int]] = set()
    now = topic
    found = False
    for line in text_lines(file):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        if not text.strip():
            continue
        found = True
        if start := _TOPIC.fullmatch(text):
            now = start[1]
            continue
        yield _nugget(number, text, now, seen)
    if not found:
        message = "There is no nugget in the file. Write one a line: 1 * text."
        yield Issue(where="", code="no-nuggets", message=message, severity="warning")


def write_definition_nuggets(records: Iterable[Nugget]) -> Iterator[str]:
    """Yield for each question a line <qnum>, then its nuggets by number."""
    before = None
    for r in sorted(records, key=lambda r: (topic_order(r.topic), r.number, r.importance, r.text)):
        if r.topic != before:
            before = r.topic
            yield f"<{r.topic}>"
        text = escape_column(r.text)
        if text.startswith("*"):
            text = f"\\u002a{text[1:]}"
        yield f"{r.number} {'* ' if r.importance == 'vital' else ''}{text}"


def split_lists(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (question, line) for the lines of a list of several questions. The lines <qnum> are left out, since a file
    for one question has none.
    """
    now = ""
    for line in lines:
        if start := _TOPIC.fullmatch(line):
            now = start[1]
        else:
            yield now, line


@reads("matches", takes=_PIECES)
def read_pieces(file: BinaryIO) -> Iterator[NuggetPiece | Issue]:
    """Yield the places where nuggets were found, in file order, and an issue for each line that can't be read. Lines of
    asterisks are skipped.
    """
    for record in records_of(file, _piece, limit=TEXT_LIMIT):
        if record is not None:
            yield record


def write_pieces(records: Iterable[NuggetPiece]) -> Iterator[str]:
    """Yield lines sorted by question, run, item and nugget, with a line of asterisks between runs."""
    before: tuple[str, str] | None = None
    ordered = sorted_externally(
        records, key=lambda r: (topic_order(r.topic), r.run, r.item, r.number, r.part, r.docno, r.text)
    )
    for r in without_repeats(ordered):
        if before not in (None, (r.topic, r.run)):
            yield SEPARATOR
        before = (r.topic, r.run)
        nugget = nugget_name(r.number, r.part)
        yield f"{r.topic} {r.run} {r.item} {nugget} {docno_column(r.docno, r.no_docno)} {escape_column(r.text)}"


def is_score_line(text: str) -> bool:
    """Return whether a line is meant as a line of scores, whether it is valid or not. Any other line is a comment."""
    columns = text.split()
    if len(columns) < 3 or not _NUMBERED.fullmatch(columns[0]):
        return False
    numbers = sum(column == ABSENT or whole(column) is not None for column in columns[2:])
    return len(columns) == 8 or numbers >= 2


def _holistic(number: int, text: str, columns: list[str]) -> HolisticScores | Issue:
    if len(columns) != 8:
        return columns_issue(number, text, HOLISTIC_LAYOUT, len(columns))
    values = []
    for place, column in enumerate(columns[2:]):
        value = None if column == ABSENT else whole(column)
        if column != ABSENT and (value is None or not 0 <= value <= HIGHEST):
            name = HOLISTIC_LAYOUT.split()[place + 2]
            message = f"{name} is {short(column)}; it must be a whole number from 0 to 10, or - where it was not given."
            return value_issue(number, text, message)
        values.append(value)
    c1, o1, c2, o2, c3, o3 = values
    return HolisticScores(topic=columns[0], run=columns[1], contractor=(c1, o1), author=(c2, o2), other=(c3, o3))


def _nugget(number: int, text: str, topic: str, seen: set[tuple[str, int]]) -> Nugget | Issue:
    found = _NUGGET.fullmatch(text)
    if found is None:
        message = "The line is no nugget. Write its number, * where it is vital, and its text: 5 * first woman to …"
        return Issue(where=number, code="nugget-line", message=message, excerpt=excerpt_of(text))
    if not topic:
        message = "There is no question that this nugget belongs to. Name the file author.<n>, or write a line <n>."
        return Issue(where=number, code="no-number", message=message, excerpt=excerpt_of(text))
    which = int(found[1])
    if (topic, which) in seen:
        return duplicate_issue(number, text, f"Nugget {which} of question {short(topic)}")
    seen.add((topic, which))
    importance = "vital" if found[2] else "okay"
    return Nugget(topic=topic, number=which, importance=importance, text=unescape_column(found[3].strip()))  # type: ignore[arg-type]


def _piece(number: int, text: str) -> NuggetPiece | Issue | None:
    if is_separator(text):
        return None
    columns = text.split(None, 5)
    if len(columns) != 6:
        return columns_issue(number, text, PIECE_LAYOUT, len(columns))
    topic, run, item, name, docno, piece = columns
    which = whole(item)
    nugget = parse_nugget_name(name.removesuffix(".0"))
    if which is None or which < 1:
        return value_issue(number, text, f"The item is {short(item)}; it must be a whole number, from 1.")
    if nugget is None:
        return value_issue(number, text, f"The nugget is {short(name)}; it must be a number, or 5.1 for a part.")
    return NuggetPiece(
        topic=topic,
        run=run,
        item=which,
        number=nugget[0],
        part=nugget[1],
        docno=docno_of(docno),
        text=unescape_column(piece.strip()),
        no_docno=crossed_out_docno(docno),
    )


FORMATS = (
    Format(
        name="holistic", label="Holistic scores of responses", source="AQUAINT definition pilot",
        layout="qnum run c1 o1 c2 o2 c3 o3", record=HolisticScores, read=read_holistic, write=write_holistic,
    ),
    Format(
        name="definition-nuggets", label="<assessor>.<n>: an assessor's nugget list", source="AQUAINT definition pilot",
        layout="number [*] text", record=Nugget, read=read_definition_nuggets, write=write_definition_nuggets,
    ),
    Format(
        name="definition-pieces", label="sys.<assessor>.<n>: nuggets in responses", source="AQUAINT definition pilot",
        layout="qnum run item nugget docid piece", record=NuggetPiece, read=read_pieces, write=write_pieces,
    ),
)  # fmt: skip
