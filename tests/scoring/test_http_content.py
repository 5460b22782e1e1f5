"""Contents of HTTP responses, undone by their own headers, and left as they are where a crawler undid them before."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard

from scoring.formats.http_content import content_of

WORDS = ("<html><body><p>Readable text of the page, " + "and more of it " * 40 + "</p></body></html>").encode()


def chunked(content: bytes, size: int = 29) -> bytes:
    pieces = [content[at : at + size] for at in range(0, len(content), size)]
    return b"".join(b"%x;x=1\r\n%s\r\n" % (len(each), each) for each in pieces) + b"0\r\nTrailer: x\r\n\r\n"


def bare_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


ENCODINGS = {
    "gzip": (gzip.compress(WORDS), {"content-encoding": "gzip"}),
    "x-gzip": (gzip.compress(WORDS), {"content-encoding": "x-gzip"}),
    "two members": (gzip.compress(WORDS[:99]) + gzip.compress(WORDS[99:]), {"content-encoding": "gzip"}),
    "deflate": (zlib.compress(WORDS), {"content-encoding": "deflate"}),
    "bare deflate": (bare_deflate(WORDS), {"content-encoding": "Deflate"}),
    "br": (brotli.compress(WORDS), {"content-encoding": "br"}),
    "zstd": (zstandard.compress(WORDS), {"content-encoding": "zstd"}),
    "chunked": (chunked(WORDS), {"transfer-encoding": "chunked"}),
    "gzip in chunks": (
        chunked(gzip.compress(WORDS)),
        {"content-encoding": "gzip", "transfer-encoding": "chunked"},
    ),
    "twice": (brotli.compress(gzip.compress(WORDS)), {"content-encoding": "gzip, br"}),
    "transferred as gzip": (chunked(gzip.compress(WORDS)), {"transfer-encoding": "gzip, chunked"}),
    "identity": (WORDS, {"content-encoding": "identity"}),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_encoding_is_undone(name: str) -> None:
    assert content_of(*ENCODINGS[name]) == (WORDS, "")


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_a_crawler_undid_is_left_as_it_is(name: str) -> None:
    assert content_of(WORDS, ENCODINGS[name][1]) == (WORDS, "")


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name not in ("twice", "identity")])
def test_what_is_cut_off_is_said_and_its_beginning_kept(name: str) -> None:
    packed, headers = ENCODINGS[name]
    found, why = content_of(packed[: len(packed) * 3 // 4], headers)
    assert "can't be undone" in why
    assert WORDS.startswith(found)


def test_what_is_unknown_damaged_or_too_large_is_said() -> None:
    assert content_of(WORDS, {"content-encoding": "dcb"}) == (
        WORDS,
        "It is in the encoding “dcb”, which is not known here.",
    )
    noise = bytes(range(256)) * 20
    for name in ("deflate", "br"):
        assert content_of(noise, {"content-encoding": name})[0] == noise
        assert "can't be undone" in content_of(noise, {"content-encoding": name})[1]
    for name in ("gzip", "deflate", "br", "zstd"):
        found, why = content_of(*ENCODINGS[name], limit=100)
        assert (len(found), why) == (100, f"Its {name} encoding can't be undone: it has more than 100 bytes.")
