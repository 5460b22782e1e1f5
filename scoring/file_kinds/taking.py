r"""Declares what a reader of lines accepts: the number of columns, and what each of them contains.

    QRELS = ColumnLayout("topic iteration docno grade", {"grade": WHOLE})
    QRELS.fits(shape)      whether most lines fit; then the file is read whatever else it may be
    QRELS.may_fit(shape)   whether any line has the right number of columns; then the reader says what is wrong

So a file that fits is never refused because it might also be of another kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from scoring.file_kinds.names import name_words
from scoring.file_kinds.shapes import ROWS, Shape

WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
WHOLE_GRADE = re.compile(r"[+-]?[0-9]{1,9}(?:\.0{1,9})?")
"""A grade or rank that is a whole number, which spreadsheet tools may write as 2.0."""
REAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]{1,5})?")
FROM_ONE = re.compile(r"0{0,8}[1-9][0-9]{0,8}")
IMPORTANCE = re.compile(r"vital|okay", re.IGNORECASE)
DOCNO = re.compile(r"(?=.*[0-9])(?![\[{]).+|X{2,}")
"""A docno has a digit and is not the beginning of JSON. In the definition pilot, X's stand for a missing docno."""
_SEPARATORS = frozenset(",;|")
RUN_NAME = re.compile(r"(?!Q0$)(?=.*[^\W\d_]).+", re.IGNORECASE)
"""A run's name has a letter, and is not the constant in the second column of ranked runs."""


@dataclass(frozen=True, kw_only=True)
class ColumnLayout:
    """Lines of the columns that ``layout`` names, separated by white space or by ``separator``.

    ``holds`` says what the columns must contain. ``usually`` says what they contain in most such files, which
    distinguishes these files from other kinds. With ``ends_in_text``, the last column may have several words.
    """

    layout: str
    holds: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    usually: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    separator: str = ""
    ends_in_text: bool = False

    @property
    def written(self) -> str:
        """The layout in words."""
        return self.layout.replace(" ", "<TAB>") if self.separator == "\t" else self.layout

    @cached_property
    def _width(self) -> int:
        return len(self.layout.split())

    @cached_property
    def _requirements(self) -> tuple[tuple[int, re.Pattern[str]], ...]:
        """Return (position of a column, its rule) for each column that has a rule. The required rules come first, then
        the usual ones.
        """
        asked = (*self.holds.items(), *self.usually.items())
        return tuple((self.layout.split().index(name), pattern) for name, pattern in asked)

    def fits(self, shape: Shape) -> bool:
        """Return whether most of the first lines fit. If the first line could be a header, it must fit as well. Columns
        in quotes do not fit, unless the last has several words.
        """
        if shape.is_quoted if not self.ends_in_text else shape.form not in ("columns", "text"):
            return False
        found = [(held := self._held(line)) is not None and all(held) for line in _lines(shape)]
        return _are_most(found) and (found[0] or not shape.header)

    def may_fit(self, shape: Shape) -> bool:
        """Return whether any of the first lines has the right number of columns. If several columns have required
        contents, at least one of them must match.
        """
        found = [held[: len(self.holds)] for line in _lines(shape) if (held := self._held(line)) is not None]
        return any(len(held) < 2 or any(held) for held in found)

    def _cells(self, line: str) -> list[str]:
        most = self._width - 1 if self.ends_in_text else -1
        if self.separator:
            cells = [cell.strip() for cell in line.split(self.separator, most)]
            while len(cells) > self._width and not cells[-1]:
                cells.pop()
            return cells
        cells = line.split("\t")
        if 1 < len(cells) == self._width and all(cell.strip() for cell in cells):
            return [cell.strip() for cell in cells]
        return line.split(None, most)

    def _held(self, line: str) -> list[bool] | None:
        """Return, for each column that has a rule, whether the line's column matches. Return None if the line has the
        wrong number of columns, or commas or the like between all of its columns.
        """
        cells = self._cells(line)
        if len(cells) != self._width or (len(cells) > 2 and all(cell[-1:] in _SEPARATORS for cell in cells[:-1])):
            return None
        return [pattern.fullmatch(cells[place]) is not None for place, pattern in self._requirements]


