"""Exported files: the list, each as a download, all of them as one zip. For organisers."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from assess.domain.access import access_as_organiser
from assess.domain.errors import Invalid, NotFound
from assess.domain.exports import export_campaign
from assess.queries.exports import export_lines, find_export, ledger_point
from assess.queries.tracks import track_of
from assess.views.page import render_page

_CLOCK = (1980, 1, 1, 0, 0, 0)  # the same in every zip, so that the same files give the same bytes


@login_required
@require_safe
def exports(request: HttpRequest, slug: str) -> HttpResponse:
    """What can be exported, and as of when."""
    seat = access_as_organiser(request.user, slug)
    newest = ledger_point()
    return render_page(
        request,
        "assess/exports.html",
        seat,
        exports=track_of(seat.campaign).exports,
        as_of=as_of_asked(request, newest),
        newest=newest,
    )


@login_required
@require_safe
def export_file(request: HttpRequest, slug: str, name: str) -> StreamingHttpResponse:
    """One file, line by line, always as a download."""
    seat = access_as_organiser(request.user, slug)
    export = find_export(seat.campaign, name)
    if export is None:
        raise NotFound
    as_of = as_of_asked(request, ledger_point())
    lines = export_lines(seat.campaign, export, as_of=as_of)
    response = StreamingHttpResponse((line.encode() for line in lines), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, export.name) or "attachment"
    return response


@login_required
@require_safe
def exports_zip(request: HttpRequest, slug: str) -> FileResponse:
    """All files with their manifest; the same ledger point gives the same bytes."""
    seat = access_as_organiser(request.user, slug)
    as_of = as_of_asked(request, ledger_point())
    package = tempfile.TemporaryFile()  # noqa: SIM115 (the response closes it)
    with tempfile.TemporaryDirectory() as folder:
        exported = export_campaign(
            actor=seat.user, campaign=seat.campaign, folder=Path(folder) / "exports", as_of=as_of
        )
        with zipfile.ZipFile(package, "w", compression=zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(exported.folder.iterdir()):
                entry = zipfile.ZipInfo(path.name, date_time=_CLOCK)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with archive.open(entry, "w") as target, path.open("rb") as source:
                    while piece := source.read(1 << 20):
                        target.write(piece)
    package.seek(0)
    return FileResponse(
        package, as_attachment=True, filename=f"{seat.campaign.slug}-{as_of}.zip", content_type="application/zip"
    )


def as_of_asked(request: HttpRequest, newest: int) -> int:
    """The ledger point that the address names; the newest where it names none."""
    text = request.GET.get("as_of", "").strip()
    if not text:
        return newest
    if not text.isdecimal() or len(text) > 15 or int(text) > newest:
        raise Invalid(f"The ledger point is a whole number up to {newest}, the newest. Leave it empty for that.")
    return int(text)
