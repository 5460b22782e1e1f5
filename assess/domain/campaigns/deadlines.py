"""The deadline for runs: set in the campaign's own time zone, kept as a moment."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.activity import record_activity
from assess.domain.campaigns.campaigns import require_changeable
from assess.domain.campaigns.closed import lock_open
from assess.domain.errors import Invalid
from assess.models import Campaign
from assess.queries.campaigns.deadlines import time_zones


def set_deadline(*, actor: User, campaign: Campaign, due: str, time_zone: str = "") -> Campaign:
    """Say until when participants submit, replace and withdraw runs; "" as ``due`` takes the deadline away.

    ``due`` is "2026-12-01 23:59" (or with a T), in ``time_zone`` (default: the campaign's), unless it says an offset of
    its own. An hour that comes twice when clocks are set back means the later one. Setting the same changes nothing.
    Refused: a zone that has no such name, a time that can't be read or never comes, a frozen campaign.
    """
    require_changeable(campaign)
    zone = time_zone.strip() or campaign.time_zone
    if zone not in time_zones():
        raise Invalid(
            f"There is no time zone “{zone[:64]}”. Write its place, such as Europe/Vienna, or UTC; "
            "Etc/GMT+12 is anywhere on earth."
        )
    moment = _moment(due.strip(), ZoneInfo(zone)) if due.strip() else None
    with transaction.atomic():
        locked = lock_open(campaign)
        before = (locked.runs_due, locked.time_zone)
        campaign.runs_due, campaign.time_zone = moment, zone
        if before == (moment, zone):
            return campaign
        campaign.save(update_fields=["runs_due", "time_zone"])
        record_activity(
            actor=actor,
            action="campaign.deadline",
            campaign=campaign,
            about=campaign,
            data={"runs_due": [_text(before[0]), _text(moment)], "time_zone": [before[1], zone]},
        )
    return campaign


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        said = datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid(f"“{text[:40]}” is no date with a time. Write it as 2026-12-01 23:59.") from error
    if len(text) <= len("2026-12-01"):
        raise Invalid(f"“{text}” says no time of the day. Write it as 2026-12-01 23:59.")
    try:
        moment = (said if said.tzinfo is not None else said.replace(tzinfo=zone, fold=1)).astimezone(UTC)
        local = moment.astimezone(zone)  # out of range here, it could never be shown
    except OverflowError as error:
        raise Invalid(f"“{text[:40]}” is too far away. Choose another date.") from error
    if said.tzinfo is None and local.replace(tzinfo=None) != said:
        raise Invalid(f"{said:%Y-%m-%d %H:%M} never comes in {zone.key}: clocks are set forward. Choose another time.")
    return moment


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment is not None else None
