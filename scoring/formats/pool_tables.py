r"""Reads and writes judgments of pooled items as tab-separated tables, one record a line, without a header.

    instances.tsv       topic docno correctness answer-class answer-string
    answer-classes.tsv  topic key found-by label
    nuggets.tsv         topic number vital|okay text
    votes.tsv           topic number assessor vital|okay
    matches.tsv         topic nugget docno answer-string

Correctness is -1 incorrect, 1 correct, 2 unsupported, 3 non-exact; answer-class is a key of answer-classes.tsv, or
empty; found-by is "assessor" or empty; votes are all that count, including the author's; a nugget is 5, or 5.1 for a
part. A line of instances.tsv or matches.tsv whose item is judged for a single run has one more column, the item's key
(`scoring.own_items`). Inside a column a backslash, a tab, and control or line-break characters are written \\ \t \n \r
\uXXXX, so that every line splits at its tabs and every text is read back unchanged. Lines are sorted, and equal records
are written once.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from sys import intern
from typing import BinaryIO, Literal, TypeVar

from scoring.file_kinds import DOCNO, IMPORTANCE, WHOLE, ColumnLayout, reads
from scoring.own_items import run_of_key
from scoring.reading.kept_rows import sorted_blocks, sorted_by_group
from scoring.reading.line_pieces import Piece, RestOfFile, plain_pieces
from scoring.reading.opening import excerpt_of, records_of
from scoring.records import (
    AnswerClass,
    Importance,
    InstanceJudgment,
    Issue,
    ItemMatch,
    Nugget,
    NuggetVote,
    TopicMatches,
)
from scoring.wording import counted

CORRECTNESS = (-1, 1, 2, 3)
_NAMED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNNAMED = {text: character for character, text in _NAMED.items()}
_TO_ESCAPE = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:u([0-9a-f]{4})|.)")
NUGGET = re.compile(r"([0-9]{1,9})(?:\.([1-9][0-9]{0,5}))?")
_NUMBER = re.compile(r"-?[0-9]{1,9}")

Record = TypeVar("Record")

INSTANCES = "topic docno correctness answer-class answer-string"
MATCHES = "topic nugget docno answer-string"
_NUGGETS = ColumnLayout(
    layout="topic number vital|okay text", holds={"number": WHOLE, "vital|okay": IMPORTANCE}, separator="\t"
)
_INSTANCES = tuple(
    ColumnLayout(layout=layout, holds={"correctness": re.compile("-?[0-9]")}, separator="\t")
    for layout in (INSTANCES, f"{INSTANCES} key")
)
_CLASSES = ColumnLayout(
    layout="topic key found-by label", usually={"found-by": re.compile("(?:assessor)?")}, separator="\t"
)
_MATCHES = tuple(
    ColumnLayout(layout=layout, holds={"nugget": NUGGET}, usually={"docno": DOCNO}, separator="\t")
    for layout in (MATCHES, f"{MATCHES} key")
)
_VOTES = ColumnLayout(
    layout="topic number assessor vital|okay", holds={"number": WHOLE, "vital|okay": IMPORTANCE}, separator="\t"
)


def escape_column(text: str) -> str:
    r"""Return the text with backslashes, tabs, control and line-break characters escaped.

    >>> print(escape_column("two\tdollars"))
    two\tdollars
    """
    if text.isprintable() and "\\" not in text:  # nearly all texts end here
        return text
    return _TO_ESCAPE.sub(lambda found: _NAMED.get(found.group(), f"\\u{ord(found.group()):04x}"), text)


def escape_columns(texts: list[str]) -> list[str]:
    r"""Return each text as `escape_column` does. Mostly, none needs it, which is found out for all at once.

    >>> print(*escape_columns(["two\tdollars", "cheap"]))
    two\tdollars cheap
    """
    joined = "".join(texts)
    return texts if joined.isprintable() and "\\" not in joined else list(map(escape_column, texts))


def unescape_column(text: str) -> str:
    """Return the original of a text that `escape_column` escaped. A backslash before any other character stays."""
    if "\\" not in text:
        return text
    return _ESCAPED.sub(_unescape, text)


def _unescape(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _UNNAMED.get(found.group(), found.group())


@reads("assessments", takes=_INSTANCES)
def read_instances(file: BinaryIO) -> Iterator[InstanceJudgment | Issue]:
    """Return the instances with their judgments, and an issue for each malformed line."""
    return _read(file, INSTANCES, _instance, keyed=True)


@reads("assessments", takes=_CLASSES)
def read_answer_classes(file: BinaryIO) -> Iterator[AnswerClass | Issue]:
    """Return the final answer sets, and an issue for each malformed line."""
    return _read(file, _CLASSES.layout, _answer_class)


@reads("nuggets", takes=_NUGGETS)
def read_nuggets(file: BinaryIO) -> Iterator[Nugget | Issue]:
    """Return the nuggets, and an issue for each malformed line."""
    return _read(file, _NUGGETS.layout, _nugget)


@reads("votes", takes=_VOTES)
def read_votes(file: BinaryIO) -> Iterator[NuggetVote | Issue]:
    """Return the votes, and an issue for each malformed line."""
    return _read(file, _VOTES.layout, _vote)


@reads("matches", takes=_MATCHES)
def read_matches(file: BinaryIO) -> Iterator[ItemMatch | Issue]:
    """Return the nuggets found in items, and an issue for each malformed line."""
    return _read(file, MATCHES, _match, keyed=True)


@reads("matches", takes=_MATCHES)
def read_topic_matches(file: BinaryIO) -> Iterator[TopicMatches | ItemMatch | Issue]:
    """Yield the matches of a file, and issues. Those on consecutive lines of one topic come as one `TopicMatches`;
    lines that need a closer check are read one by one, as by `read_matches`.
    """
    parse = _parser(MATCHES, _match, keyed=True)
    for piece in plain_pieces(file):
        if isinstance(piece, RestOfFile):
            yield from records_of(piece.file, parse, after=piece.lines)
        elif (found := _matches_in(piece)) is not None:
            yield from found
        else:
            yield from records_of(io.BytesIO(f"{piece.text}\n".encode()), parse, after=piece.number - 1)


def _matches_in(piece: Piece) -> list[TopicMatches] | None:
    """Return the matches in these lines, or None if they must be read one by one. They must all have four columns, no
    escaped character, and valid names of nuggets.
    """
    rows = [line.split("\t") for line in piece.lines]
    if "\\" in piece.text or set(map(len, rows)) != {4}:
        return None
    nuggets = {name: parse_nugget_name(name) for name in {row[1] for row in rows}}
    found: list[TopicMatches] = []
    for topic, same in groupby(rows, key=itemgetter(0)):
        items: dict[tuple[str, str], tuple[str, str, str]] = {}
        marks: list[tuple[tuple[str, str], int, int]] = []
        for _, name, docno, text in same:
            if (nugget := nuggets[name]) is None:
                return None
            items[docno, text] = docno, text, ""
            marks.append(((docno, text), *nugget))
        found.append(TopicMatches(topic, items, marks))
    return found


def write_instances(records: Iterable[InstanceJudgment]) -> Iterator[str]:
    """Return lines of instances.tsv, sorted by topic, docno and answer-string."""
    rows = ((r.topic, r.docno, r.text, str(r.correctness), r.answer_class, r.key) for r in records)
    ordered = _sorted(rows)
    return (_line(topic, docno, value, label, text, *_given(key)) for topic, docno, text, value, label, key in ordered)


def write_answer_classes(records: Iterable[AnswerClass]) -> Iterator[str]:
    """Return lines of answer-classes.tsv, sorted by topic and key."""
    return (_line(*row) for row in _sorted((r.topic, r.key, r.found_by, r.label) for r in records))


def write_nuggets(records: Iterable[Nugget]) -> Iterator[str]:
    """Return lines of nuggets.tsv, sorted by topic and number."""
    rows = ((r.topic, r.number, r.importance, r.text) for r in records)
    return (_line(*map(str, row)) for row in _sorted(rows))


def write_votes(records: Iterable[NuggetVote]) -> Iterator[str]:
    """Return lines of votes.tsv, sorted by topic, nugget and assessor."""
    rows = ((r.topic, r.number, r.assessor, r.importance) for r in records)
    name = lru_cache(maxsize=1_000)(escape_column)  # of topics and assessors, which are few
    return (f"{name(topic)}\t{number}\t{name(who)}\t{said}" for topic, number, who, said in _sorted(rows))


def write_matches(records: Iterable[ItemMatch | TopicMatches]) -> Iterator[str]:
    """Yield lines of matches.tsv, sorted by topic, nugget, docno and answer-string."""
    for topic, found in sorted_blocks(map(_match_rows, records), topic_order):
        head = escape_column(topic)
        while rows := list(islice(found, ROWS_AT_ONCE)):
            docnos, texts = (escape_columns([row[place] for row in rows]) for place in (2, 3))
            for (number, part, _, _, key), docno, text in zip(rows, docnos, texts, strict=True):
                line = f"{head}\t{nugget_name(number, part) if part else number}\t{docno}\t{text}"
                yield f"{line}\t{escape_column(key)}" if "@" in key and run_of_key(key) else line


ROWS_AT_ONCE = 1_000
"""The number of rows whose texts are escaped together."""


_MatchRow = tuple[int, int, str, str, str]


def _match_rows(said: ItemMatch | TopicMatches) -> tuple[str, list[_MatchRow]]:
    """Return the topic and, for each line, the nugget's number and part, and the item's docno, text and key."""
    if isinstance(said, ItemMatch):
        return said.topic, [(said.number, said.part, said.docno, said.text, said.key)]
    return said.topic, [(number, part, *said.items[item]) for item, number, part in said.marks]


def nugget_name(number: int, part: int) -> str:
    """Return the name that files use for a nugget or a part of one.

    >>> nugget_name(5, 0), nugget_name(5, 1)
    ('5', '5.1')
    """
    return f"{number}.{part}" if part else str(number)


@lru_cache(maxsize=10_000)
def parse_nugget_name(text: str) -> tuple[int, int] | None:
    """Return the nugget's number and part (0 for the whole), or None if the text is not such a name."""
    found = NUGGET.fullmatch(text)
    return None if found is None else (int(found[1]), int(found[2] or 0))


