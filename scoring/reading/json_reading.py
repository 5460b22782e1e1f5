"""Reads JSON of any origin: a whole file, or one object a line. Nothing here raises on the content.

    value = load_json(file)
    if isinstance(value, Issue):
        ...

Some values that the grammar of JSON allows are issues as well, since they cannot be stored or are ambiguous: a key
given twice in an object, NaN and Infinity, numbers of more than 18 digits or beyond the range of a double, NUL
characters and halves of surrogate pairs in texts, and nesting too deep to be read. Codes:

    empty-file  compressed-file  encoding-utf16  encoding  damaged-file  file-too-large
    not-json  nesting  too-many-parts  duplicate-key  number  character
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from scoring.reading.json_breaches import breach_of
from scoring.reading.opening import LINE_LIMIT, WIDE_MARKS, excerpt_of, text_lines, wide_file
from scoring.reading.unpacking import damage_errors, damage_words
from scoring.records import Issue
from scoring.uncollected import uncollected

DEEPEST = 100
"""How deep lists and objects may be nested. Deeper values break code that walks through them."""

MOST_PARTS = 2_000_000
"""The largest number of opening brackets and braces in a text: each takes memory, and no real file has as many."""

JSON_LIMIT = 256 * 1024 * 1024
"""The most bytes in a file that is read as one piece of JSON."""

_LONG = 1 << 20

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_SPACE = " \t\r\n"
_HOLDERS = frozenset({dict, list})
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")  # how a bad character must be written
_BAD = re.compile("[\x00\ud800-\udfff]")
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")
_ARCHIVES = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "a zip archive", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}

Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Flaw:
    """Why a text is not usable as JSON, with the line of a mistake in the grammar or the path of bad content."""

    code: str
    message: str
    line: int = 0
    path: str = "$"

    @property
    def where(self) -> int | str:
        """The line of a mistake in the grammar, or the JSON path of any other flaw."""
        return self.line or self.path


def load_json(file: BinaryIO, *, limit: int = JSON_LIMIT) -> Any | Issue:
    """Return the value of a whole file, which is held in memory, or the first flaw as an issue."""
    text = whole_text(file, limit=limit)
    if isinstance(text, Issue):
        return text
    value = parse_json(text)
    return flaw_issue(value) if isinstance(value, Flaw) else value


def has_too_many_parts(text: str) -> bool:
    """Return whether a text has more opening brackets, also in strings, than the reader accepts lists and objects."""
    return text.count("[") + text.count("{") > MOST_PARTS


def json_lines(file: BinaryIO, *, limit: int = LINE_LIMIT) -> Iterator[tuple[int, Any] | Issue]:
    """Yield (line number from 1, value) for each line that is not blank, and an issue for each that is not JSON."""
    for line in text_lines(file, limit=limit):
        if isinstance(line, Issue):
            yield line
            continue
        number, text = line
        if text and not text.isspace():
            value = parse_json(text)
            if isinstance(value, Flaw):
                place = "" if value.line else f"{value.path}: "
                yield Issue(where=number, code=value.code, message=place + value.message, excerpt=excerpt_of(text))
            else:
                yield number, value


def parse_json(text: str) -> Any | Flaw:
    """Return the value of a text, or the first flaw in it.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json('{"a": 1, "a": 2}').code
    'duplicate-key'
    """
    if len(text) < _LONG and (flat := _flat(text)) is not None:
        return flat
    if has_too_many_parts(text):
        return _TOO_MANY_PARTS
    if len(text) < _LONG:
        return _parse(text)
    with uncollected():
        return _parse(text)


def _parse(text: str) -> Any | Flaw:
    try:
        value, end = decoder_for(text).raw_decode(text, len(text) - len(text.lstrip(_SPACE)))
    except (Doubtful, ValueError, RecursionError):
        return _parse_slowly(text)
    if text[end:].strip(_SPACE) or is_suspect(text):
        return _parse_slowly(text)
    return _TOO_DEEP if is_deep(text, value) else value


def decoder_for(text: str) -> Any:
    """Return a decoder that raises `Doubtful` at a key or number with a possible flaw."""
    return _CLOSELY if _has_long_numbers(text) else _SOUND


def is_suspect(text: str) -> bool:
    """Return whether a text may contain a character that can't be stored."""
    return "\\" in text and "\\u" in text and _SUSPECT.search(text) is not None


