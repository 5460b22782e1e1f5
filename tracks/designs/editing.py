"""Change one place in the text of a design: a member, an entry of a list, or a table in a list of tables.

Only the characters of that place are replaced, so all other comments, order and spacing stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tracks.designs.places import BadToml, Path, Places, read_toml, unix_text
from tracks.designs.reading import BadDesign
from tracks.designs.writing import design_lines, in_lines, toml_name, toml_value

HEADS = ("topics", "documents", "runs", "pool")
"""Tables that precede the stages."""


def with_member(text: str, path: Path, value: Any, order: Sequence[str] = ()) -> str:
    """Return the text with the member at the path set to the value; None removes the member.

    A new member is written after the members that come before it in ``order``, or at the end of its table if there are
    none. A missing table is added. Raises BadDesign if the text can't be read, or has no place for the member.
    """
    text = unix_text(text)
    values, places = parsed(text)
    if path in places.spans:
        if value is None:
            return _without(text, places, path)
        start, end = places.spans[path]
        return text[:start] + _written(value, len(path) == 1 or path[:-1] in places.headings) + text[end:]
    inner = {step[len(path)] for step in places.spans if step[: len(path)] == path}
    if inner or path in places.headings:
        return _with_table(text, path, value, order, inner)
    if value is None:
        return text
    *outer, name = path
    table = tuple(outer)
    if table in places.spans and text[places.spans[table][0]] == "{":
        return _into_braces(text, places.spans[table], f"{toml_name(str(name))} = {toml_value(value)}")
    lines = text.split("\n")
    is_table = isinstance(value, dict)
    written = [f"{toml_name(str(name))} = {toml_value(value)}"] if is_table else list(design_lines({str(name): value}))
    if not table or table in places.headings:
        before = {(*table, each) for each in order[: order.index(name)]} if name in order else set()
        ends = [_line_of(text, places.spans[each][1]) + 1 for each in before if each in places.spans]
        place = max(ends, default=0) or _end_of_members(text, places, table)
        return "\n".join([*lines[:place], *written, *lines[place:]])
    if len(table) == 1 and table[0] not in values:
        block = [f"[{toml_name(str(table[0]))}]", *written]
        stages = [line for heading, line in places.headings.items() if heading[0] == "stages"]
        if table[0] in HEADS and stages:
            place = _with_comments(lines, min(stages) - 1)
            return "\n".join([*lines[:place], *block, "", *lines[place:]])
        return "\n".join([*text.rstrip("\n").split("\n"), "", *block]) + "\n"
    raise BadDesign(f"{'.'.join(map(str, path))} is written in a form that can be changed in the text alone.")


def _with_table(text: str, path: Path, value: Any, order: Sequence[str], inner: Iterable[str | int]) -> str:
    """Return the text with a table set to the value. Since the table has its own heading or dotted names, it is set
    member by member.
    """
    if not isinstance(value, dict):
        if path in parsed(text)[1].headings:
            return with_member(without_entry(text, path), path, value, order)
        for name in inner:
            text = with_member(text, (*path, name), None)
        return with_member(text, path, value, order)
    for name in dict.fromkeys([*value, *inner]):
        if entry_at(parsed(text)[0], (*path, name)) != value.get(name):
            text = with_member(text, (*path, name), value.get(name))
    return text


def with_entry(text: str, path: Path, value: Any) -> str:
    """Return the text with a new entry at the end of the list at the path; a missing list is added. If the other
    entries have lines of their own, the new one has too. Raises BadDesign as `with_member`.
    """
    text = unix_text(text)
    _, places = parsed(text)
    if path not in places.spans:
        return with_member(text, path, [value])
    start, end = places.spans[path]
    entries = _entries(places, path)
    if not entries:
        return f"{text[:start]}{_written([value], True)}{text[end:]}"
    first, last = places.spans[entries[-1]]
    indent = re.fullmatch(r"[ \t]*", text[text.rfind("\n", 0, first) + 1 : first])
    between = f"\n{indent[0]}" if indent else " "
    comma = re.match(r"\s*,", text[last:])
    tail = last + comma.end() if comma else last
    rest = re.match(r"[ \t]*#[^\n]*", text[tail:]) if indent else None
    here = tail + rest.end() if rest else tail
    return f"{text[:last]},{text[tail:here]}{between}{toml_value(value)}{',' if indent else ''}{text[here:]}"


def without_entry(text: str, path: Path) -> str:
    """Return the text without an entry of a list, which must exist. If the entry is a table of a list of tables, the
    comment above it is removed too. Raises BadDesign if the text is not TOML.
    """
    text = unix_text(text)
    _, places = parsed(text)
    if path in places.headings:
        lines = text.split("\n")
        start, end = _block(lines, places, path)
        while start > 0 and not lines[start - 1].strip():
            start -= 1
        return "\n".join([*lines[:start], *lines[end:]])
    start, end = _whole_lines(text, places, path) or _with_comma(text, places.spans[path])
    return text[:start] + text[end:]


def moved_up(text: str, path: Path) -> str:
    """Return the text with an entry of a list, or a table of a list of tables, moved above the one before it.

    Raises BadDesign if there is none before it, or if the text is not TOML.
    """
    text = unix_text(text)
    _, places = parsed(text)
    *outer, place = path
    other = (*outer, int(place) - 1)
    if place == 0 or (path not in places.headings and other not in places.spans):
        raise BadDesign("It is the first already.")
    if path in places.headings:
        lines = text.split("\n")
        (first, middle), (second, end) = _block(lines, places, other), _block(lines, places, path)
        swapped = [*lines[second:end], *lines[middle:second], *lines[first:middle]]
        return "\n".join([*lines[:first], *swapped, *lines[end:]])
    upper, lower = _whole_lines(text, places, other), _whole_lines(text, places, path)
    if upper and lower and all(_ends_with_comma(text, places.spans[each]) for each in (other, path)):
        return (
            text[: upper[0]]
            + text[lower[0] : lower[1]]
            + text[upper[1] : lower[0]]
            + text[slice(*upper)]
            + text[lower[1] :]
        )
    (a, b), (c, d) = places.spans[other], places.spans[path]
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def parsed(text: str) -> tuple[dict[str, Any], Places]:
    """Return the text's values and their places. Raises BadDesign if it is not TOML."""
    try:
        return read_toml(text)
    except BadToml as error:
        raise BadDesign(f"line {error.line}: {error}") from error


