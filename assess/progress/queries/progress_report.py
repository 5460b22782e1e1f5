"""The whole report on a campaign's progress, made in one place for the page, the command and the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Min, Q
from django.db.models.functions import Left
from django.utils.translation import gettext, ngettext

from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.topics import all_stages
from assess.assignments.queries.waiting import ENDED, waiting_reasons
from assess.base.numbers import grouped
from assess.campaigns.models import Campaign
from assess.kinds.base import noun_for
from assess.progress.queries.assignment_progress import AssignmentProgress, Share, progress_of_assignments, summed
from assess.progress.queries.counted import Counts
from assess.progress.queries.pace import Day, PersonPace, days_of, forecast_of, outputs, paces_of, today_in
from scoring.uncollected import uncollected

if TYPE_CHECKING:
    from assess.progress.forecast import Forecast


# Stuck work and assessors' questions, which an organiser should look at first.

IDLE_DAYS = 3
"""The number of days without a recorded act after which work that could continue counts as stuck."""
LEASE_HOURS = 24
"""A lease that ends within this many hours is about to run out."""
QUESTION_SHOWN = 120
"""The number of characters that are shown of a waiting question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """A reason to look at somebody's work. ``kind`` is idle, untouched, lease, question or slow. ``piece`` is the
    assignment; it is None for slow, which concerns a person.
    """

    kind: str
    assessor: str
    text: str
    piece: AssignmentProgress | None = None
    help_id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingQuestions:
    """The assessors' questions: how many wait, since when the oldest has waited, and how many there are in all."""

    waiting: int
    oldest: datetime | None
    all: int


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """A question of an assessor that waits for an answer. ``text`` is cut after one character more than is shown."""

    help_id: int
    assignment_id: int
    assessor: str
    asked_at: datetime
    text: str


def questions_of(campaign: Campaign) -> tuple[WaitingQuestions, list[UnansweredQuestion]]:
    """Return the counts of questions, and those without an answer, oldest first. Two queries at most."""
    waits = Q(assignment__topic__dropped=False, answered_at=None)
    asked = HelpRequest.objects.filter(assignment__campaign=campaign)
    oldest = Min("asked_at", filter=waits)
    counts = asked.aggregate(all=Count("pk"), waiting=Count("pk", filter=waits), oldest=oldest)
    if not counts["waiting"]:
        return WaitingQuestions(**counts), []
    fields = ("pk", "assignment_id", "assignment__assessor__username", "asked_at", "begins")
    found = asked.filter(waits).annotate(begins=Left("text", QUESTION_SHOWN + 1)).order_by("asked_at", "id")
    return WaitingQuestions(**counts), [UnansweredQuestion(*row) for row in found.values_list(*fields)]


def stuck_work(
    pieces: Sequence[AssignmentProgress],
    paces: Sequence[PersonPace],
    waiting: Sequence[UnansweredQuestion],
    now: datetime,
) -> list[Stuck]:
    """Return leases about to run out, waiting questions, idle work, and people who became much slower.

    Work that waits for other work is not stuck. At most one query.
    """
    unfinished = [piece for piece in pieces if piece.assignment.state not in ENDED]
    closed = waiting_reasons(piece.assignment for piece in unfinished)
    open_pieces = [piece for piece in unfinished if piece.assignment.pk not in closed]
    by_work = {piece.assignment.pk: piece for piece in pieces}
    return [
        *_leases(open_pieces, now),
        *_questions(waiting, by_work, now),
        *_idle(open_pieces, now),
        *_slow(paces, unfinished),
    ]


