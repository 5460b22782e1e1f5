"""Reads the columns that a call needs from rows: frames, mappings, records or tuples, with any of the usual names."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

from scoring.formats.spec import real, whole_value
from scoring.front.errors import refusal
from scoring.reading.opening import excerpt_of
from scoring.wording import counted


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of rows: its name in Assay, the other names that it is known by, and the function that reads a cell."""

    name: str
    others: tuple[str, ...] = ()
    """Names that mean the same. Rows in which two of them have different values are refused."""
    loose: tuple[str, ...] = ()
    """Names that may mean something else, such as `query`, which may hold a topic's text. The first of them is used if
    there is no column of any other name."""
    read: Callable[[Any], Any]
    otherwise: Any = None
    """The value if there is no such column; with None the column is required."""
    has_place: bool = True
    """Whether tuples may have this column. If tools disagree about its place, it needs a name."""

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which the column is known."""
        return (self.name, *self.others, *self.loose)


def to_text(value: Any) -> str:
    """Return a text without the white space around it, as files are read. Return a whole number, such as 7 or 7.0, as
    a text. Raises ValueError for any other value, including an empty text.
    """
    if isinstance(value, str) and (text := value.strip()):
        return text
    if (found := _whole(value)) is not None:
        return str(found)
    raise ValueError("must be a text or a whole number")


def to_whole(value: Any) -> int:
    """Return the value as a whole number of at most nine digits, as in files. It may have any numeric type, or be a
    text that holds a whole number. Raises ValueError for any other value.
    """
    found = whole_value(value) if isinstance(value, str) else _whole(value)
    if found is None:
        raise ValueError("must be a whole number")
    if abs(found) > MOST:
        raise ValueError("must be a whole number of at most nine digits")
    return found


MOST = 999_999_999


def _whole(value: Any) -> int | None:
    if not is_number(value):
        return None
    try:
        return int(value) if int(value) == value else None
    except (OverflowError, ValueError):  # of an infinity, of NaN
        return None


def to_real(value: Any) -> float:
    """Return the value as a finite number. It may have any numeric type, or be a text that holds a number. Raises
    ValueError for any other value.
    """
    if isinstance(value, str) and (found := real(value)) is not None:
        return found
    if is_number(value) and is_finite(value):
        return float(value)
    raise ValueError("must be a finite number")


def to_label(value: Any) -> float | str:
    """Return a judge's answer: a finite number, also of a text that holds one, or a label in words. Raises ValueError
    for any other value.
    """
    if isinstance(value, str) and (label := value.strip()) and real(label) is None:
        return label
    try:
        return to_real(value)
    except ValueError:
        raise ValueError("must be a finite number or a label in words") from None


def is_number(value: Any) -> bool:
    """Return whether a value has a numeric type, that of SQL's decimal numbers included."""
    return isinstance(value, Real | Decimal)


def is_finite(value: Any) -> bool:
    """Return whether a number is finite, and no larger than a float can be."""
    try:
        return math.isfinite(value)
    except (OverflowError, ValueError):  # of an int of 400 digits, of a signalling NaN
        return False


