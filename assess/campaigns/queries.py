"""Queries about a campaign: its track and stages, the guidelines in force, and points of its ledgers."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection
from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, Q, QuerySet, Value
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext

from assess.base.errors import Invalid, NotFound
from assess.base.files import open_file
from assess.base.process import site_version
from assess.campaigns.models import Campaign, Guideline
from assess.campaigns.track_texts import with_texts
from assess.kinds.base import kinds
from assess.ledger.models import LedgerPoint, LedgerRow
from assess.protocol import Drafting, Stage, Task, Track, ranked_recipe
from assess.protocol.designs import Designs

if TYPE_CHECKING:
    from assess.releases.models import Release


def whole_campaigns() -> QuerySet[Campaign]:
    """Return all campaigns except those that are being imported, which are hidden until they are complete."""
    return Campaign.objects.filter(unfinished_import=None)


def registered_tracks() -> dict[str, Track]:
    """Return all tracks by key, in the order registered."""
    return _tracks_at(settings.ASSAY_TRACKS)


@lru_cache(maxsize=1)
def _tracks_at(path: str) -> dict[str, Track]:
    return {track.key: with_texts(track) for track in import_string(path)}


def track_of_text(text: str, *, folder: Path | None = None) -> Track:
    """Return the track that a design file describes; ``folder`` has the files that it names.

    Raises `Invalid` for a design with faults.
    """
    reader: Designs = import_string(settings.ASSAY_DESIGNS)
    try:
        return reader.track(text, folder=folder, works=kinds())
    except ValueError as error:
        raise Invalid(str(error), field="design") from error


@lru_cache(maxsize=64)
def _designed(sha256: str) -> Track:
    with open_file(sha256) as file:
        return track_of_text(file.read().decode())


def lacks_bench(track: Track) -> str:
    """Return the first kind of work in a track's stages for which this site has no bench, or "" if it has all."""
    stages = [stage for task in track.tasks for stage in task.stages]
    return next((stage.work.key for stage in stages if stage.work.key not in kinds()), "")


def known_track(campaign: Campaign) -> Track | None:
    """Return a campaign's track, registered or its own design; None if this site does not know it (any more), or if the
    file of its design is gone.
    """
    if not campaign.design:
        found = registered_tracks().get(campaign.track)
        return None if found is None or lacks_bench(found) else found
    try:
        return _designed(campaign.design)
    except (Invalid, NotFound):  # an earlier version of the site accepted a design that this one refuses, or it is lost
        return None


def track_of(campaign: Campaign) -> Track:
    """Return the track of a campaign. Raises `LookupError` for an unknown track, which pages and commands refuse
    earlier.
    """
    found = known_track(campaign)
    if found is None:
        raise LookupError(f"the track {campaign.track} is not registered in ASSAY_TRACKS")
    return found


def read_by(campaign: Campaign) -> tuple[str, str, str]:
    """Return what determines how a campaign's files and records are read: the code, the track and its design (or
    "").
    """
    return site_version(), campaign.track, campaign.design


def settings_of(campaign: Campaign) -> Any:
    """Return the campaign's settings as the track's own dataclass, with defaults filled in."""
    return track_of(campaign).settings.from_stored(campaign.settings)


def stage_of(campaign: Campaign, stage: str) -> tuple[Task, Stage]:
    """Return the task and the stage with this key, with the criteria and scales that the campaign's settings choose.

    Raises `LookupError` if the track has no such stage or is unknown.
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


def judges_ranked_items(campaign: Campaign, stage: str) -> bool:
    """Return whether a stage judges the kind of item that its task's runs rank. Only then can its pool grow."""
    task, found = stage_of(campaign, stage)
    recipe = ranked_recipe(track_of(campaign), task)
    return recipe is not None and recipe.kind == found.item_kind


def drafting_of(campaign: Campaign) -> Drafting | None:
    """Return how topics are drafted in this campaign, or None if topics only come from files."""
    return track_of(campaign).drafting


# The guidelines in force.


def current_guideline(campaign: Campaign) -> Guideline | None:
    """Return the newest published guidelines, or None if none were published."""
    return campaign.guidelines.order_by("-version").first()


def current_guideline_id(campaign: Campaign) -> int | None:
    """Return the id of the newest published guidelines, or None."""
    return campaign.guidelines.order_by("-version").values_list("pk", flat=True).first()


