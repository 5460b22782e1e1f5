"""Tables that sort, filter and page on the server. Two queries a table: the count and the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest

PER_PAGE = 50
WORDS_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a table, and how it is sorted and filtered. ``sort`` is a key, with "-" before it for descending."""

    page: Page[Any]
    sort: str
    words: str

    def direction(self, key: str) -> str:
        """How a column is sorted: "ascending", "descending", or "" where it is not."""
        return {key: "ascending", f"-{key}": "descending"}.get(self.sort, "")

    def next_sort(self, key: str) -> str:
        """What a click on the column's head asks for."""
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
    """The page of ``rows`` that the request asks for by ``sort``, ``q`` and ``page``.

    ``sorts`` maps a column's key to the one field it sorts by, and ``search`` names the fields that ``q`` looks
    in; nothing that a person writes is ever used as a field's name. Unknown values fall back to the defaults.
    """
    asked = request.GET.get("sort", default)
    sort = asked if asked.removeprefix("-") in sorts else default
    words = request.GET.get("q", "").replace("\x00", "")[:WORDS_LIMIT].strip()
    if words and search:
        wanted = Q()
        for field in search:
            wanted |= Q(**{f"{field}__icontains": words})
        rows = rows.filter(wanted)
    sign = "-" if sort.startswith("-") else ""
    rows = rows.order_by(sign + sorts[sort.removeprefix("-")], f"{sign}pk")
    return Listing(Paginator(rows, per_page).get_page(request.GET.get("page")), sort, words)
