r"""Recognises, from its first bytes, how a file is packed or which program's own file it is.

packing_of(b"\xfd7zXZ\x00\x00")     "xz"
binary_of(b"%PDF-1.7")              ("binary", "a PDF file")
"""

from __future__ import annotations

import re
from typing import Literal

_PACKED = {
    b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip",
    b"\x1f\x9d": "compress (.Z)", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "rar", b"]\x00\x00\x80\x00": "lzma",
    b"LZIP\x01": "lzip", b"\x04\x22\x4d\x18": "lz4", b"!<arch>\n": "ar", b"MSCF\x00": "cab",
    b"\xff\x06\x00\x00sNaPpY": "snappy", b"07070100": "cpio",
}  # fmt: skip
_ARCHIVES = frozenset({"zip", "7z", "rar", "ar", "cab", "cpio", "tar"})
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")

_BINARY = (
    (0, b"PAR1", "a Parquet file"), (0, b"\xd0\xcf\x11\xe0", "an Office file"),
    (0, b"SQLite format 3\x00", "an SQLite database"), (0, b"ARROW1", "an Arrow file"),
    (0, b"FEA1", "a Feather file"), (8, b"\x10\x00\x00\x00\x00\x00\x0a\x00", "an Arrow stream"),
    (0, b"Obj\x01", "an Avro file"), (0, b"ORC\n", "an ORC file"), (0, b"\x89HDF", "an HDF5 file"),
    (0, b"\x93NUMPY", "a NumPy array"), (0, b"MATLAB 5.0 MAT-file", "a MATLAB file"),
    (0, b"\xac\xed\x00\x05", "objects of Java"), (0, b"\x7fELF", "a program"), (0, b"MZ\x90\x00", "a program"),
    (0, b"AT&TFORM", "a DjVu file"), (0, b"GGUF", "a language model (GGUF)"),
    (8, b'{"__metadata__"', "a language model (safetensors)"), (0, b"OggS\x00", "a sound"),
    (8, b"WAVEfmt", "a sound"), (0, b"\x1a\x45\xdf\xa3", "a video"), (0, b"wOF2", "a font"), (0, b"wOFF", "a font"),
    *((0, b"ID3" + bytes([version]), "a sound") for version in range(2, 5)),
    *((0, bytes([0x80, protocol]), "a pickle of Python") for protocol in range(2, 6)),
)  # fmt: skip
"""The place in the file from which a program's own file can be recognised, and the bytes there."""
_TEXTS = ((b"%PDF-", "a PDF file"), (b"{\\rtf", "an RTF file"), (b"%!PS-", "a PostScript file"))
"""The beginnings of programs' files that may otherwise look like text to their end."""
_IMAGES = (
    (0, b"\x89PNG", "a PNG image"), (0, b"\xff\xd8\xff", "a JPEG image"), (0, b"GIF8", "a GIF image"),
    (8, b"WEBP", "a WebP image"), (0, b"II*\x00", "a TIFF image"), (0, b"MM\x00*", "a TIFF image"),
    (4, b"ftypheic", "a HEIF image"), (4, b"ftypavif", "an AVIF image"), (0, b"\x00\x00\x01\x00\x01\x00", "an icon"),
)  # fmt: skip
_VIDEO = (4, b"ftyp", "a video")
_IN_ZIP = {
    b"xl/workbook.xml": "an Excel workbook", b"word/document.xml": "a Word document",
    b"ppt/presentation.xml": "a PowerPoint file", b"mimetypeapplication/vnd.oasis.opendocument": "an OpenDocument file",
    b"mimetypeapplication/epub": "an EPUB file", b"xl/worksheets/": "an Excel workbook",
    b"[Content_Types].xml": "an Office file", b"docProps/": "an Office file",
    b"META-INF/MANIFEST.MF": "a program of Java", b"/data.pkl": "a file of PyTorch", b".npy": "NumPy arrays (npz)",
}  # fmt: skip
"""Names at the beginning of a zip file that is a program's own file."""
_FIRST_NAMES = 600  # the first bytes of a zip, where a short name does not occur by chance


_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1b")
_LOOKED_AT = 512


def _is_text(head: bytes) -> bool:
    """Return whether the first bytes could be text. Only in a text does the word at the beginning tell what a
    file is.
    """
    start = head[:_LOOKED_AT]
    return start.isascii() and len(start.translate(None, _CONTROLS)) == len(start)


def packing_of(start: bytes) -> str:
    r"""Return the name of the compression of a file with this beginning, or "" if it is not packed.

    >>> packing_of(b"\xfd7zXZ\x00\x00"), packing_of(b"301 0 FT1 1")
    ('xz', '')
    """
    if _BZIP2.match(start):
        return "bzip2"
    found = next((name for magic, name in _PACKED.items() if start.startswith(magic)), "")
    if found in ("ar", "cpio") and _is_text(start):
        return ""
    return found or ("tar" if start[257:262] == b"ustar" else "")


def packed_words(name: str) -> str:
    """Return words for a packed file, given the name of its packing. An archive has several files in it.

    >>> packed_words("zip"), packed_words("lzma")
    ('an archive (zip)', 'a file that is packed by lzma')
    """
    return f"an archive ({name})" if name in _ARCHIVES else f"a file that is packed by {name}"


def binary_of(head: bytes) -> tuple[Literal["binary", "image"], str] | None:
    r"""Return the kind of a binary file or image that begins like this, and words for it. Return None for any other
    file.

    >>> binary_of(b"%PDF-1.7"), binary_of(b"GIF89a"), binary_of(b"It rains.")
    (('binary', 'a PDF file'), ('image', 'a GIF image'), None)
    """
    if head.startswith(b"PK\x03\x04"):
        parts = (head if len(sign) > len(b"docProps/") else head[:_FIRST_NAMES] for sign in _IN_ZIP)
        program = next((name for part, (sign, name) in zip(parts, _IN_ZIP.items(), strict=True) if sign in part), "")
        return ("binary", program) if program else None
    start = head[:100].lstrip()
    if program := next((name for magic, name in _TEXTS if start.startswith(magic)), ""):
        return "binary", program
    if head.startswith(b"GIF8") or not _is_text(head):
        if image := next((name for place, magic, name in _IMAGES if head.startswith(magic, place)), ""):
            return "image", image
        if program := next((name for place, magic, name in (*_BINARY, _VIDEO) if head.startswith(magic, place)), ""):
            return "binary", program
    return None
