"""The bench on which an assessor makes a topic: search, documents, the draft, and its finds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from assess.base.errors import Invalid, NotFound, Refused
from assess.campaigns.models import JUDGES
from assess.campaigns.queries import track_of
from assess.campaigns.seats import Seat, access_seat, may_search
from assess.documents.access import access_document, search_as
from assess.documents.models import Document
from assess.documents.queries.search import Hit, SearchPage, query_words
from assess.documents.views.pane import make_pane
from assess.protocol import DraftContent, Drafting, DraftPart
from assess.topic_drafts.access import access_own_draft, access_own_drafts
from assess.topic_drafts.domain.finding import add_find, judge_document, withdraw_find
from assess.topic_drafts.domain.writing import drop_draft, require_drafting, send_draft, set_query, write_draft
from assess.topic_drafts.models import DraftFind, TopicDraft
from assess.topic_drafts.queries import (
    ShownDraft,
    draft_parts,
    estimate_of,
    find_kinds,
    show_draft,
    show_drafts,
    similar_texts,
    topic_texts,
)
from assess.web.page import render_page
from assess.web.requests import posted_key, posted_number, posted_span, posted_text, wants_json

SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class BesideDraft:
    """What the bench shows beside the draft, as its address says: a search from an offset on, and a document."""

    query: str = ""
    offset: int = 0
    docno: str = ""

    def address(self, **other: object) -> str:
        """Return the query string for this place, with some values replaced."""
        values = {"q": self.query, "from": self.offset, "doc": self.docno, **other}
        said = urlencode({name: value for name, value in values.items() if value})
        return f"?{said}" if said else "?"


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownHit:
    """A document that was found, whether it was judged relevant (None: not judged), and its address on the bench."""

    hit: Hit
    relevant: bool | None
    address: str
    in_hand: bool


@login_required
@require_safe
def topic_draft(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the bench of one draft."""
    seat = access_seat(request.user, slug, *JUDGES)
    draft = access_own_draft(seat, number)
    shown = show_draft(draft)
    return _page(request, seat, shown, _place(request.GET, default=shown.content.query))


def _page(
    request: HttpRequest,
    seat: Seat,
    shown: ShownDraft,
    place: BesideDraft,
    *,
    stored: DraftContent | None = None,
) -> HttpResponse:
    """Show the bench of a draft. If saving was refused, ``shown`` has the unsaved content, and ``stored`` is the stored
    one.
    """
    drafting = require_drafting(seat.campaign)
    found = search_as(seat, place.query, limit=SHOWN, offset=place.offset) if may_search(seat) else None
    document = _in_hand(seat, place, found, shown)
    if document is not None:
        document.campaign = seat.campaign
    hits = _hits(found, shown, place, document.docno if document is not None else "")
    own = show_drafts(access_own_drafts(seat)) if shown.texts else []
    return render_page(
        request,
        "assess/topic_drafts/bench.html",
        seat,
        shown=shown,
        drafting=drafting,
        place=place,
        found=found,
        hits=hits,
        **_steps(hits, found, place),
        document=document,
        pane=make_pane(request, document, terms=query_words(place.query), words=place.query, first="text")
        if document is not None
        else None,
        pane_query="&" + place.address(doc=document.docno)[1:] if document is not None else "",
        relevant=shown.judged.get(document.docno) if document is not None else None,
        estimate=estimate_of(seat.campaign, shown.content.query, shown.judged),
        near=similar_texts(shown, topic_texts(seat.campaign), own) if shown.texts else [],
        **_questions(shown, drafting),
        client_key=uuid4(),
        find_key=uuid4(),
        move_key=uuid4(),
        stored=stored,
        status=200 if stored is None else 409,
    )


