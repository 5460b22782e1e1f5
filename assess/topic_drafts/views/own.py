"""The topics that somebody makes: the list of their drafts, and a new one."""

from __future__ import annotations

from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from assess.campaigns.models import JUDGES
from assess.campaigns.seats import access_seat
from assess.campaigns.tracks import drafting_of
from assess.topic_drafts.access import access_own_drafts
from assess.topic_drafts.domain.writing import begin_draft
from assess.topic_drafts.queries.drafts import DROPPED, show_drafts
from assess.web.page import render_page
from assess.web.requests import posted_key


@login_required
@require_safe
def topic_drafts(request: HttpRequest, slug: str) -> HttpResponse:
    """The drafts of whoever asks, the newest first."""
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
