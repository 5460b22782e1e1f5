"""Computes MinHash signatures of 128 numbers, which estimate how similar two texts are (Broder 1997), with the package
rensa.

The share of equal numbers estimates the Jaccard similarity of the texts' sets of five consecutive words. In Chinese,
Japanese and Korean, which are written without blanks, every character counts as a word.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence

NUMBERS = 128
SEED = 1
WORDS = 5

# Other ranges than those of search (half-width kana, Thai, no “・”), since stored signatures must stay comparable.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")


def plain_words(text: str) -> list[str]:
    """Return the words of a text in order, in lower case.

    >>> plain_words("Why May? 東京")
    ['why', 'may', '東', '京']
    """
    return _WORD.findall(text.lower())


def shingles(text: str) -> list[str]:
    """Return all sequences of five consecutive words, in lower case. A text with fewer words is returned as one
    sequence.

    >>> shingles("The ferry stopped in May. Why?")
    ['the ferry stopped in may', 'ferry stopped in may why']
    """
    words = plain_words(text)
    return [" ".join(words[start : start + WORDS]) for start in range(max(1, len(words) - WORDS + 1))]


def signature_of(text: str) -> bytes:
    """Return the signature of a text: 512 bytes (128 little-endian numbers of 32 bits), or b"" for a text without
    words.
    """
    from rensa import RMinHash

    found = shingles(text)
    if not found[0]:
        return b""
    made = RMinHash(num_perm=NUMBERS, seed=SEED)
    made.update(found)
    return struct.pack(f"<{NUMBERS}I", *made.digest())


def near_identical(signatures: Sequence[bytes], *, likeness: float) -> list[tuple[int, ...]]:
    """Return the indexes of texts that are near-identical, in groups. Two texts are in one group if their similarity,
    from 0 to 1, is at least ``likeness``, or if a chain of such pairs connects them.

    Groups of one text are left out; the others are ordered by their first index. The groups do not depend on the order
    of the signatures. An empty signature matches no other. 3,000 texts take about a second, and twice as many take four
    times as long.

    >>> first, second = signature_of("One ferry stopped in the month of May"), signature_of("Why?")
    >>> near_identical([second, first, b"", first], likeness=0.8)
    [(1, 3)]
    """
    import numpy

    places = [place for place, signature in enumerate(signatures) if signature]
    made = numpy.frombuffer(b"".join(signatures[place] for place in places), dtype="<u4").reshape(-1, NUMBERS)
    needed = math.ceil(likeness * NUMBERS)
    labels = numpy.arange(len(made))
    for number in range(len(made) - 1):
        near = numpy.flatnonzero((made[number + 1 :] == made[number]).sum(axis=1) >= needed)
        joined = numpy.unique(labels[[number, *(number + 1 + near)]])
        if len(joined) > 1:
            labels[numpy.isin(labels, joined)] = joined[0]
    groups: dict[int, list[int]] = {}
    for place, label in zip(places, labels.tolist(), strict=True):
        groups.setdefault(label, []).append(place)
    return [tuple(group) for group in groups.values() if len(group) > 1]
