"""The versions of a campaign's design: which was in force when, and what the site needs of the reader of designs.

Versions are not stored as such: the first is the design by which the campaign was made, and each later one is an
activity. Ledger rows are numbered in the order in which they were written. So a judgment was made under the version of
the last such activity before it, unless it was imported from a file that names an earlier version.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import get_language, gettext, gettext_lazy

from assess.base.errors import Conflict, NotFound
from assess.base.files import open_file
from assess.campaigns.models import Campaign
from assess.campaigns.queries import known_track
from assess.campaigns.track_texts import in_language
from assess.protocol import Criterion
from assess.protocol.designs import Designs

DESIGN = "campaign.design"
"""The action by which a version comes into force; its data has its number, both files and what changed."""

MOVED = "moved"
"""The code of a refusal: the page was loaded, or the file sent, before values were moved on the scale, or taken off."""

MOVED_SINCE_LOADED = gettext_lazy(
    "The grades were changed since this page was loaded, so this was not saved. Reload the page and judge it again."
)
MOVED_SINCE_SENT = gettext_lazy(
    "The grades were changed since this file was sent, so nothing of it was stored. Send it again, with the values "
    "that the grades have now."
)

MOVED_MEANWHILE = gettext_lazy(
    "The grades were changed while this file was being stored. What had been stored by then stays and counts by the "
    "grades of now. Send the file again, with the values that the grades have now."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignVersion:
    """One version: the sha256 of its file, the ledger point at which it takes effect, its author, and what changed."""

    version: int
    design: str
    point: int
    by: str
    at: datetime
    changes: tuple[str, ...] = ()
    mapped: tuple[dict[str, Any], ...] = ()


def designs() -> Designs:
    """Return the reader of designs that the setting ASSAY_DESIGNS names."""
    found: Designs = import_string(settings.ASSAY_DESIGNS)
    return found


def text_of_design(sha256: str) -> str:
    """Return the text of a stored design. Raises `NotFound` if its file is gone."""
    with open_file(sha256) as file:
        return file.read().decode()


def design_versions(campaign: Campaign) -> list[DesignVersion]:
    """Return all versions, the first one first; an empty list for an installed track. Two queries."""
    if not campaign.design:
        return []
    rows = list(campaign.activities.filter(action=DESIGN).select_related("actor").order_by("id"))
    made = campaign.activities.filter(action="campaign.create").select_related("actor").order_by("id").first()
    first = DesignVersion(
        version=1,
        design=rows[0].data["before"] if rows else campaign.design,
        point=made.pk if made is not None else 0,
        by=str(made.actor) if made is not None else "",
        at=made.created_at if made is not None else campaign.created_at,
    )
    later = [
        DesignVersion(
            version=number,
            design=row.data["design"],
            point=row.pk,
            by=str(row.actor),
            at=row.created_at,
            changes=tuple(row.data.get("changes", ())),
            mapped=tuple(row.data.get("mapped", ())),
        )
        for number, row in enumerate(rows, 2)
    ]
    return [first, *later]


def seen_changes(data: Mapping[str, Any]) -> list[str]:
    """Return what assessors see of the changes of a version, from the data of its activity, in the reader's language.

    The sentences are stored in English. To translate them, the changes are found again from both designs. A sentence
    that is not found again, for example because this site now refuses one of the designs, stays English.
    """
    stored: list[str] = data["seen"]
    if (get_language() or "en").startswith("en"):
        return stored
    try:
        made_of = _changes_of(data["before"], data["design"])
    except (ValueError, OSError, NotFound):
        return stored
    return [in_language(made_of.get(each, each)) for each in stored]


@lru_cache(maxsize=16)
def _changes_of(before: str, now: str) -> Mapping[str, str]:
    """Return the messages on the changes between two stored designs: their text, and the phrase that can be
    translated.
    """
    found = designs().changes(text_of_design(before), text_of_design(now))
    return {str(each.message): each.message for each in found.changes}


def criteria_of_versions(campaign: Campaign) -> Mapping[str, Criterion]:
    """Return the campaign's criteria by key, with everything (notes, lengths) that any version of its design allowed.

    The records of a release are checked against these. Empty if there is only one version.
    """
    versions = design_versions(campaign)
    return designs().taking([text_of_design(each.design) for each in versions]) if len(versions) > 1 else {}


def version_points(campaign: Campaign, as_of: int | None) -> list[int]:
    """Return the ledger points at which the later versions took effect, up to a point.

    One query if the campaign has a design of its own.
    """
    if not campaign.design:
        return []
    rows = campaign.activities.filter(action=DESIGN).order_by("id")
    return list((rows if as_of is None else rows.filter(id__lte=as_of)).values_list("id", flat=True))


def version_of(points: Sequence[int], row: int, said: int | None) -> int:
    """Return the number of the version under which a ledger row was made.

    ``points`` are those of `version_points`; ``said`` is the number that an imported file gives, or None.
    """
    return said or 1 + bisect_left(points, row)


def values_now(campaign: Campaign) -> Callable[[int, str, int], int]:
    """Return a function of (ledger row, question, recorded value) that returns the value that this became when later
    versions of the design moved it. Two queries if the campaign has a design of its own.
    """
    versions = [
        (each.point, {(moved["question"], moved["from"]): moved["to"] for moved in each.mapped})
        for each in design_versions(campaign)
        if each.mapped
    ]

    def value_now(row: int, question: str, value: int) -> int:
        for point, moves in versions:
            if row < point:
                value = moves.get((question, value), value)
        return value

    return value_now


def campaign_at(campaign: Campaign, point: int | None) -> Campaign:
    """Return the campaign as it reads its records at a ledger point: with the design that was in force then, and those
    of its present settings that this design knows.
    """
    if point is None or not campaign.design:
        return campaign
    later = campaign.activities.filter(action=DESIGN, id__gt=point).order_by("id").first()
    if later is None:
        return campaign
    then = copy(campaign)
    then.design = later.data["before"]
    if (track := known_track(then)) is None:
        raise Conflict(
            gettext(
                "What was there at ledger point %(point)s can't be shown: the version of the design that was in force "
                "then can't be read here any more. Nothing else is lost. Whoever runs the site can restore the data "
                "folder."
            )
            % {"point": point}
        )
    known = track.settings().as_mapping()
    then.track, then.settings = track.key, {k: v for k, v in campaign.settings.items() if k in known}
    return then


def require_same_scale(campaign: Campaign, shown: str, said: str | Promise = MOVED_SINCE_LOADED) -> None:
    """Raise `Conflict`, with the sentence ``said``, for a click from a page that was loaded before recorded values were
    moved, since its keys meant other grades; or for a file that was sent before that.

    ``shown`` is the design by which the page was made, or the beginning of its sha256; "" counts as older than all. No
    query if that design is still in force.
    """
    if campaign.design.startswith(shown) and (shown or not campaign.design):
        return
    versions = design_versions(campaign)
    known = next((each.version for each in reversed(versions) if shown and each.design.startswith(shown)), 0)
    if any(each.mapped for each in versions if each.version > known):
        raise grades_changed(said)


def grades_changed(said: str | Promise = MOVED_SINCE_LOADED) -> Conflict:
    """Return the refusal of what was given by grades that the design no longer has, or has with another meaning."""
    return Conflict(said, code=MOVED)


def require_design_in_force(campaign: Campaign) -> None:
    """Raise `Conflict` for a write that was prepared under an earlier design, if values were moved since.

    Needs a lock for which a change of the design waits. One query if the campaign has a design of its own.
    """
    if not campaign.design:
        return
    now = copy(campaign)
    now.design = Campaign.objects.values_list("design", flat=True).get(pk=campaign.pk)
    require_same_scale(now, campaign.design)
