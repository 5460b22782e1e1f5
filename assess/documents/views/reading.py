"""Pages for reading: a document, its framed page and its bytes; search; document lists."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port, validate_host
from django.template.loader import render_to_string
from django.utils.http import content_disposition_header
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

from assess.base.errors import NotFound
from assess.base.http_json import ServiceAway
from assess.campaigns.models import Role
from assess.campaigns.queries import settings_of, track_of
from assess.campaigns.seats import access_seat
from assess.documents.access import access_document, access_search
from assess.documents.domain.lists import document_list_as
from assess.documents.models import Document, DocumentBody
from assess.documents.queries.bodies import page_of, raw_of
from assess.documents.queries.search import SearchPage, query_words
from assess.documents.script_language import language_of_document
from assess.documents.views.pane import is_image, make_pane, open_token, origin_of
from assess.rendering.csp import document_headers, image_headers, remote_sources
from assess.rendering.highlight import FITTED, highlight_page, highlight_text
from assess.topics.access import access_topic
from assess.web.page import render_page

READERS = (Role.ORGANISER, Role.ASSESSOR, Role.ADJUDICATOR)
logger = logging.getLogger(__name__)

SEARCHED = 20  # documents found on one page
LISTED = 100  # lines of a document list on one page


@login_required
@require_GET
def document(request: HttpRequest, slug: str, docno: str) -> HttpResponse:
    """Show a document next to the bench: its page, its text or its source; ``q`` holds words to mark."""
    seat = access_seat(request.user, slug, *READERS)
    found = access_document(seat, docno)
    found.campaign = seat.campaign
    words = request.GET.get("q", "").replace("\x00", "")
    terms = query_words(words)
    pane = make_pane(request, found, terms=terms, words=" ".join(terms))
    in_panel = bool(getattr(request, "htmx", False))
    template = "assess/documents/parts/document_part.html" if in_panel else "assess/documents/document.html"
    query = "&" + urlencode({"q": words}) if words else ""
    listed = request.GET.get("list", "")
    query += "&" + urlencode({"list": listed}) if listed else ""
    return render_page(request, template, seat, pane=pane, words=words, query=query, listed=listed, in_panel=in_panel)


@require_GET
@xframe_options_exempt
def document_page(request: HttpRequest, token: str) -> HttpResponse:
    """Return the page inside the frame; the token identifies the reader and the document.

    On a host of its own, the page belongs to no session; otherwise, the session must be the reader's.
    """
    origin = settings.ASSAY_DOCUMENT_ORIGIN or origin_of(request)
    try:
        session = None if settings.ASSAY_DOCUMENT_ORIGIN else request.user.pk or 0
        opened = open_token(token, session=session)
    except NotFound as refused:
        refusal = render_to_string("assess/documents/parts/framed_text.html", {"message": refused.message})
        return _framed(refusal, platform=origin, status=404)
    body = DocumentBody.objects.get(document=opened.document)
    if is_image(opened.document):
        return _image(opened.document, body)
    page = page_of(body)
    language, campaign = opened.document.language, opened.document.campaign
    content, _ = highlight_page(page, lambda text: opened.sought.marks_in(text, language))
    if body.page is None:
        pieces, _ = highlight_text(body.text, opened.sought.marks_in(body.text, language))
        content = render_to_string(
            "assess/documents/parts/framed_text.html",
            {
                "campaign": campaign,
                "message": opened.document.note,
                "pieces": pieces,
                "language": language_of_document(body.text, language),
            },
        )
    else:
        told = language_of_document(body.text, language) or track_of(campaign).language
        content = content.replace("<html>", f'<html lang="{told}">', 1)
    content = content.replace("</head>", FITTED + "</head>", 1)
    sources: tuple[str, ...] = ()
    if getattr(settings_of(campaign), "remote_resources", False):
        own = [host.removesuffix(".") for host in _own_hosts(origin, opened.platform_origin)]
        sources = remote_sources(page, is_own=lambda host: validate_host(host, own))
    return _framed(content, platform=opened.platform_origin, sources=sources)


@login_required
@require_GET
def document_raw(request: HttpRequest, slug: str, docno: str) -> HttpResponse:
    """Return the document's bytes as they were loaded, as a file to download. Raises what `raw_of` raises."""
    found = access_document(access_seat(request.user, slug, *READERS), docno)
    body = DocumentBody.objects.get(document=found)
    response = HttpResponse(raw_of(body), content_type="application/octet-stream")
    name = re.sub(r"[^A-Za-z0-9._-]", "_", found.docno).lstrip(".") or "document"
    response["Content-Disposition"] = content_disposition_header(True, f"{name}.bin") or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


@login_required
@require_GET
def search(request: HttpRequest, slug: str) -> HttpResponse:
    """Search documents by a service, if there is one, or by the site; show a page, or the panel next to the bench."""
    seat = access_seat(request.user, slug, *READERS)
    query, own = request.GET.get("q", "").replace("\x00", ""), bool(request.GET.get("own"))
    service, away = access_search(seat).label, None
    try:
        found = access_search(seat, own=own).search(seat.campaign, query, limit=SEARCHED, offset=_offset(request))
    except ServiceAway as error:
        logger.warning("%s %s", error.logged, error.details)
        found, away = SearchPage(query=query, searched_by=service), error
    in_panel = bool(getattr(request, "htmx", False))
    template = "assess/documents/parts/search.html" if in_panel else "assess/documents/search.html"
    own = own and bool(service)
    return render_page(request, template, seat, found=found, service=service, own=own, away=away, in_panel=in_panel)


@login_required
@require_GET
def document_list(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """Show the top documents of a topic's target, on a page or in the panel next to the bench. Runs are never shown."""
    seat = access_seat(request.user, slug, *READERS)
    topic = access_topic(seat, number)
    offset = _offset(request)
    lines = document_list_as(seat, topic, limit=LISTED + 1, offset=offset)
    in_panel = bool(getattr(request, "htmx", False))
    template = "assess/documents/parts/document_list.html" if in_panel else "assess/documents/document_list.html"
    onward = offset + LISTED if len(lines) > LISTED else None
    return render_page(request, template, seat, topic=topic, lines=lines[:LISTED], onward=onward, in_panel=in_panel)


def _image(document: Document, body: DocumentBody) -> HttpResponse:
    """Return an image with its own media type, so that nothing in it can run as a page. Raises what `raw_of` raises."""
    response = HttpResponse(raw_of(body), content_type=document.media_type)
    for name, value in image_headers().items():
        response[name] = value
    response["Cache-Control"] = "private, max-age=3600"
    return response


def _offset(request: HttpRequest) -> int:
    asked = request.GET.get("from", "0")
    return int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 7 else 0


def _own_hosts(*origins: str) -> list[str]:
    """Return the hosts of these origins, and those of the setting ALLOWED_HOSTS; ".example.org" is a whole domain, and
    "*" is left out.
    """
    names = [split_domain_port(urlsplit(origin).netloc)[0] for origin in origins]
    return [*names, *(host for host in settings.ALLOWED_HOSTS if host != "*")]


def _framed(content: str, *, platform: str, sources: Sequence[str] = (), status: int = 200) -> HttpResponse:
    response = HttpResponse(content, status=status)
    for name, value in document_headers(platform_origin=platform, sources=sources).items():
        response[name] = value
    response["Cache-Control"] = "private, no-store"
    return response
