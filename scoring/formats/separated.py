r"""Reads tables as text, with columns separated by tabs (TSV) or by commas or semicolons (CSV), and with or without a
header.

    0<tab>The first passage, "as it is".          tsv: one row a line; quotes are text unless doubled inside
    id,text                                       csv: quotes around values with separators, quotes or line breaks
    7,"He said ""yes"", twice."

The first line is a header if it holds one of the usual names, and it is not if it holds a value: a number, a URL, a
sentence. If neither decides, the caller has to say. Columns without names are called 1, 2, 3 … Codes: header, columns,
no-column, not-utf8, nul-byte, encoding-utf16, csv.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from scoring.formats.doc_records import RECORD_LIMIT
from scoring.reading.opening import MARK, WIDE_MARKS, excerpt_of, header_again, wide_file
from scoring.records import Issue
from scoring.wording import counted

FORMS = ("csv", "tsv")
_USUAL = """
docno docid doc_id document_id id _id pid pmid uuid cord_uid paper_id passage_id clueweb22-id
text contents content html body segment passage passage_text abstract
title headline url link uri date published publish_time
"""
USUAL_NAMES = frozenset(_USUAL.split())
"""The usual names of columns of documents, in lower case."""

LOOKED_AT = 20  # how many lines are used to tell a table from a text …
LOOKED_AT_MOST = 1 << 16  # … and of how many bytes of the beginning
_LONGEST_NAME = 60
_VALUE = re.compile(r"-?[0-9]+(?:[.,][0-9]+)?|https?://\S+|.*[.!?]|(?:\S+\s+){4,}\S+.*", re.DOTALL)
_SEPARATOR = re.compile(rb"sep=.\s*", re.IGNORECASE)
_NAME = re.compile(r"\S{1,128}")

Row = tuple[int, list[str]]  # (the line at which the row ends, from 1, its fields)


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """The form of a table. ``names`` are the columns' names from the first line, or else numbers. ``has_names`` is None
    if it is not clear whether the first line is a header.
    """

    form: str
    delimiter: str
    names: tuple[str, ...]
    has_names: bool | None
    first: tuple[str, ...] = ()


_BLANK_LINES = re.compile(r"\A(?:[ \t\r]*+\n)+")


def list_separator(text: str) -> str:
    """Return the first tab, comma or semicolon of a list whose first column is one word; a tab if there is none.

    >>> list_separator("assessor;;Lind, Ada, M.A.")
    ';'
    """
    return next((each for each in text if each in "\t,;"), "\t")


def table_of(head: bytes, form: str = "") -> Table | None:
    r"""Return the form of a table that begins like this, or None if it is not a table. If ``form`` is given, the table
    is read in that form.

    >>> table_of(b"0\tThe first passage.\n1\tThe second.\n").names
    ('1', '2')
    >>> table_of(b"docid,text\n7,Words\n").names
    ('docid', 'text')
    """
    if b"\0" in head:
        return None
    text = _BLANK_LINES.sub("", head.removeprefix(MARK).decode("utf-8", "replace"))
    first = text.partition("\n")[0].rstrip("\r")
    if "\N{REPLACEMENT CHARACTER}" in first:
        return None
    form = form or ("tsv" if "\t" in first else "csv")
    delimiter = "\t" if form == "tsv" else max((",", "\t", ";"), key=first.count)
    if delimiter not in first:
        return None
    rows = _first_rows(text, form, delimiter)
    if not rows:
        return None
    cells, second = rows[0], rows[1] if len(rows) > 1 else []
    has_names = _has_names(cells)
    if has_names is False:
        return Table(form=form, delimiter=delimiter, names=_numbers(cells), has_names=False, first=tuple(cells))
    return Table(form=form, delimiter=delimiter, names=_apart(cells), has_names=has_names, first=tuple(second))


def looks_like_table(head: bytes) -> bool:
    r"""Return whether a file with this beginning is more likely a table of documents than a text.

    The columns of a table have usual names, or each row begins with its own docno and has as many columns as the rest.

    >>> looks_like_table(b"0\tOne.\n1\tTwo.\n"), looks_like_table(b"Dear\tall,\nwords and no tab\n")
    (True, False)
    >>> looks_like_table(b"Nr;Titel;Inhalt\nA1;Regen;\"Es regnete; dann\nnicht.\"\n")
    True
    """
    table = table_of(head)
    if table is None:  # read as Latin-1, the encoding of older files
        head = head.decode("latin-1").encode()
        table = table_of(head)
    lines = [each for each in head.decode("utf-8", "replace").split("\n")[:LOOKED_AT] if each.strip()]
    if table is not None and table.form == "tsv":
        rows = [each.split("\t") for each in (lines if len(head) < LOOKED_AT_MOST else lines[:-1])]
        return len(lines) > 1 and all(len(row) == len(table.names) and _NAME.fullmatch(row[0]) for row in rows)
    usual = {name.strip().lower() for name in table.names} & USUAL_NAMES if table is not None else set()
    has_usual_names = table is not None and table.has_names is True and len(usual) > 1 and len(lines) > 1
    text = head.removeprefix(MARK).decode("utf-8", "replace")
    return has_usual_names or any(
        _is_of_rows(text, delimiter, is_cut=len(head) >= LOOKED_AT_MOST) for delimiter in ",;|" if delimiter in text
    )


def _is_of_rows(text: str, delimiter: str, *, is_cut: bool) -> bool:
    """Return whether the rows at the beginning of a file have the same number of columns, at least three, and each
    another first column of one word. In a text, a blank follows a comma.
    """
    rows = [row for row in _first_rows(text, "csv", delimiter, LOOKED_AT) if row]
    if rows and len(rows) < LOOKED_AT and is_cut:  # the last one is cut off
        rows.pop()
    is_even = all(len(row) == len(rows[0]) > 2 and _NAME.fullmatch(row[0]) for row in rows)
    is_text = any(cell.startswith(" ") for row in rows for cell in row)
    return is_even and not is_text and len({row[0] for row in rows}) == len(rows) > 1


def read_table(stream: BinaryIO, *, form: str, header: str, wanted: Sequence[str]) -> Iterator[Row | Issue]:
    """Yield the names of the columns as row 0, and then every row of the table. If a wanted column is missing, only
    issues are yielded.

    ``header`` says whether the first line is a header: "yes", "no", or "" if the line itself decides. A line with all
    wanted names is a header.
    """
    before, first = 0, stream.readline(RECORD_LIMIT).removeprefix(MARK)
    while first and not first.strip():
        before, first = before + 1, stream.readline(RECORD_LIMIT)
    if (unfit := _unfit(first)) is not None:
        yield replace(unfit, where=before + 1)
        return
    table = table_of(first, form)
    delimiter = table.delimiter if table is not None else "\t" if form == "tsv" else ","
    cells = [*_first_rows(first.removeprefix(MARK).decode("utf-8", "replace"), form, delimiter), []][0]
    has_names = header == "yes" if header else table and table.has_names
    if has_names is None and cells and set(wanted) <= set(cells):
        has_names = True
    if has_names is None and cells:
        message = (
            "Nothing tells whether the first line holds names of columns or a document. Say under “header” whether it "
            "holds names: yes or no."
        )
        yield Issue(where=before + 1, code="header", message=message, excerpt=excerpt_of(" ".join(cells)))
        return
    names = list(_apart(cells) if has_names else _numbers(cells))
    if missing := [name for name in wanted if name not in names]:
        has = f"The file has: {', '.join(names[:60])}" if has_names else f"Without names they are 1 to {len(names)}"
        message = f"There is no column “{'”, “'.join(missing)}”. {has}. Name one of them."
        if cells:
            yield Issue(where=before + 1, code="no-column", message=message, excerpt=excerpt_of(" ".join(cells)))
        return
    yield 0, names
    rows = _tsv_rows(first, stream, before) if form == "tsv" else _csv_rows(first, stream, delimiter, before)
    expected = "first line" if has_names else "first row"
    is_first = has_names
    for row in rows:
        if isinstance(row, Issue):
            yield row
        elif is_first:
            is_first = False
        elif has_names and len(row[1]) > 1 and row[1] == cells:
            yield header_again(row[0])
        else:
            if len(row[1]) == len(names):
                yield row
            elif row[1]:
                said = "Take tabs out of the fields" if form == "tsv" else "Put quotes around fields"
                message = f"The row has {counted(len(row[1]), 'field')}, the {expected} {len(names)}. {said}."
                yield Issue(where=row[0], code="columns", message=message, excerpt=excerpt_of(" ".join(row[1])))


def _unfit(first: bytes) -> Issue | None:
    """Return why the first line of a file can't begin a table; None if it can."""
    if first.startswith(WIDE_MARKS):
        return wide_file()
    if b"\0" in first:
        message = "There is a NUL in the first line: the file may be UTF-16 or binary. Save it as UTF-8."
        return Issue(where="", code="nul-byte", message=message)
    if _SEPARATOR.fullmatch(first):
        message = "This line only says what separates the columns. Take it out: that is recognised."
        return Issue(where="", code="header", message=message)
    return None


