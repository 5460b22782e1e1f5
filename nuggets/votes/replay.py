"""Replay recorded votes on nuggets, of people and of machine judges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assess.assignments.models import Assignment
from assess.ledger.models import How
from assess.replay.plain_rows import Row, allowed_once, replay_in_blocks
from assess.replay.session import Desk, ReplayLine
from nuggets.votes.current import own_votes
from nuggets.votes.models import NuggetVote
from nuggets.votes.record import check_vote, record_vote
from nuggets.writing.counting_lists import list_for
from nuggets.writing.replay import Numbered, _numbered, _recorded_by, _used
from scoring.release.recorded_acts import RecordedAct, Voted

COLUMNS = ("nugget_id", "importance")


def replay_votes(desk: Desk, lines: list[ReplayLine]) -> None:
    """Record the votes in blocks of a few hundred. What is refused becomes a problem of its line."""
    _, nuggets = _used(desk)
    votes = [line for line in lines if isinstance(line.act, Voted)]
    rows, one = partial(_rows, desk, nuggets), partial(_vote, desk, nuggets)
    replay_in_blocks(desk, votes, model=NuggetVote, columns=COLUMNS, rows=rows, one=one)


def _rows(desk: Desk, nuggets: Numbered, block: Sequence[ReplayLine]) -> list[Row] | None:
    """Return a row for each vote of the block. Return None if any vote is on a nugget that is not on the list."""
    said = []
    allowed = allowed_once(check_vote)
    for line in block:
        act = line.act
        if not isinstance(act, Voted) or act.number not in nuggets or not allowed(act.importance):
            return None
        said.append((nuggets[act.number].pk, act.importance, desk.key_text(act)))
    return said


def _vote(desk: Desk, nuggets: Numbered, act: Voted) -> None:
    record_vote(
        actor=desk.user,
        assignment=desk.assignment,
        nugget=_numbered(nuggets, act.number),
        importance=act.importance,
        client_key=desk.session.key(act),
        how=How.IMPORT,
    )


# Machine judges' votes, replayed like people's.


def _object_and_value(act: RecordedAct) -> tuple[object, object]:
    return (act.number, act.importance) if isinstance(act, Voted) else (act, None)


def _now(work: Assignment) -> dict[object, object]:
    """Return nugget number -> the machine's current vote. Without a list there are none."""
    used = list_for(work)
    return {vote.number: vote.importance for vote in own_votes(used, work)} if used is not None else {}


record_votes = _recorded_by(replay_votes, _object_and_value, _now)
