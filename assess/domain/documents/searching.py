"""Searching as a person: who may, and in which campaign."""

from __future__ import annotations

from assess.domain.access import Seat
from assess.domain.errors import NotAllowed, NotFound
from assess.models import Document
from assess.queries.documents.search import SearchPage, search_documents
from assess.queries.tracks import settings_of


def may_search(seat: Seat) -> bool:
    """Organisers always; those who judge where the campaign's settings let them."""
    return seat.is_organiser or (seat.is_judge and getattr(settings_of(seat.campaign), "search", True))


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
