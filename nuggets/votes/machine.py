"""What machine judges vote, replayed as people's."""

from __future__ import annotations

from nuggets.votes.replay import replay_votes
from nuggets.writing.machine import _recorded_by

record_votes = _recorded_by(replay_votes)
