"""A document as the workbench and the document page show it: its page in a frame, its text, its source."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest

from assess.documents.models import Document, DocumentBody
from assess.documents.views.token import page_address
from assess.items.handles import Marked
from assess.rendering.document import IMAGE_TYPES
from assess.rendering.highlight import count_marks, highlight_page, highlight_text

VIEWS = ("page", "text", "source")
SOURCE_PART = 100_000  # characters of the source on one page


@dataclass(frozen=True, kw_only=True, slots=True)
class Pane:
    """All that `parts/document.html` needs. ``marks`` counts the places marked in this view."""

    document: Document
    view: str
    frame_url: str = ""
    pieces: Sequence[tuple[str, str]] = ()
    source: str = ""
    part: int = 1
    parts: int = 1
    marks: int = 0


def make_pane(
    request: HttpRequest,
    document: Document,
    *,
    answer: str = "",
    terms: Sequence[str] = (),
    marked: Marked | None = None,
    words: str = "",
    first: str = "page",
) -> Pane:
    """The view of the document that the request asks for by ``view``; a page that can't be shown gives its text.

    ``marked`` is the item that the framed page marks, ``first`` the view to begin with. An image has no other view than
    itself. One query, for the body; none for an image.
    """
    if is_image(document):
        address = page_address(request, document, marked=marked, words=words)
        return Pane(document=document, view="image", frame_url=address)
    body = DocumentBody.objects.get(document=document)
    wanted = request.GET.get("view", "")
    default = first if document.status == Document.Status.OK else "text"
    view = wanted if wanted in VIEWS else default
    if view == "page" and body.page is None:
        view = "text"
    if view == "source":
        return _source_pane(request, document, body)
    if view == "text":
        pieces = highlight_text(body.text, terms, answer)
        return Pane(document=document, view=view, pieces=pieces, marks=sum(1 for _, kind in pieces if kind))
    highlighted = highlight_page(page_of(body), terms, answer)
    address = page_address(request, document, marked=marked, words=words)
    return Pane(document=document, view=view, frame_url=address, marks=count_marks(highlighted))


def is_image(document: Document) -> bool:
    """Whether a document is an image that browsers show as one."""
    return document.media_type in IMAGE_TYPES


def page_of(body: DocumentBody) -> str:
    """The prepared page as text, or "" where there is none."""
    return zlib.decompress(body.page).decode() if body.page is not None else ""


def _source_pane(request: HttpRequest, document: Document, body: DocumentBody) -> Pane:
    raw = zlib.decompress(body.raw)
    try:
        source = raw.decode(document.charset or "utf-8", errors="replace")
    except LookupError:
        source = raw.decode("utf-8", errors="replace")
    parts = max(1, -(-len(source) // SOURCE_PART))
    asked = request.GET.get("part", "1")
    part = min(max(int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 1, 1), parts)
    start = (part - 1) * SOURCE_PART
    return Pane(document=document, view="source", source=source[start : start + SOURCE_PART], part=part, parts=parts)
