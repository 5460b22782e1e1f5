"""Which encoding a crawled page is in, decided as browsers decide it, and its text, also without parsing it."""

from __future__ import annotations

import html
import re

import webencodings

from assess.rendering.allowed import INLINE

# Order: byte order mark, the HTTP header's charset, a `<meta>` in the first kilobytes, UTF-8 where the
# bytes are valid UTF-8, else windows-1252. Bytes that do not fit become U+FFFD, as in a browser.

SNIFFED = 4096
"""Bytes in which a `<meta>` with a charset is looked for; browsers look at 1024 and then go on parsing."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta\s[^>]*", re.IGNORECASE)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
_XML = re.compile(rb"\A\s*<\?xml\s[^>]*encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that no page shows and no database column needs: C0 and C1 controls, surrogates, noncharacters."""


def decode_page(raw: bytes, charset: str | None) -> tuple[str, str]:
    """The page's text without control characters, and the name of the encoding that was taken."""
    name, skip = detect_encoding(raw, charset)
    encoding = webencodings.lookup(name) or webencodings.UTF8
    text, _ = encoding.codec_info.decode(raw[skip:], "replace")
    return drop_controls(text), name


def detect_encoding(raw: bytes, charset: str | None) -> tuple[str, int]:
    r"""(encoding name, bytes of byte order mark to pass over).

    >>> detect_encoding(b"<meta charset=koi8-r>", None)
    ('koi8-r', 0)
    >>> detect_encoding(b"caf\xe9", "utf-8")
    ('utf-8', 0)
    >>> detect_encoding(b"caf\xe9", None)
    ('windows-1252', 0)
    """
    for mark, name in _BOMS:
        if raw.startswith(mark):
            return name, len(mark)
    declared = _known(charset) or _declared(raw)
    if declared:
        return declared, 0
    return ("utf-8" if _is_utf8(raw) else "windows-1252"), 0


def drop_controls(text: str) -> str:
    """The text without characters that cannot be seen and that databases or pages refuse."""
    return text if text.isprintable() else _CONTROLS.sub("", text)  # no control is printable, and most texts are


def _known(label: str | None) -> str | None:
    """The standard's name of an encoding label, or None where there is no such encoding."""
    encoding = webencodings.lookup(label) if label else None
    return encoding.name if encoding is not None and encoding.name != "x-user-defined" else None


def _declared(raw: bytes) -> str | None:
    """What a `<meta>` or XML declaration says. One that says UTF-16 was readable as ASCII, so it is UTF-8."""
    head = _COMMENT.sub(b"", raw[:SNIFFED])
    for meta in _META.finditer(head):
        if (match := _CHARSET.search(meta[0])) and (name := _known(match[1].decode("latin-1"))):
            return "utf-8" if name.startswith("utf-16") else name
    if (match := _XML.match(head)) and (name := _known(match[1].decode("latin-1"))):
        return "utf-8" if name.startswith("utf-16") else name
    return None


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# The text of a page without parsing it: for pages that can't be prepared, and for what stands in frames.

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
