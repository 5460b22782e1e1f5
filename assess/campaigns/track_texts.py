"""The texts of the site's own evaluations (labels, questions, grades), which pages write in the reader's language.

Texts of a campaign's own design are what its organisers wrote, and stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

from django.utils.html import escape
from django.utils.translation import gettext

from assess.base.sentences import CatalogueText
from assess.protocol import Track
from scoring.release.phrases import Phrase

SHOWN = frozenset({"label", "help", "question", "evidence", "group", "head", "definition"})
"""The fields of a track's records with texts that people read."""
NAMED = frozenset({"Grade", "Unsure"})
"""The records whose ``name`` is such a text, too."""
PAIRED = frozenset({"choices", "groups"})
"""The fields with pairs of a key, or value, and such a text."""


class TrackText(CatalogueText):
    """A text of one of the site's own evaluations. Templates write it in the reader's language, all else in English."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return what a template writes: the text in the language of whoever reads."""
        return escape(in_language(self))


def in_language(text: str) -> str:
    """Return a text in the reader's language if it comes from an evaluation of the site's own, or is a `Phrase`, which
    knows its parts. Return any other text as it is.
    """
    if isinstance(text, Phrase):
        values = {name: in_language(value) if isinstance(value, str) else value for name, value in text.values.items()}
        return gettext(text.text).format(**values)
    return gettext(str(text)) if isinstance(text, TrackText) and text else text


def with_texts(track: Track) -> Track:
    """Return the track with its texts marked for pages, the same in all else."""
    return _marked(track)  # type: ignore[no-any-return]


def _marked(found: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(map(_marked, found)) if type(found) is tuple else found
    if not is_dataclass(found) or isinstance(found, type):
        return found
    changed: dict[str, Any] = {}
    for each in fields(found):
        value = getattr(found, each.name)
        if isinstance(value, str):
            if each.name in SHOWN or (each.name == "name" and type(found).__name__ in NAMED):
                changed[each.name] = TrackText(value)
        elif each.name in PAIRED and isinstance(value, tuple):
            changed[each.name] = tuple((key, TrackText(label)) for key, label in value)
        elif each.name == "scale" and value is not None:
            changed[each.name] = partial(_scale, value)
        elif not isinstance(value, Mapping):
            made = _marked(value)
            if made is not value:
                changed[each.name] = made
    return replace(found, **changed) if changed else found


def _scale(scale: Any, settings: Any) -> Any:
    return _marked(scale(settings))