@login_required
@require_POST
def topic_draft_write(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Save the draft, send it to the organiser, or drop it. Saving answers a script with JSON."""
    seat = access_seat(request.user, slug, *JUDGES)
    draft = access_own_draft(seat, number)
    key, wanted = posted_key(request), request.POST.get("do", "save")
    try:
        if wanted == "send":
            send_draft(actor=seat.user, draft=draft, client_key=key)
            messages.success(request, gettext("Draft %(number)s is with the organiser.") % {"number": number})
            return redirect("topic-drafts", slug)
        if wanted == "drop":
            drop_draft(actor=seat.user, draft=draft, client_key=key)
            messages.success(request, gettext("Draft %(number)s was dropped.") % {"number": number})
            return redirect("topic-drafts", slug)
        if wanted != "save":
            raise Invalid(gettext("“do” must be save, send or drop. Reload the page and try again."))
        version = posted_number(request, "version") if request.POST.get("version") else None
        content = _posted_content(request, draft)
        shown = write_draft(actor=seat.user, draft=draft, content=content, client_key=key, version=version)
    except Refused as refused:
        if wants_json(request):
            raise
        if wanted == "save" and refused.code == "unseen":
            newest = show_draft(draft)
            typed = replace(newest, content=_posted_content(request, draft))
            return _page(request, seat, typed, _place(request.POST), stored=newest.content)
        messages.error(request, refused.message)
        return _back(request, seat, number)
    if wants_json(request):
        return JsonResponse({"version": shown.version, "parts": len(shown.content.parts)})
    messages.success(request, gettext("Saved."))
    return _back(request, seat, number)


@login_required
@require_POST
def topic_draft_find(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Store an answer or a nugget, judge the open document, withdraw a find, or set the search to judge."""
    seat = access_seat(request.user, slug, *JUDGES)
    draft = access_own_draft(seat, number)
    wanted, key = request.POST.get("do", ""), posted_key(request)
    try:
        if wanted in (DraftFind.Kind.ANSWER, DraftFind.Kind.NUGGET):
            add_find(
                actor=seat.user,
                draft=draft,
                kind=wanted,
                text=posted_text(request, "text"),
                docno=posted_text(request, "docno"),
                part=posted_number(request, "part"),
                quote=posted_text(request, "quote"),
                span=posted_span(request),
                client_key=key,
            )
        elif wanted in ("relevant", "not-relevant"):
            judge_document(
                actor=seat.user,
                draft=draft,
                docno=posted_text(request, "docno"),
                is_relevant=wanted == "relevant",
                client_key=key,
                query=posted_text(request, "q"),
            )
            return _back(request, seat, number, onward=True)
        elif wanted == "withdraw":
            withdraw_find(actor=seat.user, draft=draft, number=posted_number(request, "find"), client_key=key)
        elif wanted == "search":
            set_query(actor=seat.user, draft=draft, query=posted_text(request, "q"), client_key=key)
        else:
            raise Invalid(gettext("The form was not filled in by this page. Reload it and try again."))
    except NotFound:
        raise
    except Refused as refused:
        messages.error(request, refused.message)
    return _back(request, seat, number)


def _posted_content(request: HttpRequest, draft: TopicDraft) -> DraftContent:
    """Return the content of the form. The draft's search is not a field of the form, so it stays as it is."""
    keys = [key for key in request.POST.getlist("part") if key.isascii() and key.isdigit() and len(key) < 6]
    parts = tuple(
        DraftPart(key=int(key), task=request.POST.get(f"task-{key}", ""), text=posted_text(request, f"text-{key}"))
        for key in keys
    )
    return DraftContent(
        text=posted_text(request, "text"),
        task=request.POST.get("task", ""),
        parts=parts,
        definition=posted_text(request, "definition"),
        notes=posted_text(request, "notes"),
        query=show_draft(draft).content.query,
    )


def _place(values: Any, default: str = "") -> BesideDraft:
    offset = values.get("from", "")
    query = values.get("q")
    return BesideDraft(
        query=(default if query is None else query).replace("\0", "")[:300],
        offset=int(offset) if offset.isascii() and offset.isdigit() and len(offset) < 7 else 0,
        docno=values.get("doc", "").replace("\0", ""),
    )


def _in_hand(seat: Seat, place: BesideDraft, found: SearchPage | None, shown: ShownDraft) -> Document | None:
    """Return the document that the address names, or else the search's first document that is not judged yet, or else
    its first. Return None if the search found nothing; raise NotFound if the address names an unknown document.
    """
    docnos = [hit.docno for hit in found.hits] if found is not None else []
    first = next((docno for docno in docnos if docno not in shown.judged), docnos[0] if docnos else "")
    wanted = place.docno or first
    return access_document(seat, wanted) if wanted else None


def _hits(found: SearchPage | None, shown: ShownDraft, place: BesideDraft, in_hand: str) -> list[ShownHit]:
    judged = shown.judged
    return [
        ShownHit(
            hit=hit,
            relevant=judged.get(hit.docno),
            address=place.address(doc=hit.docno),
            in_hand=hit.docno == in_hand,
        )
        for hit in (found.hits if found is not None else ())
    ]


def _steps(hits: list[ShownHit], found: SearchPage | None, place: BesideDraft) -> dict[str, Any]:
    """Return the addresses of the documents before and after the open one, and of the next page of the search."""
    at = next((number for number, each in enumerate(hits) if each.in_hand), None)
    following = found.next_offset if found is not None else None
    onward = place.address(**{"from": following, "doc": ""}) if following is not None else ""
    if at is None:
        return {"before": "", "after": hits[0].address if hits else "", "onward": onward}
    after = hits[at + 1].address if at + 1 < len(hits) else onward
    return {"before": hits[at - 1].address if at else "", "after": after, "onward": onward}


def _questions(shown: ShownDraft, drafting: Drafting) -> dict[str, Any]:
    """Return template values: the questions of the draft with empty rows for further ones, the types to choose from,
    the forms for finds with the questions that take them, and the finds of each question.
    """
    campaign = shown.draft.campaign
    labels = {task.key: task.label for task in track_of(campaign).tasks}
    questions = [part for part in draft_parts(shown.content, drafting) if part.text]
    kinds = {part.key: find_kinds(campaign, part.task) for part in questions}
    most = drafting.parts[1] if drafting.parts is not None else 0
    free = max((part.key for part in shown.content.parts), default=0) + 1
    empty = range(free, free + most - len(shown.content.parts))
    return {
        "rows": [*shown.content.parts, *(DraftPart(key=key, task="", text="") for key in empty)],
        "tasks": [(key, labels[key]) for key in drafting.tasks],
        "forms": [
            (
                kind,
                letter,
                [part for part in questions if kind in kinds[part.key]],
                [labels[key] for key in drafting.tasks if kind in find_kinds(campaign, key)],
            )
            for kind, letter in (("answer", "a"), ("nugget", "w"))
            if any(kind in find_kinds(campaign, task) for task in drafting.tasks)
        ],
        "groups": [
            (part, [find for find in (*shown.answers, *shown.nuggets) if find.part == part.key]) for part in questions
        ],
    }


def _back(request: HttpRequest, seat: Seat, number: int, *, onward: bool = False) -> HttpResponse:
    """Redirect to the bench as it was or, with ``onward``, to the next unjudged document of the search, even on a later
    page.
    """
    place = _place(request.POST)
    address = reverse("topic-draft", args=[seat.campaign.slug, number])
    if not onward or not place.query or not may_search(seat):
        return redirect(address + place.address())
    judged = show_draft(access_own_draft(seat, number)).judged
    found = search_as(seat, place.query, limit=SHOWN, offset=place.offset)
    if all(hit.docno in judged for hit in found.hits) and found.next_offset is not None:
        return redirect(address + place.address(**{"from": found.next_offset, "doc": ""}))
    return redirect(address + place.address(doc=""))
