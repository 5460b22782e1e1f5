"""Tables that are sorted, filtered and paged, in the database or over rows in memory, and that can be given as CSV."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.db.models import Choices, Model, Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import translation
from django.utils.functional import Promise
from django.utils.http import content_disposition_header

from scoring.spreadsheets import csv_lines

PER_PAGE = 50
Row = TypeVar("Row", bound=Model)
WORDS_LIMIT = 200
CHOSEN_FROM = 200
"""The number of choices of a filter up to which one is chosen from a list; above that it is typed."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a table, and how it is sorted and searched. ``sort`` is a key, with "-" before it for descending."""

    page: Page[Any]
    sort: str
    words: str

    def direction(self, key: str) -> str:
        """Return how a column is sorted: "ascending", "descending", or "" if it is not."""
        return {key: "ascending", f"-{key}": "descending"}.get(self.sort, "")

    def next_sort(self, key: str) -> str:
        """Return the sort that a click on the column's head asks for."""
        return f"-{key}" if self.sort == key else key


def make_listing(
    request: HttpRequest,
    rows: QuerySet[Any],
    *,
    sorts: Mapping[str, str],
    default: str,
    search: tuple[str, ...] = (),
    per_page: int = PER_PAGE,
) -> Listing:
    """Return the page of ``rows`` that the request asks for by ``sort``, ``q`` and ``page``.

    ``sorts`` maps a column's key to the field it sorts by, and ``search`` names the fields that ``q`` searches. Nothing
    that a person writes is ever used as the name of a field. Unknown values fall back to the defaults.
    """
    sort = _sort_asked(request, sorts, default)
    words = request.GET.get("q", "").replace("\x00", "")[:WORDS_LIMIT].strip()
    rows = searched(rows, words, search)
    sign = "-" if sort.startswith("-") else ""
    rows = rows.order_by(sign + sorts[sort.removeprefix("-")], f"{sign}pk")
    return Listing(Paginator(rows, per_page).get_page(request.GET.get("page")), sort, words)


def searched(rows: QuerySet[Row], words: str, fields: Iterable[str]) -> QuerySet[Row]:
    """Return the rows in which one of the fields contains the words, of which only the first `WORDS_LIMIT` characters
    count. Return all rows if there are no words or no fields.
    """
    words, wanted = words.replace("\x00", "")[:WORDS_LIMIT].strip(), Q()
    for field in fields if words else ():
        wanted |= Q(**{f"{field}__icontains": words})
    return rows.filter(wanted)


