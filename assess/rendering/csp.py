"""The headers with which a document page is served, and the hosts from which it may load."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from html import unescape
from ipaddress import ip_address
from itertools import accumulate

# Isolation does more than sanitising: the frame has an empty ``sandbox``, the response says the same by its
# Content-Security-Policy, and the platform's own pages let frames show nothing but documents.


_ORIGIN = re.compile(r"https?://[A-Za-z0-9._-]+(?::[0-9]{1,5})?\Z|https?://\[[0-9A-Fa-f:]+\](?::[0-9]{1,5})?\Z")


def document_policy(*, platform_origin: str, sources: Sequence[str] = ()) -> str:
    """Return the Content-Security-Policy of a document page.

    ``platform_origin`` is the origin that may frame the page. ``sources`` are the origins from which it may load
    stylesheets and images (`remote_sources`); without any, the page makes no requests. Raise ValueError for a text that
    is not an origin.
    """
    for origin in (platform_origin, *sources):
        if not _ORIGIN.match(origin):
            raise ValueError(f"“{origin}” is not an origin such as https://documents.example.org")
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'none'",
            " ".join(("style-src 'unsafe-inline'", *sources)),
            " ".join(("img-src data:", *sources)),
            "form-action 'none'",
            "base-uri 'none'",
            "frame-src 'none'",
            "object-src 'none'",
            f"frame-ancestors {platform_origin}",
            "sandbox",
        )
    )


def document_headers(*, platform_origin: str, sources: Sequence[str] = ()) -> dict[str, str]:
    """Return all response headers that confine a document page."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": document_policy(platform_origin=platform_origin, sources=sources),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-DNS-Prefetch-Control": "off",
    }


def image_headers() -> dict[str, str]:
    """Return the response headers of an image except its type. An image that is opened by itself can do nothing."""
    return {
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }


# The hosts from which a shown page may load images and stylesheets, if its campaign allows that.
# A policy can allow hosts but can't exclude any. So the site's own addresses are excluded by naming exactly the other
# hosts to which the page refers. Stylesheets and redirects are then limited to these hosts as well.

MOST_HOSTS = 48
"""The most hosts that are allowed; the ones named most often are chosen …"""

MOST_LETTERS = 1600
"""… and their total length. The header names each twice, and must pass proxies that accept 4 kB of headers in all."""

_SRCSET = re.compile(r'\bsrcset="([^"]*)"')
_PLACE = re.compile(
    r"(?:\b(?:src|href|background)=\"|url\((?:\"|&quot;|'|&#39;)?)(https?://[^/?#\"'\s<>&)\\]+)", re.IGNORECASE
)
_ADDRESS = re.compile(r"https?://[^/?#\"'\s<>&,)\\]+", re.IGNORECASE)
_PARTS = re.compile(r"(https?)://(?:[^@]*@)?([^:@]+)(?::([0-9]{1,5}))?\Z", re.IGNORECASE)
_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*\Z")


_NEAR = re.compile(r".*\.(?:localhost|local|internal|intranet|private|corp|home|lan|home\.arpa)\Z")
"""Names in the reader's own network, and of the reader's machine (RFC 6761, 6762 with appendix G, 8375)."""


def remote_sources(page: str, *, is_own: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the sources of a Content-Security-Policy with which a sanitised page can load its images and stylesheets.

    It leaves out hosts that are the site's own (``is_own``), hosts without a dot, and addresses that only the reader's
    own network can reach. It reads the page once, at about 5 ms a megabyte.
    """
    found = [match[1] for match in _PLACE.finditer(page)]
    found += [address for match in _SRCSET.finditer(page) for address in _ADDRESS.findall(unescape(match[1]))]
    named = Counter(source for address in found if (source := _source(address, is_own)) is not None)
    most = [source for source, _ in named.most_common(MOST_HOSTS)]
    lengths = accumulate(len(source) + 1 for source in most)
    return tuple(sorted(source for source, length in zip(most, lengths, strict=True) if length <= MOST_LETTERS))


def _source(address: str, is_own: Callable[[str], bool]) -> str | None:
    """Return `http://host:port` for an address, or None if it is not allowed.

    Browsers let an `http://` source match the same host over HTTPS as well.
    """
    match = _PARTS.match(address)
    if match is None:
        return None
    try:
        host = match[2].encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
    if is_own(host) or len(host) > 253 or not (_is_public_name(host) or _is_public_address(host)):
        return None
    return f"{match[1].lower()}://{host}" + (f":{match[3]}" if match[3] else "")


def _is_public_name(host: str) -> bool:
    return bool(_NAME.match(host)) and not _NEAR.match(host)


def _is_public_address(host: str) -> bool:
    try:
        return ip_address(host).is_global and ":" not in host
    except ValueError:
        return False
