"""Replaying votes on nuggets, people's and machine judges'."""

from __future__ import annotations

from assess.ledger.models import How
from assess.replay.session import Desk, ReplayLine
from nuggets.votes.record import record_vote
from nuggets.writing.replay import Numbered, _numbered, _recorded_by, _used
from scoring.formats.judgments_jsonl import Voted


def replay_votes(desk: Desk, lines: list[ReplayLine]) -> None:
    """Cast each vote."""
    nuggets = _used(desk)
    for line in lines:
        if isinstance(line.act, Voted):
            desk.session.attempt(line, _vote, desk, nuggets, line.act)


def _vote(desk: Desk, nuggets: Numbered, act: Voted) -> None:
    record_vote(
        actor=desk.user,
        assignment=desk.assignment,
        nugget=_numbered(nuggets, act.number),
        importance=act.importance,
        client_key=desk.session.key(act),
        how=How.IMPORT,
    )


# What machine judges vote, replayed as people's.

record_votes = _recorded_by(replay_votes)
