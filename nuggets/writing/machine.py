"""What machine judges write: their own lists, replayed as people's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assess.assignments.models import Assignment
from assess.kinds.base import PlacedDeed, RecordMachine
from assess.protocol import Stage
from assess.replay.session import Desk, Line, Session
from nuggets.writing.replay import replay_list
from scoring.records import Issue

Replay = Callable[[Desk, list[Line]], None]


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
