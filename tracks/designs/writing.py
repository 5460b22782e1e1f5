"""Write a design as a file: its tables in the order in which people read them, one grade on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracks.designs.places import BARE

LINE = 110
"""The most characters of a list on one line."""


def design_lines(values: Mapping[str, Any], comments: Sequence[str] = ()) -> Iterator[str]:
    r"""Yield the lines of a design with these values, as in a TOML file, after the comments.

    >>> print("\n".join(design_lines({"design": 1, "pool": {"depth": 20}, "stages": [{"key": "a"}]}, ["Mine"])))
    # Mine
    design = 1
    <BLANKLINE>
    [pool]
    depth = 20
    <BLANKLINE>
    [[stages]]
    key = "a"
    """
    yield from (f"# {comment}" for comment in comments)
    yield from _table(values, ())


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    inner = {name: value for name, value in values.items() if _is_table_of_its_own(name, value)}
    for name, value in values.items():
        if name not in inner:
            yield from _member(name, value)
    for name, value in inner.items():
        own = (*path, name)
        heading = ".".join(map(toml_name, own))
        for entry in value if isinstance(value, list) else [value]:
            yield ""
            yield f"[[{heading}]]" if isinstance(value, list) else f"[{heading}]"
            yield from _table(entry, own)


def _is_table_of_its_own(name: str, value: Any) -> bool:
    if isinstance(value, dict):
        return name not in ("asked_if", "unsure", "people", "none")
    return name in ("stages", "questions", "changes", "exports") and isinstance(value, list)


def _member(name: str, value: Any) -> Iterator[str]:
    written = toml_value(value)
    if isinstance(value, list) and value and (isinstance(value[0], dict) or len(written) > LINE):
        yield f"{toml_name(name)} = ["
        yield from (f"  {toml_value(each)}," for each in value)
        yield "]"
    else:
        yield f"{toml_name(name)} = {in_lines(value) or written}"


def in_lines(value: Any) -> str:
    r"""Return a text of several lines as a multi-line TOML string. Return "" for any other value, and for a text with
    characters that such a string can't contain.

    >>> in_lines("Read all.\nOf it.").strip('"'), in_lines("Read all.")
    ('\nRead all.\nOf it.', '')
    """
    if not isinstance(value, str) or "\n" not in value or not value.replace("\n", "").replace("\t", "").isprintable():
        return ""
    mark = '"""' if not {'"', "\\"} & set(value) else "'''"
    return "" if mark in value or value.endswith("'") else f"{mark}\n{value}{mark}"


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it on one line.

    >>> toml_value({"value": 2, "name": "“yes”", "gain": 0.5, "ok": True})
    '{ value = 2, name = "“yes”", gain = 0.5, ok = true }'
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{toml_name(name)} = {toml_value(each)}' for name, each in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return str(value)


def toml_name(name: str) -> str:
    """Return the name of a member in TOML, in quotes if it has special characters."""
    return name if name and BARE.issuperset(name) else toml_value(name)
