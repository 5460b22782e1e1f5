"""Spans: places in a viewable text that are noticed when they no longer fit.

Offsets are Unicode code points, as Python counts them. A span stores its quote, some text on both sides and the text's
digest, so that a changed text is noticed at once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

CONTEXT = 32
"""The number of code points stored before and after the quote."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A stretch of a text, from code point ``start`` (the first) to ``end`` (one past the last)."""

    start: int
    end: int
    quote: str
    prefix: str
    suffix: str
    text_sha256: str


def text_digest(text: str) -> str:
    """Return the digest that identifies a text: the SHA-256 of its UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def make_span(text: str, *, start: int, end: int) -> Span:
    """Return the span of a text between two code-point offsets. Raise ValueError if they are outside the text or hold
    no character.
    """
    if not 0 <= start < end <= len(text):
        raise ValueError(f"offsets {start} to {end} do not lie in a text of {len(text)} characters")
    return Span(
        start=start,
        end=end,
        quote=text[start:end],
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[end : end + CONTEXT],
        text_sha256=text_digest(text),
    )


def check_span(text: str, span: Span) -> str | None:
    """Return what is wrong with a span of a text, as a sentence for the user, or None if it fits."""
    if text_digest(text) != span.text_sha256:
        return "The document's text has changed since this was marked. Open it again and mark the place anew."
    if not 0 <= span.start < span.end <= len(text):
        return f"The marked place ({span.start} to {span.end}) lies outside the text. Mark it anew."
    if text[span.start : span.end] != span.quote:
        return "The quote is not what stands at the marked place. Mark it anew."
    if not text[: span.start].endswith(span.prefix) or not text[span.end :].startswith(span.suffix):
        return "The text around the quote is not what stood there when it was marked. Mark it anew."
    return None
