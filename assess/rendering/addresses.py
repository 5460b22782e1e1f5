"""Addresses in a page, made absolute against the page's own address; only harmless schemes are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from assess.rendering.encoding import decode_page

INERT_LINK = "#assay-link"
"""The target of links to other pages: a missing place in the same page, so that they do nothing."""

_IGNORED = re.compile(r"[\t\n\r]")
_ENDS = "".join(map(chr, range(33)))
_HTTP = re.compile(r"https?://[^/?#\\]", re.IGNORECASE)
_IMAGE_TYPES = r"png|gif|jpe?g|webp|bmp|x-icon|vnd\.microsoft\.icon|avif"
_IMAGE = re.compile(rf"data:image/(?:{_IMAGE_TYPES});base64,[a-z0-9+/=]*\Z", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\"'<>\\^`{|}()\x7f-\x9f\ud800-\udfff]")
_CANDIDATE = re.compile(r"[\s,]*([^\s,]\S*[^\s,]|[^\s,])(?:\s+([0-9.]+[wx]))?\s*(?:,|\Z)")


class Addresses:
    """Resolves the addresses in one page. ``base`` is the page's address, or the one that its first <base> gives."""

    def __init__(self, url: str, base_href: str | None = None) -> None:
        self.page = _http(url) or ""
        self.base = (_joined(self.page, base_href) if base_href else None) or self.page

    def resource(self, value: str) -> str | None:
        """Return the absolute http(s) address or embedded raster image that a value means; None for anything else."""
        text = _cleaned(value)
        if text[:5].lower() == "data:":
            compact = text.replace(" ", "")
            return compact if _IMAGE.match(compact) else None
        if text.startswith("#"):
            return None  # a place in this page, for which browsers send no request
        return _joined(self.base, text) if text else None

    def fetched(self, value: str) -> str | None:
        """Return the absolute http(s) address that a value means, as for stylesheets; None for embedded data and all
        else.
        """
        found = self.resource(value)
        return found if found and not found.startswith("data:") else None

    def link(self, value: str) -> tuple[str, str]:
        """Return (href, target). A place in this page stays a link, and its target is "". Any other link becomes inert;
        its target is the address, or "" if that is not allowed.
        """
        text = _cleaned(value)
        if text.startswith("#"):
            return "#" + _quoted(text[1:]), ""
        if text[:7].lower() == "mailto:":
            return INERT_LINK, _quoted(text)
        target = _joined(self.base, text)
        if target is None:
            return INERT_LINK, ""
        page, _, fragment = target.partition("#")
        if fragment and page == self.page.partition("#")[0]:
            return "#" + fragment, ""
        return INERT_LINK, target

    def srcset(self, value: str) -> str:
        """Return a srcset with the candidates whose addresses are allowed, made absolute; "" if there are none."""
        kept = []
        for match in _CANDIDATE.finditer(value[:20_000]):
            address = self.fetched(match[1])
            if address:
                kept.append(f"{address.replace(',', '%2C')} {match[2] or ''}".strip())
        return ", ".join(kept)


def _cleaned(value: str) -> str:
    """Return an address as browsers read it: trimmed, and without tabs and line breaks."""
    return _IGNORED.sub("", value).strip(_ENDS)


def _joined(base: str, value: str) -> str | None:
    try:
        joined = urljoin(base, _cleaned(value).replace("\\", "/"))
        urlsplit(joined)
    except ValueError:
        return None
    return _http(joined)


def _http(value: str) -> str | None:
    return _quoted(value) if _HTTP.match(value) else None


def _quoted(value: str) -> str:
    """Return the address with those characters percent-encoded that would end a quoted string, a tag or a CSS url()."""
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace")), value)


# Stylesheets that a page links to and that may be stored as documents: their addresses, before it is parsed.

MEDIA_TYPE = "text/css"
LIMIT = 50
"""The most stylesheets of one page that are looked for."""
_WITHIN = 1_000_000  # characters that are searched for links

_LINK = re.compile(r"<(link|base)\b([^>]*)>", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE)

Sheets = Mapping[str, str]
"""Address -> the text of a stylesheet."""


def linked_sheets(raw: bytes, *, charset: str | None, url: str) -> list[str]:
    """Return the absolute addresses of the stylesheets that a page links to, each once, `LIMIT` at most.

    Links after the first million characters are not looked for.

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