# ---------------------------------------------------------------- where entries and tables begin and end


def _written(value: Any, on_lines: bool) -> str:
    """Return a value in the form in which it stands after "=". With ``on_lines`` it may take several lines: each entry
    of a long list, or of a list of tables, then gets a line of its own.
    """
    written = toml_value(value)
    if on_lines and (lines := in_lines(value)):
        return lines
    if on_lines and isinstance(value, list) and value and (isinstance(value[0], dict) or len(written) > 110):
        return "\n".join(["[", *(f"  {toml_value(each)}," for each in value), "]"])
    return written


def _entries(places: Places, path: Path) -> list[Path]:
    return [each for each in places.spans if each[:-1] == path and isinstance(each[-1], int)]


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset)


def _end_of_members(text: str, places: Places, table: Path) -> int:
    """Return the number of lines up to a table's last member, after which a new member is written."""
    begin = places.headings[table] - 1 if table else -1
    others = [line - 1 for line in places.headings.values() if line - 1 > begin]
    limit = min(others, default=text.count("\n") + 1)
    ends = [_line_of(text, end) for _, end in places.spans.values() if begin < _line_of(text, end) < limit]
    return max(ends, default=begin) + 1


def _with_comments(lines: Sequence[str], start: int) -> int:
    """Return the first line of the comments that are right above a heading."""
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return start


def _block(lines: Sequence[str], places: Places, path: Path) -> tuple[int, int]:
    """Return the range of lines that a table in a list of tables takes, with all its content and the comments above it.
    Blank lines at its end are not included.
    """
    heading = places.headings[path] - 1
    after = [line - 1 for other, line in places.headings.items() if line - 1 > heading and other[: len(path)] != path]
    end = _with_comments(lines, min(after)) if after else len(lines)
    while end > heading + 1 and not lines[end - 1].strip():
        end -= 1
    return _with_comments(lines, heading), end


def _without(text: str, places: Places, path: Path) -> str:
    _start, end = places.spans[path]
    table = path[:-1]
    if table in places.spans and text[places.spans[table][0]] == "{":
        begin = _name_start(text, places, path)
        begin, end = _with_comma(text, (begin, end))
        return text[:begin] + text[end:]
    begin = text.rfind("\n", 0, _name_start(text, places, path)) + 1
    stop = text.find("\n", end)
    return text[:begin] + (text[stop + 1 :] if stop >= 0 else "")


def _name_start(text: str, places: Places, path: Path) -> int:
    """Return the offset at which the name of a member begins. It is found by going back from the member's value. Raises
    BadDesign if no plain name stands there.
    """
    before = text[: places.spans[path][0]].rstrip()
    before = before.removesuffix("=").rstrip()
    if before.endswith(('"', "'")):
        return before.rfind(before[-1], 0, len(before) - 1)
    found = re.search(r"[A-Za-z0-9_.-]+\Z", before)
    if found is None:
        raise BadDesign(f"{path[-1]} is written in a form that can be changed in the text alone.")
    return found.start()


def _with_comma(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the span to remove for an entry of a list. It includes the comma after the entry or, for the last entry,
    the comma before it.
    """
    start, end = span
    if after := re.match(r"\s*,[ \t]*", text[end:]):
        return start, end + after.end()
    before = re.search(r",\s*\Z", text[:start])
    return (before.start() if before else start), end


def _ends_with_comma(text: str, span: tuple[int, int]) -> bool:
    return re.match(r"[ \t]*,", text[span[1] :]) is not None


def _whole_lines(text: str, places: Places, path: Path) -> tuple[int, int] | None:
    """Return the span of the whole lines that an entry takes, including a comment after it. Return None if anything
    else is on these lines.
    """
    start, end = places.spans[path]
    begin = text.rfind("\n", 0, start) + 1
    rest = re.match(r"[ \t]*,?[ \t]*(#[^\n]*)?\n", text[end:])
    return (begin, end + rest.end()) if rest and not text[begin:start].strip() else None


def _into_braces(text: str, span: tuple[int, int], member: str) -> str:
    inside = text[span[0] + 1 : span[1] - 1].rstrip()
    comma = "," if inside.strip() else ""
    return f"{text[: span[0] + 1]}{inside}{comma} {member} {text[span[1] - 1 :]}"


def entry_at(values: dict[str, Any], path: Path) -> Any:
    """Return the value at a path, or None if there is no value. A path never leads into a text, although Python could
    index its characters.
    """
    found: Any = values
    try:
        for step in path:
            if isinstance(found, str):
                return None
            found = found[step]
    except (KeyError, IndexError, TypeError):
        return None
    return found
