"""Recognises lists of docnos, one a line, and the names that a header line of such a list may have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.file_kinds import COLUMNS, DOCNOS, IDS, FileKind, Kind, of_another_kind
from scoring.formats.spec import unseen_in_docno
from scoring.reading.opening import excerpt_of
from scoring.records import Issue

HEADERS = IDS | {"docnos", "valid_docnos"}
"""The names that a header of the column may have, in lower case."""
_EXPONENT = re.compile(r"[0-9][0-9.,]*e\+[0-9]+", re.IGNORECASE)
_NOUGHT = re.compile(r"[0-9]+\.0+")
_KINDS: tuple[Kind, ...] = ("docnos",)


def no_docnos(found: FileKind) -> Issue | None:
    """Return an issue if a file is not a list of docnos: it is empty, a table, or of another kind; None if it is.

    Otherwise every line of such a file would be taken for a docno.
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


class DoubtfulDocnos:
    """Finds the first docno of each kind that was probably damaged: one with an invisible character, or a number that a
    spreadsheet program, R or pandas changed.

    >>> found = DoubtfulDocnos()
    >>> [each.where for line, docno in enumerate(["1.0", "D1", "1E+05", "2e+05"]) for each in found.look(line, docno)]
    [2]
    >>> [issue.code for issue in found.at_end()]
    []
    """

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._first_nought = ""
        self._are_noughts = True

    def look(self, number: int, docno: str) -> Iterator[Issue]:
        """Yield a warning about the docno in this line, unless one of its kind was yielded before."""
        if self._are_noughts:
            self._are_noughts = docno.endswith("0") and _NOUGHT.fullmatch(docno) is not None
            self._first_nought = self._first_nought or docno
        found = unseen_in_docno(number, docno, excerpt_of(docno))
        if found is None and "+" in docno and _EXPONENT.fullmatch(docno):
            found = _changed(number, docno, "100000 to 1E+05")
        if found is not None and found.code not in self._told:
            self._told.add(found.code)
            yield found

    def at_end(self) -> Iterator[Issue]:
        """Yield a warning if all docnos are whole numbers with a decimal point."""
        if self._are_noughts and self._first_nought:
            yield _changed("", self._first_nought, "1 to 1.0, in every line")


def _changed(where: int | str, docno: str, how: str) -> Issue:
    message = (
        f'The docno "{excerpt_of(docno, length=60)}" looks as if a program for tables had changed it ({how}). Write it '
        "as runs do."
    )
    return Issue(where=where, code="number", message=message, severity="warning", excerpt=excerpt_of(docno))
