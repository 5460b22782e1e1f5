"""The words by which documents are found, made in the same way from stored texts and from queries.

A text is cut into runs of letters and digits. Text written with spaces is stemmed by Snowball: in the language of the
document if that language uses the script, otherwise in the most likely language of the script, so that English names in
a Russian page are found as English. Hebrew, which Snowball does not know, loses its prefixes and endings. Text without
spaces, such as Chinese, Japanese, Korean and Thai, becomes pairs of neighbouring characters. Case and width make no
difference, nor do accents, unless a stem depends on them.

Both databases are given these words instead of using their own language support, so they find the same documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import zip_longest
from threading import Lock
from typing import Any

from assess.rendering.unspaced import UNSPACED, is_unspaced

LONGEST = 100  # characters of a word that count
REMEMBERED = 50_000
TOLD_BY = 4_000  # characters from which the language of a text is recognised
ENOUGH = 40  # the fewest letters (a third for Chinese) from which a language is recognised
UNKNOWN = "und"
PLAIN = "xx"  # marks words of languages that have no stemmer
MARK = "·"  # no word contains it, so a marked word never equals a word of another language

_SNOWBALL = (
    "ar:arabic ca:catalan cs:czech da:danish de:german el:greek en:english eo:esperanto es:spanish "
    "et:estonian eu:basque fa:persian fi:finnish fr:french ga:irish hi:hindi hu:hungarian hy:armenian "
    "id:indonesian it:italian lt:lithuanian ne:nepali nl:dutch no:norwegian nn:norwegian pl:polish "
    "pt:portuguese ro:romanian ru:russian sr:serbian sv:swedish ta:tamil tr:turkish "
)
_STEMMERS = dict(each.split(":") for each in _SNOWBALL.split())
_SCRIPTS = {
    "Latin": "en",
    "Cyrillic": "ru",
    "Arabic": "ar",
    "Greek": "el",
    "Armenian": "hy",
    "Hebrew": "he",
    "Devanagari": "hi",
    "Tamil": "ta",
}
"""The scripts whose words are stemmed, with the language assumed if the document's uses another script."""

WRITTEN_IN = {
    "Cyrillic": {"ru", "sr", "uk", "bg", "be", "mk", "kk", "ky", "mn", "tg", "tt", "ba"},
    "Arabic": {"ar", "arz", "ary", "fa", "ur", "ps", "ug", "sdh"},
    "Greek": {"el"},
    "Armenian": {"hy"},
    "Hebrew": {"he"},
    "Devanagari": {"hi", "ne", "mr"},
    "Tamil": {"ta"},
}
_LATIN = (
    "af az bs ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it la lt lv mg ms mt nl nn no pl pt ro sk sl so sq "
    "sr sv sw tk tl tr uz vi zu"
)
WRITTEN_IN["Latin"] = set(_LATIN.split())
_WITHOUT_STEMS = "am bn gu ja ka km kn ko lo ml my or pa si te th yue zh"
LANGUAGES = frozenset(_WITHOUT_STEMS.split()).union(*WRITTEN_IN.values())
"""The languages that are distinguished, by the codes of ISO 639."""

SIGNS_OF_LETTERS = "\xad" + "".join(
    each
    for each in map(chr, range(0x300, 0xE00))
    if unicodedata.category(each).startswith("M") and not is_unspaced(each)
)
"""Accents and vowel signs, which regular expressions don't count as letters; and the soft hyphen."""

RUN = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_]|[{SIGNS_OF_LETTERS}])+")
"""Letters and digits in a row, either all of scripts that use blanks between words, or all of scripts that don't."""

