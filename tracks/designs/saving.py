"""A campaign saved as a design: its own, or what a design can say of its track, with the settings that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assess.protocol import Track
from assess.protocol.designs import SavedDesign
from tracks.designs.editing import parsed, with_member
from tracks.designs.showing import MEMBERS, shown_track


def saved_design(track: Track, settings: Any, *, key: str) -> SavedDesign:
    """Return the design of a campaign with these settings; ``key`` is that of an installed track's design, which needs
    one of its own.

    A design of the organiser's own keeps its text but for settings that were changed. ``unsaid`` names what no design
    can say.
    """
    shown = shown_track(replace(track, key=key), settings)
    text = shown.text
    unsaid = [f"{each.member}: {each.what}" for each in shown.unsaid]
    usual, now = track.settings().as_mapping(), settings.as_mapping()
    for name, value in now.items() if text else ():
        if value == usual[name] or (track.settings.criterion_of(name) and not track.design):
            continue  # the grades that follow from it are shown
        path = MEMBERS.get(name)
        if path is not None and (path[0] != "runs" or path[1] in parsed(text)[0].get("runs", {})):
            text = with_member(text, path, value)
        else:
            unsaid.append(f"settings.{name}: {value}")
    return SavedDesign(text=text, unsaid=tuple(dict.fromkeys(unsaid)))
