"""What breaks the grammar of JSON, in words that say what to do, where Python's decoder says what it expected."""

from __future__ import annotations

import json
import re

_CONTROLS = {
    "\n": ("a line break", "\\n"),
    "\r": ("a line break (carriage return)", "\\r"),
    "\t": ("a tab", "\\t"),
}  # characters that JSON allows in texts only if they are escaped


def breach_of(error: json.JSONDecodeError) -> str:
    """Return what breaks JSON's grammar at a place, and what to do about it."""
    before, rest = error.doc[: error.pos].rstrip(), error.doc[error.pos :]
    if error.msg.startswith("Invalid control character") and rest[:1] in _CONTROLS:
        name, written = _CONTROLS[rest[0]]
        return f"a text has {name}, or its closing quote is missing. Write {written} in a text, or close it"
    if not before and not rest.strip():
        return "there is nothing. Write a value"
    if not rest.strip():
        return "the file or line ends before its value does. Add what is missing"
    if rest[0] in "}]" and before.endswith(","):
        return "a comma stands before a closing bracket. Take it out"
    if error.msg == "Extra data" and rest[0] == ",":
        return "a comma follows the whole value. Take it out, or put brackets [ ] around all values"
    if rest[0] in "'‘’“”" and error.msg.startswith("Expecting"):
        return 'names and texts have straight double quotes. Write "…"'
    if _PYTHON.match(rest):
        return "JSON has null, true and false. Write one of these"
    known = next((said for start, said in _BREACHES.items() if error.msg.startswith(start)), error.msg)
    return known if known != error.msg else f"{error.msg}. Correct it there"


_PYTHON = re.compile(r"(?:None|True|False|undefined)\b")
_BREACHES = {
    "Extra data": "one value is read here, and it ends before this. Take out what follows",
    "Expecting property name": "a name is missing, or has no double quotes. Write it in double quotes",
    "Expecting ':'": "the colon between a name and its value is missing. Add it",
    "Expecting ','": (
        'a comma or a closing bracket is missing. Add it; if this is within a text, write quotes in it as \\"'
    ),
    "Expecting value": (
        "a value is missing, or is none that JSON has. Write a text in double quotes, a number, a list, an object, "
        "true, false or null"
    ),
    "Unterminated string": "the text that begins here has no closing quote. Close it",
    "Invalid \\": "a backslash in a text stands alone. Write it twice",
}
"""How Python's decoder begins to say what is wrong, and how it is said here."""