# Tables with filters and CSV, on top of `assess.web.table`; the rows may also be in memory.
#
# An address can only name a column's key, a filter's key and one of its options. Other keys are ignored, and no row
# fits another option, so no name from outside ever reaches the database.
#
#     table = make_table(request, rows, columns=COLUMNS, filters=FILTERS, search=("tag",), order="tag")
#     if table.wants_csv:
#         return csv_response(table, name="runs.csv")


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column: its key in addresses, its heading, its value for CSV, and the field that the database orders by.

    Without ``value``, it is the attribute of the row that is called like the key. A column without ``order`` can't be
    sorted, unless the rows are in memory: then ``rank`` is used, or the value if that is None.
    """

    key: str
    label: str | Promise
    value: Callable[[Any], Any] | None = None
    order: str = ""
    number: bool = False
    rank: Callable[[Any], Any] | None = None

    def of(self, row: Any) -> Any:
        """Return the value of a row."""
        return self.value(row) if self.value is not None else getattr(row, self.key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """A choice of a filter, as a condition for the database (``where``) or for rows in memory (``holds``)."""

    value: str
    label: str | Promise
    where: Q | None = None
    holds: Callable[[Any], bool] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """A filter of a table, with its choices. If there are more than `CHOSEN_FROM`, one is typed, not chosen."""

    key: str
    label: str | Promise
    options: tuple[Option, ...]

    @property
    def values(self) -> set[str]:
        """The values of the choices."""
        return {option.value for option in self.options}

    @property
    def is_typed(self) -> bool:
        """Whether the choice is typed, since a list of all would be long."""
        return len(self.options) > CHOSEN_FROM


def choices_filter(key: str, label: str | Promise, choices: type[Choices]) -> Filter:
    """Return a filter by the field that is called like the key, with the choices that it has."""
    options = (Option(value=each.value, label=each.label, where=Q(**{key: each.value})) for each in choices)
    return Filter(key=key, label=label, options=tuple(options))


@dataclass(frozen=True, slots=True)
class Table:
    """A table ready to be shown. ``filters`` are (filter, chosen value or "")."""

    listing: Listing
    columns: tuple[Column, ...]
    filters: tuple[tuple[Filter, str], ...]
    searchable: bool
    wants_csv: bool
    csv_url: str

    @property
    def rows(self) -> list[Any]:
        """The rows of the current page."""
        return list(self.listing.page.object_list)

    @property
    def heads(self) -> list[tuple[str, str | Promise, bool, bool]]:
        """The (key, label, sortable, number) of each column."""
        in_memory = isinstance(self.listing.page.paginator.object_list, list)
        return [(column.key, column.label, bool(column.order) or in_memory, column.number) for column in self.columns]

    @property
    def is_narrowed(self) -> bool:
        """Whether a filter or a search leaves rows out."""
        return bool(self.listing.words or any(value for _, value in self.filters))


def make_table(
    request: HttpRequest,
    rows: QuerySet[Any] | list[Any],
    *,
    columns: Sequence[Column],
    order: str,
    filters: Sequence[Filter] = (),
    search: tuple[str, ...] = (),
    per_page: int = PER_PAGE,
) -> Table:
    """Return the part of the rows that the address asks for. ``order`` is a column's key, "-" before it for descending.

    ``search`` names fields, and is for rows in the database. Two queries, or none for rows in memory.
    """
    chosen = {each.key: _chosen(request, each) for each in filters}
    options = [option for option in chosen.values() if option is not None]
    if isinstance(rows, QuerySet):
        for option in options:
            rows = rows.filter(option.where or Q())
        sorts = {column.key: column.order for column in columns if column.order}
        listing = make_listing(request, rows, sorts=sorts, default=order, search=search, per_page=per_page)
    else:
        kept = [row for row in rows if all(option.holds is None or option.holds(row) for option in options)]
        listing = _listing_in_memory(request, kept, columns=columns, order=order, per_page=per_page)
    told = tuple((each, _value(chosen[each.key])) for each in filters)
    return _table(request, listing, columns, filters=told, searchable=bool(search))


def make_sorted_table(
    request: HttpRequest,
    rows: Callable[[str, bool], list[Any]],
    *,
    columns: Sequence[Column],
    order: str,
) -> Table:
    """Return the part of the rows that the address asks for, as `make_table` does, from a function that sorts them:
    ``rows(key, descending)`` returns all rows, sorted by a column.
    """
    sort = _sort_asked(request, {column.key for column in columns}, order)
    found = rows(sort.removeprefix("-"), sort.startswith("-"))
    listing = Listing(Paginator(found, PER_PAGE).get_page(request.GET.get("page")), sort, "")
    return _table(request, listing, columns)


def csv_response(table: Table, *, name: str) -> StreamingHttpResponse:
    """Return all rows of the table (not only the current page) as a CSV file, row by row; in English, as every file."""
    found = table.listing.page.paginator.object_list
    rows = found.iterator(chunk_size=2000) if isinstance(found, QuerySet) else iter(found)
    with translation.override(settings.LANGUAGE_CODE):
        header = [str(column.label) for column in table.columns]
    return rows_response(header=header, rows=_english_rows(table, rows), name=name)


def _english_rows(table: Table, rows: Iterator[Any]) -> Iterator[list[object]]:
    """Yield the values of each row in English. The page's language is switched off only while some rows are read, never
    while the caller handles them.
    """
    while some := list(islice(rows, LINES_AT_ONCE)):
        with translation.override(settings.LANGUAGE_CODE):
            values = [[column.of(row) for column in table.columns] for row in some]
            lines = [[str(each) if isinstance(each, Promise) else each for each in line] for line in values]
        yield from lines


def rows_response(*, header: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> StreamingHttpResponse:
    """Return a header and rows as a CSV file, always as a download."""
    blocks = _in_blocks(csv_lines(header, rows))
    response = StreamingHttpResponse(blocks, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


LINES_AT_ONCE = 200
"""How many lines of a downloaded file are sent together, since each part costs some microseconds."""


def _in_blocks(lines: Iterator[str]) -> Iterator[str]:
    while block := "".join(islice(lines, LINES_AT_ONCE)):
        yield block


def _table(
    request: HttpRequest,
    listing: Listing,
    columns: Sequence[Column],
    *,
    filters: tuple[tuple[Filter, str], ...] = (),
    searchable: bool = False,
) -> Table:
    return Table(
        listing=listing,
        columns=tuple(columns),
        filters=filters,
        searchable=searchable,
        wants_csv=request.GET.get("format") == "csv",
        csv_url=_csv_address(request),
    )


def _sort_asked(request: HttpRequest, keys: Collection[str], usual: str) -> str:
    """Return the column that the address sorts by, "-" before it for descending; the usual one if it is unknown."""
    asked = request.GET.get("sort", usual)
    return asked if asked.removeprefix("-") in keys else usual


def _chosen(request: HttpRequest, each: Filter) -> Option | None:
    """Return the choice that the address names, or None if it names none. For a name that is no choice, return one that
    no row fits; otherwise the whole table would be taken for the month that was asked for.
    """
    wanted = request.GET.get(each.key, "").strip()
    found = next((option for option in each.options if option.value == wanted), None)
    if found is None and wanted:
        wanted = wanted.replace("\x00", "")[:WORDS_LIMIT]
        return Option(value=wanted, label=wanted, where=Q(pk__in=()), holds=lambda row: False)
    return found


def _value(option: Option | None) -> str:
    return option.value if option is not None else ""


def _listing_in_memory(
    request: HttpRequest, rows: list[Any], *, columns: Sequence[Column], order: str, per_page: int
) -> Listing:
    by_key = {column.key: column for column in columns}
    sort = _sort_asked(request, by_key, order)
    column = by_key[sort.removeprefix("-")]
    known = [row for row in rows if column.of(row) is not None]
    unknown = [row for row in rows if column.of(row) is None]
    known.sort(key=column.rank or column.of, reverse=sort.startswith("-"))
    return Listing(Paginator(known + unknown, per_page).get_page(request.GET.get("page")), sort, "")


def _csv_address(request: HttpRequest) -> str:
    parameters = request.GET.copy()
    parameters.pop("page", None)
    parameters["format"] = "csv"
    return f"?{parameters.urlencode()}"