_LETTER = rf"(?:(?![{UNSPACED}])[^\W_]|[{SIGNS_OF_LETTERS}])"
_FOLDED_RUN = re.compile(rf"[{UNSPACED}]+|(?:ن?می[\u200c ]+(?=[\u0620-\u06d3]))?{_LETTER}(?:[\u200c\u200d]*{_LETTER})*")
"""The same for texts that are compared: with the joiners inside words, and with the prefix of a Persian verb."""
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_SIGNS = "".join(each for each in map(chr, range(0xE00, 0x1800)) if unicodedata.category(each).startswith("M"))
_UNIT = re.compile(
    rf"[\u0e40-\u0e44\u0ec0-\u0ec4]?.(?:[\u1039\u17d2].|[{_SIGNS}\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3])*"
)
"""What may not be cut apart in Thai, Lao, Burmese and Khmer: a consonant with the vowels and signs around it."""
_AROUND = re.compile(f"[{_SIGNS}\u0e30-\u0e33\u0e40-\u0e45\u0eb0-\u0eb3\u0ec0-\u0ec4]")
_HEBREW_PREFIXES, _HEBREW_ENDINGS = frozenset("הוכלבמש"), ("יים", "יות", "ים", "ות", "ית", "ה", "ת", "י")
_HEBREW_FINALS = str.maketrans("ךםןףץ", "כמנפצ")
_SHORTEST_HEBREW = 3  # letters that are left: most roots have as many
_JOINERS = re.compile("[\u200c\u200d ]+")
_SAME_LETTERS = str.maketrans(
    {"ı": "i", "ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ħ": "h", "ŧ": "t", "ى": "ي"}
)
"""Letters that many people write as others, and that have no accent that could be taken away."""
_IRREGULAR = """
knives knife wives wife wolves wolf shelves shelf calves calf halves half thieves thief loaves loaf scarves scarf
hooves hoof elves elf children child men man women woman feet foot teeth tooth mice mouse geese goose lice louse oxen
ox analyses analysis crises crisis criteria criterion bacteria bacterium phenomena phenomenon hypotheses hypothesis
diagnoses diagnosis matrices matrix vertices vertex nuclei nucleus fungi fungus stimuli stimulus ate eat eaten eat
became become began begin begun begin bent bend bled bleed bought buy broke break broken break brought bring built
build came come caught catch chose choose chosen choose dealt deal drank drink drawn draw drew draw driven drive drove
drive dug dig fallen fall fed feed fell fall felt feel fled flee flew fly flown fly forgot forget forgotten forget
fought fight found find froze freeze frozen freeze gave give given give got get grew grow grown grow heard hear held
hold hid hide hidden hide hung hang kept keep knew know known know led lead lent lend lost lose made make meant mean
met meet paid pay ran run rang ring ridden ride rode ride said say sang sing sank sink sat sit seen see sent send
shaken shake shook shake shot shoot slept sleep slid slide sold sell sought seek spent spend spoke speak spoken speak
stole steal stolen steal stood stand struck strike stuck stick sung sing sunk sink swam swim swept sweep swore swear
sworn swear swung swing taken take taught teach thought think threw throw thrown throw told tell took take tore tear
torn tear understood understand went go wept weep withdrawn withdraw withdrew withdraw woke wake won win wore wear
worn wear written write wrote write
"""
"""English forms that Snowball leaves apart, each before its word. Forms of two words, such as "leaves" and "lives",
are left out.
"""
_NASAL = re.compile("[ङञणनम]\u094d(?=[क-ह])")
"""A nasal before another consonant, in Hindi mostly written as a dot above: "हिन्दी" is "हिंदी"."""

_DROPPED = dict.fromkeys((0xAD, 0x640, 0x670, *range(0x300, 0x370), *range(0x64B, 0x660), *range(0x591, 0x5C8)))
_BY_LETTER = (
    (0x0250, "Latin"),
    (0x0370, ""),
    (0x0400, "Greek"),
    (0x0530, "Cyrillic"),
    (0x0590, "Armenian"),
    (0x0600, "Hebrew"),
    (0x0780, "Arabic"),
    (0x08A0, ""),
    (0x0900, "Arabic"),
    (0x0980, "Devanagari"),
    (0x0B80, ""),
    (0x0C00, "Tamil"),
    (0x1E00, ""),
    (0x1F00, "Latin"),
    (0x2000, "Greek"),
)
_lock = Lock()


