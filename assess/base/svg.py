"""An SVG image as an answer that can do nothing but be looked at."""

from __future__ import annotations

from django.http import HttpResponse


def svg_response(svg: bytes) -> HttpResponse:
    """The image, never kept by anybody but who asked, and without the right to run or load anything."""
    response = HttpResponse(svg, content_type="image/svg+xml")
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    response["Cache-Control"] = "private, no-store"
    return response
