"""Searching as a person: who may, and in which campaign."""

from __future__ import annotations

from assess.base.errors import NotAllowed, NotFound
from assess.campaigns.seats import Seat, may_search
from assess.documents.models import Document
from assess.documents.queries.search import SearchPage, search_documents


def can_search(seat: Seat) -> bool:
    """Whether this member may search and there is a document to find. At most one query."""
    return may_search(seat) and Document.objects.filter(campaign=seat.campaign).exists()


def search_as(seat: Seat, query: str, *, limit: int = 20, offset: int = 0) -> SearchPage:
    """The documents that match, best first. Refused where the campaign does not let its assessors search."""
    if not seat.is_organiser and not seat.is_judge:
        raise NotFound
    if not may_search(seat):
        raise NotAllowed("This campaign's assessors judge without searching. Ask the organiser if you need to.")
    return search_documents(seat.campaign, query, limit=limit, offset=offset)