def find_words(text: str, language: str, *, folded: bool = False, pairs: bool = True) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a text in a language with their places, (word, start, end), in order.

    With ``folded``, spellings that mean the same give the same word, as they don't in the index: "می‌خواهد", "می خواهد"
    and "میخواهد", "Łódź" and "Lodz", "ısparta" and "ISPARTA"; and so do irregular forms of English words.

    In scripts without spaces, words are every two neighbouring characters, and the last character alone. So each
    character begins a word, and can be found by itself, too. With ``folded``, a consonant and the vowels and signs
    around it count as one character. Without ``pairs``, each character is a word.

    >>> [word for word, _, _ in find_words("Blue bicycles, 经济学", "en")]
    ['blue', 'bicycl', '经济', '济学', '学']
    >>> [word for word, _, _ in find_words("ข้าวไทย", "th", folded=True, pairs=False)]
    ['ข้า', 'ว', 'ไท', 'ย']
    >>> [word for word, _, _ in find_words("knives sold", "en", folded=True)], words_of("knife sells", "en")
    (['knife', 'sell'], ['knife', 'sell'])
    """
    for match in (_FOLDED_RUN if folded else RUN).finditer(text):
        run, start = match[0], match.start()
        if is_unspaced(run):
            normal, places = _normal_form(run)
            if _UNSPACED_RUN.fullmatch(normal):
                units = _UNIT.findall(normal) if folded and _AROUND.search(normal) else normal
                at = 0
                for unit, following in zip_longest(units, units[1:], fillvalue=""):
                    size = len(unit) + len(following) if pairs else len(unit)
                    yield unit + following if pairs else unit, start + places[at][0], start + places[at + size - 1][1]
                    at += len(unit)
                continue
        is_folded = folded and not run.isascii()
        for word in _words_of(_JOINERS.sub("", run) if is_folded else run, language):
            same = _NASAL.sub("ं", word.translate(_SAME_LETTERS)) if is_folded else word
            yield _irregular_stems().get(same, same) if folded else same, start, match.end()


def units_of(word: str) -> list[str]:
    """Return the characters of a word without spaces, each with the vowels and signs around it."""
    return _UNIT.findall(word)


def words_of(text: str, language: str, *, folded: bool = False) -> list[str]:
    """Return the words of a text in a language, in order, as they are indexed; ``folded``, as they are compared."""
    return [word for word, _, _ in find_words(text, language, folded=folded)]


def phrase_of(text: str, language: str) -> tuple[tuple[str, ...], bool]:
    """Return what somebody typed as words in a row, and whether the last is only the beginning of an indexed word.

    >>> phrase_of("经济学", "zh"), phrase_of("学", "zh")
    ((('经济', '济学'), False), (('学',), True))
    """
    found = list(find_words(text, language))
    if not found or not is_unspaced(found[-1][0]) or len(found[-1][0]) > 1:
        return tuple(word for word, _, _ in found), False
    if len(found) > 1 and len(found[-2][0]) == 2 and found[-2][2] == found[-1][2] and is_unspaced(found[-2][0]):
        return tuple(word for word, _, _ in found[:-1]), False
    return tuple(word for word, _, _ in found), True


def forms_of(word: str) -> list[str]:
    """Return the indexed words that are forms of an indexed word, itself first; there are several only for irregular
    English ones.

    >>> forms_of("knive"), forms_of("blue")
    (['knive', 'knife'], ['blue'])
    """
    base = _irregular_stems().get(word, word)
    return list(dict.fromkeys((word, base, *(form for form, of in _irregular_stems().items() if of == base))))


def tell_language(text: str) -> str:
    """Return the code of a text's language, or "und" if the text is too short to recognise it.

    The first call reads the model of py3langid, which takes half a second and 90 MB, so pages and searches never call
    this. Each text takes half a millisecond.
    """
    start = " ".join(text[: 2 * TOLD_BY].split())[:TOLD_BY]
    if sum(3 if is_unspaced(each) else 1 for each in start[:400] if each.isalpha()) < ENOUGH:
        return UNKNOWN
    return str(_detector().classify(start)[0])


@lru_cache(maxsize=1)
def _detector() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    detector = LanguageIdentifier.from_model_file(MODEL_FILE)
    detector.set_languages(sorted(LANGUAGES))
    return detector


def _normal_form(run: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a run in NFKC, with (start, end) in the run of what each of its characters comes from.

    >>> _normal_form("東ｶﾞ")
    ('東ガ', [(0, 1), (1, 3)])
    """
    normal = unicodedata.normalize("NFKC", run)
    if normal == run:
        return run, [(at, at + 1) for at in range(len(run))]
    places, start = list[tuple[int, int]](), 0
    for end in range(1, len(run) + 1):
        if end == len(run) or not _joins(run[start:end], run[end]):
            places += [(start, end)] * len(unicodedata.normalize("NFKC", run[start:end]))
            start = end
    return normal, places


