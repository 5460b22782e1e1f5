"""Lists of valid docnos, one a line: looked through without being kept in memory."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

_CHUNK = 1 << 20


def open_binary(path: Path) -> BinaryIO:
    """The file's bytes, uncompressed where its name ends in `.gz` or `.zst`. The caller closes it."""
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if path.suffix == ".zst":
        raw = path.open("rb")
        reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True, closefd=True)
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, reader)))
    return path.open("rb")


def unknown_in_file(path: Path, docnos: Iterable[str]) -> set[str]:
    """Those of ``docnos`` that are not in the file (`.gz` and `.zst` are read as they are).

    One pass over the file, in chunks; only ``docnos`` are held. White space around a docno, an empty line
    and a byte order mark are ignored. Raises OSError (or zstandard.ZstdError) where the file cannot be read.
    """
    wanted = {docno.encode(errors="surrogatepass") for docno in docnos}
    with open_binary(path) as file:
        rest = b""
        while wanted and (chunk := file.read(_CHUNK)):
            lines = (rest + chunk).removeprefix(b"\xef\xbb\xbf").split(b"\n")
            rest = lines.pop()
            wanted.difference_update(line.strip() for line in lines)
        wanted.discard(rest.strip())
    return {docno.decode(errors="surrogatepass") for docno in wanted}
