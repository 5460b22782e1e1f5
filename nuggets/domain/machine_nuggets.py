"""What machine judges say of nuggets: their own lists, marks on the list that counts, votes; replayed as people's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assess.machine_work import MachineWork, PlacedDeed, register
from assess.models import Assignment
from assess.protocol import Stage
from nuggets.domain.replay_nuggets import replay_list, replay_matches, replay_votes
from nuggets.domain.replay_session import Desk, Line, Session
from scoring.deeds import ListFrozen, Matched, NuggetWritten, Reviewed, Voted
from scoring.records import Issue

Replay = Callable[[Desk, list[Line]], None]


def register_nuggets() -> None:
    """Make known what machines do in stages about nuggets."""
    register(MachineWork(key="nuggets", deeds=(NuggetWritten, ListFrozen), record=_recorded_by(replay_list)))
    register(MachineWork(key="matches", deeds=(Matched, Reviewed), record=_recorded_by(_matches)))
    register(MachineWork(key="votes", deeds=(Voted,), record=_recorded_by(replay_votes)))


def _matches(desk: Desk, lines: list[Line]) -> None:
    """Marks and finished items as they are said: what a machine leaves out it did not look at."""
    replay_matches(desk, lines, all_finished=False)


def _recorded_by(
    replay: Replay,
) -> Callable[[Assignment, Stage, Sequence[PlacedDeed], Callable[[Issue], None]], None]:
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
