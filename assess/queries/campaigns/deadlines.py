"""When runs are due, in words: the moment in the zone in which it was told, and the time that is left."""

from __future__ import annotations

from datetime import datetime, timedelta

from assess.models import Campaign
from assess.queries.campaigns.days import local, zone_words


def deadline_zone(campaign: Campaign) -> str:
    """The zone in which the deadline is told: its own, else the campaign's."""
    return campaign.due_zone or campaign.time_zone


def due_words(due: datetime | None, zone: str) -> str:
    """A deadline as people read it, "2026-12-01 23:59 (Europe/Vienna)"; "" where there is none."""
    return "" if due is None else f"{local(due, zone):%Y-%m-%d %H:%M} ({zone_words(zone)})"


def deadline_words(campaign: Campaign) -> str:
    """The campaign's deadline as people read it; "" where there is none."""
    return due_words(campaign.runs_due, deadline_zone(campaign))


def due_local(campaign: Campaign) -> str:
    """The deadline as a form holds it, "2026-12-01T23:59" in its zone; "" where there is none."""
    if campaign.runs_due is None:
        return ""
    return f"{local(campaign.runs_due, deadline_zone(campaign)):%Y-%m-%dT%H:%M}"


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
