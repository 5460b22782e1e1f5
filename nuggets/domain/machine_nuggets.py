"""What machine judges say of nuggets: their own lists, marks on the list that counts, votes; replayed as people's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assess.kinds.base import PlacedDeed, RecordMachine
from assess.models import Assignment
from assess.protocol import Stage
from assess.replay.session import Desk, Line, Session
from nuggets.domain.replay_nuggets import replay_list, replay_matches, replay_votes
from scoring.records import Issue

Replay = Callable[[Desk, list[Line]], None]


def _matches(desk: Desk, lines: list[Line]) -> None:
    """Marks and finished items as they are said: what a machine leaves out it did not look at."""
    replay_matches(desk, lines, all_finished=False)


def _recorded_by(replay: Replay) -> RecordMachine:
    """A record function that replays; deeds carry the machine's own name, so that two machines' never meet."""

    def record(
        assignment: Assignment, stage: Stage, deeds: Sequence[PlacedDeed], report: Callable[[Issue], None]
    ) -> None:
        machine = assignment.assessor
        session = Session(actor=machine, campaign=assignment.campaign, people={}, report=report)
        session.documents_apart = True
        lines = [Line(where, replace(deed, by=machine.username, role="machine")) for where, deed in deeds]
        replay(Desk(session, machine, assignment, stage), lines)

    return record


record_lists = _recorded_by(replay_list)
record_matches = _recorded_by(_matches)
record_votes = _recorded_by(replay_votes)
