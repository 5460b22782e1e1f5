"""Images made for tests."""

from __future__ import annotations

import io

from PIL import Image


def image(kind: str = "PNG", size: tuple[int, int] = (30, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, "white").save(buffer, kind)
    return buffer.getvalue()
