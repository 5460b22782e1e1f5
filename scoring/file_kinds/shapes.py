r"""What form a file has, by its first bytes: packed, binary, JSON, XML or SGML, columns, lines of text.

Nothing here says what a file is about; that is `scoring.file_kinds.contents`. A beginning that is cut off is read as
far as it goes, so that the first 64 kB of a file of any size are enough.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Literal

from scoring.file_kinds.names import HEADER_NAMES

Form = Literal[
    "empty", "damaged", "packed", "binary", "image", "json value", "json array", "json lines", "json values",
    "broken json", "html", "xml", "sgml", "warc", "columns", "text",
]  # fmt: skip
"""JSON lines are one value a line, JSON values stand one after another in another way, indented or without a break."""

Kind = Literal[
    "run", "qrels", "topics", "answers", "nuggets", "documents", "claims", "judgments", "assessments", "grades",
    "docnos", "document-list", "matches", "votes", "values", "scores", "forms", "questions", "candidates", "requests",
    "design", "citations", "comparison", "people", "gold answers", "other",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """What a file probably holds: a phrase for people, and all kinds that it may be, the likeliest first.

    There is none where nothing tells. ``formats`` are the names of formats of rankings and judgments that it may have,
    ``way_on`` is the sentence on what to do with it where that does not follow from its kind.
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
"""JSON values that are looked at."""
ROWS = 200
"""Lines that are looked at for columns."""

