"""The way from a seat in a campaign to documents. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.documents.models import Document


def access_documents(seat: Seat) -> QuerySet[Document]:
    """The documents that this person may read: organisers and those who judge read all of them."""
    if seat.is_organiser or seat.is_judge:
        return seat.campaign.documents.all()
    return Document.objects.none()


def access_document(seat: Seat, docno: str) -> Document:
    """One document by docno."""
    document = access_documents(seat).filter(docno=docno.replace("\0", "")).first()
    if document is None:
        raise NotFound
    return document
