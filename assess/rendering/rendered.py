"""The stored result of rendering a document. It has its own module, so that pages and commands need not load the
parsers.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

PAGE_VERSION = "8"
"""Changes whenever the same bytes may give another page. 2: with drawings, formulas, and boxes for what is left out. 3:
without attributes whose names begin with a brace. 4: each line of a plain text in the direction of its script. 5: if no
encoding is declared, in the detected one. 6: XML read as XML; things that are not stored are named. 7: these include
the images of styles and the imported stylesheets. 8: newswire as its readers saw it.
"""
TEXT_VERSION = "7"
"""Changes whenever the same page may give another text, since spans belong to a text of one version.

1: innerText. 2: without text that is not painted, with the text in fields and on buttons. 3: without text that filters
make transparent. 4: if no encoding is declared, in the detected one. 5: XML read as XML; without text placed off the
screen or outside a box that cuts it off. 6: newswire without comments, with the characters of its DTDs. 7: without text
hidden by computed lengths, by sides of the flow, or by the position of the blocks around it; with text that is moved
back into sight, or whose box is larger than it says.
"""

Status = Literal["ok", "text-only", "blank", "failed"]
IMAGE_TYPES = frozenset({"image/png", "image/jpeg"})
"""The types that are shown only as images. Their text is empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rendering:
    """What is stored of a rendered document.

    ``page`` is None if there is no page to show: for an image, and if the status is "text-only" or "failed". ``text``
    is the viewable text: code points, lines that end with LF, no control characters. ``note`` is a sentence for the
    user if anything is unusual, otherwise "".
    """

    page: str | None
    text: str
    text_sha256: str
    page_version: str
    text_version: str
    status: Status
    note: str


def rendering(*, page: str | None, text: str, status: Status, note: str) -> Rendering:
    """Return a rendering of these parts, with the digest and the versions filled in."""
    return Rendering(
        page=page,
        text=text,
        text_sha256=hashlib.sha256(text.encode("utf-8")).hexdigest(),
        page_version=PAGE_VERSION,
        text_version=TEXT_VERSION,
        status=status,
        note=note,
    )
