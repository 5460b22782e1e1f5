"""Exported files: the list, each as a download, all of them as one zip. For organisers."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from assess.base.errors import NotFound
from assess.campaigns.models import Campaign
from assess.campaigns.queries import newest_point, point_named, track_of
from assess.campaigns.seats import access_as_organiser
from assess.exports.domain import export_zip
from assess.exports.writing import export_lines, find_export
from assess.judging.snapshots import Snapshot
from assess.web.page import render_page
from assess.web.turns import takes_turns


@login_required
@require_safe
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """What can be exported, and as of when."""
    seat = access_as_organiser(request.user, slug)
    return render_page(
        request,
        "assess/exports/exports.html",
        seat,
        exports=track_of(seat.campaign).exports,
        as_of=as_of_asked(request, seat.campaign),
        newest=newest_point(seat.campaign),
    )


@login_required
@require_safe
def export_file(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    """One file, line by line, always as a download."""
    seat = access_as_organiser(request.user, slug)
    export = find_export(seat.campaign, name)
    if export is None:
        raise NotFound
    as_of = as_of_asked(request, seat.campaign)
    lines = export_lines(Snapshot(seat.campaign, as_of), export)
    response = StreamingHttpResponse((line.encode() for line in lines), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, export.name) or "attachment"
    return response


@login_required
@require_safe
@takes_turns
def exports_zip(request: HttpRequest, slug: str) -> FileResponse:
    """All files with their manifest; the same ledger point gives the same bytes."""
    seat = access_as_organiser(request.user, slug)
    as_of = as_of_asked(request, seat.campaign)
    package = export_zip(actor=seat.user, snapshot=Snapshot(seat.campaign, as_of))
    return FileResponse(
        package, as_attachment=True, filename=f"{seat.campaign.slug}-{as_of}.zip", content_type="application/zip"
    )


def as_of_asked(request: HttpRequest, campaign: Campaign) -> int:
    """The ledger point that the address names; the campaign's newest where it names none."""
    return point_named(campaign, request.GET.get("as_of", ""))