# The ledger points at which a campaign is read: now, when frozen, when released, or as a person asks.


def published_release(campaign: Campaign) -> Release | None:
    """Return the newest release that was published, or None."""
    return campaign.releases.filter(published=True).order_by("-id").first()


def is_corrected(campaign: Campaign) -> bool:
    """Return whether the campaign was reopened after a release was published, so that its next release corrects it."""
    return campaign.state != Campaign.State.RELEASED and published_release(campaign) is not None


def scores_are_out(campaign: Campaign) -> bool:
    """Return whether participants see the scores of their runs.

    They do if the campaign is released or one of its releases is published.
    """
    return campaign.state == Campaign.State.RELEASED or published_release(campaign) is not None


def released_point(campaign: Campaign) -> int | None:
    """Return the ledger point of the published release; None (now) for a campaign released without one."""
    release = published_release(campaign)
    return release.as_of if release is not None else None


def ledger_point(campaign: Campaign) -> int:
    """Return the number of the newest row of the campaign's ledgers, or 0 if they are empty. One query.

    No row of this campaign that is committed later has this number or a lower one. A point above it, which another
    campaign reached, has no such guarantee: an uncommitted row of this campaign may have a lower number.
    """
    return LedgerPoint.objects.filter(campaign=campaign.pk).values_list("value", flat=True).first() or 0


LATELY = timedelta(minutes=10)
"""The time for which a ledger point still counts as the newest after it was, for calls and for exports being made."""
ANY_AGE = timedelta.max
"""No limit of age: for pages that say when their figures were computed."""


def rows_since(campaign: Campaign, point: int, *, lately: tuple[datetime, datetime] | None = None) -> int:
    """Return how many rows were added to the campaign's ledgers after a ledger point; if ``lately`` is given, without
    those from its first moment to its second.

    One query. Its statement, which Django needs several milliseconds to build, is built once.
    """
    adapted = connection.ops.adapt_datetimefield_value
    first, last = lately or (None, None)
    said = {_POINT: point, _CAMPAIGN: campaign.pk, adapted(_FIRST): adapted(first), adapted(_LAST): adapted(last)}
    statement, values = _counted_since(point > 0, lately is not None)
    with connection.cursor() as cursor:
        cursor.execute(statement, [said.get(value, value) for value in values])
        return sum(count for (count,) in cursor.fetchall())


def has_more_rows(campaign: Campaign, *, than: int) -> bool:
    """Return whether the campaign's ledgers hold more rows than that. They are counted no further.

    One query for a small site, whose newest row has a low number; otherwise one more for each ledger.
    """
    if ledger_point(campaign) <= than:
        return False
    left = than
    for ledger in LedgerRow.__subclasses__():
        rows = ledger._default_manager.filter(**{ledger.campaign_path: campaign}).order_by()
        left -= rows.values("pk")[: left + 1].count()
        if left < 0:
            return True
    return False


_POINT, _CAMPAIGN, _FIRST, _LAST = -1, -2, datetime(1, 1, 2, tzinfo=UTC), datetime(1, 1, 3, tzinfo=UTC)
"""Placeholders in a statement that is built once; each call replaces them with its own values."""


@cache
def _counted_since(has_point: bool, has_moments: bool) -> tuple[str, tuple[Any, ...]]:
    """Return the statement of `rows_since` and its parameters, in which placeholders stand for campaign, point and
    moments.
    """
    counted = Q(created_at__lt=_FIRST) | Q(created_at__gt=_LAST) if has_moments else Q()
    first, *others = [
        rows_between(ledger._default_manager.all(), Campaign(pk=_CAMPAIGN), after=_POINT if has_point else 0)
        .filter(counted)
        .values(ledger=Value(place))
        .values_list(Count("pk"), flat=True)
        for place, ledger in enumerate(LedgerRow.__subclasses__())
    ]
    statement, values = first.union(*others, all=True).query.get_compiler(connection=connection).as_sql()
    return statement, tuple(values)


