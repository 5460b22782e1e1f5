"""The facts shown above a document: on benches, in lists and on its own page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from assess.documents.models import Document
from assess.rendering.rendered import IMAGE_TYPES
from scoring.formats.document_facts import date_of, further_fields, source_of


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentAbout:
    """The title, date, source and address of a document, each "" if the document has none, and its further fields.

    ``named`` are the fields that the campaign's track shows at once.
    """

    title: str
    date: str
    source: str
    url: str
    named: tuple[tuple[str, str], ...] = ()
    further: tuple[tuple[str, str], ...] = ()


def about_document(document: Document) -> DocumentAbout:
    """Return the facts shown above a document. Its further fields are those that no other part of the page shows."""
    is_image = document.media_type in IMAGE_TYPES  # the fields of an image are its width and height
    further = () if is_image else tuple(further_fields(document.fields).items())
    return DocumentAbout(
        title=document.title,
        date=date_of(document.fields),
        source=source_of(document.fields),
        url=document.url,
        further=further,
    )


FACTS = ("title", "date", "source", "url")


def about_document_here(document: Document, shown: Collection[str] | None) -> DocumentAbout:
    """Return the facts of a document. Only those named in ``shown`` are visible at once; the others are folded.

    Upper and lower case make no difference in names. If ``shown`` is None, return what `about_document` returns.
    """
    about = about_document(document)
    if shown is None:
        return about
    wanted = {name.lower() for name in shown}
    hidden = [(name, getattr(about, name)) for name in FACTS if name not in wanted]
    fields = dict(about.further)
    return replace(
        about,
        **dict.fromkeys((name for name, _ in hidden), ""),
        named=tuple((name, value) for name, value in fields.items() if name.lower() in wanted),
        further=(
            *((name, value) for name, value in hidden if value),
            *((name, value) for name, value in fields.items() if name.lower() not in wanted),
        ),
    )
