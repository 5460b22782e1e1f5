"""What is said of a document above it: on benches, in lists and where it is read."""

from __future__ import annotations

from dataclasses import dataclass

from assess.documents.models import Document
from assess.rendering.rendered import IMAGE_TYPES
from scoring.formats.document_facts import date_of, further_fields, source_of


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentAbout:
    """Title, date, source and address of a document, "" where it has none, and its further fields."""

    title: str
    date: str
    source: str
    url: str
    further: tuple[tuple[str, str], ...] = ()


def about_document(document: Document) -> DocumentAbout:
    """What stands above a document. Its further fields are those that no other part of the page shows."""
    is_image = document.media_type in IMAGE_TYPES  # whose fields are its width and height
    further = () if is_image else tuple(further_fields(document.fields).items())
    return DocumentAbout(
        title=document.title,
        date=date_of(document.fields),
        source=source_of(document.fields),
        url=document.url,
        further=further,
    )
