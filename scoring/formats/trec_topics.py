"""Reads and writes topics of ad hoc tasks, in any of the forms in which they are published. A file's beginning shows
its form.

    <top>                                    TREC: <num>, <title>, <desc> and <narr>, closed or not; other tags, XML
    <num> Number: 301
    <title> international organized crime
    <desc> Description:
    Identify organisations that take part in it.
    <narr> Narrative: …
    </top>

    301<TAB>international organized crime    number and query, one a line; with a header also more columns
    tweet_id<TAB>tweet_content               a header recognised by its form, if the names are unknown: a note says so
    301:international organized crime        the Million Query track, with or without a priority
    <301>What crime is organized?            the Genomics track
    enwiki:Crime/Organized%20crime           headings of TREC CAR, which are number and query in one

    {"id": "301", "title": "international organized crime", "description": "…", "narrative": "…"}    JSON

For the names of members and tags see `scoring.formats.topic_texts`; for tags `topic_markup`; for JSON `topic_objects`;
for conversations `topic_conversations`. Every unknown member is stored as a further field of the topic and named once,
in a note. A number is one word and is used once.

Codes: empty-file, columns, duplicate, further-fields (note), not-kept (warning), not-utf8 (a warning if the line was
read), read-as (note), header (warning), and those of the modules above and of `scoring.reading.opening`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO
from unicodedata import normalize
from urllib.parse import unquote

from scoring.file_kinds import COLUMNS, IDS, JSON, TAGGED, ColumnLayout, HeaderLayout, LineLayout, reads
from scoring.formats.document_facts import INDEX
from scoring.formats.pool_tables import topic_order
from scoring.formats.separated import unquoted
from scoring.formats.spec import Format
from scoring.formats.topic_columns import HEADER_LINES, NUMBER_WORDS, TEXT_WORDS, header_names, joined_rows
from scoring.formats.topic_conversations import BEFORE, OWN_ANSWERS
from scoring.formats.topic_markup import tagged_topics
from scoring.formats.topic_objects import object_topics
from scoring.formats.topic_texts import (
    DESCRIPTION,
    NUMBER,
    NUMBER_LENGTH,
    TITLE,
    TopicText,
    doubtful_numbers,
    further_note,
    make_topic,
    one_line,
    plain_member,
)
from scoring.reading.opening import Line, excerpt_of, header_again, text_lines
from scoring.reading.tolerant_lines import TolerantLines
from scoring.records import Issue
from scoring.wording import counted

MARKUP_LIMIT = 8 * 1024 * 1024
"""The most characters in a file with tags, which is held in memory; a file of lines is held up to this size, too."""

_GENOMICS = re.compile(r"<(\d{1,9})>\s*(\S.*)")
_MILLION = re.compile(r"([A-Za-z]{0,10}\d[\w.-]{0,40}):(?:(\d{1,3}):)?\s*(\S.*)")
_HEADINGS = re.compile(r"(?:enwiki|tqa2?|en):\S+")

_QUOTED = re.compile(r'"(?:[^"]|"")*+"(?:\t"(?:[^"]|"")*+")*')

_NUMBER_NAMES = frozenset(NUMBER)
_OTHER_COLUMNS = frozenset({*IDS, "corpus-id", "corpus_id", "rank", "score", "rel", "relevance", "grade", "label"})
"""Names of columns that occur in other files, but not in files of topics."""
SEPARATORS = (",", ";", "|")
"""Characters, besides tabs, that may separate the columns below a header."""
_TAKES = (
    ColumnLayout(layout="number query", separator="\t"),
    HeaderLayout(
        layout="columns with a header",
        groups=(frozenset(NUMBER), frozenset((*TITLE, *DESCRIPTION))),
        without=frozenset({"docno", "doc_id", "rank", "score"}),
    ),
    HeaderLayout(
        layout="columns with a header", groups=(NUMBER_WORDS, TEXT_WORDS), without=_OTHER_COLUMNS, by_last_word=True
    ),
    LineLayout(
        layout="number:query", form=re.compile("|".join(each.pattern for each in (_MILLION, _GENOMICS, _HEADINGS)))
    ),
)

__all__ = ["FORMAT", "TopicText", "read_trec_topics", "write_trec_topics"]


@reads("topics", takes=_TAKES, forms=COLUMNS | JSON | TAGGED)
def read_trec_topics(file: BinaryIO, *, conversations: bool = True) -> Iterator[TopicText | Issue]:
    """Yield the topics in file order, and an issue for everything that is not a topic or repeats a number.

    A turn that is in several conversations of the file is yielded once and is no issue. Issues about the encoding and
    about doubtful numbers, and a note of further fields, come last.

    If ``conversations`` is False, a conversation in one of iKAT's forms is an issue. This is for tracks that have
    another kind of file for them.
    """
    seen: dict[str, TopicText | None] = {}  # number -> the topic if it has further members; holding all takes time
    composed: dict[str, str] = {}  # the same of other letters, in one form of Unicode
    counts: dict[str, int] = {}
    empty = True
    lines = TolerantLines(file)
    for record in _read(lines, conversations=conversations):
        empty = empty and isinstance(record, Issue) and record.severity == "note"
        if isinstance(record, Issue):
            yield record
        elif record.number not in seen and _is_composed_otherwise(record.number, composed):
            message = (
                f"Topic {excerpt_of(record.number, length=40)} is here in other code points, too: they look alike. "
            )
            yield _issue(record.line, "duplicate", f"{message}Write both in one form of Unicode (NFC), and keep one.")
        elif record.number not in seen:
            seen[record.number] = record if record.further else None
            for name, _ in record.further:
                counts[name] = counts.get(name, 0) + 1
            yield record
        elif not _is_same_turn(seen[record.number], record):
            yield _issue(record.line, "duplicate", f'Topic "{record.number[:40]}" comes twice. Keep one of them.')
    if empty:
        yield Issue(where="", code="empty-file", message="There are no topics in the file. Check the file chosen.")
    yield from lines.issues()
    yield from doubtful_numbers(seen)
    if counts:
        is_of_turns = any(name.startswith(BEFORE) for name in counts)
        yield further_note(counts, OWN_ANSWERS if is_of_turns else ())


def _is_composed_otherwise(number: str, composed: dict[str, str]) -> bool:
    """Return whether another number has the same letters, composed otherwise. Numbers in ASCII are not remembered."""
    return not number.isascii() and composed.setdefault(normalize("NFC", number), number) != number


def _is_same_turn(first: TopicText | None, second: TopicText) -> bool:
    """Return whether the file repeats a turn of a conversation because it lies on several paths."""
    if first is None or first.title != second.title:
        return False
    return any(name.startswith("conversation") for name, _ in first.further)


def write_trec_topics(records: Iterable[TopicText]) -> Iterator[str]:
    """Yield JSON lines sorted by number. Empty members are left out, and further members of a topic come last."""
    for r in sorted(records, key=lambda r: topic_order(r.number)):
        values = {"id": r.number, "title": r.title, "description": r.description, "narrative": r.narrative}
        known = {name: value for name, value in values.items() if value}
        yield json.dumps(known | dict(r.further), ensure_ascii=False)


def _read(lines: TolerantLines, *, conversations: bool) -> Iterator[TopicText | Issue]:
    """Return the topics and issues of a file. The first line that is not blank shows in which form the file is."""
    start = lines.first_text()
    if start.startswith(("{", "[")):
        return object_topics(lines.sound_lines(MARKUP_LIMIT), conversations=conversations)
    if start.startswith("<") and not _GENOMICS.match(start):
        text = lines.clean_text(MARKUP_LIMIT)
        return _read_tagged(text_lines(lines.stream, limit=MARKUP_LIMIT)) if text is None else _tagged(text)
    return _read_lines(text_lines(lines.sound_lines(MARKUP_LIMIT)), _parser(start))


def _read_tagged(lines: Iterable[Line | Issue]) -> Iterator[TopicText | Issue]:
    """Yield the topics of a file with tags, and issues. The whole file is held in memory."""
    held: list[str] = []
    size = 0
    for line in lines:
        if isinstance(line, Issue):
            yield line
            held.append("")
            continue
        held.append(line[1])
        size += len(line[1])
        if size > MARKUP_LIMIT:
            message = f"The file has more than {MARKUP_LIMIT:,} characters. Check that it is the right file."
            yield Issue(where="", code="file-too-large", message=message)
            return
    if any(held):  # otherwise its issue was reported
        yield from _tagged("\n".join(held))


def _tagged(text: str) -> Iterator[TopicText | Issue]:
    """Yield the topics of a text with tags, and issues."""
    for each in tagged_topics(text):
        yield each if isinstance(each, Issue) else make_topic(each.line, each.members)


Parse = Callable[[int, str], TopicText | Issue]


def _read_lines(lines: Iterable[Line | Issue], parse: Parse | None) -> Iterator[TopicText | Issue]:
    """Yield one topic, or an issue, for each line that is not blank. Without ``parse`` the first line is a header."""
    lines = iter(lines)
    if parse is _from_columns:
        first = list(islice(lines, HEADER_LINES))
        lines = chain(first, lines)
        plain = [each for each in first if not isinstance(each, Issue) and each[1].strip()]
        separator = _separator(plain[0][1]) if plain else "\t"
        names = header_names([_cells(text, separator) for _, text in plain])
        if names is not None and (names.columns or separator == "\t"):
            yield names.issue
            if names.columns:
                parse = _with_names(names.columns, separator)
                lines = joined_rows((each for each in lines if each is not plain[0]), separator)
    for line in lines:
        if isinstance(line, Issue):
            yield line
        elif line[1].strip(" \t\r,;|"):  # spreadsheet programs write rows of nothing but separators
            if parse is None:
                yield from _read_lines(joined_rows(lines, _separator(line[1])), _under(line[1]))
                return
            yield parse(*line)


def _parser(start: str) -> Parse | None:
    """Return the function that reads the lines of a file with this first line; None if that line is a header."""
    if _is_header(start):
        return None
    if "\t" in start:
        return _from_columns
    for pattern, parse in ((_GENOMICS, _from_genomics), (_HEADINGS, _from_headings), (_MILLION, _from_million)):
        if pattern.fullmatch(start):
            return parse
    return _from_columns


def _is_header(line: str) -> bool:
    """Return whether the first column has a name for numbers, and another column a name for texts."""
    try:
        names = [plain_member(name) for name in _names(line)]
    except csv.Error:
        return False
    names = [name for place, name in enumerate(names) if place or name not in map(plain_member, INDEX)]
    return len(names) > 1 and names[0] in NUMBER and any(name in (*TITLE, *DESCRIPTION) for name in names[1:])


def _separator(line: str) -> str:
    """Return the separator of a header's columns: a tab, or else the most frequent of the other separators."""
    return "\t" if "\t" in line else max(SEPARATORS, key=line.count)


