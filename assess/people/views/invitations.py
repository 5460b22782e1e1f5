"""Pages of invitations: all open ones, and inviting the people on a list."""

from __future__ import annotations

import io
from uuid import uuid4

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import Refused
from assess.base.file_issues import Collector
from assess.base.unpacked import read_upload
from assess.campaigns.models import Role
from assess.campaigns.seats import Seat, access_as_organiser
from assess.people.domain.invitations import (
    FILE_LIMIT,
    INVITATION_DAYS,
    check_invitations,
    invite_many,
    read_invitations,
)
from assess.people.forms import InvitationListForm, InvitationTextForm
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.web.table import Column, choices_filter, csv_response, make_table, rows_response

SHOWN = 100  # rows of the preview

COLUMNS = (
    Column(key="role", label=gettext_lazy("Role"), order="role"),
    Column(key="team", label=gettext_lazy("Team"), order="team"),
    Column(key="note", label=gettext_lazy("For"), order="note"),
    Column(
        key="by",
        label=gettext_lazy("Made by"),
        value=lambda each: each.created_by.username,
        order="created_by__username",
    ),
    Column(
        key="until",
        label=gettext_lazy("Until"),
        value=lambda each: each.expires_at.isoformat(timespec="minutes"),
        order="expires_at",
    ),
)
FILTERS = (choices_filter("role", gettext_lazy("Role"), Role),)


@login_required
@require_safe
def invitations(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show every invitation that nobody has accepted yet."""
    seat = access_as_organiser(request.user, slug)
    rows = seat.campaign.invitations.filter(accepted_at=None).select_related("created_by")
    table = make_table(request, rows, columns=COLUMNS, filters=FILTERS, search=("note", "team"), order="-until")
    if table.wants_csv:
        return csv_response(table, name="invitations.csv")
    return render_page(request, "assess/people/invitations.html", seat, table=table, now=timezone.now())


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def invitations_list(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for a file of people; then show its content before anybody is invited."""
    seat = access_as_organiser(request.user, slug)
    if request.method != "POST":
        return _page(request, seat, form=InvitationListForm())
    form = InvitationListForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, seat, form=form, status=422)
    file = form.cleaned_data["file"]
    try:
        content = read_upload(file, most=FILE_LIMIT + 1)
    except Refused as refused:
        add_refusal(form, refused)
        return _page(request, seat, form=form, status=422)
    return _checked(request, seat, content, name=file.name or gettext("The file"))


@login_required
@require_POST
@never_cache
def invitations_make(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Invite everybody on the reviewed list, and send their links as a file, once."""
    seat = access_as_organiser(request.user, slug)
    form = InvitationTextForm(request.POST)
    if not form.is_valid():
        return _page(request, seat, form=InvitationListForm(), lost=True, status=422)
    problems = Collector()
    content = form.cleaned_data["rows"].encode()
    rows = read_invitations(io.BytesIO(content), report=problems)
    if not problems.report().is_clean:
        return _checked(request, seat, content, name=gettext("The list"))
    made = invite_many(actor=seat.user, campaign=seat.campaign, rows=rows, client_key=form.cleaned_data["client_key"])
    links = (
        (row.role, row.team, row.note, request.build_absolute_uri(reverse("invitation", args=[token])))
        for row, token in made
    )
    return rows_response(header=("role", "team", "note", "link"), rows=links, name=f"invitations-{slug}.csv")


def _checked(request: HttpRequest, seat: Seat, content: bytes, *, name: str) -> HttpResponse:
    """Show the content of the list, with its faults or with the button that invites."""
    problems = Collector()
    rows = check_invitations(seat.campaign, read_invitations(io.BytesIO(content), report=problems), report=problems)
    report = problems.report()
    if not report.is_clean:
        return _page(request, seat, form=InvitationListForm(), report=report, name=name, status=422)
    text = content.decode("utf-8-sig")
    sure = InvitationTextForm(initial={"rows": text, "client_key": uuid4()})
    counts = [(role.label, sum(row.role == role for row in rows)) for role in Role]
    return _page(
        request,
        seat,
        form=InvitationListForm(),
        sure=sure,
        rows=rows[:SHOWN],
        number=len(rows),
        counts=[(label, number) for label, number in counts if number],
        name=name,
    )


def _page(request: HttpRequest, seat: Seat, *, status: int = 200, **context: object) -> HttpResponse:
    return render_page(
        request, "assess/people/invitations_list.html", seat, days=INVITATION_DAYS, status=status, **context
    )
