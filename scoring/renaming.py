"""Giving a run file another run tag, so that nobody sees from it whose run it is. All else stays, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

CHUNK = 1 << 20
LONGEST = 1 << 12
"""The most bytes that a member's name and value have together; longer ones are no names."""


def rename_column(file: BinaryIO, name: str, *, column: int) -> Iterator[bytes]:
    r"""The lines with the word in this column (from 1) replaced; lines with fewer words stay as they are.

    >>> import io
    >>> b"".join(rename_column(io.BytesIO(b"1 Q0 D-1 1 2.5 mine\n"), "RUN-A", column=6))
    b'1 Q0 D-1 1 2.5 RUN-A\n'
    """
    pattern = re.compile(rb"^(\s*(?:\S+\s+){%d})\S+" % (column - 1))
    put = rb"\g<1>" + name.encode()
    for line in file:
        yield pattern.sub(put, line, count=1)


def rename_members(file: BinaryIO, name: str, *, members: Sequence[str]) -> Iterator[bytes]:
    r"""JSON with the texts and numbers of the members so named replaced, wherever they stand; read piece by piece.

    Inside a text a quotation mark has a backslash before it, so that nothing in a text looks like a member.

    >>> import io
    >>> run = io.BytesIO(b'{"run_name": "mine", "text": "a \\"run_name\\": \\"mine\\""}')
    >>> b"".join(rename_members(run, "RUN-A", members=("run_name",)))
    b'{"run_name": "RUN-A", "text": "a \\"run_name\\": \\"mine\\""}'
    """
    names = b"|".join(re.escape(member.encode()) for member in members)
    pattern = re.compile(rb'"(%s)"(\s*:\s*)(?:"(?:[^"\\]|\\.)*"|-?\d+)' % names)
    put = rb'"\1"\2"' + name.encode() + b'"'
    waiting = b""
    while True:
        piece = file.read(CHUNK)
        waiting += piece
        safe = len(waiting) - LONGEST if piece else len(waiting)
        if safe <= 0 and piece:
            continue
        for found in pattern.finditer(waiting):
            if found.start() < safe < found.end():
                safe = found.start()
                break
        yield pattern.sub(put, waiting[:safe])
        waiting = waiting[safe:]
        if not piece:
            return


def unchanged(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The file as it is, for formats that say nowhere whose run they hold."""
    del name
    while piece := file.read(CHUNK):
        yield piece
