"""Lists of valid docnos, one a line: looked through without being kept in memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from scoring.reading import open_input

_CHUNK = 1 << 20


def unknown_in_file(path: Path, docnos: Iterable[str]) -> set[str]:
    """Those of ``docnos`` that are not in the file (gzip and zstandard are read as they are).

    One pass over the file, in chunks; only ``docnos`` are held. White space around a docno, an empty line
    and a byte order mark are ignored. Raises `scoring.reading.CannotOpen` where there is no such file, and
    what the decompressor raises where it is damaged.
    """
    wanted = {docno.encode(errors="surrogatepass") for docno in docnos}
    rest = b""
    with open_input(path) as file:
        while wanted and (chunk := file.read(_CHUNK)):
            lines = (rest + chunk).removeprefix(b"\xef\xbb\xbf").split(b"\n")
            rest = lines.pop()
            wanted.difference_update(line.strip() for line in lines)
            if len(rest) > _CHUNK:  # no docno is that long: the file has no line breaks
                rest = b""
    wanted.discard(rest.strip())
    return {docno.decode(errors="surrogatepass") for docno in wanted}
