"""Ticks from deeds."""

from __future__ import annotations

from assess.models import How
from assess.protocol import Stage
from assess.replay.session import Desk, Line
from scoring.deeds import Deed, Judged

from .record import TICK, WORK, record_tick


def accepts_ticks(stage: Stage, deed: Deed) -> bool:
    return stage.work == WORK and isinstance(deed, Judged) and deed.criterion == TICK


def replay_ticks(desk: Desk, lines: list[Line]) -> None:
    for line in lines:
        if isinstance(line.deed, Judged):
            desk.session.attempt(line, _replay, desk, line.deed)


def _replay(desk: Desk, deed: Judged) -> None:
    record_tick(
        actor=desk.user,
        assignment=desk.assignment,
        item=desk.item(deed),
        value=deed.value,
        client_key=desk.session.key(deed),
        how=How.IMPORT,
    )
