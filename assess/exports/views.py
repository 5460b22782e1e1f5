"""The pages of exports, for organisers: the list, each file as a download, and all of them as one zip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from assess.base.errors import NotFound
from assess.campaigns.models import Campaign
from assess.campaigns.queries import newest_point, track_of
from assess.campaigns.seats import Seat, access_as_organiser
from assess.exports.domain import export_zip, zip_name
from assess.exports.kept import StillExporting, exports_at_hand, exports_point, file_pieces
from assess.exports.parts import is_part, part_of
from assess.exports.writing import find_export
from assess.jobs.waiting import looks_again, render_waiting
from assess.judging.queries.judges import OFFICIAL, judges_of
from assess.judging.snapshots import Snapshot
from assess.web.page import render_page

PART = ("topic", "judges")
"""The parameters by which an address names a part."""


@login_required
@require_safe
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the files that can be exported, and the ledger point."""
    seat = access_as_organiser(request.user, slug)
    snapshot = _requested_snapshot(request, seat.campaign)
    return render_page(
        request,
        "assess/exports/exports.html",
        seat,
        exports=track_of(seat.campaign).exports,
        as_of=snapshot.as_of,
        newest=newest_point(seat.campaign),
        judges=judges_of(seat.campaign),
        asked={name: request.GET.get(name, "").strip() for name in PART} | {"judges": _judges(request)},
        query=_query(request, snapshot),
        numbers=sorted(snapshot.topics or ()),
        is_part=is_part(snapshot),
    )


@login_required
@require_safe
def export_file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """Return one file as a download, piece by piece; for a large campaign, show that the worker is making all files
    until it has. Raises `NotFound` for a name that is no file's.
    """
    seat = access_as_organiser(request.user, slug)
    snapshot = _requested_snapshot(request, seat.campaign)
    export = find_export(snapshot.campaign, name)
    if export is None:
        raise NotFound
    try:
        pieces = file_pieces(actor=seat.user, snapshot=snapshot, export=export)
    except StillExporting as waiting:
        return render_waiting(request, seat, waiting, _address(request, snapshot))
    if looks_again(request):
        return _ready(request, seat, snapshot, export.name)
    path = PurePath(export.name)
    return _as_text(pieces, f"{path.stem}-part{path.suffix}" if is_part(snapshot) else export.name)


@login_required
@require_safe
def exports_zip(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return all files with their manifest as a zip; for a large campaign, show that the worker is making them until it
    has. The same ledger point gives the same bytes.
    """
    seat = access_as_organiser(request.user, slug)
    snapshot = _requested_snapshot(request, seat.campaign)
    name = zip_name(snapshot)
    try:
        if looks_again(request):
            exports_at_hand(actor=seat.user, snapshot=snapshot).close()
            return _ready(request, seat, snapshot, name)
        package = export_zip(actor=seat.user, snapshot=snapshot)
    except StillExporting as waiting:
        return render_waiting(request, seat, waiting, _address(request, snapshot))
    return FileResponse(package, as_attachment=True, filename=name, content_type="application/zip")


def _requested_snapshot(request: HttpRequest, campaign: Campaign) -> Snapshot:
    """Return the snapshot that an address asks for: its ledger point, named or chosen for it, and its part."""
    part = part_of(campaign, topics=request.GET.get("topic", ""), judges=_judges(request))
    return replace(part, as_of=exports_point(part, request.GET.get("as_of", "")))


def _judges(request: HttpRequest) -> str:
    return request.GET.get("judges", "").strip() or OFFICIAL


def _query(request: HttpRequest, snapshot: Snapshot) -> str:
    """Return the query string for the same part at the same ledger point."""
    part = {name: request.GET[name] for name in PART if request.GET.get(name, "").strip() not in ("", OFFICIAL)}
    return urlencode({"as_of": snapshot.as_of, **part})


def _address(request: HttpRequest, snapshot: Snapshot) -> str:
    """Return the address of the requested file at the snapshot's ledger point."""
    return f"{request.path}?{_query(request, snapshot)}"


def _ready(request: HttpRequest, seat: Seat, snapshot: Snapshot, name: str) -> HttpResponse:
    """Show the link to the finished file instead of the worker's progress."""
    return render_page(
        request,
        "assess/exports/parts/ready.html",
        seat,
        as_of=snapshot.as_of,
        name=name,
        query=_query(request, snapshot),
        address=_address(request, snapshot),
    )


def _as_text(pieces: Iterator[bytes], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
