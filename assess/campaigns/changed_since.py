"""Refuse to replace values that somebody else has changed since they were read.

A caller that replaces several values, or a whole text, says which values it started from (``made_from``). The function
that writes compares them with what is stored, under its lock. Pages carry digests of the values in a hidden field
(`assess/web/made_from.py`); calls of the API carry the values themselves, as the member `before`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.campaigns.models import Activity, Campaign

MadeFrom = Mapping[str, str]
"""The digest of each value from which a form or a call was made, by its name (`digests_of`)."""

CHANGED = "changed"


class ChangedSince(Conflict):
    """The refusal to replace values that somebody else has changed.

    ``present`` holds all stored values, ``names`` those that changed.
    """

    code = CHANGED

    def __init__(self, message: str, *, present: Mapping[str, Any], names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.present = dict(present)
        self.names = names


def digests_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Return a short digest of each value, by which a changed value is recognised.

    >>> digests_of({"a": 1}) == digests_of({"a": 1}), digests_of({"a": 1}) == digests_of({"a": "1"})
    (True, False)
    """
    return {name: _digest(value) for name, value in values.items()}


def require_unchanged(
    *,
    campaign: Campaign,
    present: Mapping[str, Any],
    made_from: MadeFrom | None,
    action: str,
    about: object | None = None,
) -> None:
    """Raise `ChangedSince` if a value that the caller started from has changed by now.

    ``present`` holds the stored values, read under the lock of the write. If ``made_from`` is None, nothing is
    compared; names that it leaves out are not compared, and unknown names are `Invalid`. ``action`` and ``about``
    identify the activity that records such changes; the message names its author. No query unless it is refused.
    """
    if not made_from:
        return
    if unknown := sorted(made_from.keys() - present.keys()):
        known = ", ".join(present)
        raise Invalid(
            gettext("“%(unknown)s” can't be replaced here. Name one of: %(known)s.")
            % {"unknown": unknown[0][:60], "known": known},
            field="before",
        )
    names = tuple(name for name, digest in made_from.items() if _digest(present[name]) != digest)
    if names:
        raise ChangedSince(_sentence(campaign, action, about), present=present, names=names)


def _sentence(campaign: Campaign, action: str, about: Any) -> str:
    found = Activity.objects.filter(campaign=campaign, action=action)
    if about is not None:
        found = found.filter(object_id=str(about.pk))
    last = found.select_related("actor").order_by("-id").first()
    who = str(last.actor) if last is not None and last.actor is not None else gettext("Somebody")
    zone = ZoneInfo(campaign.time_zone)
    when = f" ({last.created_at.astimezone(zone):%Y-%m-%d %H:%M})" if last is not None else ""
    return gettext(
        "%(who)s changed this after you had opened it%(when)s, so nothing is saved yet. Compare both versions, then "
        "save yours over it or leave it as it is."
    ) % {"who": who, "when": when}


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
