"""What authors find while they make a topic: answers and nuggets with their documents, and which documents are
relevant.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.numbers import grouped
from assess.base.quotes import SpanValues, checked_quote
from assess.documents.models import Document, DocumentBody
from assess.documents.queries.documents import valid_docnos
from assess.ledger.adding import add_once
from assess.topic_drafts.domain.steps import USED_KEY, add_row, lock_draft, require_author, require_writable
from assess.topic_drafts.domain.writing import require_drafting, set_query
from assess.topic_drafts.models import DraftFind, TopicDraft
from assess.topic_drafts.queries import ShownDraft, draft_parts, find_kinds, show_draft

Kind = DraftFind.Kind
TEXT_LIMIT, FIND_LIMIT = 2_000, 5_000
FOUND = (Kind.ANSWER.value, Kind.NUGGET.value)


def add_find(
    *,
    actor: User,
    draft: TopicDraft,
    kind: str,
    text: str,
    docno: str,
    client_key: UUID,
    part: int = 0,
    quote: str = "",
    span: SpanValues | None = None,
) -> DraftFind:
    """Store an answer or a nugget that the author found, with its document and, if marked, its place there.

    Refused for everybody but the author. Also refuses a draft that is with the organiser; a question that the draft
    lacks, or whose type takes no finds of this kind; a document that is not in the collection; a quote that is not in
    its text word for word; a nugget without a quote; an empty or too long text; and what was found with this document
    before.
    """
    require_author(actor=actor, draft=draft)
    if kind not in FOUND:
        raise Invalid(gettext("%(kind)s is nothing that is found. Use answer or nugget.") % {"kind": kind[:40]})
    text = " ".join(text.replace("\0", " ").split())
    if not text or len(text) > TEXT_LIMIT:
        raise Invalid(
            gettext("Write the %(kind)s, in at most %(value)s characters.")
            % {"kind": Kind(kind).label, "value": grouped(TEXT_LIMIT)}
        )
    document = _document(draft, docno)
    checked = _checked_place(document, quote=quote, span=span)
    values = {"kind": kind, "part": part, "text": text, "docno": docno, "quote": quote, "span": checked}

    def add(shown: ShownDraft) -> DraftFind:
        require_writable(shown)
        _require_question(shown, kind=kind, part=part)
        if kind == Kind.NUGGET and not quote:
            raise Invalid(gettext("Mark the words in the document that say it, and keep the nugget then."))
        same = (kind, part, text, docno)
        if any((find.kind, find.part, find.text, find.docno) == same for find in shown.finds):
            raise Conflict(gettext("This %(kind)s with this document is there already.") % {"kind": Kind(kind).label})
        return _add(draft, actor, client_key, number=_next_number(draft), document=document, **values)

    return _add_once(client_key, draft=draft, actor=actor, values=values, add=add)


def judge_document(
    *, actor: User, draft: TopicDraft, docno: str, is_relevant: bool, client_key: UUID, query: str = ""
) -> DraftFind:
    """Record whether a document is relevant to the draft; the newest answer counts. Refused for everybody but the
    author, for a draft that is with the organiser, and for a document that is not stored.

    ``query`` is the search in which it was found. The first search with a judged document becomes the draft's search,
    from which the estimate is made. If `set_query` refuses that, its refusal is raised, and the judgment still counts.
    """
    require_author(actor=actor, draft=draft)
    document = draft.campaign.documents.filter(docno=docno.replace("\0", "")).first()
    if document is None:
        raise Invalid(gettext("There is no document %(docno)s to judge. Check its number.") % {"docno": docno[:200]})
    values = {"kind": Kind.DOCUMENT.value, "docno": docno, "grade": int(is_relevant), "is_withdrawn": False}

    def add(shown: ShownDraft) -> DraftFind:
        require_writable(shown)
        before = draft.finds.filter(kind=Kind.DOCUMENT, docno=docno).order_by("-id").first()
        number = before.number if before is not None else _next_number(draft)
        return _add(draft, actor, client_key, number=number, document=document, **values)

    find = _add_once(client_key, draft=draft, actor=actor, values=values, add=add)
    if query and not show_draft(draft).content.query:
        set_query(actor=actor, draft=draft, query=query, client_key=uuid4())
    return find


def withdraw_find(*, actor: User, draft: TopicDraft, number: int, client_key: UUID) -> DraftFind:
    """Withdraw the find with this number. Its rows stay in the ledger.

    Refused: anybody but the author, a draft that is with the organiser, and a find that is not there any more.
    """
    require_author(actor=actor, draft=draft)

    def add(shown: ShownDraft) -> DraftFind:
        require_writable(shown)
        find = next((find for find in shown.finds if find.number == number), None)
        if find is None:
            raise Conflict(gettext("This is not there any more. Reload the page."))
        names = ("kind", "part", "text", "docno", "document", "quote", "span", "grade")
        kept = {name: getattr(find, name) for name in names}
        return _add(draft, actor, client_key, number=number, is_withdrawn=True, **kept)

    return _add_once(client_key, draft=draft, actor=actor, values={"number": number, "is_withdrawn": True}, add=add)


def _document(draft: TopicDraft, docno: str) -> Document | None:
    """Return the document; None if the collection has it but it is not stored. Refuse a docno that is not in the
    collection.
    """
    docno = docno.replace("\0", "")
    found = draft.campaign.documents.filter(docno=docno).first()
    if found is None and not valid_docnos(draft.campaign).filter(docno=docno).exists():
        raise Invalid(
            gettext("There is no document %(docno)s in the collection. Check its number.") % {"docno": docno[:200]}
        )
    return found


def _checked_place(document: Document | None, *, quote: str, span: SpanValues | None) -> SpanValues | None:
    if not quote:
        return None
    body = DocumentBody.objects.filter(document=document).first() if document is not None else None
    if body is None:
        raise Invalid(gettext("This document has no text here in which the words could stand. Leave the quote out."))
    return checked_quote(text=body.text, quote=quote, span=span, where="the document's text")[1]


def _require_question(shown: ShownDraft, *, kind: str, part: int) -> None:
    drafting = require_drafting(shown.draft.campaign)
    question = next((each for each in draft_parts(shown.content, drafting) if each.key == part), None)
    if question is None:
        raise Invalid(gettext("The draft holds no such question. Write and save the question first."))
    if not question.task:
        raise Invalid(gettext("The question has no type yet. Choose it first: the type says what is found for it."))
    if kind not in find_kinds(shown.draft.campaign, question.task):
        raise Invalid(
            gettext("A question of the type %(task)s has no %(kind)ss.")
            % {"task": question.task, "kind": Kind(kind).label}
        )


def _next_number(draft: TopicDraft) -> int:
    last: int = draft.finds.aggregate(last=Max("number"))["last"] or 0
    if last >= FIND_LIMIT:
        raise Conflict(gettext("A draft holds at most %(value)s finds.") % {"value": grouped(FIND_LIMIT)})
    return last + 1


def _add_once(
    client_key: UUID,
    *,
    draft: TopicDraft,
    actor: User,
    values: dict[str, object],
    add: Callable[[ShownDraft], DraftFind],
) -> DraftFind:
    """Return what ``add`` adds, or the row with these values that this key added before."""

    def same(row: DraftFind) -> bool:
        is_own = (row.draft_id, row.actor_id) == (draft.pk, actor.pk)
        return is_own and all(getattr(row, name) == value for name, value in values.items())

    with transaction.atomic():
        shown = lock_draft(draft)
        return add_once(
            add=partial(add, shown),
            earlier=DraftFind.objects.filter(client_key=client_key).first,
            same=same,
            used=USED_KEY,
        )


def _add(draft: TopicDraft, actor: User, client_key: UUID, **values: object) -> DraftFind:
    find = DraftFind(draft=draft, actor=actor, client_key=client_key, **values)
    add_row(find)
    return find
