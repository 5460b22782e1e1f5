"""The signed addresses under which documents are framed. The document's host knows no sessions: the token says
who asks for what, and it runs out.

Anybody can read what is signed: so it names an item by the number that it has in the work from which it is opened
(`assess.items.handles`), which says nothing of runs, and is another one in other work.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest
from django.urls import reverse

from assess.base.errors import NotFound
from assess.campaigns.seats import access_seat
from assess.documents.access import access_document
from assess.documents.models import Document
from assess.documents.queries.terms import topic_terms
from assess.items.handles import Marked, item_in
from assess.items.models import Item

SALT = "assay.document.by-handle"


HOURS = 12


WORDS_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Opened:
    """What a token opens: the document, what to mark in it, and the origin of the page that may frame it."""

    document: Document
    answer: str
    terms: list[str]
    platform_origin: str


def page_address(request: HttpRequest, document: Document, *, marked: Marked | None = None, words: str = "") -> str:
    """The address of the document's page for this person: it runs out after twelve hours."""
    payload = {
        "c": document.campaign.slug,
        "d": document.docno,
        "u": request.user.pk,
        "i": [marked.scope, marked.handle] if marked is not None else None,
        "w": words[:WORDS_LIMIT],
        "o": origin_of(request),
    }
    token = signing.dumps(payload, salt=SALT, compress=True)
    return f"{settings.ASSAY_DOCUMENT_ORIGIN}{reverse('document-page', args=[token])}"


def open_token(token: str) -> Opened:
    """The document that a token is for. Refused: a token that was changed or has run out, a person who may not
    read the document any more.
    """
    try:
        payload = signing.loads(token, salt=SALT, max_age=HOURS * 3600)
    except signing.BadSignature as error:
        raise NotFound("The address of this document has run out. Reload the page that you work on.") from error
    person = User.objects.filter(pk=payload["u"], is_active=True).first()
    if person is None:
        raise NotFound
    document = access_document(access_seat(person, payload["c"]), payload["d"])
    answer, terms = payload["w"], payload["w"].split()
    if payload["i"] is not None:
        named = Item.objects.filter(pk=item_in(*payload["i"]), topic__campaign=document.campaign_id)
        item = named.select_related("topic", "topic__parent", "topic__campaign").first()
        if item is not None:
            answer, terms = item.text, topic_terms(item.topic)
    return Opened(document, answer if payload["i"] is not None else "", terms, payload["o"])


def origin_of(request: HttpRequest) -> str:
    """The origin that a request came to."""
    return f"{request.scheme}://{request.get_host()}"
