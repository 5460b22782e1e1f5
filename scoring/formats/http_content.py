"""Decodes the content of an HTTP response by its own headers: joins chunks, and unpacks gzip, deflate, br and zstd.

Crawlers often decode the content themselves but keep the headers, so content that does not look as the header says is
left unchanged. Source: RFC 9110 (8.4 Content-Encoding), RFC 9112 (7 Transfer Codings), RFC 7932 (br), RFC 8878 (zstd).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping

from scoring.formats.doc_records import RECORD_LIMIT

_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_ZSTD_PIECE = 256  # bytes, which unpack to eight million at most
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class _Unfit(Exception):
    """Raised when the content can't be decoded completely. ``found`` is the part that could be decoded, or None."""

    def __init__(self, why: str, found: bytes | None = None) -> None:
        super().__init__(why)
        self.found = found


def content_of(raw: bytes, headers: Mapping[str, str], *, limit: int = RECORD_LIMIT) -> tuple[bytes, str]:
    r"""Return (content, problem) of a response: its decoded content, and a sentence that says why it is not decoded.

    The problem is "" if all is decoded. If the content is cut off, the part that could be decoded is returned; if its
    encoding is not known, the bytes as they are. Decoded content has at most ``limit`` bytes. The names in ``headers``
    must be in lower case.

    >>> content_of(b"5\r\nWords\r\n0\r\n\r\n", {"transfer-encoding": "chunked"})
    (b'Words', '')
    """
    codings = f"{headers.get('content-encoding', '')},{headers.get('transfer-encoding', '')}".lower().split(",")
    problem = ""
    for coding in reversed([each.strip() for each in codings if each.strip() not in ("", "identity")]):
        undo = _CODINGS.get(coding.removeprefix("x-"))
        if undo is None:
            return raw, problem or f"It is in the encoding “{coding[:40]}”, which is not known here."
        try:
            raw = undo(raw, limit)
        except _Unfit as unfit:
            problem = problem or f"Its {coding} encoding can't be undone: {unfit}."
            if unfit.found is None:
                return raw, problem
            raw = unfit.found
    return raw, problem


def _unchunked(raw: bytes, limit: int) -> bytes:
    """Return the chunks joined together. If the first line gives no chunk size, the crawler has joined them already,
    and the content is returned unchanged. Raises _Unfit, with the chunks before, if a later chunk has no size or is cut
    off.
    """
    found, at = bytearray(), 0
    while match := _CHUNK.match(raw, at):
        size = int(match[1], 16)
        if size == 0:
            return bytes(found)
        found += raw[match.end() : match.end() + size]
        at = match.end() + size
        if at > len(raw):
            raise _Unfit("the last chunk is cut off", bytes(found))
        at += 2 if raw[at : at + 2] == b"\r\n" else raw[at : at + 1] == b"\n"
    if at == 0:
        return raw
    raise _Unfit("a chunk begins without its size", bytes(found))


def _gunzipped(raw: bytes, limit: int) -> bytes:
    if not raw.startswith(_GZIP):
        return raw
    found, rest = b"", raw
    while rest.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        found += _inflated(member, rest, limit - len(found), found)
        rest = member.unused_data
    return found


def _inflated_plain(raw: bytes, limit: int) -> bytes:
    """Unpack deflated content with zlib's header (as the standard says) or without it (as some servers send it). Plain
    text is returned unchanged. Raises _Unfit if the content can't be unpacked to its end.
    """
    for bits in (15, -15):
        try:
            return _inflated(zlib.decompressobj(wbits=bits), raw, limit, b"")
        except _Unfit as unfit:
            if unfit.found:
                raise
    if _is_text(raw):
        return raw
    raise _Unfit("it is no deflate")


def _inflated(unpacker: zlib._Decompress, raw: bytes, limit: int, before: bytes) -> bytes:
    try:
        found = unpacker.decompress(raw, limit + 1)
    except zlib.error as error:
        raise _Unfit(str(error), before or None) from error
    if len(found) > limit:
        raise _Unfit(f"it has more than {limit:,} bytes", before + found[:limit])
    if not unpacker.eof:
        raise _Unfit("it is cut off", before + found)
    return found


def _unbrotlied(raw: bytes, limit: int) -> bytes:
    import brotli

    unpacker, found, given = brotli.Decompressor(), b"", raw
    try:
        while not unpacker.is_finished() and len(found) <= limit:
            piece = unpacker.process(given, output_buffer_limit=1 << 20)
            if not piece and unpacker.can_accept_more_data():
                break
            found, given = found + piece, b""
    except brotli.error as error:
        if _is_text(raw):
            return raw
        raise _Unfit("it is no br" if not found else "it is damaged", found or None) from error
    if len(found) > limit:
        raise _Unfit(f"it has more than {limit:,} bytes", found[:limit])
    if not unpacker.is_finished():
        if _is_text(raw):
            return raw
        raise _Unfit("it is cut off", found)
    return found


def _unzstded(raw: bytes, limit: int) -> bytes:
    import zstandard

    if not raw.startswith(_ZSTD):
        return raw
    new_frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj
    found, frame, is_open = bytearray(), new_frame(), False
    try:
        for at in range(0, len(raw), _ZSTD_PIECE):
            packed = raw[at : at + _ZSTD_PIECE]
            while packed and len(found) <= limit:
                found += frame.decompress(packed)
                packed, is_open = frame.unused_data, not frame.eof
                frame = frame if is_open else new_frame()
    except zstandard.ZstdError as error:
        raise _Unfit(str(error), bytes(found) or None) from error
    if len(found) > limit:
        raise _Unfit(f"it has more than {limit:,} bytes", bytes(found[:limit]))
    if is_open:
        raise _Unfit("it is cut off", bytes(found))
    return bytes(found)


def _is_text(raw: bytes) -> bool:
    """Return whether these bytes are plain text already: whether the first 2,000 of them hold no control characters but
    white space and ESC, since encoded content holds others.
    """
    head = raw[:2000]
    return len(head.translate(None, bytes(byte for byte in range(32) if byte not in b"\t\n\v\f\r\x1b"))) == len(head)


_CODINGS: dict[str, Callable[[bytes, int], bytes]] = {
    "chunked": _unchunked,
    "gzip": _gunzipped,
    "deflate": _inflated_plain,
    "br": _unbrotlied,
    "zstd": _unzstded,
}
