"""When runs are due, in words: the moment in the campaign's own time zone, and the time that is left."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from assess.models import Campaign


def time_zones() -> list[str]:
    """The names of time zones by place, such as Europe/Vienna, and UTC; "Etc/GMT+12" is anywhere on earth."""
    return ["UTC", *sorted(name for name in available_timezones() if "/" in name)]


def due_words(campaign: Campaign) -> str:
    """The deadline as people read it, "2026-12-01 23:59 (Europe/Vienna)"; "" where there is none."""
    if campaign.runs_due is None:
        return ""
    local = campaign.runs_due.astimezone(ZoneInfo(campaign.time_zone))
    return f"{local:%Y-%m-%d %H:%M} ({campaign.time_zone})"


def due_local(campaign: Campaign) -> str:
    """The deadline as a form holds it, "2026-12-01T23:59" in the campaign's zone; "" where there is none."""
    if campaign.runs_due is None:
        return ""
    return f"{campaign.runs_due.astimezone(ZoneInfo(campaign.time_zone)):%Y-%m-%dT%H:%M}"


def is_past_due(campaign: Campaign, now: datetime) -> bool:
    """Whether there is a deadline and it has passed; the moment itself is still in time."""
    return campaign.runs_due is not None and now > campaign.runs_due


def span_words(span: timedelta) -> str:
    """A length of time in its two largest units.

    >>> span_words(timedelta(days=1, hours=4, minutes=3)), span_words(timedelta(seconds=40))
    ('1 day 4 hours', 'less than a minute')
    >>> span_words(timedelta(days=12, hours=4)), span_words(timedelta(minutes=60))
    ('12 days', '1 hour')
    """
    minutes = int(abs(span).total_seconds()) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days >= 2:
        return f"{days} days"
    units = [(days, "day"), (hours, "hour")] if days else [(hours, "hour"), (minutes, "minute")]
    said = [f"{count} {unit if count == 1 else f'{unit}s'}" for count, unit in units if count]
    return " ".join(said) or "less than a minute"
