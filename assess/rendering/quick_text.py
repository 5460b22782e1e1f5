"""The text of a page without parsing it: for pages that can't be prepared, and for what stands in frames."""

from __future__ import annotations

import html
import re

from assess.rendering.allowed import INLINE
from assess.rendering.encoding import drop_controls

_UNSEEN = ("script", "style", "noscript", "template", "head", "iframe")
_TAG = re.compile(r"<[/!?]?([A-Za-z][A-Za-z0-9]*)?[^<>]*>")


def quick_text(text: str) -> str:
    """The text between tags, passing over what is never seen. One pass, whatever the text holds."""
    pieces: list[str] = []
    position = 0
    while (match := _TAG.search(text, position)) is not None:
        pieces.append(text[position : match.start()])
        position = match.end()
        name = (match[1] or "").lower()
        if name in _UNSEEN and not match[0].startswith("</"):
            end = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, position)
            position = len(text) if end is None else end.end()
        if name not in INLINE:
            pieces.append("\n")
    pieces.append(text[position:])
    lines = (" ".join(line.split()) for line in drop_controls(html.unescape("".join(pieces))).split("\n"))
    return "\n".join(line for line in lines if line)
