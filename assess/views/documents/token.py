"""The signed addresses under which documents are framed. The document's host knows no sessions: the token says
who asks for what, and it runs out.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest
from django.urls import reverse

from assess.domain.access import access_document, access_seat
from assess.domain.errors import NotFound
from assess.models import Document, Item
from assess.queries.documents.terms import topic_terms

SALT = "assay.document"
HOURS = 12
WORDS_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Opened:
    """What a token opens: the document, what to mark in it, and the origin of the page that may frame it."""

    document: Document
    answer: str
    terms: list[str]
    platform_origin: str


def page_address(request: HttpRequest, document: Document, *, item: Item | None = None, words: str = "") -> str:
    """The address of the document's page for this person: it runs out after twelve hours."""
    payload = {
        "c": document.campaign.slug,
        "d": document.docno,
        "u": request.user.pk,
        "i": (item.repeats_id or item.pk) if item is not None else None,  # a copy is not known by its own number
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
        item = Item.objects.select_related("topic", "topic__parent", "topic__campaign").filter(pk=payload["i"]).first()
        if item is not None:
            answer, terms = item.text, topic_terms(item.topic)
    return Opened(document, answer if payload["i"] is not None else "", terms, payload["o"])


def origin_of(request: HttpRequest) -> str:
    """The origin that a request came to."""
    return f"{request.scheme}://{request.get_host()}"
