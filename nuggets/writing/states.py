"""A nugget list as plain values: what edits are recorded in, compared by and restored from."""

from __future__ import annotations

from typing import Any

from nuggets.writing.models import Nugget, NuggetList, NuggetSource

State = dict[str, Any]
"""One nugget with its sources: everything that `nuggets.writing.edits` can restore."""


def list_state(nugget_list: NuggetList) -> dict[str, State]:
    """Every nugget of the list by number (as text, since JSON keys are). Two queries."""
    sources: dict[int, list[State]] = {}
    for source in NuggetSource.objects.filter(nugget__nugget_list=nugget_list).order_by("id"):
        sources.setdefault(source.nugget_id, []).append(source_state(source))
    nuggets = Nugget.objects.filter(nugget_list=nugget_list).order_by("number")
    return {str(nugget.number): nugget_state(nugget, sources.get(nugget.pk, [])) for nugget in nuggets}


def nugget_state(nugget: Nugget, sources: list[State]) -> State:
    """One nugget as plain values."""
    return {
        "id": nugget.pk,
        "number": nugget.number,
        "position": nugget.position,
        "text": nugget.text,
        "importance": nugget.importance,
        "group": nugget.group,
        "fields": nugget.fields,
        "merged_into": nugget.merged_into_id,
        "split_from": nugget.split_from_id,
        "is_retired": nugget.is_retired,
        "sources": sources,
    }


def source_state(source: NuggetSource) -> State:
    """One source as plain values."""
    return {
        "id": source.pk,
        "item": source.item_id,
        "document": source.document_id,
        "docno": source.docno,
        "quote": source.quote,
        "span": source.span,
    }


def changes(before: dict[str, State], after: dict[str, State]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What differs, as (before, after) by number; a nugget that is not there is None."""
    touched = [number for number in sorted({*before, *after}, key=int) if before.get(number) != after.get(number)]
    return {n: before.get(n) for n in touched}, {n: after.get(n) for n in touched}