def is_deep(text: str, value: Any) -> bool:
    """Return whether a value, which was read from ``text``, nests lists and objects more deeply than is accepted."""
    is_long = text.count("[") + text.count("{") > DEEPEST
    return is_long and isinstance(value, dict | list) and _goes_deep(value)


def _flat(text: str) -> dict[str, Any] | None:
    """Return the object of a text that a quick check shows to be free of flaws; None if the text needs the full check.

    Most lines pass: an object of texts and numbers. Each member needs a colon. If there are only as many colons as
    members, no key is given twice, there is no inner object, and no text contains a colon.
    """
    if "[" in text or "\\u" in text or text.count('":') != (colons := text.count(":")):
        return None
    try:
        value, end = scan_value(text, 0)
    except (ValueError, StopIteration, RecursionError):
        return None
    if type(value) is not dict or end != len(text) or colons != len(value):
        return None
    for each in value.values():
        if type(each) is str:
            continue
        if (type(each) is int and not -_MOST < each < _MOST) or (type(each) is float and not math.isfinite(each)):
            return None
    return value


class Doubtful(Exception):
    """Raised when a text is JSON but may have a flaw. It is then read again, slowly, to find out."""


def _has_long_numbers(text: str) -> bool:
    """Return whether a text may contain a number of more than 18 digits, or one beyond the range of a double."""
    alike = text.encode("utf-8", "surrogatepass").translate(_NUMBERS)
    return _LONG_NUMBER in alike or _LONG_POWER in alike or _SIGNED_POWER in alike


def _sound_pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    known = dict(found)
    if len(known) != len(found):
        raise Doubtful
    return known


def _sound_whole(written: str) -> int:
    if len(written) > 18:
        raise Doubtful
    return int(written)


def _sound_real(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise Doubtful
    return value


def _no_constant(name: str) -> Any:
    raise Doubtful


_NUMBERS = bytes.maketrans(b"123456789E", b"000000000e")
_LONG_NUMBER, _LONG_POWER, _SIGNED_POWER = b"0" * 19, b"0e000", b"0e+000"

_SOUND = json.JSONDecoder(object_pairs_hook=_sound_pairs, parse_constant=_no_constant)
"""A decoder for texts without a flaw, made only once: to make one takes longer than to read most texts."""

_CLOSELY = json.JSONDecoder(
    object_pairs_hook=_sound_pairs, parse_int=_sound_whole, parse_float=_sound_real, parse_constant=_no_constant
)
"""A decoder that also checks each number, which takes as long as all the rest for a text of numbers."""

_PLAIN: Any = json.JSONDecoder()
scan_value = _PLAIN.scan_once
_MOST = 10**18


def _parse_slowly(text: str) -> Any | Flaw:
    """Return the value of a text, or its first flaw. While parsing, a flaw takes the place of its value."""
    flawed: list[Flaw] = []

    def keep(flaw: Flaw) -> Flaw:
        flawed.append(flaw)
        return flaw

    def pairs(found: list[tuple[str, Any]]) -> Any:
        known = dict(found)
        if len(known) == len(found):
            return known
        twice = _given_twice(key for key, _ in found)
        return keep(Flaw(code="duplicate-key", message=f"“{excerpt_of(twice, length=40)}” is given twice. Keep one."))

    def whole(written: str) -> int | Flaw:
        return int(written) if _WHOLE.fullmatch(written) else keep(_number_flaw(written))

    def real(written: str) -> float | Flaw:
        value = float(written)
        return value if math.isfinite(value) else keep(_number_flaw(written))

    is_long = _has_long_numbers(text)
    try:
        value = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_int=whole if is_long else None,
            parse_float=real if is_long else None,
            parse_constant=lambda name: keep(_number_flaw(name)),
        )
    except json.JSONDecodeError as error:
        line = f"line {error.lineno:,}, " if "\n" in text.rstrip() else ""
        message = f"This is not JSON: {line}column {error.colno:,}: {breach_of(error)}."
        return Flaw(code="not-json", message=message, line=error.lineno)
    except RecursionError:
        return _TOO_DEEP
    if is_deep(text, value):
        return _TOO_DEEP
    return (_first_flaw(value) if flawed or _SUSPECT.search(text) else None) or value