def rows_between(rows: QuerySet[Any], campaign: Campaign, *, after: int, upto: int | None = None) -> QuerySet[Any]:
    """Return the campaign's rows of a ledger above a ledger point and, if given, up to another, unordered.

    Rows are searched by id alone. Without statistics, SQLite would look at every row of the campaign; so the condition
    on the campaign is written as a sum, which no index matches.
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
    """Return whether a ledger point was the campaign's newest until at most ``within`` ago.

    A result computed at such a point may be used as the newest, because while people judge, a result for the exact
    newest point would never be ready. In a closed campaign nobody judges, so only the newest point counts. Rows from
    longer after now were made before the clock was set back, so nobody knows how old they are. One query, or none if
    any age is accepted.
    """
    if within == ANY_AGE:
        return True
    now = timezone.now()
    return not rows_since(campaign, point, lately=None if campaign.is_closed else (now - within, now + within))


def row_at(campaign: Campaign, point: int) -> str:
    """Return text that distinguishes the row with this number from any other row that ever had the number; "" if there
    is no such row.
    """
    first, *others = [
        ledger._default_manager.filter(**{"id": point, ledger.campaign_path: campaign})
        .order_by()
        .values_list("created_at", flat=True)
        for ledger in LedgerRow.__subclasses__()
    ]
    return "".join(str(moment) for moment in first.union(*others))


def newest_point(campaign: Campaign) -> int:
    """Return the ledger point at which a campaign is read by default: for a closed one, the point of its freeze.

    Membership, releases and exports are recorded in closed campaigns, too, so their ledgers may grow. One query.
    """
    return frozen_point(campaign) if campaign.is_closed else ledger_point(campaign)


def frozen_point(campaign: Campaign) -> int:
    """Return the ledger point at which the campaign was last frozen, even if it was opened again since; or the newest
    point if it was never frozen. While it is closed, nothing in it changes after this point.
    """
    freezes = campaign.activities.filter(action="campaign.state", data__to=Campaign.State.FROZEN).order_by("-id")
    point = freezes.values_list("pk", flat=True).first()
    return point if point is not None else ledger_point(campaign)


def frozen_on(campaign: Campaign) -> date:
    """Return the day, in UTC, on which the campaign was last frozen, or else that of its newest activity, or of its
    making if it has none.
    """
    activities = campaign.activities.order_by("-id")
    freezes = activities.filter(action="campaign.state", data__to=Campaign.State.FROZEN)
    moment = (freezes.first() or activities.first() or campaign).created_at
    return moment.astimezone(UTC).date()


_DIGITS = 15


def reached_point(campaign: Campaign, as_of: int | None, *, field: str = "as_of") -> int:
    """Return the ledger point asked for, by default that of `newest_point`. Raises `Invalid`, which names the
    ``field``, for one below 0 or not reached yet.
    """
    if as_of is None:
        return newest_point(campaign)
    now = ledger_point(campaign)
    if not 0 <= as_of <= now:
        raise Invalid(
            gettext("There is no ledger point %(as_of)s; the newest is %(now)s. Give one from 0 to %(now)s.")
            % {"as_of": as_of, "now": now},
            field=field,
        )
    return as_of


def point_named(campaign: Campaign, text: str, *, field: str = "as_of") -> int:
    """Return the ledger point that an address names; "" means the newest.

    Raises `Invalid`, which names the ``field``, for a text that is no number or a point not reached yet.
    """
    text = text.strip()
    if not text:
        return reached_point(campaign, None)
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise Invalid(
            gettext("“%(text)s” is no ledger point. Give a whole number, or none for the newest.")
            % {"text": text[:40]},
            field=field,
        )
    return reached_point(campaign, int(text), field=field)


def is_without_drafts(campaign: Campaign, topic: str) -> bool:
    """Return whether the topic with this number is one in which nobody sees drafts.

    The draw depends only on the campaign's seed and the number, so that a larger share includes the topics of a smaller
    one.
    """
    drawn = hashlib.sha256(f"{campaign.draftless_seed}\0{topic}".encode()).digest()
    return int.from_bytes(drawn[:8]) < campaign.draftless_share * 2**64


# Leases: when an assignment on which nothing is done goes back by itself.


def lease_end(campaign: Campaign, *, now: datetime | None = None) -> datetime | None:
    """Return when a lease that begins now ends; None if assignments never go back by themselves."""
    if campaign.lease_hours is None:
        return None
    return (now or timezone.now()) + timedelta(hours=campaign.lease_hours)
