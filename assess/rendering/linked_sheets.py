"""Stylesheets that a page links to and that may be stored as documents: their addresses, before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assess.rendering.addresses import Addresses
from assess.rendering.encoding import decode_page

MEDIA_TYPE = "text/css"
LIMIT = 50
"""Stylesheets of one page; more are not looked for."""
_WITHIN = 1_000_000  # characters in which links are looked for

_LINK = re.compile(r"<(link|base)\b([^>]*)>", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE)

Sheets = Mapping[str, str]
"""Address -> the text of a stylesheet."""


def linked_sheets(raw: bytes, *, charset: str | None, url: str) -> list[str]:
    """The addresses that a page may load stylesheets from, absolute, each once.

    >>> linked_sheets(b"<link rel=stylesheet href='s.css'>", charset=None, url="http://blog.example/a/b.html")
    ['http://blog.example/a/s.css']
    """
    if b"stylesheet" not in raw.lower():
        return []
    text = decode_page(raw, charset)[0][:_WITHIN]
    base: str | None = None
    found: list[str] = []
    for match in _LINK.finditer(text):
        href = _HREF.search(match[2])
        if href is None:
            continue
        value = next(group for group in href.groups() if group is not None).replace("&amp;", "&")
        if match[1].lower() == "base":
            base = base or value
        elif "stylesheet" in match[2].lower() and value:
            found.append(value)
    addresses = Addresses(url, base)
    resolved = (addresses.fetched(value) for value in found)
    return list(dict.fromkeys(address for address in resolved if address))[:LIMIT]
