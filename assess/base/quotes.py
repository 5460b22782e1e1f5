"""Quotes must stand in the text they are taken from, word for word; spans must point at them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.rendering.spans import Span, check_span, make_span, text_digest

QUOTE_LIMIT = 5000
SpanValues = dict[str, Any]
"""A span as JSON holds it: start and end in code points, and as far as known quote, prefix, suffix, text_sha256."""


def checked_quote(*, text: str, quote: str, span: SpanValues | None, where: str) -> tuple[str, SpanValues | None]:
    """Return the quote and its whole span once they were found in ``text``; without a span, the quote alone.

    Refused: a quote that is not in the text word for word, a span that does not cut out the quote, a span
    whose digest is that of another text (`Conflict`: the text was prepared anew; mark it again).
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
    """The span that these values say; what they leave out is taken from the text."""
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
