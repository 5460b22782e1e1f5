"""Opens input and reads it line by line, whatever it contains.

A file named `-` is standard input. gzip, zstd, bzip2 and xz are recognised by their first bytes, so a `.gz` may also be
piped in. The length of a line in memory is bounded, and every problem is an `Issue`: nothing here raises on the content
of a file.

    with open_input(path) as stream:
        for line in text_lines(stream):
            if isinstance(line, Issue):
                ...
            else:
                number, text = line
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar, cast
from unicodedata import category

from scoring.reading.unpacking import BUFFER, damage_errors, damage_issue, uncompressed
from scoring.records import Issue, Severity

FIELD_LIMIT = 16 * 1024 * 1024
"""The most bytes in a field of CSV. The csv module has one limit for all readers, so it is set once, by the first."""
csv.field_size_limit(FIELD_LIMIT)

LINE_LIMIT = 1 << 20
"""The most bytes of a line that are stored: a megabyte is far more than any line of the formats here."""

TEXT_LIMIT = 1 << 29
"""The limit for lines with texts of any length: half a gigabyte, more than a run file may have."""

STOPPED = "reading-stopped"
"""The code of the last error of a file, if reading stopped because too much is wrong with it."""

OTHER_FILE = "other-file"
"""The code of the only issue of a file that is of another kind than those read here (`scoring.file_kinds`)."""

COMPRESSED = "compressed-file"
"""The code of the only issue of a file that is packed in an unsupported way."""

WIDE = "encoding-utf16"
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""The byte order marks with which files in UTF-16 and UTF-32 may begin."""
ENDS_READING = frozenset({OTHER_FILE, COMPRESSED, WIDE})
"""The codes of issues after which nothing more is reported about a file."""

TOO_MANY: Mapping[Severity, int] = {"error": 10_000, "warning": 250_000, "note": 250_000}
"""The number of issues of one code after which reading stops: nobody reads them, and reporting each takes time."""

BLANK_LINES = 500_000
"""The number of blank lines after which reading stops."""

EXCERPT = 80
MARK = b"\xef\xbb\xbf"
"""The byte order mark with which a UTF-8 file may begin."""

_MARKS = re.compile(b"(?:\xef\xbb\xbf)*+")

MARKED_LINE = b"\n" + MARK
"""The byte order mark in the middle of a file, if files were put together."""

Line = tuple[int, str]
ByteLine = tuple[int, bytes]
Record = TypeVar("Record")


class CannotOpen(Exception):
    """Raised when a file does not exist or may not be read. The message is written for the person."""