@lru_cache(maxsize=10_000)
def _joins(part: str, following: str) -> bool:
    """Return whether a character is joined to those before it in their normal form, as a voiced sound mark does."""
    both = unicodedata.normalize("NFKC", part) + unicodedata.normalize("NFKC", following)
    return unicodedata.normalize("NFKC", part + following) != both


def _pairs(run: str) -> Iterator[str]:
    return (run[place : place + 2] for place in range(len(run)))


@lru_cache(maxsize=REMEMBERED)
def _words_of(run: str, language: str) -> tuple[str, ...]:
    """Return the words of one run; there are several if its normal form has other signs between them, as "½" has."""
    normal = unicodedata.normalize("NFKC", run).casefold()
    words: list[str] = []
    for part in RUN.findall(normal):
        words += _pairs(part) if is_unspaced(part) else filter(None, [_stem(part, language)])
    return tuple(words)


def _stem(word: str, language: str) -> str:
    """Return the stem without accents, marked if its language is not the default of its script."""
    plain = word.replace("\xad", "").replace("i\u0307", "i")
    script = next((name for end, name in _BY_LETTER if ord(plain[0]) < end), "") if plain else ""
    if not script:
        return _without_accents(plain)[:LONGEST]
    default = _SCRIPTS[script]
    own = language if language in WRITTEN_IN[script] else default
    stemmer = _STEMMERS.get(own)
    if own == "he":
        return _hebrew_stem(_without_accents(plain))[:LONGEST]
    if stemmer is not None:
        with _lock:
            plain = _snowball(stemmer).stemWord(plain)
    bare = _without_accents(plain)[:LONGEST]
    if own == default or not bare or not bare[0].isalpha():
        return bare
    return f"{own if stemmer is not None else PLAIN}{MARK}{bare}"


@cache
def _irregular_stems() -> dict[str, str]:
    """Return the stems of irregular English forms, each with the stem of its word."""
    stems = [_stem(word, "en") for word in _IRREGULAR.split()]
    return dict(zip(stems[::2], stems[1::2], strict=True))


def _hebrew_stem(word: str) -> str:
    """Return a Hebrew word without an ending and the prefixes that are written with it (and, the, in, of, that).

    >>> _hebrew_stem("והמלחים") == _hebrew_stem("מלח"), _hebrew_stem("ירידת") == _hebrew_stem("הירידה")
    (True, True)
    """
    for ending in _HEBREW_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_HEBREW:
            word = word.removesuffix(ending)
            break
    while len(word) > _SHORTEST_HEBREW and word[0] in _HEBREW_PREFIXES:
        word = word[1:]
    return word.translate(_HEBREW_FINALS)


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    bare = unicodedata.normalize("NFD", word).translate(_DROPPED)
    return unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=40)
def _snowball(stemmer: str) -> Any:
    """Return the stemmer of a language. It is not safe for two threads at once, hence the lock."""
    from Stemmer import Stemmer

    return Stemmer(stemmer)
