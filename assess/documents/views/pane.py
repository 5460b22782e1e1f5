"""A document as the bench and the document page show it: its page in a frame, its text, or its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.db.models import Exists
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from assess.base.errors import NotFound
from assess.base.numbers import grouped
from assess.campaigns.queries import track_of
from assess.campaigns.seats import access_seat
from assess.documents.access import access_document
from assess.documents.marks import SoughtWords
from assess.documents.models import Document, DocumentBody, DocumentTranslation
from assess.documents.queries.about import DocumentAbout, about_document_here
from assess.documents.queries.bodies import page_of, raw_of
from assess.documents.queries.search import topic_terms
from assess.documents.queries.translations import ShownTranslation, translations_of
from assess.documents.script_language import language_of_document
from assess.items.handles import HighlightedItem, item_in
from assess.items.models import Item
from assess.rendering.encoding import decode_page
from assess.rendering.highlight import ANCHOR, Piece, highlight_page, highlight_text
from assess.rendering.rendered import IMAGE_TYPES

# The signed addresses of framed documents. The document's host has no sessions: the token says who requests
# which document, and it expires.
#
# Anybody can read a signed token. So it names an item by its handle in the assignment from which it is opened
# (`assess.items.handles`), which reveals nothing about runs and differs in other assignments.

SALT = "assay.document.by-handle"


HOURS = 12


WORDS_LIMIT = 300
ANSWER_LIMIT = 600
"""The number of characters of an answer that an address holds, if no item names it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What a token opens: the document, what to mark in it, and the origin of the page that may frame it."""

    document: Document
    sought: SoughtWords
    platform_origin: str


def page_address(
    request: HttpRequest,
    document: Document,
    *,
    marked: HighlightedItem | None = None,
    words: str = "",
    answer: str = "",
) -> str:
    """Return the address of the document's page for this person; it expires after twelve hours.

    The page marks the text of the item ``marked``, or else ``answer``, and the question's ``words``.
    """
    payload = {
        "c": document.campaign.slug,
        "d": document.docno,
        "u": request.user.pk,
        "i": [marked.scope, marked.handle] if marked is not None else None,
        "w": words[:WORDS_LIMIT],
        "a": "" if marked is not None else answer[:ANSWER_LIMIT],
        "o": origin_of(request),
    }
    token = signing.dumps(payload, salt=SALT, compress=True)
    return f"{settings.ASSAY_DOCUMENT_ORIGIN}{reverse('document-page', args=[token])}"


def open_token(token: str, *, session: int | None) -> Opened:
    """Return the document that a token is for.

    Raises `NotFound` for a token that was changed or has expired, and for a person who may no longer read the document.
    ``session`` is the id of the person who is logged in where it is opened: nobody else may open it there. It is None
    if documents have a host of their own, where nobody is logged in and only the token identifies the reader.
    """
    try:
        payload = signing.loads(token, salt=SALT, max_age=HOURS * 3600)
    except signing.BadSignature as error:
        raise NotFound(
            gettext("The address of this document has expired. Reload the page that you work on.")
        ) from error
    person = User.objects.filter(pk=payload["u"], is_active=True).first()
    if person is None:
        raise NotFound
    if session is not None and session != person.pk:
        raise NotFound(gettext("This address is that of somebody else's work, or nobody is logged in here any more."))
    document = access_document(access_seat(person, payload["c"]), payload["d"])
    sought = SoughtWords(answer=payload.get("a", ""), terms=payload["w"].split())
    if payload["i"] is not None:
        named = Item.objects.filter(pk=item_in(*payload["i"]), topic__campaign=document.campaign_id)
        item = named.select_related("topic", "topic__parent", "topic__campaign").first()
        if item is not None:
            sought = SoughtWords(answer=item.text, terms=topic_terms(item.topic))
    return Opened(document, sought, payload["o"])


def origin_of(request: HttpRequest) -> str:
    """Return the origin to which a request was sent."""
    return f"{request.scheme}://{request.get_host()}"


# The views of a document.

VIEWS = ("page", "text", "source")
SOURCE_PART = 100_000  # characters of the source on one page


@dataclass(frozen=True, kw_only=True, slots=True)
class Pane:
    """The values that `parts/document.html` needs.

    ``size`` is the number of characters of a framed page. ``marks`` is the number of marks in this view. ``first`` is
    the number of those that mark what is judged or, with ``is_likely``, the sentence that is likely to contain it. They
    are numbered from 1, and the document opens at number 1. ``likely`` are the sentences of the text that are likely
    evidence, likeliest first. ``find`` is what the reader looks for, which is marked in place of what is judged.
    ``translations`` are shown next to page and text. ``language`` is the language of the text, "" if unknown.
    """

    document: Document
    view: str
    frame_url: str = ""
    size: int = 0
    pieces: Sequence[Piece] = ()
    source: str = ""
    part: int = 1
    parts: int = 1
    marks: int = 0
    first: int = 0
    is_likely: bool = False
    likely: Sequence[tuple[int, int]] = ()
    find: str = ""
    translations: Sequence[ShownTranslation] = ()
    language: str = ""

    @property
    def opens_at(self) -> int:
        """The number of the mark at which the document opens; 0 opens it at the top."""
        return min(self.first, 1)

    @property
    def place_words(self) -> str:
        """Words for the mark at which the document opens, or for the number of marked words."""
        if not self.first:
            return ngettext("%(count)s word", "%(count)s words", self.marks) % {"count": grouped(self.marks)}
        return gettext("the likeliest sentence") if self.is_likely else gettext("place 1 of %(n)s") % {"n": self.first}

    @property
    def likely_places(self) -> str:
        """The start and end of each likely sentence, in code points, as text for the script."""
        return " ".join(f"{start}-{end}" for start, end in self.likely)

    @property
    def about(self) -> DocumentAbout:
        """The facts shown above the document."""
        return about_document_here(self.document, track_of(self.document.campaign).document_facts)


def make_pane(
    request: HttpRequest,
    document: Document,
    *,
    answer: str = "",
    terms: Sequence[str] = (),
    marked: HighlightedItem | None = None,
    words: str = "",
    first: str = "page",
) -> Pane:
    """Return the view of the document that the request names by ``view``; for a page that can't be shown, its text.

    ``marked`` is the item that the framed page marks, ``first`` the view to begin with. If the request says what to
    ``find``, that is marked instead. An image has only one view. Raises what `raw_of` raises. One query for the body,
    and one if there are translations; none for an image.
    """
    if is_image(document):
        address = page_address(request, document, marked=marked, words=words)
        return Pane(document=document, view="image", frame_url=address)
    find = " ".join(request.GET.get("find", "").split())[:ANSWER_LIMIT]
    if find:
        answer, terms, marked, words = find, (), None, ""
    translated = DocumentTranslation.objects.filter(campaign=document.campaign_id, docno=document.docno)
    body = DocumentBody.objects.annotate(is_translated=Exists(translated)).get(document=document)
    wanted = request.GET.get("view", "")
    default = first if document.status == Document.Status.OK else "text"
    view = wanted if wanted in VIEWS else default
    if view == "page" and body.page is None:
        view = "text"
    if view == "source":
        return _source_pane(request, document, body)
    language = document.language
    sought = SoughtWords(answer=answer if view == "text" or marked is not None else answer[:ANSWER_LIMIT], terms=terms)
    translations = translations_of(document, sought) if body.is_translated else ()
    if view == "text":
        marks, likely = sought.find_in(body.text, language)
        pieces, marked_in_text = highlight_text(body.text, marks)
        return Pane(
            document=document,
            view=view,
            pieces=pieces,
            marks=marked_in_text.total,
            first=marked_in_text.first,
            is_likely=marked_in_text.is_likely,
            likely=likely,
            find=find,
            translations=translations,
            language=language_of_document(body.text, language),
        )
    page = page_of(body)
    _, marked_in_page = highlight_page(page, lambda text: sought.marks_in(text, language))
    address = page_address(request, document, marked=marked, words=words, answer=answer)
    return Pane(
        document=document,
        view=view,
        frame_url=f"{address}#{ANCHOR}1" if marked_in_page.first else address,
        size=len(page),
        marks=marked_in_page.total,
        first=marked_in_page.first,
        is_likely=marked_in_page.is_likely,
        find=find,
        translations=translations,
    )


def is_image(document: Document) -> bool:
    """Return whether a document is an image that browsers can show."""
    return document.media_type in IMAGE_TYPES


def _source_pane(request: HttpRequest, document: Document, body: DocumentBody) -> Pane:
    source, _ = decode_page(raw_of(body), document.charset or None)
    parts = max(1, -(-len(source) // SOURCE_PART))
    asked = request.GET.get("part", "1")
    part = min(max(int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 9 else 1, 1), parts)
    start = (part - 1) * SOURCE_PART
    return Pane(document=document, view="source", source=source[start : start + SOURCE_PART], part=part, parts=parts)
