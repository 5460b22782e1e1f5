"""Record where a nugget was seen: in a string of a response, or in the viewable text of a document."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid5

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Invalid, Refused
from assess.base.quotes import QUOTE_LIMIT, SpanValues, checked_quote
from assess.campaigns.activity import record_activity
from assess.documents.domain.adding_items import DOCNO_LIMIT
from assess.documents.models import Document, DocumentBody
from assess.items.models import Item
from assess.judging.queries.stage_items import finds_for
from assess.topic_drafts.models import DraftFind
from nuggets.writing.edits import active_nugget_of, make_edit, nugget_of
from nuggets.writing.lists import start_list
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource
from nuggets.writing.record import checked_nugget, end_of_list, insert_nugget, require_group

SOURCE_LIMIT = 200


def add_source(
    *,
    actor: User,
    nugget_list: NuggetList,
    number: int,
    client_key: UUID,
    quote: str,
    item: Item | None = None,
    document: Document | None = None,
    span: SpanValues | None = None,
    absent: str = "",
) -> NuggetEdit:
    """Add a source to a nugget: an item of the topic or a document of the campaign, exactly one of them.

    The quote must occur word for word in the item's string or the document's viewable text. An item without a quote is
    a source as a whole. An import of a release may give the docno of a document that is not stored here (``absent``),
    whose quote is not checked. Refuses a nugget that is not active or has 200 sources, and what `checked_source` and
    `make_edit` refuse.
    """
    if absent:
        docno, checked = absent_docno(item=item, document=document, docno=absent, quote=quote, span=span), None
    else:
        docno, quote, checked = checked_source(
            nugget_list=nugget_list, item=item, document=document, quote=quote, span=span
        )

    def change(locked: NuggetList) -> None:
        nugget = active_nugget_of(locked, number)
        if nugget.sources.count() >= SOURCE_LIMIT:
            raise Invalid(
                gettext("At most %(value)s sources are kept of one. Take one away first.") % {"value": SOURCE_LIMIT}
            )
        NuggetSource.objects.create(nugget=nugget, item=item, document=document, docno=docno, quote=quote, span=checked)

    asked = source_request(number, item, document, quote, checked)
    return make_edit(
        actor=actor, nugget_list=nugget_list, action="add-source", asked=asked, client_key=client_key, change=change
    )


def source_request(
    number: int, item: Item | None, document: Document | None, quote: str, span: SpanValues | None
) -> dict[str, Any]:
    """Return the request to add a source, in the form in which the edit stores it."""
    return {
        "number": number,
        "item": item.pk if item is not None else None,
        "document": document.pk if document is not None else None,
        "quote": quote,
        "span": span,
    }


def add_seen_nugget(
    *,
    actor: User,
    nugget_list: NuggetList,
    text: str,
    importance: str,
    client_key: UUID,
    quote: str,
    group: str = "",
    item: Item | None = None,
    document: Document | None = None,
    span: SpanValues | None = None,
) -> Nugget:
    """Add a nugget with its source at the end of the draft, as one edit that undo takes back as a whole. Return the
    nugget. Refuses whatever `add_nugget` or `add_source` refuses.
    """
    text, group = checked_nugget(text=text, importance=importance, group=group)
    docno, quote, checked = checked_source(
        nugget_list=nugget_list, item=item, document=document, quote=quote, span=span
    )

    def change(locked: NuggetList) -> None:
        require_group(locked, group)
        place = end_of_list(locked)
        nugget = insert_nugget(locked, text=text, importance=importance, group=group, position=place)
        NuggetSource.objects.create(nugget=nugget, item=item, document=document, docno=docno, quote=quote, span=checked)

    asked = {
        "text": text,
        "importance": importance,
        "item": item.pk if item is not None else None,
        "document": document.pk if document is not None else None,
        "quote": quote,
        "span": checked,
    }
    asked |= {"group": group} if group else {}
    edit = make_edit(
        actor=actor, nugget_list=nugget_list, action="add", asked=asked, client_key=client_key, change=change
    )
    return nugget_of(nugget_list, max(int(number) for number in edit.after))


def remove_source(*, actor: User, nugget_list: NuggetList, source_id: int, client_key: UUID) -> NuggetEdit:
    """Remove a source from its nugget. Refuses a source that the list does not have, and what `make_edit` refuses."""

    def change(locked: NuggetList) -> None:
        deleted, _ = NuggetSource.objects.filter(pk=source_id, nugget__nugget_list=locked).delete()
        if not deleted:
            raise Invalid(gettext("This source is not there any more. Reload the page."))

    return make_edit(
        actor=actor,
        nugget_list=nugget_list,
        action="remove-source",
        asked={"source": source_id},
        client_key=client_key,
        change=change,
    )


def checked_source(
    *, nugget_list: NuggetList, item: Item | None, document: Document | None, quote: str, span: SpanValues | None
) -> tuple[str, str, SpanValues | None]:
    """Return the docno, the quote and the complete span of a source.

    Refuses anything but exactly one item of the topic or document of the campaign, a document without a quote or
    without text, and what `checked_quote` refuses.
    """
    if (item is None) == (document is None):
        raise Invalid(gettext("Name one source: a string of a response, or a document."))
    docno = _docno(nugget_list=nugget_list, item=item, document=document)
    text, where = _text(item=item, document=document)
    if document is not None and not quote.strip():
        raise Invalid(gettext("Mark the words in the document that say it."))
    quote, checked = checked_quote(text=text, quote=quote, span=span, where=where)
    return docno, quote, checked


def absent_docno(
    *, item: Item | None, document: Document | None, docno: str, quote: str, span: SpanValues | None
) -> str:
    """Return the docno of a source whose document is not stored here. Refuse a docno or quote that is too long, which
    is all that can be checked, and a source that also names an item, a document or a span.
    """
    if item is not None or document is not None or span is not None:
        raise Invalid(gettext("Name one source: a string of a response, or a document."))
    if len(docno) > DOCNO_LIMIT or len(quote) > QUOTE_LIMIT:
        raise Invalid(
            gettext("A docno has at most %(value)s characters, and a quote %(value_2)s.")
            % {"value": DOCNO_LIMIT, "value_2": QUOTE_LIMIT}
        )
    return docno


def _docno(*, nugget_list: NuggetList, item: Item | None, document: Document | None) -> str:
    if item is not None:
        if item.topic_id != nugget_list.topic_id:
            raise Invalid(gettext("This string does not answer the question of this list."))
        return item.docno
    if document is None or document.campaign_id != nugget_list.assignment.campaign_id:
        raise Invalid(gettext("This document does not belong to the campaign."))
    return document.docno


def _text(*, item: Item | None, document: Document | None) -> tuple[str, str]:
    if item is not None:
        return item.text, "the answer"
    body = DocumentBody.objects.filter(document=document).values_list("text", flat=True).first()
    if body is None:
        raise Invalid(gettext("This document has no text."))
    return body, "the document's text"


# Nuggets that authors found while making a topic are put on the list when it is judged.


def begin_list(actor: User, assignment: Assignment) -> None:
    """Begin the nugget list with the nuggets that the topic's author found; do nothing if there are none.

    Each is okay (not vital), and has the document and the quote with which it was found as its source. A find that is
    refused is left out. An activity records which finds were carried over and which were not.
    """
    finds = finds_for(assignment, DraftFind.Kind.NUGGET)
    if not finds:
        return
    nugget_list = start_list(actor=actor, assignment=assignment)

    def carry(find: DraftFind, key: UUID) -> int:
        return add_seen_nugget(
            actor=actor,
            nugget_list=nugget_list,
            text=find.text,
            importance=Nugget.Importance.OKAY,
            client_key=key,
            quote=find.quote,
            document=find.document,
            span=find.span,
        ).number

    _carry(actor, assignment, finds, carry)


def _carry(
    actor: User, assignment: Assignment, finds: Sequence[DraftFind], carry: Callable[[DraftFind, UUID], int]
) -> None:
    """Carry over to the assignment what the topic's author found. Record the number that each find gets there, and
    which finds could not be carried over.
    """
    left: list[int] = []
    places: dict[str, int] = {}
    for find in finds:
        try:
            with transaction.atomic():
                places[str(find.number)] = carry(find, uuid5(find.client_key, f"{assignment.pk}"))
        except Refused:
            left.append(find.number)
    if finds:
        data = {"topic": assignment.topic.number, "stage": assignment.stage, "carried": len(places), "left": left}
        data |= {"draft": finds[0].draft.number, "finds": places}
        record_activity(actor=actor, action="draft.carry", campaign=assignment.campaign, about=assignment, data=data)
