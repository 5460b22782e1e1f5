"""Reads XML and checks zip archives of any origin, within fixed bounds of size, depth and number."""

from __future__ import annotations

import os
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO
from xml.parsers import expat

if TYPE_CHECKING:
    from lxml import etree

# lxml parses XML correctly but is slow on input that nobody writes: reading the attributes of an element one by one
# takes time that grows with their square. So expat, whose time grows only with the number of bytes, reads the whole
# text first. It stops at the first element that exceeds the bounds on attributes, depth or number of elements. Entities
# are refused, not expanded; nothing is fetched and no other file is opened.
#
#     root = parse_xml(data)
#     if isinstance(root, XmlFlaw):
#         ...


@dataclass(frozen=True, kw_only=True, slots=True)
class XmlBounds:
    """The largest sizes and numbers that a file may have. Files that people and their programs write stay far below
    these bounds.
    """

    attributes: int = 64  # the most in one element; as many may be declared for it
    depth: int = 64
    elements: int = 200_000


@dataclass(frozen=True, kw_only=True, slots=True)
class XmlFlaw:
    """The reason why a file could not be read as a tree. ``code`` is "xml" (not well-formed), "entity", "encoding" or
    "xml-bounds".
    """

    line: int
    column: int
    code: str
    message: str
    """A clause without a full stop."""


BOUNDS = XmlBounds()

_AFTER = 4096
"""The number of bytes that lxml gets after the place where expat stopped, so that it can report the fault in its own
words.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Break:
    """The place in the data where expat found that they are not well-formed XML, and its message."""

    line: int
    byte: int
    message: str


class _Beyond(Exception):
    """Raised to end the reading; it carries the flaw that was found."""

    def __init__(self, flaw: XmlFlaw) -> None:
        super().__init__(flaw.message)
        self.flaw = flaw


Attributes = dict[tuple[str, str], None]
"""(name of an element, name of one of its attributes), in the order of first occurrence."""


def parse_xml(
    data: bytes, *, bounds: XmlBounds = BOUNDS, encoding: str | None = None, seen: Attributes | None = None
) -> etree._Element | XmlFlaw:
    """Return the root of the tree, without comments and processing instructions, or the first flaw with its place.

    ``encoding`` replaces the encoding that the data declare. ``seen`` collects the attributes that have a value. No
    content raises an exception, and the time needed is proportional to the length of the data.
    """
    try:
        broken = _scan(data, bounds=bounds, encoding=encoding, seen=seen)
    except _Beyond as beyond:
        return beyond.flaw
    from lxml import etree

    try:
        root = etree.fromstring(data if broken is None else data[: broken.byte + _AFTER], _parser(encoding))
    except etree.XMLSyntaxError as error:
        line, column = error.position
        if broken is None or line <= broken.line:
            return XmlFlaw(line=line or 1, column=column, code="xml", message=str(error.msg))
    else:
        if broken is None:
            return root
    return XmlFlaw(line=broken.line, column=0, code="xml", message=broken.message)


@lru_cache(maxsize=8)
def _parser(encoding: str | None) -> etree.XMLParser:
    """Return the parser for an encoding. It is cached, because making one takes half the time of parsing a small
    record.
    """
    from lxml import etree

    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding=encoding,
    )


def _scan(data: bytes, *, bounds: XmlBounds, encoding: str | None, seen: Attributes | None = None) -> _Break | None:
    """Read the data once. Return the place where they cease to be well-formed, or None if they are well-formed
    throughout. Raises `_Beyond`.
    """
    parser = expat.ParserCreate(encoding)
    depth = elements = 0
    declared: Counter[str] = Counter()

    def beyond(code: str, message: str) -> _Beyond:
        flaw = XmlFlaw(line=parser.CurrentLineNumber, column=parser.CurrentColumnNumber, code=code, message=message)
        return _Beyond(flaw)

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if attributes and seen is not None:
            for attribute_name, value in attributes.items():
                if value and not value.isspace():
                    seen[name, attribute_name] = None
        if len(attributes) > bounds.attributes:
            told = f"an element has {len(attributes):,} attributes; {bounds.attributes:,} are read at most"
            raise beyond("xml-bounds", told)
        if depth > bounds.depth:
            raise beyond("xml-bounds", f"elements are nested more than {bounds.depth:,} deep")
        if elements > bounds.elements:
            raise beyond("xml-bounds", f"there are more than {bounds.elements:,} elements")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(*_: object) -> None:
        raise beyond("entity", "it declares entities, which are not read")

    def attribute(element: str, *_: object) -> None:
        declared[element] += 1  # both parsers compare each declared attribute with all others of its element
        if declared[element] > bounds.attributes:
            raise beyond("xml-bounds", f"more than {bounds.attributes:,} attributes of one element are declared")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, entity
    parser.AttlistDeclHandler = attribute
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        return _Break(line=error.lineno, byte=parser.ErrorByteIndex, message=expat.ErrorString(error.code))
    except (LookupError, ValueError) as error:
        raise beyond("encoding", f"its encoding is not read here ({error})") from error
    return None


# Zip archives of any origin: their directories are checked before anything is unpacked.
#
# A zip can claim that thousands of entries are at the same place, or that a megabyte unpacks to a terabyte. So the
# number, sizes, ratio and places of all entries are checked first. zipfile then never unpacks more than the directory
# said.

RATIO = 200
"""A zip may unpack to at most this many times its own size …"""

SMALL = 64 << 20
"""… or to this many bytes, whichever is more."""

_HEADER = 30
"""The number of bytes in an entry's header before its data, without the name."""


