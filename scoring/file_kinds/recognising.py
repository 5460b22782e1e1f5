"""Recognises a file: `recognise` a stream, `recognise_beginning` bytes, `recognise_path` a file on disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from scoring.file_kinds.contents import contents_of
from scoring.file_kinds.magic import packed_words, packing_of
from scoring.file_kinds.shapes import Form, Kind, Shape, shape_of
from scoring.reading.opening import open_input
from scoring.reading.unpacking import beginning_of, damage_errors, damage_words

LOOKED_AT = 1 << 16
"""The number of bytes at the beginning that are looked at."""

_FORM_NAMES: dict[Form, str] = {
    "empty": "an empty file", "damaged": "a damaged file", "packed": "a packed file",
    "binary": "a binary file", "image": "an image",
    "json value": "one JSON value", "json array": "a JSON array", "json lines": "JSON lines",
    "json values": "JSON values one after another", "broken json": "text that begins as JSON and is none",
    "html": "HTML", "xml": "XML", "sgml": "SGML", "warc": "a web archive", "columns": "columns",
    "text": "lines of text",
}  # fmt: skip
_SEPARATORS = {"\t": "a tab", " ": "white space", ",": "a comma", ";": "a semicolon", "|": "a vertical bar"}


@dataclass(frozen=True, kw_only=True, slots=True)
class FileKind:
    """What a file is. ``packed`` names its compression, if it had to be unpacked to be recognised.

    ``kinds`` are all kinds of contents that it may have, the likeliest first, and ``what`` describes them in words;
    both are empty if nothing decides.
    """

    shape: Shape
    what: str = ""
    kinds: tuple[Kind, ...] = ()
    formats: tuple[str, ...] = ()
    packed: str = ""
    way_on: str = ""

    @property
    def form(self) -> Form:
        """The form of the file."""
        return self.shape.form

    @property
    def form_name(self) -> str:
        r"""The form in words.

        >>> recognise_beginning(b"1 0 D1 1\n2 0 D2 0\n").form_name
        '4 columns by white space'
        """
        shape = self.shape
        if shape.form in ("binary", "image"):
            return shape.name
        if shape.form == "damaged":
            return f"a file that is {shape.name}"
        if shape.form == "packed":
            return packed_words(shape.name)
        if shape.form == "columns":
            header = " with a header" if shape.header else ""
            count = shape.columns or len(shape.header)
            quoted = ", each in quotes" if shape.is_quoted else ""
            return f"{count} column{'s' * (count != 1)} by {_SEPARATORS[shape.separator]}{quoted}{header}"
        if shape.tag:
            return f"{_FORM_NAMES[shape.form]} that begins with <{shape.tag}>"
        return _FORM_NAMES[shape.form]

    @property
    def sentence(self) -> str:
        """A short description of the file: form, encoding, contents."""
        encoding = f", {self.shape.encoding}" if self.shape.encoding else ""
        packed = f", packed with {self.packed}" if self.packed else ""
        return f"{self.form_name}{encoding}{packed}" + (f": {self.what}" if self.what else "")


def recognise(file: BinaryIO) -> FileKind:
    """Return what a file is, judged by its first 64 kB. The position in the file does not change. If the file is
    damaged there, the shape's form is "damaged". The file must be seekable or have a method ``peek``, like the files
    that `scoring.reading.opening.open_input` opens; otherwise it counts as empty.
    """
    damage: BaseException | None
    try:
        head = _beginning(file)
        found = recognise_beginning(head)
        is_whole = len(head) < LOOKED_AT
        damage = None if found.what or not is_whole else getattr(getattr(file, "raw", None), "damage", None)
    except damage_errors() as error:
        damage = error
    return found if damage is None else FileKind(shape=Shape(form="damaged", name=damage_words(damage), encoding=""))


def recognise_beginning(head: bytes, *, is_whole: bool | None = None) -> FileKind:
    """Return what a file with this beginning is. A short beginning counts as the whole file, unless ``is_whole`` says
    otherwise.
    """
    shape = shape_of(head, is_whole=len(head) < LOOKED_AT if is_whole is None else is_whole)
    found = contents_of(shape)
    return FileKind(shape=shape, what=found.what, kinds=found.kinds, formats=found.formats, way_on=found.way_on)


def recognise_path(path: str | Path) -> FileKind:
    """Return what a file on disk is. A packed file is unpacked for this. Raises CannotOpen if it can't be read."""
    with open_input(path) as file:
        found = recognise(file)
    packed = ""
    if str(path) != "-" and Path(path).is_file():
        with Path(path).open("rb") as raw:
            packed = packing_of(raw.read(512))
    return replace(found, packed="" if found.form == "packed" else packed)


def _beginning(file: BinaryIO) -> bytes:
    """Return the first bytes from the current position, which does not change. Return b"" for a file that neither is
    seekable nor has a method ``peek``.
    """
    peek: Callable[[int], bytes] | None = getattr(file, "peek", None)
    if file.seekable():
        place = file.tell()
        try:
            return beginning_of(file, LOOKED_AT)
        finally:
            file.seek(place)
    return peek(LOOKED_AT)[:LOOKED_AT] if peek is not None else b""
