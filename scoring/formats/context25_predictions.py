"""Reads the predictions of systems in Context25 (SDProc 2025).

    evidence    CSV: a header, then claim id and the labels, best first, in one cell: megacoglab-W3,"FIG 1,TAB 1"
    grounding   JSON: [{"id": claim, "labels": [description], "context": [snippet]}]; the order means nothing

As in the task's own script, the first row of the CSV is dropped whatever it contains, and the labels are the text
between the commas, blanks included. In a row of more than two cells the labels are in the second. The strict form
removes quotes that the CSV leaves around all labels or around each (a blank before them, or quotes in quotes), and the
brackets of a list. Rows with errors are still yielded, since that script reads them; a caller that must not read half a
file should check the issues.

Codes of flaws (beside those of `scoring.reading.line_checks` and `scoring.reading.json_reading`): csv (a row that
cannot be read, or whose quotes are not closed or are closed inside a cell), columns, extra-columns, label-quotes
(warning), blank-line (warning), no-claims, type, missing, too-long, unknown-field (warning, once for each name).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from scoring.file_kinds import JSON, ColumnLayout, reads
from scoring.formats.context25_claims import SOURCE
from scoring.formats.json_members import (
    ANYTHING,
    LIST_LIMIT,
    TEXT,
    TEXT_LIMIT,
    Member,
    Shape,
    list_of,
)
from scoring.formats.object_lists import objects_of_list
from scoring.formats.spec import Format
from scoring.reading.line_checks import PIECE, Line, excerpt, read_lines
from scoring.reading.opening import header_again
from scoring.records import Issue

GROUNDING = ("id", "labels", "context")
PASSED_OVER = ("claim", "citekey", "dataset", "entity_labels")
"""Members of a claim that an answer may contain, too; they are not read."""

_QUOTES = r"""("[^"]*"|'[^',]*'|\u201c[^\u201c\u201d]*\u201d|\u2018[^\u2018\u2019]*\u2019|'[^']*')"""
_QUOTED = re.compile(rf"\s*{_QUOTES}\s*")
_LIST = re.compile(r"\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))\s*")
"""A pattern for labels that a program wrote as a list."""
_SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "vertical bars"}
_QUOTED_PIECE = re.compile(rf"\s*{_QUOTES}\s*(,|\Z)")
_TAKES = ColumnLayout(
    layout="claimid predictions",
    usually={"predictions": re.compile("(?i)(?:.*(?:fig|tab).*)?")},
    separator=",",
    ends_in_text=True,
)
_TEXT = replace(TEXT, limit=TEXT_LIMIT)
_ANSWER = Shape(
    members=(
        Member("id", _TEXT),
        *(Member(name, list_of(_TEXT, limit=LIST_LIMIT)) for name in ("labels", "context")),
        *(Member(name, ANYTHING, default=None) for name in PASSED_OVER),
    ),
    others="not used",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceRow:
    """One row after the header. ``cell`` is the unchanged cell of labels.

    ``quoted`` is the text after the id if quotes are left around it, as in 'id, "FIG 1, TAB 1"'.
    """

    line: int
    claim: str
    cell: str
    quoted: str = ""

    @property
    def labels(self) -> list[str]:
        """The texts between the commas, unchanged. An empty cell has one empty label."""
        return self.cell.split(",")

    @property
    def strict_labels(self) -> list[str]:
        """The labels after brackets and quotes around the whole cell, and quotes around single labels, are removed."""
        written = self.quoted or self.cell
        found = _LIST.fullmatch(written)
        return list(_without_quotes(written if found is None else found[1] or found[2] or ""))


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceHeader:
    """The first row of the CSV, which is dropped."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroundingAnswer:
    """One object of the list. ``place`` is its index in the list, from 0."""

    place: int
    claim: str
    descriptions: tuple[str, ...]
    snippets: tuple[str, ...]


@reads("answers", takes=_TAKES)
def read_evidence_answers(file: BinaryIO) -> Iterator[EvidenceRow | EvidenceHeader | Issue]:
    """Yield the header and the rows in file order, each after the issues found in its lines."""
    rows = _Rows(file)
    header: list[str] = []
    for line, cells in rows.read():
        yield from rows.take_issues()
        if not header and cells:
            header = list(cells)
            if len(cells) == 1 and (other := next((each for each in _SEPARATORS if each in cells[0]), "")):
                message = (
                    f"The first line has its columns between {_SEPARATORS[other]}. Write commas there, on all lines."
                )
                yield Issue(where=line, code="columns", message=message, excerpt=excerpt(cells[0]))
                return
            yield EvidenceHeader(line=line, cells=tuple(cells))
        elif cells == header:
            yield header_again(line)
        elif not "".join(cells).strip():
            message = "The line is blank; it is passed over. Take it out."
            yield Issue(where=line, code="blank-line", message=message, severity="warning")
        elif len(cells) < 2:
            message = 'The row has one column. Write the claim\'s id, a comma, and the labels: id,"FIG 1,TAB 1".'
            yield Issue(where=line, code="columns", message=message, excerpt=excerpt(cells[0]))
        else:
            quoted = ",".join(cells[1:])
            is_quoted = any(_QUOTED.fullmatch(each) for each in (quoted, *cells[1:]))
            if len(cells) > 2 and is_quoted:
                wrong = "Blanks before the quotes" if '"' in quoted else "Other quotes than straight double ones"
                message = f'{wrong}: the official script reads the first label alone. Write id,"FIG 1,TAB 1".'
                yield Issue(where=line, code="label-quotes", message=message, severity="warning")
            elif len(cells) > 2:
                message = f"The row has {len(cells):,} columns, and only the second is read. Put the labels in quotes."
                yield Issue(where=line, code="extra-columns", message=message)
            yield EvidenceRow(line=line, claim=cells[0], cell=cells[1], quoted=quoted if is_quoted else "")
    yield from rows.take_issues()


@reads("answers", forms=JSON)
def read_grounding_answers(file: BinaryIO) -> Iterator[GroundingAnswer | Issue]:
    """Yield the answers in file order, each after its issues. An answer with an error is left out."""
    wanted = f"a list of objects with {', '.join(GROUNDING)}"
    for each in objects_of_list(file, shape=_ANSWER, wanted=wanted):
        if isinstance(each, Issue):
            yield each
            continue
        place, taken, report = each
        yield from report.issues
        if not report.is_wrong:
            yield GroundingAnswer(
                place=place,
                claim=taken["id"],
                descriptions=tuple(taken["labels"]),
                snippets=tuple(taken["context"]),
            )


def _without_quotes(text: str) -> Iterator[str]:
    """Yield the labels of a text, with the quotes around each removed. Commas separate labels even inside quotes.

    >>> list(_without_quotes('"FIG 1, TAB 1"')), list(_without_quotes(' "FIG 1", TAB 1, "FIG 2"'))
    (['FIG 1', 'TAB 1'], ['FIG 1', 'TAB 1', 'FIG 2'])
    """
    while True:
        quoted = _QUOTED_PIECE.match(text)
        if quoted:
            yield from _without_quotes(quoted[1][1:-1])
            comma, text = quoted[2], text[quoted.end() :]
        else:
            label, comma, text = text.partition(",")
            yield label.strip()
        if not comma:
            return


class _Rows:
    """Reads a CSV file row by row and collects the issues of its lines."""

    def __init__(self, file: BinaryIO) -> None:
        self.lines = read_lines(file, limit=PIECE)  # Python's csv refuses longer cells
        self.issues: list[Issue] = []
        self.number = 0
        self.taken: list[str] = []

    def read(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (first line, cells) for each row. A row that cannot be read ends the file with an issue."""
        rows = csv.reader(self._text())
        start = 1
        while True:
            try:
                cells = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                message = f"The row that begins here cannot be read ({error}). Check that its quotes are closed."
                self.issues.append(Issue(where=start, code="csv", message=message))
                return
            self._check_quotes(start)
            if all(issue.code != "csv" for issue in self.issues):
                yield start, cells
            start = self.number + 1

    def _check_quotes(self, start: int) -> None:
        """Add an issue if the lines of a row break the rules of CSV, even though the task's script reads them."""
        try:
            list(csv.reader(() if _has_error(self.issues) else self.taken, strict=True))
        except csv.Error:
            message = "The quotes of the row that begins here are not closed, or not at a cell's end. Correct them."
            self.issues.append(Issue(where=start, code="csv", message=message))
        self.taken.clear()

    def take_issues(self) -> list[Issue]:
        """Return the issues collected since the last call."""
        taken, self.issues = self.issues, []
        return taken

    def _text(self) -> Iterator[str]:
        for line in self.lines:
            if isinstance(line, Line):
                self.number = line.number
                self.taken.append(line.text + "\n")
                yield line.text + "\n"
            else:
                self.issues.append(line)


def _has_error(issues: list[Issue]) -> bool:
    return any(issue.severity == "error" for issue in issues)


FORMATS = (
    Format(
        name="context25-evidence",
        label="Figures and tables that systems of Context25 ranked",
        source=SOURCE,
        layout='claimid,predictions and then id,"FIG 1,TAB 1"',
        record=EvidenceRow,
        read=read_evidence_answers,
    ),
    Format(
        name="context25-grounding",
        label="Descriptions and snippets that systems of Context25 gave",
        source=SOURCE,
        layout='[{"id", "labels", "context"}]',
        record=GroundingAnswer,
        read=read_grounding_answers,
    ),
)
