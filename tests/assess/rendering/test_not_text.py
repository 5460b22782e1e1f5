"""What is neither a page nor text is not called one, and a page that shows nothing says why."""

from __future__ import annotations

import gzip
import zlib

import pytest

from assess.rendering.render import render_document

PAGE = "<html><head><title>Colour</title></head><body><p>Words of a page that is long enough to pack.</p></body></html>"
NOISE = zlib.compress(bytes(range(256)) * 9 + PAGE.encode())[2:] * 9


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml", "text/plain", "text/sgml", ""])
@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (gzip.compress(PAGE.encode(), mtime=0), "a file that is packed by gzip"),
        (b"%PDF-1.4\n1 0 obj", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG image"),
        (NOISE, "bytes that are no text"),
    ],
)
def test_bytes_that_are_no_text_say_what_they_are(media_type: str, raw: bytes, what: str) -> None:
    made = render_document(raw, media_type=media_type, charset="utf-8", url="")
    assert (made.status, made.text, made.page) == ("failed", "", None)
    assert made.note.startswith(f"This document cannot be shown: its bytes are {what}, not the ")


@pytest.mark.parametrize(
    ("raw", "charset"),
    [
        (PAGE.encode("utf-16-le"), "utf-16le"),
        (b"\xff\xfe" + PAGE.encode("utf-16-le"), None),
        (PAGE.replace("page", "p\0age").encode(), None),
        (b"<p>\x1b$B</p>" + PAGE.encode(), None),
        (b"<p>\x00\x01\x02\x03</p>Words", None),
    ],
)
def test_pages_in_wide_encodings_or_with_stray_controls_are_pages(raw: bytes, charset: str | None) -> None:
    made = render_document(raw, media_type="text/html", charset=charset, url="")
    assert (made.status, "Words" in made.text) == ("ok", True)


XHTML = (
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
    '<script src="x.js"/></head><body><p>After a script closed by itself</p></body></html>'
)


def test_xhtml_is_read_as_such_and_blank_where_it_is_served_as_html() -> None:
    """In Chromium, too, `<title/>` swallows a page that is served as text/html."""
    served = render_document(XHTML.encode(), media_type="application/xhtml+xml", charset=None, url="")
    assert (served.status, served.text) == ("ok", "After a script closed by itself")
    swallowed = render_document(XHTML.encode(), media_type="text/html", charset=None, url="")
    assert swallowed.status == "blank"
    assert "a <title> that is closed by itself takes in what follows" in swallowed.note