def rows_of(
    source: Any, columns: tuple[Column, ...], *, what: str, may_be_keyed: bool = False, once: tuple[Column, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a frame, or of records, mappings and tuples, as the cells of these columns; with
    ``may_be_keyed`` also of topic -> docno -> number. Raises InputError, also for a row whose cells in the columns
    ``once`` are those of an earlier row.
    """
    is_keyed = may_be_keyed and isinstance(source, Mapping)
    found = pairs_of(source, what=what) if is_keyed else source
    places, last = [columns.index(column) for column in once[:-1]], columns.index(once[-1]) if once else 0
    seen = defaultdict[tuple[Any, ...], dict[Any, int]](dict)
    for number, (row, is_tuple) in enumerate(_plain_rows(found, columns, what=what), 1):
        cells = []
        for column, value in zip(columns, row, strict=True):
            try:
                cells.append(column.otherwise if value is _ABSENT else column.read(value))
            except ValueError as error:
                message = f"{column.name} {error}, not {excerpt_of(repr(value))}."
                told = f" A row is {_order(columns)}." if is_tuple and not is_keyed else ""
                where = row_place(None if is_keyed else number, columns, row, besides=column)
                raise refusal(what, message + told, where=where, code="value") from None
        if once and (first := seen[tuple([cells[at] for at in places])].setdefault(cells[last], number)) != number:
            names = [each.name for each in once if cells[columns.index(each)] != each.otherwise]
            message = f"Row {first} has the same {', '.join(names[:-1])} and {names[-1]}. Keep one of them."
            if is_keyed:
                message = "It is there twice, written in two ways (7 and “7”, or with a blank). Keep one."
            where = row_place(None if is_keyed else number, columns, tuple(cells))
            raise refusal(what, message, where=where, code="duplicate")
        yield tuple(cells)


def row_place(
    number: int | None, columns: tuple[Column, ...], row: tuple[Any, ...], *, besides: Column | None = None
) -> str:
    """Return how an error names a row: by its number, unless that is None, and by its topic, item and so on as they
    were given: "row 3, topic 101, docno A". The column ``besides`` is the one that is wrong.
    """
    parts = [] if number is None else [f"row {number}"]
    for column, value in zip(columns, row, strict=True):
        if column.name in KEYS and column is not besides and isinstance(value, str | int | float) and value != "":
            parts.append(f"{column.name} {excerpt_of(str(value))}")
    return ", ".join(parts)


KEYS = ("topic", "docno", "item", "run", "measure", "number")
"""The columns by which a caller knows a row, beside its number."""


_ABSENT = object()


def _order(columns: tuple[Column, ...]) -> str:
    return ", ".join(column.name for column in columns if column.has_place)


def _plain_rows(source: Any, columns: tuple[Column, ...], *, what: str) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Yield (cells, whether the row was a tuple without names) for each row. The cells are in the order of
    ``columns``. Raises InputError for missing or doubtful columns, and TypeError for a row of another type.
    """
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        names = [str(name) for name in source.columns]
        places = [_places(names, column, what=what) for column in columns]
        first, is_single = [each[0] if each else None for each in places], all(len(each) < 2 for each in places)
        for number, row in enumerate(source.itertuples(index=False, name=None), 1):
            if not is_single:
                _require_one_value(row, places, names, where=f"row {number}", what=what)
            yield tuple([_ABSENT if place is None else row[place] for place in first]), False
        return
    for number, row in enumerate(source, 1):
        row = row.tolist() if hasattr(row, "tolist") else row
        if isinstance(row, tuple | list) and not hasattr(row, "_fields"):
            yield _by_place(row, columns, where=f"row {number}", what=what), True
            continue
        names = names_in(row)
        if not names:
            order = _order(columns)
            raise TypeError(f"A row of {what} is a mapping, a tuple or a record of {order}, not {type(row).__name__}.")
        cells = [row[name] if isinstance(row, Mapping) else getattr(row, name) for name in names]
        places = [_places(names, column, what=what) for column in columns]
        _require_one_value(cells, places, names, where=f"row {number}", what=what)
        yield tuple([cells[each[0]] if each else _ABSENT for each in places]), False


def _by_place(row: Sequence[Any], columns: tuple[Column, ...], *, where: str, what: str) -> tuple[Any, ...]:
    """Return the cells of a tuple or list without names: those of the required columns, or of the first columns. Raises
    InputError if it has fewer or more.
    """
    required = [column for column in columns if column.otherwise is None]
    if len(row) == len(required):
        values = iter(row)
        return tuple(next(values) if column.otherwise is None else _ABSENT for column in columns)
    if not len(required) < len(row) <= sum(column.has_place for column in columns):
        order = _order(columns)
        message = (
            f"{counted(len(row), 'value')} without names; such a row is {order}. Name the columns, or give "
            "lines of text."
        )
        raise refusal(what, message, where=where, code="columns")
    return (*row, *([_ABSENT] * (len(columns) - len(row))))


def _require_one_value(row: Sequence[Any], places: list[list[int]], names: list[Any], *, where: str, what: str) -> None:
    """Raise InputError if a row has different values at the places of one column."""
    for of_column in places:
        for place in of_column[1:]:
            if str(row[place]) != str(row[of_column[0]]):
                told = " and ".join(f"{names[at]} is {excerpt_of(str(row[at]))}" for at in (of_column[0], place))
                raise refusal(what, f"{told}, and only one can count. Drop the other.", where=where, code="columns")


def names_in(row: Any) -> list[str]:
    """Return the names of a row's members: of a mapping, a dataclass or a named tuple. Other rows have none."""
    if isinstance(row, Mapping):
        return list(row)
    return list(getattr(row, "__dataclass_fields__", getattr(row, "_fields", ())))


def _places(names: list[str], column: Column, *, what: str) -> list[int]:
    """Return the indexes at which a column stands, by whichever of its names; none if there is no such column. Raises
    InputError if the column is required then.
    """
    plain = [str(name).lower() for name in names]
    if found := [at for name in (column.name, *column.others) for at, each in enumerate(plain) if each == name]:
        return found
    if found := [plain.index(name) for name in column.loose if name in plain]:
        return found[:1]
    if column.otherwise is not None:
        return []
    if not names:
        raise refusal(what, "The frame or row has no columns.", code="columns")
    called = " or ".join(column.names)
    message = f"There is no column {called}; there are {', '.join(map(str, names))}."
    if what == "qrels" and {"criterion", "value"} <= {*plain}:
        message += (
            " The judgments of a release are acts: read its exports/qrels.txt, or keep the rows of one criterion and "
            "call their value grade."
        )
    elif all(name.isdecimal() for name in plain):
        message += " Give the columns their names, or give the path of the file."
    raise refusal(what, message, code="columns")


def pairs_of(source: Mapping[Any, Any], *, what: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (topic, docno, number) for each entry of a mapping of mappings. Raises InputError for any other mapping."""
    for topic, of_topic in source.items():
        if not isinstance(of_topic, Mapping):
            message = f"what topic {topic} has must be docno -> number, not {type(of_topic).__name__}."
            raise refusal(what, message, code="value")
        yield from ((topic, docno, number) for docno, number in of_topic.items())
