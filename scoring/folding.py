"""Decides when two answer strings are equal, and how long a string is.

White space is what `str.isspace` calls white space: space, tab, no-break space (U+00A0), ideographic space (U+3000) and
the like. Zero-width characters (U+200B ZERO WIDTH SPACE, U+200D, U+FEFF) are not white space, neither in Unicode nor
for `str.isspace`: they count towards a string's length and are not removed by `fold_answer`. `suggest_key` removes
them, since it only suggests.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

LEADING_ARTICLES = re.compile(r"^(?:(?:the|an|a)\s+)+(?=\S)")
SHORT = 1_000
"""The length below which a string's key is cached, since many nuggets are marked in the same strings of a topic."""


def fold_answer(text: str) -> str:
    r"""Return a text in the form in which answer strings are compared: NFC, without white space at the ends, and with a
    single space for each run of white space.

    Case and punctuation are preserved, since they can make an answer wrong. Folding twice changes nothing.

    >>> fold_answer("  two-dollar\u00a0 wine ")
    'two-dollar wine'
    """
    if text.isascii() and text.isprintable() and "  " not in text and text == text.strip():
        return text  # nearly all are, and a release folds each of a million several times
    return " ".join(unicodedata.normalize("NFC", text).split())


def answer_key(text: str, docno: str) -> str:
    """Return the key of an [answer-string, docno] pair: 32 hexadecimal digits.

    Two pairs have equal keys if they have the same docno and the same folded string, whichever runs returned them.

    >>> answer_key("cheap wine", "D1") == answer_key(" cheap  wine", "D1")
    True
    >>> answer_key("cheap wine", "D1") == answer_key("cheap wine", "D2")
    False
    """
    return hashlib.sha256(f"{fold_answer(text)}\0{docno}".encode(errors="surrogatepass")).hexdigest()[:32]


def answer_keys(texts: Sequence[str], docnos: Iterable[str]) -> list[str]:
    """Return the `answer_key` of each text and docno. It takes half the time if all texts are folded already. Raises
    ValueError if there are more of one than of the other.

    >>> answer_keys(["cheap wine", " cheap  wine"], ["D1", "D1"]) == [answer_key("cheap wine", "D1")] * 2
    True
    """
    joined, pairs = "\0".join(texts), zip(texts, docnos, strict=True)
    is_plain = joined.isascii() and joined.replace("\0", "").isprintable()
    if not is_plain or any(gap in f"\0{joined}\0" for gap in ("  ", "\0 ", " \0")):
        return [answer_key(text, docno) for text, docno in pairs]
    keys, fresh = [], hashlib.sha256().copy  # a copy takes less than a new one
    for text, docno in pairs:
        found = fresh()
        found.update(f"{text}\0{docno}".encode(errors="surrogatepass"))
        keys.append(found.hexdigest()[:32])
    return keys


def key_of_answer(text: str, docno: str) -> str:
    """Return the same key as `answer_key`, cached for short strings, since many consecutive acts name the same
    strings.
    """
    return _short_key(text, docno) if len(text) < SHORT else answer_key(text, docno)


@lru_cache(maxsize=4_000)
def _short_key(text: str, docno: str) -> str:
    return answer_key(text, docno)


def suggest_key(text: str) -> str:
    """Return a rough key that answers share if they are probably the same; an assessor decides.

    The text is normalised by NFKC and case folding; punctuation, invisible characters and leading articles are removed.
    A step that would leave nothing ("???", "The") is skipped.

    >>> suggest_key("The Two-Dollar Wine!")
    'two dollar wine'
    >>> suggest_key("???")
    '???'
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    kept = "".join(_suggest_character(character) for character in plain)
    words = " ".join(kept.split())
    return LEADING_ARTICLES.sub("", words) or plain


def count_characters(text: str) -> int:
    r"""Return the number of the text's code points that are not white space (by `str.isspace`).

    >>> count_characters("cheap wine"), count_characters("a\u00a0b"), count_characters("a\u200bb")
    (9, 2, 3)
    """
    return sum(map(len, text.split()))


def _suggest_character(character: str) -> str:
    """Return a space for punctuation and separators, and nothing for apostrophes and invisible characters."""
    if character in "'\u2019":
        return ""
    category = unicodedata.category(character)
    if category in ("Cf", "Cc"):
        return ""
    return " " if category[0] in "PZ" else character