def _apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, made distinct: a number is appended to each repetition of a name.

    >>> _apart(["id", "note", "note", "note_2"])
    ('id', 'note', 'note_2', 'note_2_2')
    """
    found: dict[str, int] = {}
    for name in names:
        own, times = name, found.get(name, 0)
        while own in found:
            times += 1
            own = f"{name}_{times + 1}"
        found[own] = 0
        if own != name:
            found[name] = times
    return tuple(found)


def _has_names(cells: Sequence[str]) -> bool | None:
    usual = {cell.strip().lower() for cell in cells} & USUAL_NAMES
    if any(len(cell) > _LONGEST_NAME for cell in cells):
        return False
    if usual:
        return True
    return False if any(_VALUE.fullmatch(cell.strip()) for cell in cells if cell.strip()) else None


def _numbers(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(number) for number in range(1, len(cells) + 1))


def _first_rows(text: str, form: str, delimiter: str, limit: int = 2) -> list[list[str]]:
    """Return the first rows of a text; [] if it can't be read as CSV."""
    if form == "tsv":
        return [line.rstrip("\r").split("\t") for line in text.split("\n")[:limit] if line.strip()]
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        return [row for row, _ in zip(rows, range(limit), strict=False)]
    except csv.Error:
        return []


_DOUBLED = re.compile(r'"(?:[^"]|"")*+"')


