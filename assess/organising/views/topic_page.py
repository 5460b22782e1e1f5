"""One topic with its series, its runs, its documents and its work."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from assess.campaigns.models import Role
from assess.campaigns.seats import access_seat
from assess.organising.queries.topic_page import topic_facts
from assess.topics.access import access_topic
from assess.topics.queries.topics import whole_series
from assess.web.page import render_page


@login_required
@require_safe
def topic(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """One topic: its series; for organisers also its runs, list of documents and work."""
    seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
    found = access_topic(seat, number)
    if not seat.is_organiser:
        series = whole_series(found)[1:]
        return render_page(request, "assess/organising/topic.html", seat, topic=found, series=series, facts=None)
    facts = topic_facts(found)
    return render_page(request, "assess/organising/topic.html", seat, topic=found, series=facts.series, facts=facts)
