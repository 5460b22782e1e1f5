"""Pages for people who answer for a campaign or the site: logins, exports, and working hours."""

from __future__ import annotations

from functools import partial
from typing import Any

from axes.models import AccessAttempt
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from assess.assignments.queries.topics import all_stages
from assess.campaigns.activity import ACTIONS
from assess.campaigns.seats import Seat, access_as_organiser, access_whole_site
from assess.organising.queries.audit import OF_CAMPAIGNS, OF_PEOPLE, audited
from assess.organising.views.activity import COLUMNS, about_of, data_text, words_of
from assess.progress.domain import counts_for_a_call
from assess.progress.queries.time_sheets import hours_of, sheet_lines
from assess.web.page import render_page
from assess.web.requests import person_of
from assess.web.table import Column, Filter, Option, csv_response, make_table

ACTS = (
    *COLUMNS[:3],
    Column(
        key="campaign",
        label=gettext_lazy("Campaign"),
        value=lambda row: row.campaign.slug if row.campaign else "",
        order="campaign__slug",
    ),
    *(column for column in COLUMNS[3:] if column.key != "point"),
)
"""The columns of a campaign's activity, with the campaign. Ledger points are left out: they differ by campaign."""

KINDS = Filter(
    key="kind",
    label=gettext_lazy("What"),
    options=tuple(
        Option(value=name.strip("."), label=label, where=Q(action__startswith=name))
        for name, label in (OF_PEOPLE | OF_CAMPAIGNS).items()
    ),
)
LINES = (
    Column(key="person", label=gettext_lazy("Person"), value=lambda line: line.person.username),
    Column(key="name", label=gettext_lazy("Display name"), value=lambda line: line.person.first_name),
    Column(key="day", label=gettext_lazy("Day"), value=lambda line: line.day.isoformat()),
    Column(key="stage", label=gettext_lazy("Stage")),
    Column(key="acts", label=gettext_lazy("Recorded"), number=True),
    Column(key="timed", label=gettext_lazy("Timed"), number=True),
    Column(key="hours", label=gettext_lazy("Active hours"), value=lambda line: round(line.hours, 2), number=True),
)


@login_required
@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the acts that concern the rights of a campaign's members, and the data that left it."""
    return _audit(request, access_as_organiser(request.user, slug))


@login_required
@require_safe
def site_audit(request: HttpRequest) -> HttpResponseBase:
    """Show the audit of the whole site, with the failed logins that count at present, to the people who run the
    site.
    """
    access_whole_site(person_of(request))
    return _audit(request, None)


def _audit(request: HttpRequest, seat: Seat | None) -> HttpResponseBase:
    campaign = seat.campaign if seat is not None else None
    rows = audited(campaign)
    table = make_table(
        request, rows, columns=ACTS, filters=(KINDS,), search=("actor__username", "campaign__slug"), order="-when"
    )
    if table.wants_csv:
        return csv_response(table, name="audit.csv")
    words = words_of(campaign, table.rows)
    lines = [(row, ACTIONS.get(row.action, row.action), about_of(row), data_text(row, words)) for row in table.rows]
    wrong = list(AccessAttempt.objects.order_by("-attempt_time")[:50]) if seat is None else []
    return render_page(request, "assess/organising/audit.html", seat, table=table, lines=lines, wrong=wrong)


@login_required
@require_safe
def time_sheets(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show who worked how long, by person, day and stage."""
    seat = access_as_organiser(request.user, slug)
    lines = sheet_lines(counts_for_a_call(seat.campaign))
    table = make_table(
        request,
        lines,
        columns=LINES,
        filters=(_by("person", gettext_lazy("Person"), lines), _by("month", gettext_lazy("Month"), lines)),
        order="person",
    )
    if table.wants_csv:
        return csv_response(table, name="time-sheet.csv")
    totals = hours_of(table.listing.page.paginator.object_list)
    labels = {stage.key: stage.label for stage in all_stages(seat.campaign)}
    return render_page(request, "assess/organising/time_sheets.html", seat, table=table, totals=totals, labels=labels)


def _by(name: str, label: str | Promise, lines: list[Any]) -> Filter:
    values = sorted({str(getattr(line, name)) for line in lines})
    options = (Option(value=value, label=value, holds=partial(_is, name, value)) for value in values)
    return Filter(key=name, label=label, options=tuple(options))


def _is(name: str, value: str, line: Any) -> bool:
    return str(getattr(line, name)) == value
