"""Everything that is said of a campaign's progress, put together once: the page, the command and the API show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from assess.assignments.models import HelpRequest
from assess.assignments.queries.topics import all_stages
from assess.campaigns.models import Campaign
from assess.progress.queries.counted import Counts
from assess.progress.queries.pace import Day, PersonPace, days_of, forecast_of, outputs, paces_of, today_in
from assess.progress.queries.pieces import Piece, Share, pieces_of, summed
from assess.progress.queries.stuck import Questions, Stuck, questions_of, stuck_work, waiting_questions

if TYPE_CHECKING:
    from scoring.forecast import Forecast


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """How far a campaign is, as of ledger point ``point``. ``all`` is None where no work is handed out.

    ``forecast`` is None with too little to go by, or nothing left. ``is_complete`` is false while counting goes on.
    """

    point: int
    newest: int
    is_complete: bool
    today: date
    zone: str
    pieces: list[Piece]
    all: Share | None
    stages: list[Share]
    assessors: list[Share]
    topics: list[Share]
    roles: list[Share]
    paces: list[PersonPace]
    days: list[Day]
    forecast: Forecast | None
    stuck: list[Stuck]
    questions: Questions
    waiting: list[HelpRequest]

    @property
    def done_day(self) -> float:
        """Things done today, in the campaign's time zone."""
        return sum(pace.done_day for pace in self.paces)

    @property
    def done_week(self) -> float:
        """Things done today and in the six days before."""
        return sum(pace.done_week for pace in self.paces)

    @property
    def is_finished(self) -> bool:
        """Whether all work that is handed out is marked as done."""
        return self.all is not None and self.all.finished == self.all.pieces


def standing_of(campaign: Campaign, counts: Counts, now: datetime) -> Standing:
    """The standing by these counts. Queries: those of `pieces_of` and four more."""
    pieces = pieces_of(campaign, counts=counts)
    today = today_in(campaign, now)
    found = outputs(pieces, counts)
    paces = paces_of(pieces, found, counts, today)
    labels = {stage.label: number for number, stage in enumerate(all_stages(campaign))}
    waiting = waiting_questions(campaign)
    everything = summed(pieces, lambda piece: "all")
    return Standing(
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
        roles=summed(pieces, lambda piece: piece.assignment.get_role_display()),
        paces=paces,
        days=days_of(found, counts),
        forecast=forecast_of(campaign, pieces, found, counts, today),
        stuck=stuck_work(pieces, paces, waiting, now),
        questions=questions_of(campaign, waiting),
        waiting=waiting,
    )


def _in_order(pieces: list[Piece], label: Callable[[Piece], str], rank: Callable[[Share], object]) -> list[Share]:
    return sorted(summed(pieces, label), key=rank)  # type: ignore[arg-type]


def summary_of(standing: Standing) -> dict[str, Any]:
    """The standing in plain values, as commands and the API give it; what is undefined is None."""
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
        "assessors": _assessor_values(standing),
        "topics": [_share_values(share) for share in standing.topics],
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
            for each in standing.stuck
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


def _assessor_values(standing: Standing) -> list[dict[str, Any]]:
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
        for pace in standing.paces
    ]


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None
