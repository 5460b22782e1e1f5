"""Find the encoding of a crawled page as browsers do, and its text, if necessary without parsing it."""

from __future__ import annotations

import codecs
import html
import re

import webencodings

from assess.rendering.allowed import INLINE
from scoring.reading.detected_encodings import likely_encoding

# Order: byte order mark, the HTTP header's charset, a `<meta>` in the first kilobytes, UTF-8 where the
# bytes are valid UTF-8, else what chardet finds. Bytes that do not fit become U+FFFD, as in a browser.

SNIFFED = 4096
"""The number of bytes searched for a `<meta>` with a charset. Browsers search 1024 and then continue while parsing."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta\s[^>]*", re.IGNORECASE)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
_XML = re.compile(rb"\A\s*<\?xml\s[^>]*encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)

_SCRIPT = re.compile(rb"<(script|style)\b", re.IGNORECASE)
_MARKUP = re.compile(rb"<[^<>]*>|[\r\n]+")
_CODECS = {"shift_jis": "cp932", "euc-kr": "cp949", "gbk": "gb18030", "big5": "big5hkscs"}
"""Python's codecs that read these encodings as the Encoding Standard defines them, with more characters."""

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that pages do not show and databases do not need: C0 and C1 controls, surrogates, noncharacters."""


def decode_page(raw: bytes, charset: str | None) -> tuple[str, str]:
    """Return the page's text without control characters, and the name of the encoding used."""
    name, skip = detect_encoding(raw, charset)
    text = raw[skip:].decode(_codec(name), _NEC_ROWS if name == "euc-jp" else "replace")
    return drop_controls(text), name


def detect_encoding(raw: bytes, charset: str | None) -> tuple[str, int]:
    r"""Return (encoding name, number of bytes of the byte order mark to skip).

    >>> detect_encoding(b"<meta charset=koi8-r>", None)
    ('koi8-r', 0)
    >>> detect_encoding(b"caf\xe9", "utf-8")
    ('utf-8', 0)
    >>> detect_encoding(b"caf\xe9", None)
    ('windows-1252', 0)
    >>> detect_encoding("Привет, мир".encode("cp1251"), None)
    ('windows-1251', 0)
    """
    for mark, name in _BOMS:
        if raw.startswith(mark):
            return name, len(mark)
    declared = _known(charset) or _declared(raw)
    if declared:
        return declared, 0
    return ("utf-8" if _is_utf8(raw) else _detected(raw)), 0


def drop_controls(text: str) -> str:
    """Return the text without characters that are invisible and that databases or pages refuse."""
    return text if text.isprintable() else _CONTROLS.sub("", text)  # printable texts have no controls


def _known(label: str | None) -> str | None:
    """Return the standard name for an encoding label, or None if there is no such encoding."""
    encoding = webencodings.lookup(label) if label else None
    return encoding.name if encoding is not None and encoding.name != "x-user-defined" else None


def _declared(raw: bytes) -> str | None:
    """Return the encoding that a `<meta>` or an XML declaration names, or None.

    A page that declares UTF-16 but was readable as ASCII is in UTF-8.
    """
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


def _detected(raw: bytes) -> str:
    """Return the encoding in which the page's text reads best. Markup and scripts are left out, as they show no
    language.
    """
    return likely_encoding(_MARKUP.sub(b"\n", _without_scripts(raw))).lower()


def _without_scripts(raw: bytes) -> bytes:
    """Return the page without scripts and stylesheets. It reads the page once, whatever it contains."""
    lower, pieces, position = raw.lower(), [], 0
    while (match := _SCRIPT.search(raw, position)) is not None:
        pieces.append(raw[position : match.start()])
        position = lower.find(b"</" + match[1].lower(), match.end())
        if position < 0:
            return b"\n".join(pieces)
    return b"\n".join([*pieces, raw[position:]])


def _codec(name: str) -> str:
    encoding = webencodings.lookup(name) or webencodings.UTF8
    return _CODECS.get(encoding.name, encoding.codec_info.name)


_NEC_ROWS = "assay-euc-jp"


def _in_nec_rows(error: UnicodeError) -> tuple[str, int]:
    """Return, for bytes that Python can't decode from EUC-JP, what browsers read there, and where to go on: a character
    such as ① or ㈱, which is found by its place in Shift_JIS, or else U+FFFD.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) == 2 and all(0xA1 <= byte <= 0xFE for byte in pair):
        row, cell = pair[0] - 0xA0, pair[1] - 0xA0
        first = (row - 1) // 2
        first += 0x81 if first < 0x1F else 0xC1
        second = (cell + 0x3F + (cell > 63)) if row % 2 else cell + 0x9E
        return bytes([first, second]).decode("cp932", "replace")[:1], error.start + 2
    return "\N{REPLACEMENT CHARACTER}", error.end


codecs.register_error(_NEC_ROWS, _in_nec_rows)


# The text of a page without parsing it, for pages that can't be prepared and for the content of frames.

_UNSEEN = ("script", "style", "noscript", "template", "head", "iframe")
_TAG = re.compile(r"<[/!?]?([A-Za-z][A-Za-z0-9]*)?[^<>]*>")


def quick_text(text: str) -> str:
    """Return the text between tags, without elements that are never seen. It reads the text once, whatever it
    contains.
    """
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
