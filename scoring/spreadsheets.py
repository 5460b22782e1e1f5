"""Writes CSV that a person may open as a spreadsheet; no other code does."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence

# A spreadsheet takes a text for a formula if it begins with a sign. Some spreadsheets see a beginning after a line
# break inside a cell as well, and some read full-width signs like plain ones. So every line of a text is guarded, not
# only the first character, and every cell with a line break is quoted.
#
# Official formats (qrels, judgment files, run files) are read by programs and must not be changed, so none of them is
# written here.

SIGNS = "=+-@\N{MINUS SIGN}\N{HEBREW LETTER ALTERNATIVE PLUS SIGN}⁺⁻⁼₊₋₌︲﹢﹣﹦﹫＋－＝＠"
"""The signs that begin a formula, with the characters that Unicode's compatibility forms (NFKC) treat as equal."""

_BREAKS = r"\r\n\v\f\x1c-\x1e\x85\u2028\u2029"
_UNSEEN = rf"(?:[^\S{_BREAKS}]|[\0\xad\u200b-\u200f\u2060-\u2064\ufeff])"
_FORMULA = re.compile(rf"(?:\A|(?<=[{_BREAKS}]))(?={_UNSEEN}*[{re.escape(SIGNS)}])|\A(?=[\t\r])")


def spreadsheet_cell(value: object) -> object:
    r"""Return a value as a cell for CSV. A text with a line that a spreadsheet would take for a formula gets an
    apostrophe before that line. None becomes an empty text, and numbers stay numbers.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell(-0.5), spreadsheet_cell(None)
    ("'=1+1", -0.5, '')
    >>> spreadsheet_cell("kept\r＝1+1")
    "kept\r'＝1+1"
    """
    if isinstance(value, str):
        is_one_plain_line = value[:1].isalnum() and value.isprintable()  # breaks aren't printable, signs aren't letters
        return value if is_one_plain_line else _FORMULA.sub("'", value)
    return "" if value is None else value


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    r"""Yield a header and rows as lines of CSV, each with its LF; cells are guarded by `spreadsheet_cell`.

    >>> list(csv_lines(("run", "note"), [("Elm", "two\rlines"), ("@x", None)]))
    ['run,note\n', 'Elm,"two\rlines"\n', "'@x,\n"]
    """
    writer = csv.writer(
        _Echo(), lineterminator="\r\n"
    )  # before Python 3.13, only characters of the line end are quoted
    yield _with_line_feed(writer.writerow([spreadsheet_cell(name) for name in header]))
    for row in rows:
        yield _with_line_feed(writer.writerow([spreadsheet_cell(value) for value in row]))


def _with_line_feed(line: str) -> str:
    return line.removesuffix("\r\n") + "\n"


class _Echo:
    """A file whose ``write`` returns what was written."""

    def write(self, text: str) -> str:
        return text