def unquoted(cell: str) -> str:
    """Return a cell of a table with tabs as it was before pandas or Excel quoted it.

    They put quotes around a cell that contains quotes, and double those inside. A cell without doubled quotes is
    returned unchanged.

    >>> unquoted('"He said ""yes""."'), unquoted('"No quotes" are removed here'), unquoted('"a phrase"')
    ('He said "yes".', '"No quotes" are removed here', '"a phrase"')
    """
    is_doubled = '""' in cell and len(cell) > 2 and _DOUBLED.fullmatch(cell) is not None
    return cell[1:-1].replace('""', '"') if is_doubled else cell


def _tsv_rows(first: bytes, rest: BinaryIO, before: int) -> Iterator[Row | Issue]:
    number, line = before + 1, first
    while line:
        content = line.rstrip(b"\r\n")
        try:
            yield number, [unquoted(cell) for cell in content.decode("utf-8").split("\t")] if content.strip() else []
        except UnicodeDecodeError as error:
            message = f"Byte {error.start + 1} of the line is not UTF-8. It is passed over: save the file as UTF-8."
            yield Issue(where=number, code="not-utf8", message=message)
        number, line = number + 1, rest.readline(RECORD_LIMIT)


def _csv_rows(first: bytes, rest: BinaryIO, delimiter: str, before: int) -> Iterator[Row | Issue]:
    """Yield rows whose fields may contain line breaks; ``before`` is the number of lines before them. Text that is not
    UTF-8 or not CSV is an issue, and ends the file.
    """
    rows = csv.reader(_decoded(first, rest), delimiter=delimiter, strict=True)
    try:
        for row in rows:
            yield before + rows.line_num, row
    except UnicodeDecodeError:
        message = "Bytes after this line are not UTF-8. Nothing after it is read: save the file as UTF-8."
        yield Issue(where=before + max(rows.line_num, 1), code="not-utf8", message=message)
    except csv.Error as error:
        message = f"The row can't be read as CSV: {error}. Nothing after it is read: correct its quotes."
        if "universal-newline" in str(error):
            message = "A line ends with a carriage return (CR) alone. Nothing is read: save the file with LF or CR LF."
        yield Issue(where=before + max(rows.line_num, 1), code="csv", message=message)


def _decoded(first: bytes, rest: BinaryIO) -> Iterator[str]:
    yield first.decode("utf-8")
    while line := rest.readline(RECORD_LIMIT):
        yield line.decode("utf-8")
