"""Where documents were loaded from: a file, or the files of a folder."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q, QuerySet

from assess.campaigns.models import Campaign
from assess.documents.models import Document

NEWEST = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """A file that documents were loaded from, how many of them are stored, and when the last of them was."""

    source: str
    documents: int
    at: datetime


def newest_sources(campaign: Campaign) -> list[Loaded]:
    """The files that documents were loaded from last, the newest first. One query."""
    rows = Document.objects.filter(campaign=campaign).order_by().values_list("source_file")
    found = rows.annotate(number=Count("pk"), at=Max("created_at")).order_by("-at", "source_file")[:NEWEST]
    return [Loaded(source=source, documents=number, at=at) for source, number, at in found]


def loaded_from(campaign: Campaign, source: str) -> QuerySet[Document]:
    """The documents that came from a file, or from the files of a folder, of this name."""
    name = source.strip().rstrip("/")
    inside = Q(source_file=name) | Q(source_file__startswith=f"{name}/")
    return Document.objects.filter(inside, campaign=campaign)
