"""Recognises lists of docnos, one a line, and the names that a header line of such a list may have."""

from __future__ import annotations

import re

from scoring.file_kinds import COLUMNS, DOCNOS, IDS, FileKind, Kind, of_another_kind
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

HEADERS = IDS | {"docnos", "valid_docnos"}
"""The names that a header of the column may have, in lower case."""
_KINDS: tuple[Kind, ...] = ("docnos",)


def no_docnos(found: FileKind) -> Issue | None:
    """Return an issue if a file is empty, a table, or of another kind, since every line of it would be taken for a
    docno. Return None otherwise.
    """
    if found.form == "empty":
        message = "The file is empty. Check that the right file was chosen."
        return Issue(where="", code="empty-file", message=message)
    if issue := of_another_kind(found, _KINDS, forms=COLUMNS, takes=(DOCNOS,), layout="one docno a line"):
        return issue
    first = found.shape.text.partition("\n")[0].strip()
    names = [name.strip(" \"'") for name in re.split(r"[,;|]", first)]
    if len(names) > 1 and any(name.lower() in HEADERS for name in names):
        shown = excerpt_of(", ".join(names))
        message = f"This is a table with the columns {shown}. A list has one docno a line: give that column alone."
        return Issue(where="", code="other-file", message=message)
    return None
