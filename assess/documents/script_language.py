"""The language of a text for screen readers: its document's, its campaign's, or the usual one of its script."""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import islice

from assess.documents.words import LANGUAGES, WRITTEN_IN
from assess.rendering.unspaced import is_unspaced

TOLD_BY = 200
"""The number of letters from which the script of a text is recognised."""

_USUAL = {
    "ARABIC": "ar",
    "ARMENIAN": "hy",
    "BENGALI": "bn",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "DEVANAGARI": "hi",
    "ETHIOPIC": "am",
    "GEORGIAN": "ka",
    "GREEK": "el",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "HANGUL": "ko",
    "HEBREW": "he",
    "KANNADA": "kn",
    "KHMER": "km",
    "LAO": "lo",
    "LATIN": "",
    "MALAYALAM": "ml",
    "MYANMAR": "my",
    "ORIYA": "or",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
    "TIBETAN": "bo",
}
"""The scripts, by the first word of their letters' names, each with the language most often written in it."""
_SCRIPTS = {language: script for script, language in _USUAL.items()} | {
    language: script.upper() for script, languages in WRITTEN_IN.items() for language in languages
}
_SCRIPTS |= {"ja": "CJK", "yue": "CJK"}
_KANA = {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}


def language_of(text: str, *languages: str) -> str:
    """Return the code (BCP 47) of the language in which to read a text aloud; "" if unknown, as for Latin letters.

    ``languages`` are those in which the text may be ("" or "und" if unknown), the likeliest first, such as its
    document's. The first that uses the script of the text is returned, or the first of all if the text has no letters.
    So an English name from a Russian page is not read as Russian.

    >>> language_of("الرياض"), language_of("東京タワー"), language_of("Wein", "de"), language_of("wine", "ru", "en")
    ('ar', 'ja', 'de', 'en')
    """
    scripts = _scripts(text)
    script = max(scripts, key=lambda each: scripts[each], default="")
    if script in _KANA or (script == "CJK" and _KANA & scripts.keys()):
        return "ja"
    fitting = (each for each in languages if each in LANGUAGES and script in {"", _SCRIPTS[each]})
    return next(fitting, _USUAL.get(script, ""))


def language_of_document(text: str, language: str) -> str:
    """Return the language in which to read a whole text aloud: its own if known, otherwise that of its script."""
    return language if language in LANGUAGES else language_of(text)


def _scripts(text: str) -> Counter[str]:
    """Return how many of a text's first letters are in each script; one of a script without spaces counts three
    times.
    """
    if text.isascii():
        return Counter(LATIN=1) if any(map(str.isalpha, text)) else Counter()
    scripts: Counter[str] = Counter()
    for letter in islice(filter(str.isalpha, text), TOLD_BY):
        scripts[unicodedata.name(letter, "").split(" ", 1)[0]] += 3 if is_unspaced(letter) else 1
    return scripts
