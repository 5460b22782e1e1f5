"""Where work does not move, and what assessors asked: what an organiser should look at first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.waiting import waiting_reasons
from assess.campaigns.models import Campaign
from assess.kinds.base import noun_for
from assess.progress.queries.pace import PersonPace
from assess.progress.queries.pieces import Piece

IDLE_DAYS = 3
"""Days without anything recorded after which work that can be gone on with counts as stuck."""
LEASE_HOURS = 24
"""A lease that ends within so many hours is nearly out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """One reason to look at somebody's work. ``kind``: idle, untouched, lease, question, slow; slow has no piece."""

    kind: str
    assessor: str
    text: str
    piece: Piece | None = None
    help_id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Questions:
    """What assessors asked: how many questions wait, since when the oldest does, how many there are in all."""

    waiting: int
    oldest: datetime | None
    all: int


def waiting_questions(campaign: Campaign) -> list[HelpRequest]:
    """The questions without an answer, the oldest first. One query."""
    asked = HelpRequest.objects.filter(assignment__campaign=campaign, answered_at=None)
    return list(asked.select_related("assignment__topic", "assignment__assessor").order_by("asked_at", "id"))


def questions_of(campaign: Campaign, waiting: Sequence[HelpRequest]) -> Questions:
    """The counts. One query."""
    return Questions(
        waiting=len(waiting),
        oldest=waiting[0].asked_at if waiting else None,
        all=HelpRequest.objects.filter(assignment__campaign=campaign).count(),
    )


def stuck_work(
    pieces: Sequence[Piece], paces: Sequence[PersonPace], waiting: Sequence[HelpRequest], now: datetime
) -> list[Stuck]:
    """Leases that run out, questions that wait, work that nobody touches, people far slower than they were.

    Work that waits for others is not stuck. One query at most.
    """
    unfinished = [piece for piece in pieces if piece.assignment.state != Assignment.State.DONE]
    closed = waiting_reasons(piece.assignment for piece in unfinished)
    open_pieces = [piece for piece in unfinished if piece.assignment.pk not in closed]
    by_work = {piece.assignment.pk: piece for piece in pieces}
    return [
        *_leases(open_pieces, now),
        *_questions(waiting, by_work, now),
        *_idle(open_pieces, now),
        *_slow(paces, unfinished),
    ]


def _leases(pieces: Sequence[Piece], now: datetime) -> Iterator[Stuck]:
    for piece in pieces:
        until = piece.assignment.lease_until
        if until is not None and until - now < timedelta(hours=LEASE_HOURS):
            hours = max(int((until - now).total_seconds() // 3600), 0)
            text = f"The lease ends in {hours} hour{'' if hours == 1 else 's'}; {_left(piece)}"
            yield Stuck(kind="lease", assessor=piece.assignment.assessor.username, text=text, piece=piece)


def _questions(waiting: Sequence[HelpRequest], by_work: dict[int, Piece], now: datetime) -> Iterator[Stuck]:
    for asked in waiting:
        days = (now - asked.asked_at).days
        since = "today" if days == 0 else "yesterday" if days == 1 else f"{days} days ago"
        text = f"Asked {since}: {asked.text[:120]}{'…' if len(asked.text) > 120 else ''}"
        name = asked.assignment.assessor.username
        piece = by_work.get(asked.assignment_id)
        yield Stuck(kind="question", assessor=name, text=text, piece=piece, help_id=asked.pk)


def _idle(pieces: Sequence[Piece], now: datetime) -> Iterator[Stuck]:
    for piece in pieces:
        work = piece.assignment
        is_begun = work.state == Assignment.State.STARTED
        last = max(filter(None, (piece.last_at, work.started_at, work.created_at)))
        days = (now - last).days
        if days < IDLE_DAYS:
            continue
        if is_begun and not piece.tally.left:
            text = f"All is judged, and for {days} days it is not marked as done."
        elif is_begun:
            text = f"Nothing recorded for {days} days; {_left(piece)}"
        else:
            text = f"Handed out {days} days ago and not begun."
        kind = "idle" if is_begun else "untouched"
        yield Stuck(kind=kind, assessor=work.assessor.username, text=text, piece=piece)


def _left(piece: Piece) -> str:
    left = piece.tally.left
    return f"{left:,} {noun_for(piece.tally.unit, left)} {'is' if left == 1 else 'are'} left."


def _slow(paces: Sequence[PersonPace], unfinished: Sequence[Piece]) -> Iterator[Stuck]:
    busy = {piece.assignment.assessor_id for piece in unfinished}
    for pace in paces:
        if pace.is_slow and pace.person in busy:
            latest = f"{pace.latest:.0f}"
            seconds = f"{latest} active second{'' if latest == '1' else 's'}"
            text = f"{seconds} each on their last day; their median is {pace.usual:.0f}."
            yield Stuck(kind="slow", assessor=pace.name, text=text)
