"""The headers that a document page is served with, and what the pages that hold it must say.

Isolation does more than sanitising: the frame has an empty ``sandbox``, the response says the same by its
Content-Security-Policy, and the platform's own pages let frames show nothing but documents.
"""

from __future__ import annotations

import re

FRAME_SANDBOX = ""
"""The value of the frame's ``sandbox`` attribute: nothing is allowed."""

_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?\Z|https?://\[[0-9A-Fa-f:]+\](?::[0-9]{1,5})?\Z")


def document_policy(*, self_origin: str, platform_origin: str, remote_resources: bool) -> str:
    """The Content-Security-Policy of a document page.

    ``self_origin`` is where the document is served (in a sandbox 'self' matches nothing, so it is written
    out), ``platform_origin`` where the pages are that may frame it. ``remote_resources`` lets the page load
    stylesheets and images from the web. ValueError for what is not an origin.
    """
    for origin in (self_origin, platform_origin):
        if not _ORIGIN.match(origin):
            raise ValueError(f"“{origin}” is not an origin such as https://documents.example.org")
    web = " https: http:" if remote_resources else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'none'",
            f"style-src 'unsafe-inline' {self_origin}{web}",
            f"img-src {self_origin} data:{web}",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-src 'none'",
            "object-src 'none'",
            f"frame-ancestors {platform_origin}",
            "sandbox",
        )
    )


def document_headers(*, self_origin: str, platform_origin: str, remote_resources: bool) -> dict[str, str]:
    """All headers of a document page's response that keep it in its place."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": document_policy(
            self_origin=self_origin, platform_origin=platform_origin, remote_resources=remote_resources
        ),
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
