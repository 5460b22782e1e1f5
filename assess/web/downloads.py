"""Files that are made while they are sent, always to be kept and never shown."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

BYTES = "application/octet-stream"


def download(pieces: Iterable[bytes], *, name: str, content_type: str = BYTES) -> StreamingHttpResponse:
    """The pieces as a file of this name."""
    response = StreamingHttpResponse(pieces, content_type=content_type)
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response
