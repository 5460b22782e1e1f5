"""What machine judges mark on the list that counts, replayed as people's."""

from __future__ import annotations

from assess.replay.session import Desk, Line
from nuggets.matches.replay import replay_matches
from nuggets.writing.machine import _recorded_by


def _matches(desk: Desk, lines: list[Line]) -> None:
    """Marks and finished items as they are said: what a machine leaves out it did not look at."""
    replay_matches(desk, lines, all_finished=False)


record_matches = _recorded_by(_matches)
