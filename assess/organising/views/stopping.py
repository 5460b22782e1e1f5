"""The page on which judging is stopped before everything is judged, with a reason, or resumed."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from assess.assignments.queries.stops import stops_in_force
from assess.base.errors import Refused
from assess.base.numbers import grouped
from assess.campaigns.activity import REASON_LIMIT
from assess.campaigns.models import Campaign
from assess.campaigns.seats import access_as_organiser
from assess.organising.queries.stopping import stoppable
from assess.organising.stop_work import resume_judging, stop_judging
from assess.progress.queries.assignment_progress import summed
from assess.web.page import render_page


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, slug: str) -> HttpResponse:
    """Show by stage what stopping would leave unjudged. A POST stops judging in the chosen stages, or reopens all that
    was stopped.
    """
    seat = access_as_organiser(request.user, slug)
    campaign, refused = seat.campaign, None
    chosen = request.POST.getlist("stage")
    if request.method == "POST":
        try:
            if request.POST.get("do") == "resume":
                number = resume_judging(actor=seat.user, campaign=campaign)
                messages.success(
                    request,
                    ngettext(
                        "%(count)s assignment can be judged again.",
                        "%(count)s assignments can be judged again.",
                        number,
                    )
                    % {"count": grouped(number)},
                )
            else:
                reason = request.POST.get("reason", "")
                number = stop_judging(actor=seat.user, campaign=campaign, reason=reason, stages=chosen)
                messages.success(
                    request,
                    ngettext(
                        "Judging is stopped: %(count)s assignment ended.",
                        "Judging is stopped: %(count)s assignments ended.",
                        number,
                    )
                    % {"count": grouped(number)},
                )
        except Refused as caught:
            refused = caught
        else:
            return redirect("overview", slug)
    pieces = stoppable(campaign)
    keys = {piece.stage_label: piece.assignment.stage for piece in pieces}
    return render_page(
        request,
        "assess/organising/stop.html",
        seat,
        refused=refused,
        reason=request.POST.get("reason", ""),
        limit=REASON_LIMIT,
        can_stop=campaign.state == Campaign.State.JUDGING,
        shares=[(keys[share.label], share) for share in summed(pieces, lambda piece: piece.stage_label)],
        chosen=chosen,
        stops=stops_in_force(campaign),
        status=refused.status if refused else 200,
    )
