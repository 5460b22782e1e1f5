"""Guesses the encoding of a text that is not UTF-8 and does not declare its encoding, from how likely its letters are.

    likely_encoding("Привет, мир".encode("koi8-r"))      "KOI8-R", the likeliest encoding, however unsure
    sure_encoding("Привет, мир".encode("koi8-r"))        "KOI8-R", if nothing else is nearly as likely; else None

Texts in Western European languages are mostly in Windows-1252, which is also the answer if the bytes do not decide.
Names are those of the Encoding Standard.
"""

from __future__ import annotations

import re

USUAL = "Windows-1252"
_NAMES = {
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1252": USUAL,
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp1257": "Windows-1257",
    "cp1258": "Windows-1258",
    "cp866": "IBM866",
    "cp874": "Windows-874",
    "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U",
    "iso8859-2": "ISO-8859-2",
    "iso8859-5": "ISO-8859-5",
    "iso8859-7": "ISO-8859-7",
    "cp932": "Shift_JIS",
    "euc_jis_2004": "EUC-JP",
    "gb18030": "GB18030",
    "big5hkscs": "Big5",
    "cp949": "EUC-KR",
}
"""The encodings that are searched for: the name in Python and chardet -> the name in the Encoding Standard."""
CODECS = {name: codec for codec, name in _NAMES.items()} | {"EUC-JP": "euc_jp", "ISO-2022-JP": "iso2022_jp_ext"}
"""The encodings that may be found -> the Python codecs that read them as the standard defines them."""
_DECLARED = re.compile(rb"<\?xml\s[^<>]{0,200}encoding|<meta\s[^<>]{0,200}charset", re.IGNORECASE)
_DECLARED_IN = 4096
_ESCAPES = (b"\x1b$B", b"\x1b$@")
_FEW = 4
"""With fewer bytes beyond ASCII than this, another encoding must be twice as likely as the usual one."""
_LEAST = 0.15
"""The confidence below which chardet's guess means little; that of a few words of Chinese is about .2."""
_ASCII = bytes(range(128))
_LOOKED_AT = 200_000
"""The number of bytes, of lines with bytes beyond ASCII, that chardet looks at."""
_SIGNS = "\xa0€…†‡‰‹›‘’“”•–—™£©«®°·»".encode("cp1252")
"""Quotation marks, dashes and other signs of Windows-1252. No text in another encoding consists of these alone."""


def likely_encoding(text: bytes) -> str:
    """Return the encoding in which a text reads best, or `USUAL` if the text does not decide."""
    lines = _distinct_lines(text)
    likely = _likely(lines)
    best = max(likely, key=lambda name: likely[name], default=USUAL)
    is_little = sum(byte > 127 for byte in b"\n".join(lines)[:1000]) < _FEW
    return USUAL if is_little and 2 * likely.get(USUAL, 0) >= likely.get(best, 0) else best


def sure_encoding(text: bytes) -> str | None:
    """Return the encoding in which a text reads at least twice as well as in the usual one, or None if none does.

    Return None, too, if the text is probably damaged UTF-8, or declares its encoding. A text that switches to Japanese
    letters and back by escape sequences is in ISO-2022-JP.

    >>> sure_encoding("Какие меры принимаются против преступности?".encode("koi8-r"))
    'KOI8-R'
    >>> sure_encoding("Qu’est-ce qui a été fait là-bas ?".encode("cp1252")) is None
    True
    """
    if any(each in text for each in _ESCAPES):
        return "ISO-2022-JP"
    lines = _distinct_lines(text)
    if _DECLARED.search(text, 0, _DECLARED_IN) is not None or _is_damaged_utf8(b"\n".join(lines)):
        return None
    likely = _likely(lines)
    best = max(likely, key=lambda name: likely[name], default=USUAL)
    return best if likely.get(best, 0) >= max(_LEAST, 2 * likely.get(USUAL, 0)) else None


def _distinct_lines(text: bytes) -> list[bytes]:
    """Return the distinct lines that are not pure ASCII."""
    return list(dict.fromkeys(line for line in text.splitlines() if not line.isascii()))


def _likely(lines: list[bytes]) -> dict[str, float]:
    """Return encoding -> likelihood; {} if the lines contain only symbols, which do not decide anything."""
    text = b"\n".join(lines)[:_LOOKED_AT]
    if text.translate(None, _SIGNS).isascii():
        return {}
    import chardet  # loads its tables, which few files need

    found = chardet.detect_all(text, include_encodings=_NAMES, compat_names=False, ignore_threshold=True)
    return {_NAMES[each["encoding"]]: each["confidence"] for each in found if each["encoding"] in _NAMES}


def _is_damaged_utf8(text: bytes) -> bool:
    """Return whether the text is probably damaged UTF-8: more of its letters beyond ASCII are valid UTF-8 than would be
    by chance in another encoding.
    """
    beyond = len(text.translate(None, _ASCII))
    return 2 * len(text.decode("utf-8", "ignore").encode().translate(None, _ASCII)) > beyond
