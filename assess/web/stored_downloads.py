"""Downloads of stored files, which a caller may ask for in part or only if they are new to it (RFC 9110)."""

from __future__ import annotations

import os
import re
from typing import BinaryIO

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class _Part:
    """The next bytes of a file, up to a number of them. It is closed with the file."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._left = file, size

    def read(self, size: int) -> bytes:
        """Return some of the bytes, b"" after the last."""
        piece = self._file.read(min(size, self._left))
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def stored_download(
    request: HttpRequest, file: BinaryIO, *, sha256: str, name: str, content_type: str
) -> HttpResponseBase:
    """Return a file as a download under this name; it is closed with the answer.

    ``sha256`` is that of its bytes, and the answer's ETag. A caller that has the file already is answered "not
    modified" (`If-None-Match`). A download that broke off can be continued: one range of bytes is answered with these
    bytes, or with all if the file has changed (`If-Range`); several ranges are answered with all.
    """
    size, etag = os.fstat(file.fileno()).st_size, f'"{sha256}"'
    answer: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    part = _part_asked(request, etag, size)
    if answer is not None:
        file.close()
    elif part is None:
        answer = FileResponse(file, as_attachment=True, filename=name, content_type=content_type)
    elif not part:
        file.close()
        answer = HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    else:
        file.seek(part.start)
        answer = FileResponse(
            _Part(file, len(part)), as_attachment=True, filename=name, content_type=content_type, status=206
        )
        answer["Content-Length"] = str(len(part))
        answer["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    answer["Accept-Ranges"], answer["ETag"] = "bytes", etag
    return answer


def _part_asked(request: HttpRequest, etag: str, size: int) -> range | None:
    """Return the range of bytes that is asked for, empty if there are no such bytes; None for the whole file."""
    asked = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if request.method != "GET" or asked is None or asked[0] == "bytes=-":
        return None
    if request.headers.get("If-Range", etag) != etag:
        return None
    first, last = asked[1], asked[2]
    if not first:
        return range(max(0, size - int(last)), size)
    stop = min(size, int(last) + 1) if last else size
    if last and int(last) < int(first):
        return None
    return range(int(first), max(stop, int(first)))
