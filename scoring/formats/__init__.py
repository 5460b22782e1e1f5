"""File formats, one module each. ``FORMATS`` is the only list of them."""

from __future__ import annotations

from scoring.formats.spec import Format

FORMATS: tuple[Format, ...] = ()


def find_format(name: str) -> Format | None:
    """The format with this name, or None.

    >>> find_format("no-such-format") is None
    True
    """
    return next((known for known in FORMATS if known.name == name), None)
