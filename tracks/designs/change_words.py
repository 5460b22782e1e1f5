"""The phrases that tell what a new version of a design changes, which a site may say in another language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scoring.release.phrases import Phrase, yes_or_no

STAYS = Phrase("What is judged already stays as it is.")
NOTHING = Phrase("nothing")


def both(first: Phrase, second: Phrase) -> Phrase:
    """Return two sentences as one phrase."""
    return Phrase("{first} {second}", first=first, second=second)


def from_to(what: str, before: Any, now: Any) -> Phrase:
    """Return a sentence that says what changed: "WHAT: BEFORE, now NOW."."""
    return Phrase("{what}: {before}, now {now}.", what=what, before=_in_words(before), now=_in_words(now))


def _in_words(value: Any) -> str:
    if hasattr(value, "model_dump"):
        value = value.model_dump(by_alias=True, exclude_defaults=True)
    if isinstance(value, str):
        return Phrase("“{value}”", value=value if len(value) <= 60 else f"{value[:59]}…") if value else NOTHING
    if isinstance(value, bool):
        return yes_or_no(value)
    if value is None:
        return NOTHING
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_in_words(each)}" for name, each in value.items()) or NOTHING
    if isinstance(value, Iterable):
        return ", ".join(_in_words(each) for each in value) or NOTHING
    return str(value)
