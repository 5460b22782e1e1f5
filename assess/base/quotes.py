"""Checks of quotes and spans: a quote must occur in its text word for word, and a span must point to it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.rendering.spans import Span, check_span, make_span, text_digest

QUOTE_LIMIT = 5000
SpanValues = dict[str, Any]
"""A span in JSON: start and end in code points, and optionally quote, prefix, suffix and text_sha256."""


def checked_quote(*, text: str, quote: str, span: SpanValues | None, where: str) -> tuple[str, SpanValues | None]:
    """Return the quote and its complete span after finding them in ``text``; without a span, return the quote and None.

    Raises `Invalid` for a quote that is too long or not in the text word for word, and for a span that is malformed or
    does not cut out the quote. Raises `Conflict` for a span whose digest is that of another text: the text was prepared
    again, so the quote must be marked again.
    """
    if len(quote) > QUOTE_LIMIT:
        raise Invalid(
            gettext("The quote has %(quote)s characters; %(value)s are allowed. Mark a shorter piece.")
            % {"quote": len(quote), "value": QUOTE_LIMIT}
        )
    if span is None:
        if quote not in text:
            raise Invalid(
                gettext("The quote is not in %(where)s, word for word. Mark it in the text.") % {"where": where}
            )
        return quote, None
    given = _span(text=text, quote=quote, values=span)
    if given.text_sha256 != text_digest(text):
        raise Conflict(
            gettext("The text of %(where)s is not the one that was marked. Reload the page and mark it again.")
            % {"where": where}
        )
    if problem := check_span(text, given):
        raise Invalid(problem)
    return quote, asdict(given)


def _span(*, text: str, quote: str, values: SpanValues) -> Span:
    """Return the span with these values; missing values are taken from the text. Raises `Invalid` for wrong values."""
    known = {"start", "end", "quote", "prefix", "suffix", "text_sha256"}
    if not isinstance(values, dict) or set(values) - known:
        raise Invalid(gettext("A span has the members %(known)s and no others.") % {"known": ", ".join(sorted(known))})
    start, end = values.get("start"), values.get("end")
    if type(start) is not int or type(end) is not int:
        raise Invalid(gettext("A span needs its start and its end as whole numbers."))
    if values.get("quote", quote) != quote:
        raise Invalid(gettext("The span is that of another quote. Mark the place again."))
    try:
        found = make_span(text, start=start, end=end)
    except ValueError as error:
        raise Invalid(gettext("The marked place lies outside the text. Mark it again.")) from error
    words = {key: str(values.get(key, getattr(found, key))) for key in ("prefix", "suffix", "text_sha256")}
    return Span(start=start, end=end, quote=quote, **words)
