"""Pages on which an organiser amends, drops, restores or removes a topic, and chooses the topics that are judged."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from assess.base.errors import Invalid, Refused
from assess.base.numbers import grouped
from assess.campaigns.activity import REASON_LIMIT
from assess.campaigns.changed_since import ChangedSince
from assess.campaigns.seats import Seat, access_as_organiser
from assess.organising.judged_topics import choose_topics, judged_topics_of
from assess.organising.queries.topics import count_topic_dependents
from assess.topics.access import access_topic
from assess.topics.domain.amending import amend_topic, wording_digest
from assess.topics.domain.changing import drop_topic, dropping_acts, remove_topic, restore_topic
from assess.topics.models import Topic
from assess.topics.queries import amendments_of, tree_order, wordings_of
from assess.web.made_from import ChangedValue, made_from_text, posted_made_from
from assess.web.page import render_page
from assess.web.table import Listing, searched

PREFIX = "text "
TOPICS_A_PAGE = 200


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def topic_change(request: HttpRequest, slug: str, number: str) -> HttpResponse:
    """Show what can be changed in a topic, and the records that depend on it. A POST makes one change, with a
    reason.
    """
    seat = access_as_organiser(request.user, slug)
    topic = access_topic(seat, number)
    if request.method == "POST":
        try:
            said = _changed(request, seat, topic)
        except Refused as refused:
            return _page(request, seat, topic, refused)
        messages.success(request, said)
        return redirect("topics", slug) if request.POST["do"] == "remove" else redirect("topic-change", slug, number)
    return _page(request, seat, topic)


def _changed(request: HttpRequest, seat: Seat, topic: Topic) -> str:
    """Make the change that was posted, and return a message about it. Raise `Invalid` for an unknown one, and what the
    change itself refuses.
    """
    do, reason = request.POST.get("do", ""), request.POST.get("reason", "")
    actor, campaign, number = seat.user, seat.campaign, topic.number
    if do == "amend":
        wording = {
            name.removeprefix(PREFIX): str(text) for name, text in request.POST.items() if name.startswith(PREFIX)
        }
        seen = request.POST.get("seen", "")
        changed = amend_topic(actor=actor, campaign=campaign, number=number, wording=wording, reason=reason, seen=seen)
        if not changed:
            return gettext("Every text is as it was, so nothing was changed.")
        return gettext("Topic %(number)s is amended. Whoever judges it sees both wordings and the reason.") % {
            "number": number
        }
    if do == "drop":
        gone = drop_topic(actor=actor, campaign=campaign, number=number, reason=reason)
        said = ngettext(
            "Topic %(numbers)s is dropped, and left out of pools, work, exports and scores.",
            "Topics %(numbers)s are dropped, and left out of pools, work, exports and scores.",
            len(gone),
        )
        return said % {"numbers": _numbers(gone)} if gone else str(_NOTHING)
    if do == "restore":
        back = restore_topic(actor=actor, campaign=campaign, number=number, reason=reason)
        said = ngettext(
            "Topic %(numbers)s is restored, with all that was judged. If a pool was built meanwhile, build it again.",
            "Topics %(numbers)s are restored, with all that was judged. If a pool was built meanwhile, build it again.",
            len(back),
        )
        return said % {"numbers": _numbers(back)} if back else str(_NOTHING)
    if do == "remove":
        went = remove_topic(actor=actor, campaign=campaign, number=number, reason=reason)
        return ngettext("%(count)s topic removed: %(went)s.", "%(count)s topics removed: %(went)s.", len(went)) % {
            "count": grouped(len(went)),
            "went": ", ".join(went[:10]),
        }
    raise Invalid(gettext("The form was not filled in by this page. Reload it and try again."))


_NOTHING = gettext_lazy("Nothing was changed: the topic is in that state already.")


def _numbers(topics: list[Topic]) -> str:
    return ", ".join(topic.number for topic in topics[:10]) + (" …" if len(topics) > 10 else "")


def _page(request: HttpRequest, seat: Seat, topic: Topic, refused: Refused | None = None) -> HttpResponse:
    wordings = wordings_of(topic)
    is_amending = refused is not None and request.POST.get("do") == "amend"
    is_changed = refused is not None and refused.code == "unseen"  # both texts are shown: a second press saves
    return render_page(
        request,
        "assess/organising/topic_change.html",
        seat,
        topic=topic,
        wordings=[
            (PREFIX + each.key, each, request.POST.get(PREFIX + each.key, each.text) if is_amending else each.text)
            for each in wordings
        ],
        seen=request.POST.get("seen", "") if is_amending and not is_changed else wording_digest(wordings),
        is_changed=is_changed,
        reason=request.POST.get("reason", ""),
        did=request.POST.get("do", ""),
        standing=count_topic_dependents(topic),
        dropped_by=dropping_acts(seat.campaign).get(topic.number) if topic.dropped else None,
        amendments=amendments_of(topic),
        limit=REASON_LIMIT,
        refused=refused,
        status=refused.status if refused else 200,
    )


# Which topics are judged.


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def judged_topics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show which topics are judged, a page of them at a time. A POST chooses the topics that were ticked or named.
    Topics that the page did not show stay chosen, or not chosen, as they were.
    """
    seat = access_as_organiser(request.user, slug)
    refused: Refused | None = None
    named, words = request.POST.get("numbers", ""), request.GET.get("q", "")
    numbers = [*_chosen_elsewhere(request, seat), *request.POST.getlist("topic"), *named.replace(",", " ").split()]
    if request.method == "POST":
        try:
            choose_topics(actor=seat.user, campaign=seat.campaign, numbers=numbers, made_from=posted_made_from(request))
        except Refused as caught:
            refused = caught
        else:
            messages.success(request, gettext("The choice is saved. Build the pools again so that they follow it."))
            return redirect(request.get_full_path())
    if refused:
        seat.campaign.refresh_from_db(fields=["settings"])
    judged = judged_topics_of(seat.campaign)
    changes = (
        [ChangedValue(label=gettext("Judged topics"), stored=", ".join(judged.chosen), own=", ".join(numbers))]
        if isinstance(refused, ChangedSince)
        else []
    )
    topics = seat.campaign.topics.order_by(*tree_order()).only("campaign", "number", "text", "task")
    page = Paginator(searched(topics, words, ("number", "text")), TOPICS_A_PAGE).get_page(request.GET.get("page"))
    return render_page(
        request,
        "assess/organising/judged_topics.html",
        seat,
        listing=Listing(page, "", words),
        is_part=bool(words) or page.has_other_pages(),
        judged=judged,
        changes=changes,
        made_from=made_from_text({judged.setting: judged.chosen}),
        ticked=set(request.POST.getlist("topic") if refused else judged.chosen),
        named=named if refused else "",
        refused=refused,
        status=refused.status if refused else 200,
    )


def _chosen_elsewhere(request: HttpRequest, seat: Seat) -> list[str]:
    """Return the numbers of the chosen topics that the posted page did not show; none if it showed all topics."""
    if "is_part" not in request.POST:
        return []
    shown = set(request.POST.getlist("shown"))
    return [number for number in judged_topics_of(seat.campaign).chosen if number not in shown]