def _cells(line: str, separator: str) -> list[str]:
    """Return the columns of a line. A separator may be part of a quoted column. With tabs this holds only if all
    columns are quoted; otherwise quotes are text, but for those around a column in which quotes are doubled.
    """
    if separator == "\t" and not _QUOTED.fullmatch(line):
        return [unquoted(cell) for cell in line.split("\t")]
    return next(csv.reader([line], delimiter=separator), [])


def _names(header: str) -> list[str]:
    """Return the names in a header, which may begin with a number sign."""
    return _cells(header.removeprefix("#").lstrip(" "), _separator(header))


def _under(header: str) -> Parse:
    """Return the function that reads the lines below a header: each column is a member with the column's name."""
    return _with_names(_names(header), _separator(header))


def _with_names(names: Sequence[str], separator: str) -> Parse:
    """Return the function that reads lines whose columns have these names."""

    def parse(number: int, text: str) -> TopicText | Issue:
        try:
            cells = _cells(text, separator)
        except csv.Error as error:
            return _issue(number, "columns", f"The line is no row of CSV ({error}).", text)
        if [cell.strip() for cell in cells] == [name.strip() for name in names]:
            return header_again(number)
        if len(cells) > len(names):
            message = (
                f"The line has {counted(len(cells), 'column')}, but the header names {len(names)}. Correct one of them."
            )
            return _issue(number, "columns", message, text)
        return make_topic(
            number,
            [(name, cell) for name, cell in zip(names, cells, strict=False) if cell.strip() and name not in INDEX],
            text,
        )

    return parse