DOCNOS = ColumnLayout(layout="docno", usually={"docno": DOCNO})
"""A list of docnos, one a line."""


@dataclass(frozen=True, kw_only=True)
class TableLayout:
    """The columns that ``layout`` names, written as spreadsheet programs do: separated by commas and the like, or
    quoted.
    """

    layout: str
    holds: Mapping[str, re.Pattern[str]] = field(default_factory=dict)

    @property
    def written(self) -> str:
        """The layout in words."""
        return f"{self.layout} between commas"

    def fits(self, shape: Shape) -> bool:
        """Return whether most rows fit and there is no header."""
        return shape.is_table and not shape.header and _are_most([self._holds(row) for row in shape.rows])

    def may_fit(self, shape: Shape) -> bool:
        """Return whether any row fits."""
        return shape.is_table and any(map(self._holds, shape.rows))

    def _holds(self, row: tuple[str, ...]) -> bool:
        cells = dict(zip(self.layout.split(), row, strict=False))
        return len(row) == len(self.layout.split()) and all(
            pattern.fullmatch(cells[name]) for name, pattern in self.holds.items()
        )


@dataclass(frozen=True, kw_only=True)
class HeaderLayout:
    """Rows below a header that has a name from each of ``groups``, and no name from ``without``.

    With ``by_last_word`` only the last word of a column's name is looked up in a group, so that "tweet_id" counts as
    "id".
    """

    layout: str
    groups: tuple[frozenset[str], ...]
    without: frozenset[str] = frozenset()
    by_last_word: bool = False

    @property
    def written(self) -> str:
        """The layout in words."""
        return self.layout

    def fits(self, shape: Shape) -> bool:
        """Return whether the first line has a name from each group, and no name from ``without``."""
        names = self._known_names(shape)
        return all(group & names for group in self.groups) and not self.without & _names(shape)

    def may_fit(self, shape: Shape) -> bool:
        """Return whether the first line has any of the known names. If it has, the file is not refused here; the reader
        then says which of the needed names is missing.
        """
        return not self.by_last_word and not self._known_names(shape).isdisjoint(frozenset().union(*self.groups))

    def _known_names(self, shape: Shape) -> frozenset[str]:
        names = _names(shape)
        return frozenset(name_words(name)[-1] for name in names) if self.by_last_word else names


@dataclass(frozen=True, kw_only=True)
class LineLayout:
    """Lines that match a pattern instead of having columns."""

    layout: str
    form: re.Pattern[str]

    @property
    def written(self) -> str:
        """The layout in words."""
        return self.layout

    def fits(self, shape: Shape) -> bool:
        """Return whether most of the first lines match."""
        return _are_most([self.form.fullmatch(line) is not None for line in _lines(shape)])

    def may_fit(self, shape: Shape) -> bool:
        """Return whether any of the first lines matches."""
        return any(self.form.fullmatch(line) for line in _lines(shape))


Takes = ColumnLayout | TableLayout | HeaderLayout | LineLayout


def _are_most(found: list[bool]) -> bool:
    """Return whether more lines fit than do not. If there are equally many, the first line decides."""
    return 2 * sum(found) + found[0] > len(found) if found else False


def _lines(shape: Shape) -> list[str]:
    lines = (line.rstrip("\r") for line in shape.text.removeprefix("\ufeff").split("\n"))
    return [line for line in lines if line.strip()][:ROWS]


def _names(shape: Shape) -> frozenset[str]:
    """Return the words of the first line, split at tabs, commas, semicolons, bars and blanks, in lower case."""
    first = next(iter(_lines(shape)), "")
    return frozenset(word.strip("#\"' ").lower() for word in re.split(r"[\t,;| ]", first))
