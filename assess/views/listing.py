"""Lists on pages: the server sorts, filters and pages them, by columns and filters that the page allows.

An address can only name a column's key, a filter's key and one of its options. Anything else in it is
ignored, so no name from outside ever reaches the database.

    listing = make_listing(request, rows=seat.campaign.runs.all(), columns=COLUMNS, search=("tag",), order="tag")
    if listing.wants_csv:
        return csv_response(listing, name="runs.csv")
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header

PER_PAGE = 50
SEARCH_LIMIT = 200
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column: its key in addresses, its heading, its value for CSV, and what the database orders by.

    A column without ``order`` can't be sorted by, unless the rows are in memory: then by its value.
    """

    key: str
    label: str
    value: Callable[[Any], object]
    order: tuple[str, ...] = ()
    numeric: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """One choice of a filter."""

    value: str
    label: str
    where: Q


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Something that a list can be narrowed by."""

    key: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """A heading as shown: the address that sorts by it ("" where it can't), and how it is sorted now."""

    label: str
    url: str
    direction: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class ShownFilter:
    """A filter as shown: its options as (value, label, chosen)."""

    key: str
    label: str
    options: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list ready to be shown."""

    page: Page[Any]
    rows: QuerySet[Any] | list[Any]
    columns: tuple[Column, ...]
    headers: tuple[Header, ...]
    filters: tuple[ShownFilter, ...]
    searchable: bool
    query: str
    sort: str
    narrowed: bool
    wants_csv: bool
    csv_url: str
    previous_url: str
    next_url: str


def make_listing(
    request: HttpRequest,
    *,
    rows: QuerySet[Any] | list[Any],
    columns: Sequence[Column],
    order: str,
    filters: Sequence[Filter] = (),
    search: Sequence[str] = (),
    per_page: int = PER_PAGE,
) -> Listing:
    """The part of the rows that the address asks for. ``order`` is the key of a column, with "-" for downwards.

    Rows in memory can be sorted and paged, not filtered or searched. Costs two queries.
    """
    chosen = _chosen_options(request, filters)
    query = request.GET.get("q", "").replace("\0", "").strip()[:SEARCH_LIMIT] if search else ""
    sort = _allowed_sort(request.GET.get("sort", ""), columns, rows) or order
    if isinstance(rows, QuerySet):
        rows = _narrowed(rows, chosen.values(), query, search)
    rows = _sorted(rows, columns, sort)
    page = Paginator(rows, per_page).get_page(request.GET.get("page"))
    return Listing(
        page=page,
        rows=rows,
        columns=tuple(columns),
        headers=tuple(_header(request, column, sort, rows) for column in columns),
        filters=tuple(_shown(each, chosen.get(each.key)) for each in filters),
        searchable=bool(search),
        query=query,
        sort=sort,
        narrowed=bool(query or chosen),
        wants_csv=request.GET.get("format") == "csv",
        csv_url=_address(request, format="csv", page=None),
        previous_url=_address(request, page=str(page.previous_page_number())) if page.has_previous() else "",
        next_url=_address(request, page=str(page.next_page_number())) if page.has_next() else "",
    )


def csv_response(listing: Listing, *, name: str) -> StreamingHttpResponse:
    """All rows of the list (not the page alone) as a CSV file, row by row."""
    rows = listing.rows.iterator(chunk_size=2000) if isinstance(listing.rows, QuerySet) else iter(listing.rows)
    return table_response(
        header=[column.label for column in listing.columns],
        rows=([column.value(row) for column in listing.columns] for row in rows),
        name=name,
    )


def table_response(*, header: Sequence[str], rows: Iterable[Sequence[object]], name: str) -> StreamingHttpResponse:
    """A header and rows as a CSV file that is downloaded, never shown."""
    writer = csv.writer(_Echo(), lineterminator="\n")

    def lines() -> Iterator[str]:
        yield writer.writerow(header)
        for row in rows:
            yield writer.writerow([_cell(value) for value in row])

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _cell(value: object) -> object:
    """Text from outside that a spreadsheet would take for a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return "'" + value
    return "" if value is None else value


def _chosen_options(request: HttpRequest, filters: Sequence[Filter]) -> dict[str, Option]:
    chosen = {}
    for each in filters:
        wanted = request.GET.get(each.key, "")
        option = next((option for option in each.options if option.value == wanted), None)
        if option is not None:
            chosen[each.key] = option
    return chosen


def _narrowed(rows: QuerySet[Any], chosen: Iterable[Option], query: str, search: Sequence[str]) -> QuerySet[Any]:
    for option in chosen:
        rows = rows.filter(option.where)
    if query:
        rows = rows.filter(reduce(or_, (Q(**{f"{field}__icontains": query}) for field in search)))
    return rows


def _allowed_sort(wanted: str, columns: Sequence[Column], rows: QuerySet[Any] | list[Any]) -> str:
    keys = {column.key for column in columns if column.order or isinstance(rows, list)}
    return wanted if wanted.removeprefix("-") in keys and not wanted.startswith("--") else ""


def _sorted(rows: QuerySet[Any] | list[Any], columns: Sequence[Column], sort: str) -> QuerySet[Any] | list[Any]:
    column = next(column for column in columns if column.key == sort.removeprefix("-"))
    down = sort.startswith("-")
    if isinstance(rows, QuerySet):
        fields = [_flipped(field) if down else field for field in column.order]
        return rows.order_by(*fields, "-pk" if down else "pk")
    known = [row for row in rows if column.value(row) is not None]
    unknown = [row for row in rows if column.value(row) is None]
    known.sort(key=column.value, reverse=down)  # type: ignore[arg-type]
    return known + unknown


def _flipped(field: str) -> str:
    return field[1:] if field.startswith("-") else f"-{field}"


def _header(request: HttpRequest, column: Column, sort: str, rows: QuerySet[Any] | list[Any]) -> Header:
    if not column.order and not isinstance(rows, list):
        return Header(column.label, "", "", column.numeric)
    now = {column.key: "ascending", f"-{column.key}": "descending"}.get(sort, "")
    wanted = f"-{column.key}" if now == "ascending" else column.key
    return Header(column.label, _address(request, sort=wanted, page=None), now, column.numeric)


def _shown(each: Filter, chosen: Option | None) -> ShownFilter:
    return ShownFilter(
        each.key, each.label, tuple((option.value, option.label, option is chosen) for option in each.options)
    )


def _address(request: HttpRequest, **changes: str | None) -> str:
    """The address of this page with parameters changed; None takes one away."""
    parameters = request.GET.copy()
    parameters.pop("format", None)
    for key, value in changes.items():
        if value is None:
            parameters.pop(key, None)
        else:
            parameters[key] = value
    return f"?{parameters.urlencode()}"
