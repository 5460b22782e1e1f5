"""Days and hours in a campaign's own time zone: the one place that turns moments into what people read on a calendar.

A campaign has a zone of its own, in which its days begin and its moments are shown; the deadline for runs may be told
in another, such as anywhere on Earth.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone

from assess.campaigns.models import Campaign

ANYWHERE = "Etc/GMT+12"
"""The zone in which a day ends last: while it is that day anywhere on Earth, it is that day there."""
ANYWHERE_SHORT = "AoE"
ANYWHERE_LONG = "Anywhere on Earth"


@lru_cache(maxsize=1)
def time_zones() -> tuple[str, ...]:
    """The names of the time zones that a campaign can have: by place, such as Europe/Vienna, UTC, and `ANYWHERE`."""
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name))


def zone_choices() -> list[tuple[str, str]]:
    """(name, words) of all zones for a form; anywhere on Earth comes by that name, beside UTC."""
    rest = [(name, name) for name in time_zones() if name not in ("UTC", ANYWHERE)]
    return [("UTC", "UTC"), (ANYWHERE, f"{ANYWHERE_LONG} ({ANYWHERE_SHORT}, UTC−12)"), *rest]


def zone_named(text: str) -> str | None:
    """The zone's own name: as it is kept, or AoE and "anywhere on earth" as people write them; None: there is none.

    >>> zone_named("aoe"), zone_named("Anywhere on Earth"), zone_named("Asia/Kolkata"), zone_named("Middle/Earth")
    ('Etc/GMT+12', 'Etc/GMT+12', 'Asia/Kolkata', None)
    """
    wanted = text.strip()
    if wanted.casefold() in (ANYWHERE_SHORT.casefold(), ANYWHERE_LONG.casefold()):
        return ANYWHERE
    return wanted if wanted in time_zones() else None


def zone_words(zone: str) -> str:
    """What people call a zone.

    >>> zone_words("Etc/GMT+12"), zone_words("Europe/Vienna")
    ('AoE', 'Europe/Vienna')
    """
    return ANYWHERE_SHORT if zone == ANYWHERE else zone


@contextmanager
def clocks_of(campaign: Campaign | None) -> Iterator[None]:
    """Templates rendered inside show moments in the campaign's zone; in the site's without one."""
    with timezone.override(ZoneInfo(campaign.time_zone) if campaign else timezone.get_default_timezone()):
        yield


def local(moment: datetime, zone: str) -> datetime:
    """The moment as clocks in the zone show it."""
    return moment.astimezone(ZoneInfo(zone))


def day_of(moment: datetime, zone: str) -> date:
    """The day in the zone.

    >>> from datetime import UTC
    >>> day_of(datetime(2026, 1, 5, 23, 30, tzinfo=UTC), "Europe/Berlin")
    datetime.date(2026, 1, 6)
    """
    return local(moment, zone).date()


def moment_words(moment: datetime, zone: str, *, seconds: bool = False) -> str:
    """Day, time and the zone's sign, as clocks there show it.

    >>> from datetime import UTC
    >>> moment_words(datetime(2026, 12, 2, 11, 59, tzinfo=UTC), "Etc/GMT+12")
    '2026-12-01 23:59 AoE'
    """
    shown = local(moment, zone)
    clock = f"{shown:%Y-%m-%d %H:%M:%S}" if seconds else f"{shown:%Y-%m-%d %H:%M}"
    return f"{clock} {ANYWHERE_SHORT if zone == ANYWHERE else shown.tzname()}"