_PACKED = {
    b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip",
    b"\x1f\x9d": "compress (.Z)", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"]\x00\x00\x80\x00": "lzma",
    b"LZIP": "lzip", b"\x04\x22\x4d\x18": "lz4",
}  # fmt: skip
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_BINARY = {
    b"%PDF-": "a PDF file", b"PAR1": "a Parquet file", b"\xd0\xcf\x11\xe0": "an Office file",
    b"SQLite format 3\x00": "an SQLite database", b"{\\rtf": "an RTF file", b"ARROW1": "an Arrow file",
    b"\x89HDF": "an HDF5 file", b"\x93NUMPY": "a NumPy array", b"\x7fELF": "a program",
}  # fmt: skip
_IN_ZIP = {
    b"xl/workbook.xml": "an Excel workbook", b"word/document.xml": "a Word document",
    b"ppt/presentation.xml": "a PowerPoint file", b"mimetypeapplication/vnd.oasis.opendocument": "an OpenDocument file",
    b"mimetypeapplication/epub": "an EPUB file", b"[Content_Types].xml": "an Office file",
}  # fmt: skip
"""Names at the beginning of a zip that a program wrote for itself."""
_IMAGES = {b"\x89PNG": "a PNG image", b"\xff\xd8\xff": "a JPEG image", b"GIF8": "a GIF image"}
_MARK = b"\xef\xbb\xbf"
_JSON_START = re.compile(r'\[\s*(?:[\[{"\]]|-?[0-9]+(?:\.[0-9]+)?\s*[,\]]|\Z)|\{\s*(?:["\x27]|\}|\Z)')
_COMMENTS = re.compile(r"(?:\s*(?://[^\n]*+\n|/\*.{0,10000}?\*/))++\s*", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?/?>|<([0-9][\w.-]*)>")
_SKIPPED = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL | re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\ufeff\x1e]*")
_NAME = re.compile(r"[a-z_][a-z0-9_-]*")
COMMENTED = "JSON with comments"
"""The name of a form that JSON does not have."""
MOST_CONTROLS = 0.05
"""The share of control characters that a text has at most …"""
FEW_CONTROLS = 8
"""… and so many that are a fault in a short one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What a file's beginning shows. ``name`` says which packing, binary format or image it is.

    ``values`` are the first JSON values (of an array its elements), ``members`` the members of a file that is one
    object; the last may be cut off. ``tag`` is the first tag of XML or SGML as it is written, ``rows`` are the first
    lines in columns, without a ``header``, and ``separator`` is a tab, a blank, a comma, a
    semicolon or a vertical bar.
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

    @property
    def columns(self) -> int:
        """How many columns most lines have; 0 where there are none."""
        return Counter(map(len, self.rows)).most_common(1)[0][0] if self.rows else 0


def packing_of(start: bytes) -> str:
    r"""How a file that begins so is packed, or "" where it is not.

    >>> packing_of(b"\xfd7zXZ\x00\x00"), packing_of(b"301 0 FT1 1")
    ('xz', '')
    """
    if _BZIP2.match(start):
        return "bzip2"
    found = next((name for magic, name in _PACKED.items() if start.startswith(magic)), "")
    return found or ("tar" if start[257:262] == b"ustar" else "")


def shape_of(head: bytes, *, is_whole: bool) -> Shape:
    """The form of a file that begins so; ``is_whole`` where that is all of it."""
    if name := packing_of(head):
        if name == "zip" and (program := next((each for sign, each in _IN_ZIP.items() if sign in head), "")):
            return Shape(form="binary", name=program, encoding="")
        return Shape(form="packed", name=name, encoding="")
    for form, known in (("binary", _BINARY), ("image", _IMAGES)):
        if name := next((name for magic, name in known.items() if head.startswith(magic)), ""):
            return Shape(form=form, name=name, encoding="")  # type: ignore[arg-type]
    encoding = _encoding(head, is_whole=is_whole)
    if encoding == "":
        return Shape(form="binary", name="a binary file", encoding="")
    text = head.decode(encoding, "replace")
    if not is_whole and encoding == "utf-8-sig":
        text = text.rstrip("\ufffd")
    found = _shape_of_text(text.removeprefix("\ufeff"), is_whole=is_whole)
    return _with(found, encoding=_ENCODINGS[encoding], text=text)


_ENCODINGS = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16",
              "utf-32": "UTF-32", "cp1252": "not UTF-8, perhaps Latin-1"}  # fmt: skip


def _with(shape: Shape, *, encoding: str, text: str) -> Shape:
    return replace(shape, encoding=encoding, text=text)


def _encoding(head: bytes, *, is_whole: bool) -> str:
    """The name of the codec that the bytes are read by, or "" where they are no text."""
    if head.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.lstrip().startswith(b"<") and b"\0" not in head[:64]:
        return _utf8_or_else(head, is_whole=is_whole)  # pages of a collection may hold any bytes
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
    """What can be read of a JSON value that is cut off, with what is open closed: all, or up to the last comma."""
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


def _shape_of_tags(text: str) -> Shape | None:
    place = 0
    is_xml = text[:5].lower() == "<?xml"
    while found := _SKIPPED.match(text, place):
        place = found.end()
    tag = _TAG.match(text, _end_of_space(text, place))
    if tag is None:
        return Shape(form="xml") if is_xml else None
    name = tag[1] or tag[2]
    if name.lower() in ("html", "head", "body") or text[:14].lower() == "<!doctype html":
        return Shape(form="html", tag=name)
    return Shape(form="xml" if is_xml else "sgml", tag=name)


# ---------------------------------------------------------------- columns


def _shape_of_lines(text: str, *, is_whole: bool) -> Shape:
    lines = text.split("\n")
    if not is_whole and len(lines) > 1:
        lines = lines[:-1]
    filled = [line.rstrip("\r") for line in lines if line.strip()][:ROWS]
    for separator in ("\t", ",", ";", "|", " ") if filled else ():
        rows = [_cells(line, separator) for line in filled]
        header = rows[0] if _is_header(rows[0]) else ()
        body = rows[1:] if header else rows
        width = Counter(map(len, body)).most_common(1)[0] if body else (len(header), 1)
        needed = 2 if separator != " " else 1
        if (
            width[0] >= needed
            and width[1] >= 0.6 * max(len(body), 1)
            and (separator in "\t " or header or _are_words(rows) or _are_parted(filled, rows, separator))
        ):
            return Shape(form="columns", separator=separator, header=header, rows=tuple(body))
    return Shape(form="text", rows=tuple(_cells(line, " ") for line in filled))


def _cells(line: str, separator: str) -> tuple[str, ...]:
    if separator == " ":
        return tuple(line.split())
    if separator in ",;":
        try:
            return tuple(cell.strip() for cell in next(csv.reader([line], delimiter=separator), ()))
        except csv.Error:
            return ()
    return tuple(cell.strip() for cell in line.split(separator))


def _are_words(rows: list[tuple[str, ...]]) -> bool:
    """Whether all rows have the same columns, at least three of one word each, so that no text is taken for columns."""
    return len(rows) > 1 and all(
        len(row) == len(rows[0]) > 2 and all(len(cell.split()) == 1 for cell in row) for row in rows
    )


def _are_parted(lines: list[str], rows: list[tuple[str, ...]], separator: str) -> bool:
    """Whether all rows have the same columns, the first of one word, and no blank follows what separates them, as it
    would in a text.
    """
    return len(rows) > 1 and all(
        0 < len(row) == len(rows[0]) and len(row[0].split()) == 1 and f"{separator} " not in line
        for row, line in zip(rows, lines, strict=True)
    )


def _is_header(cells: tuple[str, ...]) -> bool:
    names = [cell.strip().strip('"#').lower() for cell in cells]
    known = sum(name in HEADER_NAMES for name in names)
    return len(names) > 1 and (known > len(names) / 2 or (known > 1 and all(map(_NAME.fullmatch, names))))
