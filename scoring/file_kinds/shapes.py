r"""Recognises the form of a file from its first bytes: packed, binary, JSON, XML or SGML, columns, lines of text.

What a file is about is decided in `scoring.file_kinds.contents`. A beginning that is cut off is read as far as
possible, so that the first 64 kB of a file of any size are enough.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from scoring.file_kinds.magic import binary_of, packing_of
from scoring.file_kinds.names import HEADER_NAMES
from scoring.reading.detected_encodings import CODECS, sure_encoding

Form = Literal[
    "empty", "damaged", "packed", "binary", "image", "json value", "json array", "json lines", "json values",
    "broken json", "html", "xml", "sgml", "warc", "columns", "text",
]  # fmt: skip
"""JSON lines have one value a line. JSON values follow each other in another way, indented or without line breaks."""

Kind = Literal[
    "run", "qrels", "topics", "answers", "nuggets", "documents", "claims", "judgments", "assessments", "grades",
    "docnos", "document-list", "matches", "votes", "values", "scores", "forms", "questions", "candidates", "requests",
    "design", "citations", "comparison", "people", "gold answers", "other",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """What a file probably contains: a phrase for people, and all kinds that the file may be, the likeliest first. The
    fields are empty if nothing shows the kind. ``formats`` are the names of formats of rankings and judgments that it
    may have. ``way_on`` is the sentence on what to do with the file, if that does not follow from its kind.
    """

    what: str = ""
    kinds: tuple[Kind, ...] = ()
    formats: tuple[str, ...] = ()
    way_on: str = ""


def held(what: str, *kinds: Kind, formats: tuple[str, ...] = ()) -> Contents:
    return Contents(what=what, kinds=kinds, formats=formats)


NOTHING = Contents()

JSON_FORMS: frozenset[Form] = frozenset({"json value", "json array", "json lines", "json values", "broken json"})
TAGGED_FORMS: frozenset[Form] = frozenset({"xml", "sgml", "html"})

VALUES = 20
"""The number of JSON values that are looked at."""
ROWS = 200
"""The number of lines that are looked at for columns."""

_JSON_START = re.compile(r'\[\s*(?:[\[{"\]]|-?[0-9]+(?:\.[0-9]+)?\s*[,\]]|\Z)|\{\s*(?:["\x27“”„«]|-?[0-9]+\s*:|\}|\Z)')
_COMMENTS = re.compile(r"(?:\s*(?://[^\n]*+\n|/\*.{0,10000}?\*/))++\s*", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?/?>|<([0-9][\w.-]*)>")
_SKIPPED = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL | re.IGNORECASE)
_QUOTED_ROW = re.compile(r'"(?:[^"]|"")*+"(?:[\t,;| ] ?"(?:[^"]|"")*+")*')
_PARTLY_QUOTED_ROW = re.compile(r'(?=[^"]*+")(?:(?:"(?:[^"]|"")*+"|[0-9.eE+-]++)(?:[\t ]|\Z)){4,}')
"""Four cells or more between tabs or blanks, of which all but numbers are quoted, as R writes them."""
_FEW = 10
_SPACE = re.compile(r"[ \t\r\n\ufeff\x1e]*")
_NAME = re.compile(r"[a-z_][a-z0-9_-]*")
COMMENTED = "JSON with comments"
"""The name of a form that is not valid JSON."""
MOST_CONTROLS = 0.05
"""The highest share of control characters in a text …"""
FEW_CONTROLS = 8
"""… and the number that is a fault even in a short text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What the beginning of a file shows. ``name`` is the kind of packing, the binary format or the image format.

    ``values`` are the first JSON values (or the elements of an array), and ``members`` the members of a file that is
    one object; the last may be cut off. ``tag`` is the first tag of XML or SGML as written. ``rows`` are the first
    lines in columns, without a ``header``; ``separator`` is a tab, a blank, a comma, a semicolon or a vertical bar.
    Quotes around cells, as in CSV, are removed; ``is_quoted`` says that all cells of all rows had them, or all but
    numbers. ``detected`` is the encoding of a text that is not UTF-8, if its letters show it; ``codec`` is the codec
    that reads it.
    """

    form: Form
    name: str = ""
    encoding: str = "UTF-8"
    text: str = ""
    values: tuple[Any, ...] = ()
    tag: str = ""
    separator: str = ""
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    is_quoted: bool = False
    codec: str = "utf-8"
    detected: str | None = None

    @property
    def is_wide(self) -> bool:
        """Whether the file is in UTF-16 or UTF-32; ``codec`` then reads it."""
        return self.encoding in ("UTF-16", "UTF-32")

    @property
    def is_table(self) -> bool:
        """Whether columns are written as spreadsheet programs write them: separated by commas and the like, or
        quoted.
        """
        return self.form == "columns" and (self.separator in (",", ";", "|") or self.is_quoted)

    @property
    def columns(self) -> int:
        """The number of columns that most lines have; 0 if there are no columns."""
        return Counter(map(len, self.rows)).most_common(1)[0][0] if self.rows else 0


def shape_of(head: bytes, *, is_whole: bool) -> Shape:
    """Return the form of a file with this beginning; ``is_whole`` says that the beginning is the whole file."""
    if (program := binary_of(head)) is not None:
        return Shape(form=program[0], name=program[1], encoding="")
    if name := packing_of(head):
        return Shape(form="packed", name=name, encoding="")
    encoding = _encoding(head, is_whole=is_whole)
    if encoding == "":
        return Shape(form="binary", name="a binary file", encoding="")
    detected = sure_encoding(head) if encoding == "cp1252" or b"\x1b$" in head else None
    shown = f"not UTF-8, probably {detected}" if detected else _ENCODINGS[encoding]
    codec = CODECS[detected] if detected else encoding
    text = head.decode(codec, "replace")
    if not is_whole:
        text = text.rstrip("\ufffd")
    found = _shape_of_text(text.removeprefix("\ufeff"), is_whole=is_whole)
    return replace(found, encoding=shown, codec=codec, text=text, detected=detected)


_ENCODINGS = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16",
              "utf-32": "UTF-32", "utf-32-le": "UTF-32", "utf-32-be": "UTF-32",
              "cp1252": "not UTF-8, perhaps Latin-1"}  # fmt: skip


def _encoding(head: bytes, *, is_whole: bool) -> str:
    """Return the name of the codec for the bytes, or "" if they are not text."""
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.lstrip().startswith(b"<") and b"\0" not in head[:64]:
        return _utf8_or_else(head, is_whole=is_whole)  # pages of a collection may contain any bytes
    if b"\0" in head and (wide := _of_four_bytes(head[:400])):
        return wide
    if b"\0" in head:
        even, odd = head[0:400:2].count(0), head[1:400:2].count(0)
        few = max(1, len(head[:400]) // 10)
        return (
            "utf-16-le"
            if odd > 4 * few > 20 * even
            else "utf-16-be"
            if even > 4 * few > 20 * odd
            else _text_or_binary(head, is_whole=is_whole)
        )
    return _text_or_binary(head, is_whole=is_whole)


def _of_four_bytes(start: bytes) -> str:
    """Return the codec of a text in UTF-32 without a byte order mark, which is recognised by the two zero bytes in each
    letter. Return "" for any other text.
    """
    for codec, low, high in (("utf-32-le", 0, (2, 3)), ("utf-32-be", 3, (0, 1))):
        letters = start[low::4]
        is_text = len(letters) > 2 and all(byte > 31 or byte in b"\t\n\r\0" for byte in letters) and any(letters)
        if is_text and not any(any(start[place::4]) for place in high) and letters.count(0) * 2 < len(letters):
            return codec
    return ""


def _text_or_binary(head: bytes, *, is_whole: bool) -> str:
    known = b"\t\n\v\f\r\x1a\x1b\x1e"
    controls = len(head) - len(head.translate(None, bytes(byte for byte in range(32) if byte not in known)))
    if controls > FEW_CONTROLS and controls > MOST_CONTROLS * len(head):
        return ""
    return _utf8_or_else(head, is_whole=is_whole)


def _utf8_or_else(head: bytes, *, is_whole: bool) -> str:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if is_whole or error.start < len(head) - 3:
            return "cp1252"
    return "utf-8-sig"


def _shape_of_text(text: str, *, is_whole: bool) -> Shape:
    start = text.lstrip()
    if not start:
        return Shape(form="empty" if is_whole else "text")
    if _JSON_START.match(start):
        return _shape_of_json(start, is_whole=is_whole)
    if (comments := _COMMENTS.match(start)) is not None and _JSON_START.match(start, comments.end()):
        return Shape(form="broken json", name=COMMENTED)
    if start.startswith("WARC/"):
        return Shape(form="warc")
    if start.startswith("<") and (tagged := _shape_of_tags(start)):
        return tagged
    return _shape_of_lines(text, is_whole=is_whole)


# ---------------------------------------------------------------- JSON

_PLAIN: Any = json.JSONDecoder()
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)


def _shape_of_json(text: str, *, is_whole: bool) -> Shape:
    values: list[Any] = []
    place, breaks = 0, []
    while place < len(text) and len(values) < VALUES:
        try:
            value, end = _PLAIN.raw_decode(text, place)
        except (ValueError, RecursionError):
            if not is_whole and (value := _of_cut(text[place:])) is not None:
                values.append(value)
                breaks.append(text[place:])
            elif not values:
                return Shape(form="broken json")
            break
        values.append(value)
        after = _end_of_space(text, end)
        breaks.append(text[place:after])
        place = after
    first = values[0]
    if len(values) > 1:
        is_lines = all("\n" in piece[-(len(piece) - len(piece.rstrip())) or None :] and "\n" not in piece.rstrip()
                       for piece in breaks[:-1])  # fmt: skip
        return Shape(form="json lines" if is_lines else "json values", values=tuple(values))
    if isinstance(first, list):
        return Shape(form="json array", values=tuple(first[:VALUES]))
    return Shape(form="json value", values=(first,))


def _end_of_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _of_cut(text: str) -> Any:
    """Return as much as can be read of a JSON value that is cut off, or None if nothing can. Its open brackets are
    closed at the end of the text or at the last comma.
    """
    open_now: list[str] = []
    cut, closers, is_in_text = 0, "", False
    for token in _TOKEN.finditer(text):
        found = token[0]
        if found in "[{":
            open_now.append("]" if found == "[" else "}")
        elif found in "]}":
            if not open_now:
                return None
            open_now.pop()
        elif found == ",":
            cut, closers = token.start(), "".join(reversed(open_now))
        else:
            is_in_text = token.end() == len(text) and (len(found) == 1 or not found.endswith('"'))
    ends = "".join(reversed(open_now))
    for tried in (text.rstrip("\\") + '"' * is_in_text + ends, text[:cut] + closers, text[:1] + ends[-1:]):
        try:
            return json.loads(tried)
        except (ValueError, RecursionError):
            continue
    return None


# ---------------------------------------------------------------- XML and SGML


_OF_PAGES = frozenset({
    "html", "head", "body", "p", "div", "span", "table", "ul", "ol", "h1", "h2", "h3", "section", "main", "center",
    "font", "br", "hr", "pre", "img", "meta", "script", "style", "nav", "iframe", "blockquote",
})  # fmt: skip
"""Tags with which HTML pages, or parts of them, begin."""


def _shape_of_tags(text: str) -> Shape | None:
    place = 0
    is_xml = text[:5].lower() == "<?xml"
    while found := _SKIPPED.match(text, place):
        place = found.end()
    tag = _TAG.match(text, _end_of_space(text, place))
    if tag is None:
        return Shape(form="xml") if is_xml else None
    name, beside = tag[1] or tag[2], text[tag.end() :].split("\n", 1)[0]
    if beside.startswith("\t") and "<" not in beside and not is_xml and name.lower() not in _OF_PAGES:
        return None  # columns, and the first topic is called <0> or the like
    if name.lower() in _OF_PAGES or text[:14].lower() == "<!doctype html":
        return Shape(form="html", tag=name)
    return Shape(form="xml" if is_xml else "sgml", tag=name)


# ---------------------------------------------------------------- columns


def _shape_of_lines(text: str, *, is_whole: bool) -> Shape:
    lines = text.split("\n")
    if not is_whole and len(lines) > 1:
        lines = lines[:-1]
    filled = list(islice((line.rstrip("\r") for line in lines if line.strip()), ROWS))
    is_quoted = bool(filled) and any(all(map(row.fullmatch, filled)) for row in (_QUOTED_ROW, _PARTLY_QUOTED_ROW))
    for separator in sorted("\t,;|", key=lambda each: _order(filled, each)) if filled else ():
        if (found := _shape_by(filled, separator, is_quoted=is_quoted)) is not None:
            return found
    found = _shape_by(filled, " ", is_quoted=is_quoted) if filled else None
    return found or Shape(form="text", rows=tuple(_cells(line, " ") for line in filled))


def _order(lines: list[str], separator: str) -> tuple[bool, int]:
    """Return the sort key of a separator. The tab comes first, and then the separators that are most frequent in the
    first lines.
    """
    return separator != "\t", -sum(line.count(separator) for line in lines[:_FEW])


def _shape_by(lines: list[str], separator: str, *, is_quoted: bool) -> Shape | None:
    """Return the columns of lines split by the separator; None if the result does not look like columns."""
    rows = [_cells(line, separator, is_quoted=is_quoted) for line in lines]
    header = rows[0] if _is_header(rows[0]) else ()
    body = rows[1:] if header else rows
    width = Counter(map(len, body)).most_common(1)[0] if body else (len(header), 1)
    needed = 2 if separator != " " else 1
    is_named = len(header) > 2 and separator != " " and any(len(row) == len(header) for row in body)
    if (
        width[0] >= needed
        and (is_named or width[1] >= 0.6 * max(len(body), 1))
        and (separator in "\t " or header or is_quoted or _are_words(rows) or _are_parted(lines, rows, separator))
    ):
        is_quoted = is_quoted and width[0] > 1
        return Shape(form="columns", separator=separator, header=header, rows=tuple(body), is_quoted=is_quoted)
    return None


def _cells(line: str, separator: str, *, is_quoted: bool = False) -> tuple[str, ...]:
    if separator == " " and not is_quoted:
        return tuple(line.split())
    if separator in ",;" or is_quoted:
        try:
            return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=separator), ()))
        except csv.Error:
            return ()
    return tuple(cell.strip() for cell in line.split(separator))


def _are_words(rows: list[tuple[str, ...]]) -> bool:
    """Return whether all rows have the same number of columns, at least three, and each column is one word. Plain text
    does not look like this.
    """
    return all(len(row) == len(rows[0]) > 2 and all(len(cell.split()) == 1 for cell in row) for row in rows)


def _are_parted(lines: list[str], rows: list[tuple[str, ...]], separator: str) -> bool:
    """Return whether all rows have the same number of columns, the first column is one word, and no blank follows a
    separator. This excludes plain text, in which blanks follow commas.
    """
    return len(rows) > 1 and all(
        0 < len(row) == len(rows[0]) and len(row[0].split()) == 1 and f"{separator} " not in line
        for row, line in zip(rows, lines, strict=True)
    )


def _is_header(cells: tuple[str, ...]) -> bool:
    names = [cell.strip().strip('"#').lower() for cell in cells]
    known = sum(name in HEADER_NAMES for name in names)
    return len(names) > 1 and (known > len(names) / 2 or (known > 1 and all(map(_NAME.fullmatch, names))))
