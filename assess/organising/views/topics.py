"""Pages of topics for organisers: one topic with all its facts, and the topics that files gave twice."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from assess.base.errors import Refused
from assess.campaigns.changed_since import ChangedSince
from assess.campaigns.models import Role
from assess.campaigns.queries import settings_of, track_of
from assess.campaigns.seats import access_as_organiser, access_seat
from assess.organising.domain import choose_given
from assess.organising.queries.topics import list_given_twice, topic_facts
from assess.topics.access import access_topic
from assess.topics.queries import amendments_of, whole_series
from assess.web.made_from import made_from_text, posted_made_from
from assess.web.page import render_page

# One topic with its series, its runs, its documents and its work.


@login_required
@require_safe
def topic(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """Show a topic and its series and, for organisers, its runs, list of documents and work."""
    seat = access_seat(request.user, slug, Role.ORGANISER, Role.PARTICIPANT)
    found = access_topic(seat, number)
    if not seat.is_organiser:
        series = whole_series(found)[1:]
        return render_page(request, "assess/organising/topic.html", seat, topic=found, series=series, facts=None)
    facts = topic_facts(found)
    return render_page(
        request,
        "assess/organising/topic.html",
        seat,
        topic=found,
        series=facts.series,
        facts=facts,
        was_changed=seat.campaign.is_closed and (found.dropped or bool(amendments_of(found))),
        segment_noun=track_of(seat.campaign).segment_noun,
    )


# Topics that files gave twice: the findings of each side by side, and the organiser's choice.

PAGE_SIZE = 25
PREFIX = "topic "


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def given_twice(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the topics that were given twice. A POST stores the choices on one page of them."""
    seat = access_as_organiser(request.user, slug)
    said = track_of(seat.campaign).given_twice
    asked = {name.removeprefix(PREFIX): str(value) for name, value in request.POST.items() if name.startswith(PREFIX)}
    refused: Refused | None = None
    number = request.GET.get("page", "")
    if request.method == "POST":
        try:
            posted = posted_made_from(request) or {}
            made_from = {number: digest for number, digest in posted.items() if number in asked}
            choose_given(actor=seat.user, campaign=seat.campaign, choices=asked, made_from=made_from)
        except Refused as error:
            refused = error
        else:
            messages.success(request, gettext("The choices are saved."))
            return redirect(f"{reverse('given-twice', args=[slug])}?page={_whole(number)}")
    changed = refused.names if isinstance(refused, ChangedSince) else ()
    page = Paginator(list_given_twice(seat.campaign), PAGE_SIZE).get_page(_whole(number))
    return render_page(
        request,
        "assess/organising/given_twice.html",
        seat,
        said=said,
        default=getattr(settings_of(seat.campaign), said.setting) if said else "",
        page=page,
        listing={"page": page},
        rows=[(each, asked.get(each.number, each.chosen), each.number in changed) for each in page],
        made_from=made_from_text({each.number: each.chosen for each in page}),
        refused=refused,
        status=refused.status if refused else 200,
    )


def _whole(number: str) -> int:
    """Return the number of a page, or 1 if the text is not a number."""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 1
