"""Save a campaign as a design: its own, or as much of its track as a design can express, with the campaign's
settings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assess.protocol import Track
from assess.protocol.designs import SavedDesign
from scoring.release.phrases import Phrase
from tracks import find_track
from tracks.designs.editing import parsed, with_member
from tracks.designs.showing import shown_track, with_settings
from tracks.designs.suggested import DRAFTS

SEALED = "sealed"
"""By default, machines' answers are shown to nobody."""


def saved_design(
    track: Track, settings: Any, *, key: str, lease_hours: int | None = None, drafts: str = SEALED
) -> SavedDesign:
    """Return the design of a campaign with these settings. An installed track's design gets the new ``key``.

    An organiser's own design keeps its text. Only changed settings, the hours after which untouched work is taken back
    (``lease_hours``), and the rule for when machines' answers are shown (``drafts``) are written into it. The result's
    ``unsaid`` lists what designs can't express.
    """
    shown = shown_track(replace(track, key=key), settings)
    if shown.text and not track.design:
        shown = with_settings(shown, track, settings)
    text = shown.text
    if text and find_track(track.key) is not None:
        text = with_member(text, ("key",), key)
    unsaid: list[str] = [Phrase("{member}: {what}", member=each.member, what=each.what) for each in shown.unsaid]
    if text and lease_hours != track.lease_hours:
        if lease_hours is None or lease_hours % 24 == 0:
            text = _with_days(text, lease_hours // 24 if lease_hours else None)
        else:
            unsaid.append(Phrase("work goes back after {hours} hours: a design says whole days", hours=lease_hours))
    if text and drafts != (track.drafts or SEALED):
        if parsed(text)[0].get("runs", {}).get("suggest"):
            shown_as = next(word for word, each in DRAFTS.items() if each == drafts)
            text = with_member(text, ("runs", "suggest_shown"), shown_as)
        else:
            unsaid.append(Phrase("when assessors see what machine judges say: {rule}", rule=drafts))
    return SavedDesign(text=text, unsaid=tuple(dict.fromkeys(unsaid)))


def _with_days(text: str, days: int | None) -> str:
    """Return the text with this number of days in every stage that gives a number. If no stage does, only the first
    stage gets it. If ``days`` is None, the number is removed from all stages.
    """
    stages = parsed(text)[0]["stages"]
    saying = [place for place, stage in enumerate(stages) if "days" in stage.get("hand_out", {})]
    for place in saying or ([0] if days is not None else []):
        handed = {**stages[place].get("hand_out", {}), "days": days}
        kept = {name: value for name, value in handed.items() if value is not None}
        text = with_member(text, ("stages", place, "hand_out"), kept or None)
    return text
