"""Where nuggets were seen, as exports say it."""

from __future__ import annotations

from collections.abc import Iterator

from nuggets.models import Nugget, NuggetList, NuggetSource


def nuggets_with_sources(nugget_list: NuggetList) -> Iterator[tuple[Nugget, tuple[tuple[str, str], ...]]]:
    """The active nuggets of a list by number, each with its (docno, quote) pairs; a whole string is its own quote.

    Two queries.
    """
    sources: dict[int, list[tuple[str, str]]] = {}
    rows = NuggetSource.objects.filter(nugget__nugget_list=nugget_list).select_related("item").order_by("id")
    for row in rows:
        quote = row.quote or (row.item.text if row.item is not None else "")
        sources.setdefault(row.nugget_id, []).append((row.docno, quote))
    for nugget in nugget_list.nuggets.filter(is_retired=False, merged_into=None).order_by("number"):
        yield nugget, tuple(sources.get(nugget.pk, ()))
