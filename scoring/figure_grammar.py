"""Parses and compares labels of figures and tables: "FIG 1A", "TAB 3", "Supplementary Fig. S4B".

A label names one picture, or several pictures at once ("FIG 2(E,F)"):

    label       [SUPP] [CAPTION] (FIG | TAB) [APPENDIX | MOVIE] picture {"," picture}
    picture     [designation] number {sub-label}        designation: S, ED, or a letter ("FIG A1", "FIG B.1")
    number      digits, "5.4", "3S1", "NA", a letter ("FIG B"), or a Roman number to XX ("TAB III")
    sub-label   letters, Roman numbers, digits, primes: "1A", "3B-3", "5.4 A", "8AII", "4D'", "S4.D"; no prime after the
                number itself: "1''" has a leftover quotation mark, and is not a label

Words may be in any case and spelling: figure, Fig., FIGURE; table; supplementary, supporting, Suppl.; extended data
(ED). A supplementary figure may be written "SUPP FIG 4B", "SUPP FIG S4B" or "FIG S4B". In brackets, "B-D" is a range.
Elsewhere a hyphen goes one level down: "4A-H" is panel H of 4A in papers that use such labels.

One picture is part of another if the other's number and sub-labels are the beginning of its own: FIG 1A and FIG 1A-2
are parts of FIG 1. FIG 10 is not part of FIG 1, and FIG 3S1 is not part of FIG 3, since a supplement is a figure of its
own.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LABEL_LIMIT = 100

_KINDS = {"FIG": "FIG", "FIGURE": "FIG", "FIGS": "FIG", "FIGURES": "FIG", "TAB": "TAB", "TABLE": "TAB"}
_SUPPLEMENT = frozenset({"SUPP", "SUPPL", "SUPPLEMENT", "SUPPLEMENTARY", "SUPPLEMENTAL", "SUPPORTING"})
_EXTENDED = frozenset({"ED", "EXTENDED"})
_SERIES = frozenset({"APPENDIX", "MOVIE"})
_PRIMES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u2032": "'", "`": "'", "\u2033": '"', "\u201d": '"'})
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))

_WORD = re.compile(
    r"(SUPPLEMENTARY|SUPPLEMENTAL|SUPPLEMENT|SUPPORTING|SUPPL|SUPP|EXTENDED(?: DATA)?|CAPTION|APPENDIX|MOVIE|"
    r"FIGURES?|FIGS?|TABLE|TAB|ED)(?=[\s.\d(]|S\d|$)\.?\s*"
)
_GLUED = re.compile(r"(FIG|TAB|MOVIE)(?=S\d)")
_NUMBER = re.compile(r"([A-Z])?\.?(\d+(?:\.\d+)*(?:S\d+)?)")
_TOKEN = re.compile(r"[A-Z]+|\d+|'+|[\s.\-]+")
_RUN = re.compile(r"[A-Z]{1,2}|[A-Z]?[IVX]{2,7}")
_ROMAN = re.compile(r"[IVX]{2,}")
_ROMAN_NUMBER = re.compile(r"(?=[IVX])(?:XX|X?(?:IX|IV|V?I{0,3}))(?![A-Z])")
_RANGE = re.compile(r"([A-Z])\s*-\s*([A-Z])")

Path = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FigureLabel:
    """A parsed label. ``pictures`` holds a path for each picture: the number, then the sub-labels from the outermost to
    the innermost.

    ``kind`` is "FIG" or "TAB"; ``series`` is "", "APPENDIX" or "MOVIE"; ``designation`` is "", "S", "ED" or a letter.
    """

    kind: str
    pictures: tuple[Path, ...]
    designation: str = ""
    series: str = ""
    is_caption: bool = False
    is_supplement: bool = False  # only if the designation does not show it: "SUPP TAB NA"

    def __str__(self) -> str:
        """Return the canonical spelling of this label."""
        words = [word for word, applies in (("SUPP", self.is_supplement), ("CAPTION", self.is_caption)) if applies]
        words += [self.kind] + [self.series] * bool(self.series)
        return f"{' '.join(words)} {','.join(self.designation + _written(path) for path in self.pictures)}"

    @property
    def collection(self) -> tuple[str | bool, ...]:
        """The properties that two labels must share if one of them is to be a part of the other."""
        return (self.kind, self.designation, self.series, self.is_caption, self.is_supplement)

    def is_related(self, other: FigureLabel) -> bool:
        """Return whether any picture of one label is, or is part of, a picture of the other. Equal labels are not
        related, and neither are siblings.
        """
        return (
            self != other
            and self.collection == other.collection
            and any(_is_start(one, two) or _is_start(two, one) for one in self.pictures for two in other.pictures)
        )


@lru_cache(maxsize=20_000)
def parse_label(text: str) -> FigureLabel | None:
    """Return the label in a text, or None if the text is not a label.

    >>> str(parse_label(" Figure 1a ")), str(parse_label("Supplementary Fig. S4B")), str(parse_label("FIG 5.4 A"))
    ('FIG 1A', 'FIG S4B', 'FIG 5.4A')
    >>> parse_label("FIG 2(E,F)").pictures
    (('2', 'E'), ('2', 'F'))
    >>> parse_label("Chart 3") is None
    True
    """
    if len(text) > LABEL_LIMIT:
        return None
    words, rest = _leading_words(_folded(text))
    kinds = {_KINDS[word] for word in words if word in _KINDS}
    if len(kinds) != 1:
        return None
    series = [word for word in words if word in _SERIES]
    extended = any(word in _EXTENDED for word in words)
    designation, pictures = _pictures(rest)
    if not pictures or len(series) > 1 or (extended and designation):
        return None
    designation = "ED" if extended else designation
    is_supplement = any(word in _SUPPLEMENT for word in words)
    if is_supplement and pictures[0][0][0].isdigit() and designation in ("", "S"):
        designation, is_supplement = "S", False
    return FigureLabel(
        kind=kinds.pop(),
        pictures=pictures,
        designation=designation,
        series=series[0] if series else "",
        is_caption="CAPTION" in words,
        is_supplement=is_supplement,
    )


def normalise_label(text: str) -> str:
    """Return the canonical spelling of a label. A text that is not a label is returned in capitals with single blanks.

    Normalising twice changes nothing.

    >>> normalise_label("Table  3"), normalise_label("SUPP FIG 4b"), normalise_label(" final  model")
    ('TAB 3', 'FIG S4B', 'FINAL MODEL')
    """
    label = parse_label(text)
    return _folded(text) if label is None else str(label)


def _folded(text: str) -> str:
    """Return the text in capitals, with plain dashes and primes and single blanks. Folding twice changes nothing."""
    capitals = unicodedata.normalize("NFKC", text).translate(_PRIMES).translate(_DASHES).upper()
    plain = unicodedata.normalize("NFKC", capitals)  # capitals of some Greek letters are decomposed
    return " ".join(plain.replace('"', "''").split())


def _leading_words(text: str) -> tuple[list[str], str]:
    """Return the words before the number, and the rest."""
    words: list[str] = []
    while match := _GLUED.match(text) or _WORD.match(text):
        words.append(match[1].split()[0])
        text = text[match.end() :]
    return words, text


def _pictures(text: str) -> tuple[str, tuple[Path, ...]]:
    """Return the designation and the paths of the pictures, read from the text that follows the first words of a label.
    If that text can't be read, there are no paths.
    """
    before, bracket, inside = text.strip(" ;:.").partition("(")
    inside, _, after = inside.partition(")")
    if after.strip(" ;:.)"):
        return "", ()
    pieces = before.split(",")
    designation, first = _path(pieces[0])
    paths = [first]
    for piece in pieces[1:]:
        paths.append(_further(piece, first[:1], designation))
    if bracket and first:
        more = [inner for piece in inside.split(",") for inner in _expanded(piece.strip())]
        paths = [_further(piece, first, designation) for piece in more] or [()]
    if not all(paths):
        return "", ()
    return designation, tuple(dict.fromkeys(paths))


def _expanded(piece: str) -> list[str]:
    """Return the letters of a range in brackets ("B-D"), or the piece itself."""
    match = _RANGE.fullmatch(piece)
    if match is None or not match[1] < match[2]:
        return [piece]
    return [chr(letter) for letter in range(ord(match[1]), ord(match[2]) + 1)]


def _further(piece: str, base: Path, designation: str) -> Path:
    """Return a picture after the first one of a label, or () if the piece can't be read. The picture has a number of
    its own ("4B"), or only sub-labels of the first picture's number ("B").
    """
    piece = piece.strip()
    own, path = _path(piece)
    if not path:
        return ()
    if _NUMBER.match(piece):
        return path if own in ("", designation) else ()
    return base + _with_subs("", (), piece)[1] if base else ()


def _path(text: str) -> tuple[str, Path]:
    """Return the designation and the path of one picture. The path is empty if the text does not name a picture."""
    text = text.strip(" ;:.")
    if match := _NUMBER.match(text):
        designation, number, rest = match[1] or "", match[2], text[match.end() :]
        return _with_subs(designation, (number,), rest)
    if text.startswith("NA") and not text[2:3].isalpha():
        return _with_subs("", ("NA",), text[2:])
    run = re.match(r"[A-Z]{1,2}(?![A-Z])", text) or _ROMAN_NUMBER.match(text)
    return ("", ()) if run is None else _with_subs("", (), text)


def _with_subs(designation: str, path: Path, rest: str) -> tuple[str, Path]:
    """Return the path with the sub-labels that are in the rest of the text added to it. Return an empty path if the
    rest contains anything else.
    """
    if not rest:
        return designation, path
    if _TOKEN.sub("", rest) or not all(map(_RUN.fullmatch, re.findall(r"[A-Z]+", rest))):
        return "", ()  # words are not sub-labels
    if len(path) == 1 and path[0][-1].isdigit() and rest.startswith("'"):
        return "", ()  # a prime belongs to a panel; after a number it is a leftover quotation mark
    return designation, path + _sub_labels(rest)


def _sub_labels(text: str) -> Path:
    """Return the sub-labels in a text of letters, digits, primes and separators, outermost first."""
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token[0].isalpha():
            found.extend(_letters(token))
        elif token[0].isdigit() or token[0] == "'":
            found.append(token)
    return tuple(found)


def _letters(run: str) -> list[str]:
    """Return a run of letters as sub-labels: "AII" becomes A and II, "DA" becomes D and A; a Roman number is not
    split.
    """
    found = []
    while run and not _ROMAN.fullmatch(run):
        found.append(run[0])
        run = run[1:]
    return [*found, run] if run else found


def _written(path: Path) -> str:
    """Return a path as text, so that `_path` can read it back. The first letter follows the number directly, and primes
    follow whatever is before them.
    """
    text = path[0]
    for place, token in enumerate(path[1:]):
        joined = token[0] == "'" or (place == 0 and token[0].isalpha() and text[-1].isdigit())
        text += token if joined else f"-{token}"
    return text


def _is_start(one: Path, other: Path) -> bool:
    return other[: len(one)] == one
