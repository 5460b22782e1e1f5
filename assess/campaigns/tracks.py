"""What a campaign's track says: its tasks, stages, settings and drafting."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from assess.campaigns.models import Campaign
from assess.protocol import Drafting, Stage, Task, Track


@lru_cache(maxsize=1)
def registered_tracks() -> dict[str, Track]:
    """All tracks by key, in the order registered."""
    return {track.key: track for track in import_string(settings.ASSAY_TRACKS)}


def track_of(campaign: Campaign) -> Track:
    """The track of a campaign. Pages and commands have refused campaigns of tracks that are gone before."""
    found = registered_tracks().get(campaign.track)
    if found is None:
        raise LookupError(f"the track {campaign.track} is not registered in ASSAY_TRACKS")
    return found


def settings_of(campaign: Campaign) -> Any:
    """The campaign's settings as the track's own dataclass, defaults filled in."""
    return track_of(campaign).settings.from_kept(campaign.settings)


def stage_of(campaign: Campaign, stage: str) -> tuple[Task, Stage]:
    """The stage with this key and its task; of its criteria those that the campaign's settings ask, on their scales."""
    found = track_of(campaign).stage(stage)
    if found is None:
        raise LookupError(f"track {campaign.track} has no stage {stage}")
    task, stage_found = found
    if any(criterion.setting or criterion.scale for criterion in stage_found.criteria):
        settings = settings_of(campaign)
        asked = tuple(each.with_scale(settings) for each in stage_found.criteria if each.is_asked(settings))
        stage_found = replace(stage_found, criteria=asked)
    return task, stage_found


def drafting_of(campaign: Campaign) -> Drafting | None:
    """How topics are drafted in this campaign; None where its topics come in files alone."""
    return track_of(campaign).drafting