@contextmanager
def open_input(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`, as a stream of its uncompressed bytes.

    Raises CannotOpen if there is no such file. Damage inside the file is reported by the line readers.
    """
    if str(path) == "-":
        yield uncompressed(sys.stdin.buffer)
        return
    try:
        raw = Path(path).open("rb")  # noqa: SIM115 (closed below, whatever happens in between)
    except OSError as error:
        raise CannotOpen(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise CannotOpen(f"cannot read a file of that name: {error}") from error
    with raw:
        yield uncompressed(raw)


@contextmanager
def copied(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Copy the rest of a stream to a temporary file, which can be read more than once.

    If the stream is damaged, reading it raises one of `damage_errors`, which is passed on.
    """
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield cast(BinaryIO, copy)


def without_marks(raw: bytes) -> bytes:
    """Return a line without the byte order marks at its beginning, however many there are."""
    found = _MARKS.match(raw) if raw.startswith(MARK) else None
    return raw[found.end() :] if found is not None else raw


def byte_lines(stream: BinaryIO, *, limit: int = LINE_LIMIT, after: int = 0) -> Iterator[ByteLine | Issue]:
    """Yield (line number from 1, bytes without the line's end) in file order; ``after`` lines were read before.

    Lines end with LF or CRLF. A line longer than ``limit`` becomes one issue, and the rest of it is skipped in pieces.
    A damaged archive ends the stream with an issue.
    """
    number, blank = after, 0
    try:
        while raw := stream.readline(limit + 2):
            number += 1
            content = raw[:-2] if raw.endswith(b"\r\n") else raw.removesuffix(b"\n")
            if not content or content.isspace():
                blank += 1
                if blank > BLANK_LINES:
                    yield too_many_blank_lines(number)
                    return
            if len(content) > limit:
                while raw and not raw.endswith(b"\n"):
                    raw = stream.readline(BUFFER)
                yield Issue(
                    where=number,
                    code="line-too-long",
                    message=f"The line is longer than {limit:,} bytes. Check that the file has line "
                    "breaks and is of the right format.",
                    excerpt=excerpt_of(content[:EXCERPT].decode("utf-8", "replace")),
                )
                continue
            yield number, content
    except damage_errors() as error:
        yield damage_issue(error, after=number)


def text_lines(stream: BinaryIO, *, limit: int = LINE_LIMIT, after: int = 0) -> Iterator[Line | Issue]:
    """Yield (line number from 1, text without the line's end) in file order, decoded as UTF-8; ``after`` lines were
    read before.

    A byte order mark at the start of a line is removed; if the file begins with the mark of UTF-16, nothing is read. A
    line that is not UTF-8, or holds a NUL or a lone CR, becomes an issue that names the place. A lone CR is refused
    because it may have ended a line, so that two lines would be read as one.
    """
    for line in byte_lines(stream, limit=limit, after=after):
        if isinstance(line, Issue):
            yield line
            continue
        number, raw = line
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = "\0"  # so that the text is checked closely
        if "\0" not in text and "\r" not in text and not text.startswith("\ufeff"):
            yield number, text
        elif number == 1 and raw.startswith(WIDE_MARKS):
            yield wide_file()
            return
        else:
            yield _looked_at_closely(number, raw)


def _looked_at_closely(number: int, raw: bytes) -> Line | Issue:
    text = decoded(number, without_marks(raw))  # also the mark of a second file that was appended to the first
    if isinstance(text, str) and "\r" in text:
        text = _lone_return(number, text)
    return text if isinstance(text, Issue) else (number, text)


def wide_file(encoding: str = "UTF-16 or UTF-32") -> Issue:
    """Return the issue that a file is in UTF-16 or UTF-32."""
    message = f"The file is {encoding}, not UTF-8. Save it as UTF-8 and try again; nothing else was checked."
    return Issue(where=1, code=WIDE, message=message)


def _lone_return(number: int, text: str) -> Issue:
    message = (
        f"There is a carriage return (CR) inside the line, at character {text.index(chr(13)) + 1:,}. "
        "If it ends a line, write LF or CR LF there; else take it out."
    )
    return Issue(where=number, code="line-break", message=message, excerpt=excerpt_of(text))


def decoded(number: int, raw: bytes) -> str | Issue:
    """Return the text of a UTF-8 line, or an issue that names its first bad byte. Bytes are counted from 1 in the
    line.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Issue(
            where=number,
            code="not-utf8",
            message=f"Byte {error.start + 1} of the line (0x{raw[error.start]:02X}) is not UTF-8. "
            "Save the file as UTF-8.",
            excerpt=excerpt_of(raw.decode("utf-8", "replace")),
        )
    if "\0" in text:
        return Issue(
            where=number,
            code="nul-byte",
            message=f"Byte {raw.index(0) + 1} of the line is NUL. Remove it; the file may be UTF-16 or binary.",
            excerpt=excerpt_of(text),
        )
    return text


def excerpt_of(text: str, *, length: int = EXCERPT) -> str:
    r"""Return the start of a text on one line, with control characters made visible, to be shown in an issue.

    A tab becomes an arrow, as in displayed differences of files; other white space and line ends become blanks.
    Characters that join Persian letters or the parts of an emoji are preserved.

    >>> excerpt_of("a\tb\nc\u2028d\x07")
    'a→b c d�'
    """
    begun = text[: length + 1]
    shown = begun if begun.isprintable() else "".join(map(_visible, begun))
    return shown if len(shown) <= length else shown[: length - 1] + "…"


_JOINERS = "\u200c\u200d"
_ENDS = "\n\x0b\x0c\x85\u2028\u2029"


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if char == "\t":
        return "→"
    if char in _JOINERS:
        return char
    return " " if char in _ENDS or category(char) == "Zs" else "\N{REPLACEMENT CHARACTER}"


_UNPRINTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printed(text: str) -> str:
    r"""Return a text as a command prints it: characters that would control the terminal are escaped as in JSON.

    >>> printed("Elm\x1b[31m")
    'Elm\\u001b[31m'
    """
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def header_again(number: int) -> Issue:
    """Return the warning that a line repeats the names of the columns and is skipped."""
    message = "The names of the columns stand here again, as where files were put together. The line is passed over."
    return Issue(where=number, code="header", message=message, severity="warning")


def records_of(
    stream: BinaryIO, parse: Callable[[int, str], Record | Issue], *, limit: int = LINE_LIMIT, after: int = 0
) -> Iterator[Record | Issue]:
    """Yield one record or issue for each line that is not blank, made by ``parse(line number, text)``. ``limit`` and
    ``after`` mean the same as in `text_lines`.
    """
    for line in text_lines(stream, limit=limit, after=after):
        if isinstance(line, Issue):
            yield line
        elif line[1] and not line[1].isspace():
            yield parse(*line)


def too_many_blank_lines(number: int) -> Issue:
    """Return the issue for the first blank line beyond the allowed number; nothing after it is read."""
    message = (
        f"The file has more than {BLANK_LINES:,} blank lines, so it was read no further than this line. Take them out, "
        "and check that it is the right file."
    )
    return Issue(where=number, code=STOPPED, message=message)


def until_too_many(found: Iterable[Record | Issue]) -> Iterator[Record | Issue]:
    """Yield records and issues until there are `TOO_MANY` issues of one code. Then yield one more error, which says
    that reading stops. An issue whose code is in `ENDS_READING` is the last one, too.

    This bounds the time that it takes to read a file, whatever the file contains.
    """
    counts: dict[str, int] = {}
    for each in found:
        yield each
        if isinstance(each, Issue) and each.code in ENDS_READING:
            return
        if isinstance(each, Issue):
            count = counts[each.code] = counts.get(each.code, 0) + 1
            if count >= TOO_MANY[each.severity]:
                message = (
                    f"There are {count:,} {each.severity}s of the kind “{each.code}”, so the file was read no further "
                    "than here, and what comes after is not known. Correct these first, and check that it is the right "
                    "file."
                )
                yield Issue(where=each.where, code=STOPPED, message=message)
                return


def first_record(found: Iterable[Record | Issue]) -> Record | None:
    """Return the first record; None if there is no record, or too many issues come before it."""
    return next((each for each in until_too_many(found) if not isinstance(each, Issue)), None)


def split_issues(stream: Iterable[Record | Issue], report: Callable[[Issue], None]) -> Iterator[Record]:
    """Yield the records alone and hand each issue to ``report``. Reading stops where `until_too_many` stops."""
    for each in until_too_many(stream):
        if isinstance(each, Issue):
            report(each)
        else:
            yield each
