"""What is asked of a campaign: its track and stages, the guidelines in force, points of its ledgers."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, QuerySet, Value
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.files import open_file
from assess.base.process import site_version
from assess.campaigns.models import Campaign, Guideline
from assess.kinds.base import kinds, lacks_bench
from assess.ledger.models import LedgerPoint, LedgerRow
from assess.protocol import Drafting, Stage, Task, Track
from assess.protocol.designs import Designs

if TYPE_CHECKING:
    from assess.releases.models import Release


def whole_campaigns() -> QuerySet[Campaign]:
    """Return all campaigns but those that are being imported, which nobody sees before they are whole."""
    return Campaign.objects.filter(unfinished_import=None)


def registered_tracks() -> dict[str, Track]:
    """Return all tracks by key, in the order registered."""
    return _tracks_at(settings.ASSAY_TRACKS)


@lru_cache(maxsize=1)
def _tracks_at(path: str) -> dict[str, Track]:
    return {track.key: track for track in import_string(path)}


def track_of_text(text: str, *, folder: Path | None = None) -> Track:
    """The track that a design file says; ``folder`` is where the files lie that it names. Refused: one with faults."""
    reader: Designs = import_string(settings.ASSAY_DESIGNS)
    try:
        return reader.track(text, folder=folder, works=kinds())
    except ValueError as error:
        raise Invalid(str(error), field="design") from error


@lru_cache(maxsize=64)
def _designed(sha256: str) -> Track:
    with open_file(sha256) as file:
        return track_of_text(file.read().decode())


def known_track(campaign: Campaign) -> Track | None:
    """Return the track of a campaign, a registered one or its own design; None where this site does not know it (any
    more).
    """
    if not campaign.design:
        found = registered_tracks().get(campaign.track)
        return None if found is None or lacks_bench(found) else found
    try:
        return _designed(campaign.design)
    except Invalid:  # an earlier version of the site took what this one does not
        return None


def track_of(campaign: Campaign) -> Track:
    """Return the track of a campaign. Pages and commands have refused campaigns of tracks that are gone before."""
    found = known_track(campaign)
    if found is None:
        raise LookupError(f"the track {campaign.track} is not registered in ASSAY_TRACKS")
    return found


def read_by(campaign: Campaign) -> tuple[str, str, str]:
    """Return what reads the files and records of a campaign: the code, the track, and its design ("" where none)."""
    return site_version(), campaign.track, campaign.design


def settings_of(campaign: Campaign) -> Any:
    """Return the campaign's settings as the track's own dataclass, defaults filled in."""
    return track_of(campaign).settings.from_kept(campaign.settings)


def stage_of(campaign: Campaign, stage: str) -> tuple[Task, Stage]:
    """Return the stage with this key and its task; of its criteria those that the campaign's settings ask, on their
    scales.
    """
    found = track_of(campaign).stage(stage)
    if found is None:
        raise LookupError(f"track {campaign.track} has no stage {stage}")
    task, stage_found = found
    if any(criterion.setting or criterion.scale for criterion in stage_found.criteria):
        settings = settings_of(campaign)
        asked = tuple(each.with_scale(settings) for each in stage_found.criteria if each.is_asked(settings))
        stage_found = stage_found.asking(asked)
    return task, stage_found


def drafting_of(campaign: Campaign) -> Drafting | None:
    """Return how topics are drafted in this campaign; None where topics only come from files."""
    return track_of(campaign).drafting


# The guidelines in force.


def current_guideline(campaign: Campaign) -> Guideline | None:
    """Return the newest published guidelines, or None where none were published."""
    return campaign.guidelines.order_by("-version").first()


def current_guideline_id(campaign: Campaign) -> int | None:
    """Return the id of the newest published guidelines."""
    return campaign.guidelines.order_by("-version").values_list("pk", flat=True).first()


# Points of the ledgers by which a campaign is read: now, frozen, released, named by people.


def published_release(campaign: Campaign) -> Release | None:
    """Return the newest release that was published, or None."""
    return campaign.releases.filter(published=True).order_by("-id").first()


def is_corrected(campaign: Campaign) -> bool:
    """Return whether the campaign was opened again after a release was published, and its next release corrects that
    one.
    """
    return campaign.state != Campaign.State.RELEASED and published_release(campaign) is not None


def scores_are_out(campaign: Campaign) -> bool:
    """Return whether participants see the scores of their runs: the campaign is released, or one of its releases is
    out.
    """
    return campaign.state == Campaign.State.RELEASED or published_release(campaign) is not None


def released_point(campaign: Campaign) -> int | None:
    """Return the ledger point of the published release; None (now) for a campaign released without one."""
    release = published_release(campaign)
    return release.as_of if release is not None else None


def ledger_point(campaign: Campaign) -> int:
    """Return the number of the newest row of the campaign's ledgers; 0 where they have none. One query.

    None of its rows that is committed later has this number or a lower one. Above it that is not so: a number that
    another campaign reached may be above one that is taken in this campaign and not committed yet.
    """
    return LedgerPoint.objects.filter(campaign=campaign.pk).values_list("value", flat=True).first() or 0


LATELY = timedelta(minutes=10)
"""How long ago that may have been the newest which stands for it in a call, and in exports that are being made."""
ANY_AGE = timedelta.max
"""As long ago as may be: for a page, which says of what moment it is."""


def rows_since(campaign: Campaign, point: int, *, before: datetime | None = None) -> int:
    """Return how many rows were added to the campaign's ledgers since a ledger point, and before a moment where one is
    given.

    One query.
    """
    until = {} if before is None else {"created_at__lt": before}
    first, *others = [
        rows_between(ledger._default_manager.all(), campaign, after=point)
        .filter(**until)
        .values(ledger=Value(place))
        .values_list(Count("pk"), flat=True)
        for place, ledger in enumerate(LedgerRow.__subclasses__())
    ]
    return sum(first.union(*others, all=True))


def rows_between(rows: QuerySet[Any], campaign: Campaign, *, after: int, upto: int | None = None) -> QuerySet[Any]:
    """Return a campaign's among these rows of a ledger, above a point and up to another where one is given, unordered.

    They are found by their ids alone. SQLite has no statistics on a site, and of a campaign's rows it would look at
    every one for its id: so the campaign is asked for by a sum, which no index holds.
    """
    path: str = rows.model.campaign_path
    rows = rows.order_by()
    if upto is not None:
        rows = rows.filter(id__lte=upto)
    if not after:
        return rows.filter(**{path: campaign})
    of = ExpressionWrapper(F(path) + 0, output_field=BigIntegerField())
    found: QuerySet[Any] = rows.filter(id__gt=after).alias(of=of).filter(of=campaign.pk)
    return found


def was_newest(campaign: Campaign, point: int, *, within: timedelta) -> bool:
    """Return whether a ledger point was the campaign's newest at some moment of so long a time before now.

    A result computed at such a point may be used as the newest, because while people judge, a result for the exact
    newest point would never be ready. In a closed campaign nobody judges, so only the newest point counts. One query,
    or none where any age is accepted.
    """
    if within == ANY_AGE:
        return True
    return not rows_since(campaign, point, before=None if campaign.is_closed else timezone.now() - within)


def row_at(campaign: Campaign, point: int) -> str:
    """Return what tells the ledger row with this number from any other that ever had it; "" where the campaign has
    none.

    A number is given again where a backup is restored. One query.
    """
    first, *others = [
        ledger._default_manager.filter(**{"id": point, ledger.campaign_path: campaign})
        .order_by()
        .values_list("created_at", flat=True)
        for ledger in LedgerRow.__subclasses__()
    ]
    return "".join(str(moment) for moment in first.union(*others))


def newest_point(campaign: Campaign) -> int:
    """Return what "as of" is for one campaign when nothing else is said: of a closed one, where it was frozen. One
    query.

    Membership, releases and exports are recorded in closed campaigns, too, so their ledgers may go on.
    """
    return frozen_point(campaign) if campaign.is_closed else ledger_point(campaign)


def frozen_point(campaign: Campaign) -> int:
    """The ledger point at which the campaign was frozen last: nothing of it was written after that."""
    freezes = campaign.activities.filter(action="campaign.state", data__to=Campaign.State.FROZEN).order_by("-id")
    point = freezes.values_list("pk", flat=True).first()
    return point if point is not None else ledger_point(campaign)


def frozen_on(campaign: Campaign) -> date:
    """Return the day, in UTC, on which the campaign was frozen last, or else that of its newest activity."""
    activities = campaign.activities.order_by("-id")
    freezes = activities.filter(action="campaign.state", data__to=Campaign.State.FROZEN)
    moment = (freezes.first() or activities.first() or campaign).created_at
    return moment.astimezone(UTC).date()


_DIGITS = 15


def reached_point(campaign: Campaign, as_of: int | None) -> int:
    """The ledger point asked for, by default the campaign's newest; one that was not reached yet is refused."""
    if as_of is None:
        return newest_point(campaign)
    now = ledger_point(campaign)
    if not 0 <= as_of <= now:
        raise Invalid(
            gettext("There is no ledger point %(as_of)s; the newest is %(now)s. Give one from 0 to %(now)s.")
            % {"as_of": as_of, "now": now}
        )
    return as_of


def point_named(campaign: Campaign, text: str) -> int:
    """The ledger point that an address names; "" is the campaign's newest. Refused as `reached_point` refuses."""
    text = text.strip()
    if not text:
        return reached_point(campaign, None)
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise Invalid(
            gettext("“%(text)s” is no ledger point. Give a whole number, or none for the newest.") % {"text": text[:40]}
        )
    return reached_point(campaign, int(text))


def is_draftless(campaign: Campaign, topic: str) -> bool:
    """Return whether the topic with this number is one of those in which nobody sees drafts.

    The draw depends on the campaign's seed and the number alone, so that a larger share keeps the topics of a smaller.
    """
    drawn = hashlib.sha256(f"{campaign.draftless_seed}\0{topic}".encode()).digest()
    return int.from_bytes(drawn[:8]) < campaign.draftless_share * 2**64
