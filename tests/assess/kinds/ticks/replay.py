"""Ticks from acts."""

from __future__ import annotations

from assess.models import How
from assess.protocol import Stage
from assess.replay.session import Desk, ReplayLine
from scoring.release.recorded_acts import Judged, RecordedAct

from .record import TICK, WORK, record_tick


def accepts_ticks(stage: Stage, act: RecordedAct) -> bool:
    return stage.work.key == WORK and isinstance(act, Judged) and act.criterion == TICK


def replay_ticks(desk: Desk, lines: list[ReplayLine]) -> None:
    for line in lines:
        if isinstance(line.act, Judged):
            desk.session.attempt(line, _replay, desk, line.act)


def _replay(desk: Desk, act: Judged) -> None:
    record_tick(
        actor=desk.user,
        assignment=desk.assignment,
        item=desk.item(act),
        value=act.value,
        client_key=desk.session.key(act),
        how=How.IMPORT,
    )
