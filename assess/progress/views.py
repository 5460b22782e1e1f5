"""The page of progress by topic, stage and assessor: pace, forecast, stuck work, questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from assess.assignments.models import Assignment
from assess.assignments.queries.topics import all_stages
from assess.base.wording import natural
from assess.campaigns.seats import Seat, access_as_organiser
from assess.judging.queries.current import unsure_counts
from assess.progress.domain import count_work
from assess.progress.plots import PaceLine, burn_up, pace_line, strip
from assess.progress.queries.assignment_progress import AssignmentProgress, Share
from assess.progress.queries.pace import PersonPace
from assess.progress.queries.progress_report import ProgressReport, report_from_counts
from assess.web.page import render_page
from assess.web.table import Column, Filter, Option, csv_response, make_table

SHARES_PER_PAGE = 25
STUCK_SHOWN = 20
DAYS_SHOWN = 14


@dataclass(frozen=True, slots=True)
class AssessorLine:
    """One assessor: their share of the work, their pace by day, and their small plot."""

    share: Share
    pace: PersonPace
    plot: PaceLine | None


def _rounded(value: float | None) -> float | None:
    return round(value, 1) if value is not None else None


def _rank(piece: AssignmentProgress) -> object:
    return natural(piece.assignment.topic.number)


COLUMNS = (
    Column(key="topic", label=gettext_lazy("Topic"), value=lambda piece: piece.assignment.topic.number, rank=_rank),
    Column(key="stage", label=gettext_lazy("Stage"), value=lambda piece: piece.stage_label),
    Column(key="assessor", label=gettext_lazy("Assessor"), value=lambda piece: piece.assignment.assessor.username),
    Column(
        key="role",
        label=gettext_lazy("As"),
        value=lambda piece: piece.assignment.get_role_display(),
        rank=lambda piece: piece.assignment.role,
    ),
    Column(key="state", label=gettext_lazy("State")),
    Column(key="done", label=gettext_lazy("Done"), value=lambda piece: piece.tally.done, number=True),
    Column(key="left", label=gettext_lazy("Left"), value=lambda piece: piece.tally.left, number=True),
    Column(key="pace", label=gettext_lazy("Seconds each"), value=lambda piece: _rounded(piece.pace), number=True),
    Column(
        key="last",
        label=gettext_lazy("Last recorded"),
        value=lambda piece: piece.last_at.isoformat(timespec="minutes") if piece.last_at is not None else None,
    ),
)


@login_required
@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show every assignment, the sums, and when the rest may be done."""
    seat = access_as_organiser(request.user, slug)
    counts = count_work(seat.campaign, seconds=0)
    if not counts.is_complete:
        return render_page(request, "assess/progress/progress.html", seat, counting=counts)
    standing = report_from_counts(seat.campaign, counts, timezone.now())
    table = make_table(request, standing.pieces, columns=COLUMNS, filters=_filters(standing.pieces), order="topic")
    if table.wants_csv:
        return csv_response(table, name="progress.csv")
    return render_page(
        request, "assess/progress/progress.html", seat, table=table, **_page_values(request, seat, standing)
    )


def _page_values(request: HttpRequest, seat: Seat, standing: ProgressReport) -> dict[str, Any]:
    """Return what the page shows beside the table of all assignments."""
    slowest = max((value for pace in standing.paces for _, value in pace.paces), default=0.0)
    shares = {share.label: share for share in standing.assessors}
    lines = [AssessorLine(shares[pace.name], pace, pace_line(pace, slowest)) for pace in standing.paces]
    labels = [stage.label for stage in all_stages(seat.campaign)]
    total = standing.all.total if standing.all is not None else 0
    return {
        "standing": standing,
        "unsure": unsure_counts(seat.campaign),
        "all": standing.all,
        "groups": [("stages", gettext("Stage"), standing.stages), ("roles", gettext("Role"), standing.roles)],
        "lines": Paginator(lines, SHARES_PER_PAGE).get_page(request.GET.get("people")),
        "topics": Paginator(standing.topics, SHARES_PER_PAGE).get_page(request.GET.get("topics")),
        "stuck": standing.stuck[:STUCK_SHOWN],
        "more_stuck": max(len(standing.stuck) - STUCK_SHOWN, 0),
        "days": list(reversed(standing.days[-DAYS_SHOWN:])),
        "burn_up": burn_up(standing.days, total, standing.today, standing.forecast),
        "strip": strip(standing.pieces, labels),
    }


def _name(piece: AssignmentProgress) -> str:
    return piece.assignment.assessor.username


def _filters(pieces: list[AssignmentProgress]) -> tuple[Filter, ...]:
    """Return the filters: by stage and assessor, of those that occur, and by every state."""
    known: list[tuple[str, str | Promise]] = [
        (state.value, state.label) for state in Assignment.State if state != Assignment.State.RETURNED
    ]
    states = tuple(
        Option(value=value, label=label, holds=lambda piece, value=value: piece.state == value)  # type: ignore[misc]
        for value, label in [*known, ("grown", gettext("done, and open again")), ("empty", gettext("nothing to judge"))]
    )
    people = tuple(
        Option(value=name, label=name, holds=lambda piece, name=name: _name(piece) == name)  # type: ignore[misc]
        for name in sorted({_name(piece) for piece in pieces})
    )
    stages = tuple(
        Option(value=key, label=label, holds=lambda piece, key=key: piece.assignment.stage == key)  # type: ignore[misc]
        for key, label in sorted({piece.assignment.stage: piece.stage_label for piece in pieces}.items())
    )
    return (
        Filter(key="stage", label=gettext("Stage"), options=stages),
        Filter(key="assessor", label=gettext("Assessor"), options=people),
        Filter(key="state", label=gettext("State"), options=states),
    )
