"""The toy track with another kind of run file."""

from __future__ import annotations

from dataclasses import replace

from assess.campaigns.queries import registered_tracks, track_of
from assess.models import Campaign
from assess.protocol import Submission

LINE = {"topic": "9-1_1", "ranked": [["P1", 1.0]]}


def change(campaign: Campaign, key: str, **changes: object) -> Submission:
    """The toy track with another kind of run file in place of the one with this key."""
    track = track_of(campaign)
    found = replace(next(each for each in track.submissions if each.key == key), **changes)  # type: ignore[arg-type]
    others = tuple(each for each in track.submissions if each.key != key)
    registered_tracks()[track.key] = replace(track, submissions=(found, *others))
    return found
