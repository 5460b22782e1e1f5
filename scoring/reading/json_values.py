"""Reads the JSON values of a file in any layout: one a line, the members of a list, or one after another.

    for each in json_values(file):
        if isinstance(each, Issue): ...
        line, value = each

A file with one value a line is read line by line; any other file is held in memory as a whole. Several values may
follow each other on one line with nothing between them, and one value may take many lines. Codes are those of
`scoring.reading.json_reading`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, BinaryIO

from scoring.reading.json_lists import end_of_space, entries_of_list, texts_of_list, value_end
from scoring.reading.json_reading import JSON_LIMIT, Flaw, has_too_many_parts, parse_json
from scoring.reading.opening import excerpt_of, text_lines
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue
from scoring.uncollected import uncollected

SPACE = " \t\r\n"
MOST_VALUES = 500_000
"""The largest number of values in a row that do not begin on lines of their own. A file with more is of another kind.
"""

_OBJECTS = re.compile(r"[ \t\r\n]*+\[[ \t\r\n]*+\{")
_SEVERAL = re.compile(r"\][ \t\r\n]*+[\[{]")  # values one after another, which occur in a list only inside texts

Line = tuple[int, str]


def json_values(file: BinaryIO, *, limit: int = JSON_LIMIT) -> Iterator[tuple[int, Any] | Issue]:
    r"""Yield (line on which the value begins, value) for each value, and issues. Of a list of objects, the objects are
    yielded one by one.

    >>> import io
    >>> list(json_values(io.BytesIO(b'[{"a": 1},\n {"a": 2}]')))
    [(1, {'a': 1}), (2, {'a': 2})]
    >>> list(json_values(io.BytesIO(b'{"a": 1}{"a": 2}\n{"a": 3}')))
    [(1, {'a': 1}), (1, {'a': 2}), (2, {'a': 3})]
    >>> list(json_values(io.BytesIO(b'{\n"a": 1\n}\n{"a": 2}')))
    [(1, {'a': 1}), (4, {'a': 2})]
    """
    lines = text_lines(file, limit=limit)
    begun: list[Line | Issue] = []
    written: list[str] = []
    for line in lines:
        begun.append(line)
        if isinstance(line, Issue):
            break
        if text := line[1].strip():
            written.append(text)
        if len(written) == 2:
            break
    if written and _goes_on(written):
        found = _whole_text(begun, file, limit)
        if isinstance(found, Issue):
            yield found
        else:
            yield from _values_of_text(found)
        return
    for line in chain(begun, lines):
        if isinstance(line, Issue):
            yield line
        elif line[1] and not line[1].isspace():
            value = parse_json(line[1])
            if type(value) is dict:
                yield line[0], value
            else:
                yield from _values_of_line(*line, value)


@uncollected()
def _goes_on(written: list[str]) -> bool:
    """Return whether the first value of a file continues on the next line, as a list or object laid out over several
    lines does.
    """
    first = written[0]
    if first.startswith("["):
        return True
    if not first.startswith("{") or (len(written) == 1 and first != "{"):
        return False
    if (end := value_end(first, 0)) is None:
        return first == "{" or (len(written) > 1 and not written[1].startswith("{"))
    rest = first[end:].lstrip(SPACE)
    return rest.startswith("{") and _pieces(rest) is None


def _values_of_line(number: int, text: str, value: Any | Flaw) -> Iterator[tuple[int, Any] | Issue]:
    """Yield the values of a line. ``value`` is the result of reading the whole line as one value, or the flaw that was
    found in doing so.
    """
    if not isinstance(value, Flaw):
        if isinstance(value, list) and _is_of_objects(value):
            yield from ((number, each) for each in value)
        else:
            yield number, value
        return
    if (pieces := _pieces(text)) is not None and len(pieces) > 1:
        for _, piece in pieces:
            inner = parse_json(piece)
            if isinstance(inner, Flaw):
                yield _issue(number, inner, piece)
            else:
                is_list = isinstance(inner, list) and _is_of_objects(inner)
                yield from ((number, each) for each in (inner if is_list else [inner]))
        return
    yield _issue(number, value, text)


def _is_of_objects(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(each, dict) for each in values)


def _whole_text(begun: list[Line | Issue], file: BinaryIO, limit: int) -> str | Issue:
    """Return the whole text of a file, or the first issue in it. ``begun`` holds the lines that were read already."""
    held: list[str] = []
    for line in begun:
        if isinstance(line, Issue):
            return line
        held.append(line[1])
    try:
        raw = file.read(limit + 1)
    except damage_errors() as error:
        return damage_issue(error)
    if sum(map(len, held)) + len(raw) > limit:
        message = f"The file is larger than {limit:,} bytes. Check that it is the right file."
        return Issue(where="", code="file-too-large", message=message)
    try:
        held.append(raw.decode("utf-8").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        held.append("\0")
    if "\0" in held[-1] or "\r" in held[-1]:
        lines = text_lines(io.BytesIO(raw), limit=limit, after=len(begun))
        return next(line for line in lines if isinstance(line, Issue))
    return "\n".join(held)


def _values_of_text(text: str) -> Iterator[tuple[int, Any] | Issue]:
    """Yield the values of a file that does not have one value a line, and issues."""
    if _OBJECTS.match(text) and not _SEVERAL.search(text):
        yield from _members(text.count("\n", 0, text.index("[")) + 1, entries_of_list(text))
        return
    pieces = _pieces(text)
    if pieces is None:
        flaw = parse_json(text)
        found = flaw if isinstance(flaw, Flaw) else Flaw(code="not-json", message="This is not JSON.", line=1)
        yield _issue(found.where, found, "")
        return
    seen = start = 0
    for place, piece in pieces:
        seen, start = seen + text.count("\n", start, place), place
        value = parse_json(piece)
        if isinstance(value, Flaw):
            yield _issue(seen + 1 if not value.line else seen + value.line, value, "")
        elif value == [] and len(pieces) == 1:
            message = "The list is empty. Check that the right file was chosen."
            yield Issue(where=seen + 1, code="empty-file", message=message)
        elif isinstance(value, list) and (len(pieces) == 1 or _is_of_objects(value)):
            yield from _members(seen + 1, zip(texts_of_list(piece), value, strict=True))
        else:
            yield seen + 1, value


def _members(line: int, members: Iterable[tuple[str, Any] | Flaw]) -> Iterator[tuple[int, Any] | Issue]:
    """Yield (line, member) for each member of a list. ``line`` is the line of the list's bracket."""
    for each in members:
        if isinstance(each, Flaw):
            yield _issue(each.where, each, "")
            return
        written, value = each
        before = len(written) - len(written.lstrip(SPACE))
        yield line + written.count("\n", 0, before), value
        line += written.count("\n")


@uncollected()
def _pieces(text: str) -> list[tuple[int, str]] | None:
    """Return (place where it begins, its text) for each object or list in the text. Return None if the text contains
    anything else, or too many of them.
    """
    if has_too_many_parts(text):
        return None
    found: list[tuple[int, str]] = []
    place, end = 0, len(text)
    while True:
        place = end_of_space(text, place)
        if place == end:
            return found
        after = value_end(text, place) if text[place] in "{[" and len(found) < MOST_VALUES else None
        if after is None:
            return None
        found.append((place, text[place:after]))
        place = after


def _issue(where: int | str, flaw: Flaw, text: str) -> Issue:
    place = "" if flaw.line or where == flaw.path else f"{flaw.path}: "
    issue = Issue(where=where, code=flaw.code, message=place + flaw.message)
    return replace(issue, excerpt=excerpt_of(text)) if text else issue