def _given_twice(keys: Iterable[str]) -> str:
    """Return the first key that equals an earlier one. The caller makes sure that there is one."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no key stands twice")


class BadJson(ValueError):
    """Raised when a text is not usable as JSON; the message is a sentence."""


def read_json(text: str | bytes) -> Any:
    """Return the value of JSON that a person or a program sent. Raises `BadJson` with what is wrong.

    >>> read_json(b'{"a": 1}')
    {'a': 1}
    """
    try:
        value = parse_json(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadJson("It is not UTF-8.") from error
    if isinstance(value, Flaw):
        raise BadJson(value.message if value.line else f"{value.path}: {value.message}")
    return value


def json_path(path: Sequence[str | int]) -> str:
    """Return a path in the form that issues use for places.

    >>> json_path(("turns", 3, "my key"))
    "$.turns[3]['my key']"
    """
    return "$" + "".join(map(_path_part, path))


def kind_of(value: object) -> str:
    """Return the kind of a JSON value in plain words.

    >>> kind_of(None), kind_of(True), kind_of([])
    ('nothing', 'true or false', 'a list')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _path_part(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _PLAIN_KEY.fullmatch(part) else f"['{excerpt_of(part, length=40)}']"


def _goes_deep(value: dict[str, Any] | list[Any]) -> bool:
    """Return whether more than `DEEPEST` lists and objects are nested in each other."""
    level: list[Any] = [value]
    for left in range(DEEPEST, 0, -1):
        inside = (each.values() if type(each) is dict else each for each in level)
        level = [each for held in inside for each in held if type(each) in _HOLDERS and (each or left == 1)]
        if not level:
            return False
    return True


def _first_flaw(value: Any) -> Flaw | None:
    """Return the first flaw, in the order of the text, with its path; None if there is none."""
    left: list[tuple[Any, Path]] = [(value, ())]
    while left:
        each, path = left.pop()
        if isinstance(each, Flaw):
            return Flaw(code=each.code, message=each.message, path=json_path(path))
        if isinstance(each, str) and _BAD.search(each):
            return Flaw(code="character", message=_BAD_CHARACTER, path=json_path(path))
        if isinstance(each, dict):
            if any(_BAD.search(key) for key in each):
                return Flaw(code="character", message="A key: " + _BAD_CHARACTER, path=json_path(path))
            left.extend((inside, (*path, key)) for key, inside in reversed(each.items()))
        elif isinstance(each, list):
            left.extend((each[place], (*path, place)) for place in reversed(range(len(each))))
    return None


_TOO_DEEP = Flaw(code="nesting", message="Lists or objects stand in each other too deep to be read. Flatten them.")
_TOO_MANY_PARTS = Flaw(
    code="too-many-parts",
    message=f"There are more than {MOST_PARTS:,} lists and objects. Check that it is the right file, or split it.",
)
_BAD_CHARACTER = "The text has a NUL character or half of a surrogate pair, which cannot be stored. Remove it."


def _number_flaw(written: str) -> Flaw:
    shown = excerpt_of(written, length=30)
    return Flaw(code="number", message=f"The number {shown} cannot be used: it must be finite, of at most 18 digits.")


def whole_text(file: BinaryIO, *, limit: int = JSON_LIMIT) -> str | Issue:
    """Return the text of a whole JSON file, or an issue that says why it cannot be read as UTF-8."""
    try:
        raw = file.read(limit + 1)
    except damage_errors() as error:
        message = f"The file cannot be read: it is {damage_words(error)}. Compress or upload it again."
        return Issue(where="", code="damaged-file", message=message)
    if len(raw) > limit:
        message = f"The file is larger than {limit:,} bytes. Check that it is the right file."
        return Issue(where="", code="file-too-large", message=message)
    if raw.startswith(WIDE_MARKS):
        return wide_file()
    for magic, name in _ARCHIVES.items():
        if raw.startswith(magic):
            message = f"The file is compressed ({name}), not plain text. Uncompress it; nothing else was checked."
            return Issue(where=1, code="compressed-file", message=message)
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if not raw.strip():
        return Issue(where="", code="empty-file", message="The file is empty. Check that the right file was chosen.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"Byte {error.start + 1:,} of the file (0x{raw[error.start]:02x}) is not UTF-8. Save it as UTF-8."
        return Issue(where=line, code="encoding", message=message)


def flaw_issue(flaw: Flaw) -> Issue:
    """Return the issue that reports a flaw."""
    return Issue(where=flaw.where, code=flaw.code, message=flaw.message)
