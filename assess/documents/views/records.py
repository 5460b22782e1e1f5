"""The page that loads documents from files of records: a preview of the first ones, and the load once confirmed."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from assess.base.errors import BadFile, Invalid
from assess.campaigns.seats import Seat, access_as_organiser
from assess.documents.domain.records import (
    KeptFile,
    RecordsPreview,
    keep_records,
    preview_records,
    start_records,
    stored_file,
    token_of,
)
from assess.web.forms import RecordsForm
from assess.web.page import render_page


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def documents_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Store a file and show its first documents as they would be stored; load them once that is confirmed."""
    seat = access_as_organiser(request.user, slug)
    if request.method != "POST":
        return _page(request, seat, RecordsForm())
    form = RecordsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, seat, form, status=422)
    values, given = form.cleaned_data, form.given()
    try:
        token = values["token"]
        kept = stored_file(seat.campaign, token) if token else keep_records(campaign=seat.campaign, file=values["file"])
        if token and request.POST.get("act") == "load":
            start_records(actor=seat.user, campaign=seat.campaign, kept=kept, wanted=values["wanted"], given=given)
            messages.success(
                request, gettext("The documents of %(name)s are being loaded in the background.") % {"name": kept.name}
            )
            return redirect("documents", slug)
        look = preview_records(kept.path, kept.name, given)
    except (BadFile, Invalid) as refused:
        return _page(request, seat, form, refused=refused, status=refused.status)
    named = {**look.members.as_values(), "text": ", ".join(look.members.text)}
    shown = RecordsForm(initial={**named, "token": token_of(seat.campaign, kept), "wanted": values["wanted"]})
    return _page(request, seat, shown, look=look, kept=kept)


def _page(
    request: HttpRequest,
    seat: Seat,
    form: RecordsForm,
    *,
    look: RecordsPreview | None = None,
    kept: KeptFile | None = None,
    refused: BadFile | Invalid | None = None,
    status: int = 200,
) -> HttpResponse:
    return render_page(
        request,
        "assess/documents/documents_records.html",
        seat,
        form=form,
        look=look,
        kept=kept,
        refused=refused,
        issues=refused.issues if isinstance(refused, BadFile) else (),
        status=status,
    )
