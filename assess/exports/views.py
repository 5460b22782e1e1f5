"""Exported files: the list, each as a download, all of them as one zip. For organisers."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from assess.base.errors import NotFound
from assess.campaigns.queries import newest_point, track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.exports.domain import export_zip
from assess.exports.kept import StillExporting, exports_at_hand, exports_point, file_pieces
from assess.exports.writing import find_export
from assess.jobs.waiting import looks_again, render_waiting
from assess.judging.snapshots import Snapshot
from assess.web.page import render_page


@login_required
@require_safe
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """Return what can be exported, and as of when."""
    seat = access_as_organiser(request.user, slug)
    return render_page(
        request,
        "assess/exports/exports.html",
        seat,
        exports=track_of(seat.campaign).exports,
        as_of=exports_point(seat.campaign, request.GET.get("as_of", "")),
        newest=newest_point(seat.campaign),
    )


@login_required
@require_safe
def export_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """One file, line by line, always as a download; of a large campaign once the worker has made all of them."""
    seat = access_as_organiser(request.user, slug)
    as_of = exports_point(seat.campaign, request.GET.get("as_of", ""))
    snapshot = Snapshot(seat.campaign, as_of)
    export = find_export(snapshot.campaign, name)
    if export is None:
        raise NotFound
    try:
        pieces = file_pieces(actor=seat.user, snapshot=snapshot, export=export)
    except StillExporting as waiting:
        return render_waiting(request, seat, waiting, _address(request, as_of))
    return _ready(request, seat, as_of, export.name) if looks_again(request) else _as_text(pieces, export.name)


@login_required
@require_safe
def exports_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """All files with their manifest; the same ledger point gives the same bytes."""
    seat = access_as_organiser(request.user, slug)
    as_of = exports_point(seat.campaign, request.GET.get("as_of", ""))
    name = f"{seat.campaign.slug}-{as_of}.zip"
    snapshot = Snapshot(seat.campaign, as_of)
    try:
        if looks_again(request):
            exports_at_hand(actor=seat.user, snapshot=snapshot).close()
            return _ready(request, seat, as_of, name)
        package = export_zip(actor=seat.user, snapshot=snapshot)
    except StillExporting as waiting:
        return render_waiting(request, seat, waiting, _address(request, as_of))
    return FileResponse(package, as_attachment=True, filename=name, content_type="application/zip")


def _address(request: HttpRequest, as_of: int) -> str:
    """The address of what was asked for, at the ledger point that it named or that was taken for it."""
    return f"{request.path}?as_of={as_of}"


def _ready(request: HttpRequest, seat: Seat, as_of: int, name: str) -> HttpResponse:
    """Show the finished file in place of the worker's progress."""
    address = _address(request, as_of)
    return render_page(request, "assess/exports/parts/ready.html", seat, as_of=as_of, name=name, address=address)


def _as_text(pieces: Iterator[bytes], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
