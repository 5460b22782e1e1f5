"""Other settings than the campaign's, tried out by an address: numbers as sliders, yes and no, words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from assess.base.track_settings import SettingsError, TrackSettings
from assess.campaigns.models import Campaign
from assess.campaigns.tracks import settings_of, track_of

TEXT_LIMIT = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Slider:
    """A setting that can be tried out. ``name`` is that of its field in the form; a number has the range worth trying,
    ``kind`` is "number", "yes-no" or "text".
    """

    name: str
    label: str
    help: str
    value: str
    is_changed: bool
    kind: str = "number"
    low: float = 0
    high: float = 10
    step: float = 1


def tried_settings(
    request: HttpRequest, campaign: Campaign, *, prefix: str
) -> tuple[TrackSettings | None, dict[str, str]]:
    """The settings that the address gives under names with this prefix, None where they are the campaign's own; and
    what is wrong with those that cannot be used, by name.
    """
    own = settings_of(campaign)
    given: dict[str, Any] = {}
    for name in track_of(campaign).scoring.explore:
        text = request.GET.get(prefix + name, "").strip()[:TEXT_LIMIT]
        if text and text != shown_setting(getattr(own, name)):
            given[name] = text
    if not given:
        return None, {}
    try:
        settings = type(own).from_mapping({**own.as_mapping(), **given})
    except SettingsError as error:
        return None, error.problems
    return None if settings == own else settings, {}


def sliders(campaign: Campaign, tried: TrackSettings | None, *, prefix: str) -> Iterator[Slider]:
    """What can be tried in this track, with the values that are now."""
    own = settings_of(campaign)
    shown = tried or own
    for name in track_of(campaign).scoring.explore:
        about = type(own).__dataclass_fields__[name].metadata
        usual, value = getattr(own, name), getattr(shown, name)
        said = {
            "name": prefix + name,
            "label": about.get("label", name),
            "help": about.get("help", ""),
            "value": shown_setting(value),
            "is_changed": value != usual,
        }
        if isinstance(usual, bool):
            yield Slider(**said, kind="yes-no")
        elif isinstance(usual, int | float):
            is_whole = isinstance(usual, int)
            low, high = (1, max(10, 2 * usual, value)) if is_whole else (0, max(10, 2 * usual, value))
            yield Slider(**said, low=low, high=high, step=1 if is_whole else 0.5)
        else:
            yield Slider(**said, kind="text")


def shown_setting(value: Any) -> str:
    """A setting as it is typed: 5 and not 5.0, yes and not True."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