def _leases(pieces: Sequence[AssignmentProgress], now: datetime) -> Iterator[Stuck]:
    for piece in pieces:
        until = piece.assignment.lease_until
        if until is not None and until - now < timedelta(hours=LEASE_HOURS):
            hours = max(int((until - now).total_seconds() // 3600), 0)
            text = ngettext(
                "The lease ends in %(hours)s hour; %(left)s", "The lease ends in %(hours)s hours; %(left)s", hours
            ) % {"hours": hours, "left": _left(piece)}
            yield Stuck(kind="lease", assessor=piece.assignment.assessor.username, text=text, piece=piece)


def _questions(
    waiting: Sequence[UnansweredQuestion], by_work: dict[int, AssignmentProgress], now: datetime
) -> Iterator[Stuck]:
    for asked in waiting:
        days = (now - asked.asked_at).days
        if days == 0:
            said = gettext("Asked today: %(text)s")
        else:
            said = ngettext("Asked yesterday: %(text)s", "Asked %(days)s days ago: %(text)s", days)
        cut = "…" if len(asked.text) > QUESTION_SHOWN else ""
        text = said % {"days": days, "text": asked.text[:QUESTION_SHOWN] + cut}
        piece = by_work.get(asked.assignment_id)
        yield Stuck(kind="question", assessor=asked.assessor, text=text, piece=piece, help_id=asked.help_id)


def _idle(pieces: Sequence[AssignmentProgress], now: datetime) -> Iterator[Stuck]:
    for piece in pieces:
        work = piece.assignment
        is_begun = work.state == Assignment.State.STARTED
        last = max(filter(None, (piece.last_at, work.started_at, work.created_at)))
        days = (now - last).days
        if days < IDLE_DAYS:
            continue
        if is_begun and not piece.tally.left:
            text = gettext("All is judged, and for %(days)s days it is not marked as done.") % {"days": days}
        elif is_begun:
            text = gettext("Nothing recorded for %(days)s days; %(left)s") % {"days": days, "left": _left(piece)}
        else:
            text = gettext("Handed out %(days)s days ago and not begun.") % {"days": days}
        kind = "idle" if is_begun else "untouched"
        yield Stuck(kind=kind, assessor=work.assessor.username, text=text, piece=piece)


def _left(piece: AssignmentProgress) -> str:
    left = piece.tally.left
    return ngettext("%(left)s %(noun_for)s is left.", "%(left)s %(noun_for)s are left.", left) % {
        "left": grouped(left),
        "noun_for": gettext(noun_for(piece.tally.unit, left)),
    }


def _slow(paces: Sequence[PersonPace], unfinished: Sequence[AssignmentProgress]) -> Iterator[Stuck]:
    busy = {piece.assignment.assessor_id for piece in unfinished}
    for pace in paces:
        latest, usual = pace.latest or 0.0, pace.usual or 0.0  # both are known of who is slow
        if pace.is_slow and pace.person in busy:
            text = ngettext(
                "%(latest)s active second each on their last day; their median is %(usual)s.",
                "%(latest)s active seconds each on their last day; their median is %(usual)s.",
                round(latest),
            ) % {"latest": grouped(latest, 0), "usual": grouped(usual, 0)}
            yield Stuck(kind="slow", assessor=pace.name, text=text)


# The whole report: figures by person and by stage, the pace, the estimated finish, and stuck work.


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressReport:
    """How far a campaign is, as of ledger point ``point``. ``all`` is None if no work is handed out.

    ``forecast`` is None if there is too little data or nothing left. ``is_complete`` is false while counting continues.
    """

    point: int
    newest: int
    is_complete: bool
    today: date
    zone: str
    pieces: list[AssignmentProgress]
    all: Share | None
    stages: list[Share]
    assessors: list[Share]
    topics: list[Share]
    roles: list[Share]
    paces: list[PersonPace]
    days: list[Day]
    forecast: Forecast | None
    stuck: list[Stuck]
    questions: WaitingQuestions

    @property
    def done_day(self) -> float:
        """The number of items done today, in the campaign's time zone."""
        return sum(pace.done_day for pace in self.paces)

    @property
    def done_week(self) -> float:
        """The number of items done today and in the six days before."""
        return sum(pace.done_week for pace in self.paces)

    @property
    def is_finished(self) -> bool:
        """Whether all work that is handed out has been finished."""
        return self.all is not None and self.all.finished == self.all.pieces


@uncollected()
def report_from_counts(campaign: Campaign, counts: Counts, now: datetime) -> ProgressReport:
    """Return the report from these counts. The queries are those of `progress_of_assignments` and four more."""
    pieces = progress_of_assignments(campaign, counts=counts)
    today = today_in(campaign, now)
    found = outputs(pieces, counts)
    paces = paces_of(pieces, found, counts, today)
    labels = {stage.label: number for number, stage in enumerate(all_stages(campaign))}
    questions, waiting = questions_of(campaign)
    roles = {role.value: str(role.label) for role in Assignment.Role}
    everything = summed(pieces, lambda piece: "all")
    return ProgressReport(
        point=counts.point,
        newest=counts.newest,
        is_complete=counts.is_complete,
        today=today,
        zone=campaign.time_zone,
        pieces=pieces,
        all=everything[0] if everything else None,
        stages=_in_order(pieces, lambda piece: piece.stage_label, lambda share: labels[share.label]),
        assessors=_in_order(pieces, lambda piece: piece.assignment.assessor.username, lambda share: share.label),
        topics=summed(pieces, lambda piece: piece.assignment.topic.number),
        roles=summed(pieces, lambda piece: roles[piece.assignment.role]),
        paces=paces,
        days=days_of(found, counts),
        forecast=forecast_of(campaign, pieces, found, counts, today),
        stuck=stuck_work(pieces, paces, waiting, now),
        questions=questions,
    )


def _in_order(
    pieces: list[AssignmentProgress], label: Callable[[AssignmentProgress], str], rank: Callable[[Share], object]
) -> list[Share]:
    return sorted(summed(pieces, label), key=rank)  # type: ignore[arg-type]


EVERY_ROW = slice(None)


def summary_of(standing: ProgressReport, rows: slice = EVERY_ROW) -> dict[str, Any]:
    """Return the report in plain values, for commands and the API. Undefined values are None.

    ``rows`` selects the rows of the three lists that grow with a campaign: assessors, topics and stuck work. The
    result's ``counts`` has the whole lengths of these lists.
    """
    found, asked = standing.forecast, standing.questions
    return {
        "as_of": standing.point,
        "time_zone": standing.zone,
        "today": standing.today.isoformat(),
        "all": _share_values(standing.all) if standing.all is not None else None,
        "done_today": round(standing.done_day, 1),
        "done_in_seven_days": round(standing.done_week, 1),
        "forecast": None
        if found is None
        else {
            "early": _iso(found.early),
            "middle": _iso(found.middle),
            "late": _iso(found.late),
            "without": list(found.left_out),
        },
        "questions": {
            "waiting": asked.waiting,
            "all": asked.all,
            "oldest": asked.oldest.isoformat() if asked.oldest is not None else None,
        },
        "stages": [_share_values(share) for share in standing.stages],
        "roles": [_share_values(share) for share in standing.roles],
        "counts": {
            "assessors": len(standing.paces),
            "topics": len(standing.topics),
            "stuck": len(standing.stuck),
        },
        "assessors": _assessor_values(standing, rows),
        "topics": [_share_values(share) for share in standing.topics[rows]],
        "days": [
            {"day": day.day.isoformat(), "done": round(day.done, 1), "so_far": round(day.so_far, 1),
             "hours": round(day.hours, 2)}
            for day in standing.days
        ],
        "stuck": [
            {
                "kind": each.kind,
                "assessor": each.assessor,
                "topic": each.piece.assignment.topic.number if each.piece is not None else "",
                "stage": each.piece.assignment.stage if each.piece is not None else "",
                "text": each.text,
            }
            for each in standing.stuck[rows]
        ],
    }  # fmt: skip


def _share_values(share: Share) -> dict[str, Any]:
    return {
        "name": share.label,
        "pieces": share.pieces,
        "finished": share.finished,
        "done": share.done,
        "left": share.left,
        "pace": round(share.pace, 2) if share.pace is not None else None,
    }


def _assessor_values(standing: ProgressReport, rows: slice) -> list[dict[str, Any]]:
    shares = {share.label: share for share in standing.assessors}
    return [
        {
            **_share_values(shares[pace.name]),
            "today": round(pace.done_day, 1),
            "seven_days": round(pace.done_week, 1),
            "hours": round(pace.hours, 2),
            "median_pace": round(pace.usual, 2) if pace.usual is not None else None,
            "last_pace": round(pace.latest, 2) if pace.latest is not None else None,
        }
        for pace in standing.paces[rows]
    ]


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None
