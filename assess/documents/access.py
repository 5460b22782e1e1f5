"""The way from a seat in a campaign to documents, and who may search them.

Absent and forbidden documents look the same.
"""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.base.errors import NotAllowed, NotFound
from assess.campaigns.seats import Seat, may_search
from assess.documents.models import Document
from assess.documents.queries.clusters import documents_in
from assess.documents.queries.search import SearchPage
from assess.documents.queries.search_services import SearchBackend, backend_of
from assess.topics.access import access_topic
from assess.topics.models import Topic


def access_documents(seat: Seat) -> QuerySet[Document]:
    """Return the documents that this person may read: all for organisers and assessors, none for others."""
    if seat.is_organiser or seat.is_judge:
        return seat.campaign.documents.all()
    return Document.objects.none()


def access_document(seat: Seat, docno: str) -> Document:
    """Return the document with this docno; raise `NotFound` if the person may not read it or there is none."""
    document = access_documents(seat).filter(docno=docno.replace("\0", "")).first()
    if document is None:
        raise NotFound
    return document


def access_cluster(seat: Seat, number: str, cluster: int) -> tuple[Topic, QuerySet[Document]]:
    """Return a topic and the documents of one of its clusters, for organisers.

    Raises `NotFound` for others, for an unknown topic, and for a cluster of fewer than two documents.
    """
    if not seat.is_organiser:
        raise NotFound
    topic = access_topic(seat, number)
    found = documents_in(topic, cluster)
    if found[1:2].first() is None:
        raise NotFound
    return topic, found


# Searching as a person.


def can_search(seat: Seat) -> bool:
    """Return whether this member may search and the campaign stores a document. At most one query."""
    return may_search(seat) and Document.objects.filter(campaign=seat.campaign).exists()


def search_as(seat: Seat, query: str, *, limit: int = 20, offset: int = 0) -> SearchPage:
    """Return a page of the stored documents that match, best first, as the site's own search finds them.

    Raises what `access_search` raises.
    """
    return access_search(seat, own=True).search(seat.campaign, query, limit=limit, offset=offset)


def access_search(seat: Seat, *, own: bool = False) -> SearchBackend:
    """Return the search backend for this person: the service that the settings name for the campaign, or the site's
    own.

    With ``own``, it is always the site's own. Raises `NotFound` for people who neither organise nor judge, and
    `NotAllowed` if the campaign does not let its assessors search.
    """
    if not seat.is_organiser and not seat.is_judge:
        raise NotFound
    if not may_search(seat):
        raise NotAllowed(
            gettext("This campaign's assessors judge without searching. Ask the organiser if you need to.")
        )
    return backend_of(seat.campaign, own=own)