@lru_cache(maxsize=20_000)
def topic_order(topic: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts 3.2 before 3.10 and 3.10 before 20.1.

    >>> sorted(["20.1", "3.10", "3.2", "9-1_3"], key=topic_order)
    ['3.2', '3.10', '9-1_3', '20.1']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", topic)
    return tuple((0, int(part[:DIGITS]), part) if part[0] in "0123456789" else (1, 0, part) for part in parts)


DIGITS = 4_000
"""How many digits of a number in a topic decide the order; Python reads no number of more than 4,300."""


Row = TypeVar("Row", bound=tuple[object, ...])


def _sorted(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the distinct rows, sorted by topic (the first value of each) and then by their other values."""
    for _, of_topic in sorted_by_group(((row[0], row) for row in rows), lambda topic: topic_order(str(topic))):
        yield from of_topic


def _given(key: str) -> tuple[str, ...]:
    """Return the key as an additional column, or no column if the key is ""."""
    return (key,) if key else ()


def _line(*columns: str) -> str:
    return "\t".join(map(escape_column, columns))


def _read(
    file: BinaryIO, layout: str, make: Callable[[Sequence[str]], Record | str], *, keyed: bool = False
) -> Iterator[Record | Issue]:
    """Return the records that ``make`` makes of the columns of each line, and issues."""
    return records_of(file, _parser(layout, make, keyed=keyed))


def _parser(
    layout: str, make: Callable[[Sequence[str]], Record | str], *, keyed: bool
) -> Callable[[int, str], Record | Issue]:
    """Return a function that makes a record of a line's columns; ``make`` returns a sentence if the columns are not a
    record.

    With ``keyed``, one more column with an item's key may follow.
    """
    width = len(layout.split())

    def parse(number: int, text: str) -> Record | Issue:
        columns = text.split("\t")
        if len(columns) != width and not (keyed and len(columns) == width + 1):
            message = f"The line has {counted(len(columns), 'tab-separated column')}; it needs {width}: {layout}."
            return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))
        record = make(columns if "\\" not in text else [unescape_column(column) for column in columns])
        if isinstance(record, str):
            return Issue(where=number, code="value", message=record, excerpt=excerpt_of(text))
        return record

    return parse


def _instance(columns: Sequence[str]) -> InstanceJudgment | str:
    topic, docno, correctness, answer_class, text, *key = columns
    if not _NUMBER.fullmatch(correctness) or int(correctness) not in CORRECTNESS:
        return f'The correctness is "{correctness[:20]}"; it must be -1, 1, 2 or 3.'
    return InstanceJudgment(
        topic=topic,
        docno=docno,
        text=text,
        correctness=int(correctness),
        answer_class=answer_class,
        key="".join(key),
    )


def _answer_class(columns: Sequence[str]) -> AnswerClass | str:
    topic, key, found_by, label = columns
    return AnswerClass(topic=topic, key=key, found_by=found_by, label=label)


def _nugget(columns: Sequence[str]) -> Nugget | str:
    topic, number, importance, text = columns
    checked = parse_importance(importance)
    if not _NUMBER.fullmatch(number):
        return f'The nugget number is "{number[:20]}"; it must be a whole number.'
    if checked is None:
        return _wrong_importance(importance)
    return Nugget(topic=topic, number=int(number), importance=checked, text=text)


def _vote(columns: Sequence[str]) -> NuggetVote | str:
    topic, number, assessor, importance = columns
    checked = parse_importance(importance)
    if not _NUMBER.fullmatch(number):
        return f'The nugget number is "{number[:20]}"; it must be a whole number.'
    if checked is None:
        return _wrong_importance(importance)
    return NuggetVote(topic=intern(topic), number=int(number), assessor=intern(assessor), importance=checked)


def _match(columns: Sequence[str]) -> ItemMatch | str:
    topic, nugget, docno, text, *key = columns
    parsed = parse_nugget_name(nugget)
    if parsed is None:
        return f'The nugget is "{nugget[:20]}"; it must be a number such as 5, or 5.1 for a part.'
    return ItemMatch(topic=topic, docno=docno, text=text, number=parsed[0], part=parsed[1], key="".join(key))


def parse_importance(text: str) -> Importance | None:
    """Return the importance that the text names, or None."""
    known: dict[str, Literal["vital", "okay"]] = {"vital": "vital", "okay": "okay"}
    return known.get(text)


def _wrong_importance(text: str) -> str:
    return f'The importance is "{text[:20]}"; it must be vital or okay.'