def _from_columns(number: int, text: str) -> TopicText | Issue:
    if text.startswith('"') and _QUOTED.fullmatch(text):
        text = "\t".join(_cells(text, "\t"))
    topic, tab, query = text.partition("\t")
    if not tab:
        return _issue(number, "columns", "The line has no tab. Write the topic's number, a tab and the query.", text)
    words, title = topic.split(), one_line(unquoted(query))
    if words and words[0].lower() in _NUMBER_NAMES and _is_header(text):
        return header_again(number)
    if len(words) == 1 and title and len(words[0]) <= NUMBER_LENGTH and words[0].isascii():
        return TopicText(number=words[0], title=title, line=number)
    return make_topic(number, [("id", topic.strip()), ("title", query)], text)


def _from_million(number: int, text: str) -> TopicText | Issue:
    found = _MILLION.fullmatch(text.strip())
    if found is None:
        return _issue(number, "columns", "The line has no number and colon before its query.", text)
    priority = (("priority", found[2]),) if found[2] else ()
    return make_topic(number, [("id", found[1]), ("title", found[3]), *priority], text)


def _from_genomics(number: int, text: str) -> TopicText | Issue:
    found = _GENOMICS.fullmatch(text.strip())
    if found is None:
        return _issue(number, "columns", "The line is no <number> with the question after it.", text)
    return make_topic(number, [("id", found[1]), ("title", found[2])], text)


def _from_headings(number: int, text: str) -> TopicText | Issue:
    _, _, headings = text.strip().partition(":")
    return make_topic(number, [("id", text.strip()), ("title", unquote(headings).replace("/", " / "))], text)


def _issue(where: int, code: str, message: str, text: str = "") -> Issue:
    return Issue(where=where, code=code, message=message, excerpt=excerpt_of(text))


FORMAT = Format(
    name="trec-topics",
    label="Topics of ad hoc tasks: TREC, XML, columns or JSON",
    source="trec.nist.gov/data/topics_eng; TREC RAG 2024",
    layout='<top>…</top> | number<TAB>query | {"id", "title", "description", "narrative"}',
    record=TopicText,
    read=read_trec_topics,
    write=write_trec_topics,
)
