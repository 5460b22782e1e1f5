"""Lists of drafts: those sent to the organiser, side by side, and the author's own."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from assess.base.errors import Invalid, Refused
from assess.campaigns.dates import release_words
from assess.campaigns.models import JUDGES, Part
from assess.campaigns.queries import drafting_of, track_of
from assess.campaigns.seats import Seat, access_as_organiser, access_seat
from assess.topic_drafts.access import access_draft, access_drafts, access_own_drafts
from assess.topic_drafts.domain.deciding import accept_draft, next_number, send_back
from assess.topic_drafts.domain.writing import begin_draft
from assess.topic_drafts.queries import (
    DROPPED,
    ShownDraft,
    SimilarText,
    draft_parts,
    show_drafts,
    similar_texts,
    topic_texts,
)
from assess.web.page import render_page
from assess.web.requests import posted_key, posted_number, posted_text


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """A draft that waits for the organiser: its questions by type, and similar topics."""

    shown: ShownDraft
    questions: tuple[tuple[str, str, int, int], ...]
    near: list[SimilarText]
    key: str


@login_required
@require_safe
def topic_drafts_desk(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the drafts that were sent, side by side, and all drafts with their states."""
    return _page(request, access_as_organiser(request.user, slug))


@login_required
@require_POST
def topic_draft_decide(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Send a draft back with a remark, or accept it. If that is refused, show the page with the reason."""
    seat = access_as_organiser(request.user, slug)
    draft = access_draft(seat, number)
    wanted, key = request.POST.get("do", ""), posted_key(request)
    try:
        version = posted_number(request, "version") if request.POST.get("version") else None
        if wanted == "accept":
            chosen = posted_text(request, "topic")
            accept_draft(actor=seat.user, draft=draft, client_key=key, number=chosen, version=version)
            said = gettext("Draft %(number)s is topic %(topic)s now.") % {
                "number": number,
                "topic": draft.topic.number if draft.topic else "",
            }
        elif wanted == "back":
            word = posted_text(request, "word")
            send_back(actor=seat.user, draft=draft, word=word, client_key=key, version=version)
            said = gettext("Draft %(number)s went back to %(author)s.") % {"number": number, "author": draft.author}
        else:
            raise Invalid(gettext("“do” must be back or accept. Reload the page and try again."))
    except Refused as refused:
        return _page(request, seat, refused=refused)
    messages.success(request, said)
    return redirect("topic-drafts-desk", slug)


def _page(request: HttpRequest, seat: Seat, refused: Refused | None = None) -> HttpResponse:
    campaign = seat.campaign
    shown = [each for each in show_drafts(access_drafts(seat)) if each.state != DROPPED]
    drafting = drafting_of(campaign)
    labels = {task.key: task.label for task in track_of(campaign).tasks}
    topics = topic_texts(campaign)
    waiting = [each for each in shown if each.awaits_decision]
    cards = [
        Card(
            shown=each,
            questions=tuple(
                (
                    labels.get(part.task, gettext("no type")),
                    part.text,
                    sum(find.part == part.key for find in each.answers),
                    sum(find.part == part.key for find in each.nuggets),
                )
                for part in (draft_parts(each.content, drafting) if drafting else ())
            ),
            near=similar_texts(each, topics, shown),
            key=str(uuid4()),
        )
        for each in waiting
    ]
    return render_page(
        request,
        "assess/topic_drafts/desk.html",
        seat,
        cards=cards,
        others=[each for each in shown if not each.awaits_decision],
        drafting=drafting,
        next_number=next_number(campaign),
        release=release_words(campaign, Part.TOPICS),
        refused=refused,
        status=refused.status if refused else 200,
    )


# The topics that somebody makes: the list of their drafts, and a new one.


@login_required
@require_safe
def topic_drafts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the person's own drafts, newest first."""
    seat = access_seat(request.user, slug, *JUDGES)
    shown = show_drafts(access_own_drafts(seat).order_by("-number"))
    return render_page(
        request,
        "assess/topic_drafts/own.html",
        seat,
        drafts=[each for each in shown if each.state != DROPPED],
        dropped=[each for each in shown if each.state == DROPPED],
        drafting=drafting_of(seat.campaign),
        client_key=uuid4(),
    )


@login_required
@require_POST
def topic_draft_begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a draft and open it."""
    seat = access_seat(request.user, slug, *JUDGES)
    draft = begin_draft(actor=seat.user, campaign=seat.campaign, client_key=posted_key(request))
    return redirect("topic-draft", slug, draft.number)
