"""The headers that a document page is served with, and what the pages that hold it must say.

Isolation does more than sanitising: the frame has an empty ``sandbox``, the response says the same by its
Content-Security-Policy, and the platform's own pages let frames show nothing but documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FRAME_SANDBOX = ""
"""The value of the frame's ``sandbox`` attribute: nothing is allowed."""

_ORIGIN = re.compile(r"https?://[A-Za-z0-9._-]+(?::[0-9]{1,5})?\Z|https?://\[[0-9A-Fa-f:]+\](?::[0-9]{1,5})?\Z")


def document_policy(*, platform_origin: str, sources: Sequence[str] = ()) -> str:
    """The Content-Security-Policy of a document page.

    ``platform_origin`` is where the pages are that may frame it, ``sources`` are the origins that it may load
    stylesheets and images from (`remote_hosts.py`). Without any the page asks nobody for anything: what it holds, it
    holds in itself. ValueError for what is not an origin.
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
    """All headers of a document page's response that keep it in its place."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": document_policy(platform_origin=platform_origin, sources=sources),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-DNS-Prefetch-Control": "off",
    }


def image_headers() -> dict[str, str]:
    """The headers of an image's response besides its type: opened by itself, it may do nothing."""
    return {
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }


def platform_directives(*, documents_origin: str) -> dict[str, list[str]]:
    """The directives of the platform's own pages, name -> sources; frames may show documents alone."""
    return {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "img-src": ["'self'", "data:", documents_origin],
        "frame-src": [documents_origin],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
