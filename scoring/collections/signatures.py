"""MinHash signatures: how alike two texts are, told from 128 numbers each (Broder 1997), by the package rensa.

The share of numbers that are equal estimates the Jaccard similarity of the texts' sets of five words in a row. In
Chinese, Japanese and Korean, which write no blanks, every character counts as a word.
"""

from __future__ import annotations

import re
import struct

NUMBERS = 128
SEED = 1
WORDS = 5

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")


def shingles(text: str) -> list[str]:
    """Every five words in a row, in small letters; the whole text where it has fewer.

    >>> shingles("The ferry stopped in May. Why?")
    ['the ferry stopped in may', 'ferry stopped in may why']
    """
    words = _WORD.findall(text.lower())
    return [" ".join(words[start : start + WORDS]) for start in range(max(1, len(words) - WORDS + 1))]


def signature_of(text: str) -> bytes:
    """The signature of a text, 512 bytes (128 little-endian numbers of 32 bits); b"" for a text without a word."""
    from rensa import RMinHash

    found = shingles(text)
    if not found[0]:
        return b""
    made = RMinHash(num_perm=NUMBERS, seed=SEED)
    made.update(found)
    return struct.pack(f"<{NUMBERS}I", *made.digest())


def likeness(first: bytes, second: bytes) -> float:
    """The share of equal numbers of two signatures: an estimate of the Jaccard similarity, from 0 to 1."""
    pairs = zip(struct.iter_unpack("<I", first), struct.iter_unpack("<I", second), strict=True)
    return sum(a == b for a, b in pairs) / NUMBERS
