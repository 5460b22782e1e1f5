"""Add many nuggets with their sources at once, for imports of thousands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.documents.models import Document
from assess.items.models import Item
from assess.ledger.adding import USED_KEY, KeyTaken, store
from nuggets.writing.drafts import with_outcome
from nuggets.writing.edits import lock_list, require_draft
from nuggets.writing.history import State, list_state
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource
from nuggets.writing.record import (
    NUGGET_LIMIT,
    checked_nugget,
    end_of_list,
    nugget_request,
    require_group,
    require_new_numbers,
)
from nuggets.writing.sources import SOURCE_LIMIT, absent_docno, checked_source, source_request


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceInput:
    """A source of a nugget. The fields are the arguments of `add_source`."""

    quote: str
    client_key: UUID
    item: Item | None = None
    document: Document | None = None
    absent: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class NuggetInput:
    """A nugget: the arguments of `add_nugget`, with the number that it had elsewhere, and its sources."""

    text: str
    importance: str
    number: int
    group: str
    fields: Mapping[str, Any]
    client_key: UUID
    sources: Sequence[SourceInput] = ()


def add_nuggets(*, actor: User, nugget_list: NuggetList, nuggets: Sequence[NuggetInput]) -> None:
    """Add nuggets and their sources at the end of the draft, each by its own edit, as `add_nugget` and `add_source` do.

    It takes about a dozen queries. If one of those calls would be refused, all are refused and nothing is added. Unlike
    them, it also refuses a client key that was used before.
    """
    try:
        with transaction.atomic():
            locked = lock_list(nugget_list)
            require_draft(actor=actor, nugget_list=locked)
            rows = _nugget_rows(locked, nuggets)
            sources = [_source_rows(nugget_list, row, each) for row, each in zip(rows, nuggets, strict=True)]
            NuggetList.objects.filter(pk=locked.pk).update(last_number=locked.last_number)
            Nugget.objects.bulk_create(rows)
            NuggetSource.objects.bulk_create([source for of_nugget in sources for source in of_nugget])
            states = list_state(locked)
            store(
                *(
                    NuggetEdit(nugget_list=locked, actor=actor, **edit)
                    for row, each, own in zip(rows, nuggets, sources, strict=True)
                    for edit in _edits(each, row, own, states[str(row.number)])
                )
            )
    except KeyTaken as error:
        raise Conflict(USED_KEY) from error


def _nugget_rows(nugget_list: NuggetList, nuggets: Sequence[NuggetInput]) -> list[Nugget]:
    """Return unsaved rows that add these nuggets at the end of the list. Refuse what `add_nugget` refuses. The list's
    ``last_number`` is raised, but not saved.
    """
    first = end_of_list(nugget_list)
    if nugget_list.nuggets.count() + len(nuggets) > NUGGET_LIMIT:
        raise Invalid(gettext("A list holds at most %(value)s of them.") % {"value": NUGGET_LIMIT})
    require_new_numbers(nugget_list, [each.number for each in nuggets])
    rows = []
    for position, each in enumerate(nuggets, start=first):
        text, group = checked_nugget(text=each.text, importance=each.importance, group=each.group)
        require_group(nugget_list, group)
        nugget_list.last_number = max(nugget_list.last_number, each.number)
        rows.append(
            Nugget(
                nugget_list=nugget_list,
                number=each.number,
                position=position,
                text=text,
                importance=each.importance,
                group=group,
                fields=with_outcome(each.fields, text),
            )
        )
    return rows


def _source_rows(nugget_list: NuggetList, nugget: Nugget, given: NuggetInput) -> list[NuggetSource]:
    """Return unsaved rows for a nugget's sources. Refuse what `add_source` refuses."""
    if len(given.sources) > SOURCE_LIMIT:
        raise Invalid(
            gettext("At most %(value)s sources are kept of one. Take one away first.") % {"value": SOURCE_LIMIT}
        )
    rows = []
    for each in given.sources:
        item, document, quote, span = each.item, each.document, each.quote, None
        if each.absent:
            docno = absent_docno(item=item, document=document, docno=each.absent, quote=quote, span=None)
        else:
            docno, quote, span = checked_source(
                nugget_list=nugget_list, item=item, document=document, quote=quote, span=None
            )
        rows.append(NuggetSource(nugget=nugget, item=item, document=document, docno=docno, quote=quote, span=span))
    return rows


def _edits(
    given: NuggetInput, nugget: Nugget, sources: Sequence[NuggetSource], state: State
) -> Iterator[dict[str, Any]]:
    """Yield the values of the edits that add a nugget and then each of its sources. ``state`` is the nugget's state
    after all of them.
    """
    number = str(nugget.number)

    def seen(count: int) -> dict[str, State]:
        return {number: state | {"sources": state["sources"][:count]}}

    asked = nugget_request(
        text=nugget.text, importance=nugget.importance, group=nugget.group, number=nugget.number, fields=given.fields
    )
    yield {
        "action": "add",
        "asked": asked,
        "before": {number: None},
        "after": seen(0),
        "client_key": given.client_key,
    }
    for count, (source, each) in enumerate(zip(sources, given.sources, strict=True)):
        yield {
            "action": "add-source",
            "asked": source_request(nugget.number, each.item, each.document, source.quote, source.span),
            "before": seen(count),
            "after": seen(count + 1),
            "client_key": each.client_key,
        }