_END = struct.Struct("<4s4H2LH")
_END_SIGN = b"PK\x05\x06"
_LONG_PLACE = struct.Struct("<4sLQL")
_LONG_END = struct.Struct("<4sQ2H2L4Q")
_COMMENT = 1 << 16
_OF_A_NAME = 256
"""The number of bytes in a zip's directory for one file with a long name."""


def directory_flaw(stream: BinaryIO, *, members: int) -> str | None:
    """Return the reason why the directory of a zip is too large to be listed, or None if it may be listed.

    Afterwards the stream is at its beginning again.

    Listing a million names takes a gigabyte and many seconds, so the end record is read first: it gives the number of
    entries and the size of the directory. A file without an end record is not a zip, and the code that opens it reports
    that.
    """
    size = stream.seek(0, os.SEEK_END)
    start = max(0, size - _COMMENT - _END.size)
    stream.seek(start)
    tail = stream.read()
    told = [_stated_size(stream, tail, place, start) for place in {len(tail) - _END.size, tail.rfind(_END_SIGN)}]
    stream.seek(0)
    entries, length = (max(each) for each in zip(*told, strict=True))
    if entries > members:
        return f"the zip holds {entries:,} files; {members:,} are allowed"
    if length > members * _OF_A_NAME:
        return f"the directory of the zip has {length:,} bytes, too many for the {members:,} files that are allowed"
    return None


def _stated_size(stream: BinaryIO, tail: bytes, place: int, start: int) -> tuple[int, int]:
    """Return how many entries and bytes an end record at this offset of the tail states for the directory. Without an
    end record there, return (0, 0).

    Readers of zips look for these numbers in different places, and the largest numbers that any of them would find are
    returned. Some readers search for the end record from the end of the file, others assume that there is no comment.
    Some look for its 64-bit form where the short form says it is, others right before the short form.
    """
    if not (0 <= place <= len(tail) - _END.size and tail.startswith(_END_SIGN, place)):
        return 0, 0
    _, _, _, _, entries, length, _, _ = _END.unpack_from(tail, place)
    long_place = place - _LONG_PLACE.size
    if long_place < 0 or not tail.startswith(b"PK\x06\x07", long_place):
        return entries, length
    said, before = _LONG_PLACE.unpack_from(tail, long_place)[2], start + long_place - _LONG_END.size
    long = {each: _long_stated_size(stream, each) for each in (min(said, start + long_place), max(before, 0))}
    if long[max(before, 0)] is None:  # some readers look only there, and otherwise believe the short form
        long[-1] = (entries, length)
    entries, length = (max(each) for each in zip(*filter(None, long.values()), strict=True))
    return entries, length


def _long_stated_size(stream: BinaryIO, place: int) -> tuple[int, int] | None:
    """Return how many entries and bytes the 64-bit end record at this offset of the file states; None if there is no
    such record.
    """
    stream.seek(place)
    found = stream.read(_LONG_END.size)
    if len(found) < _LONG_END.size or not found.startswith(b"PK\x06\x06"):
        return None
    _, _, _, _, _, _, _, entries, length, _ = _LONG_END.unpack(found)
    return entries, length


def zip_flaw(
    archive: zipfile.ZipFile,
    *,
    packed: int,
    members: int,
    is_read: Callable[[zipfile.ZipInfo], bool] = lambda entry: True,
) -> tuple[str, str] | None:
    """Return (code, reason) if nothing may be unpacked from a zip of ``packed`` bytes; None if it may be unpacked.

    The code is zip-too-many (for more than ``members`` entries), zip-overlap or zip-bomb. Entries that are not read do
    not count towards the unpacked size.
    """
    entries = archive.infolist()
    if len(entries) > members:
        return "zip-too-many", f"the zip holds {len(entries):,} files; {members:,} are allowed"
    if (name := _overlapping(entries, end=archive.start_dir)) is not None:
        return "zip-overlap", f"“{name[:100]}” lies where another file of the zip lies"
    whole = sum(entry.file_size for entry in entries if is_read(entry))
    if whole > max(SMALL, RATIO * packed):
        return "zip-bomb", f"the zip of {packed:,} bytes would unpack to {whole:,}, over {RATIO} times as many"
    return None


def _overlapping(entries: Sequence[zipfile.ZipInfo], *, end: int) -> str | None:
    """Return the name of the first entry that overlaps the next one or the directory, or None."""
    placed = sorted(entries, key=lambda entry: entry.header_offset)
    starts = [entry.header_offset for entry in placed[1:]] + [end]
    for entry, start in zip(placed, starts, strict=True):
        name = len(entry.orig_filename.encode("utf-8" if entry.flag_bits & 0x800 else "cp437", "replace"))
        if entry.header_offset + _HEADER + name + entry.compress_size > start:
            return entry.filename
    return None
