"""A campaign's dates: its time zone and days, the deadline for runs, and the release dates for participants.

A campaign has a time zone, in which its days begin and its moments are shown. The deadline for runs may be given in
another one, such as anywhere on Earth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign, Part

# Days and hours in a campaign's own time zone: the only place that converts moments to dates that people read.

ANYWHERE = "Etc/GMT+12"
"""The zone in which a day ends last: as long as it is that day anywhere on Earth, it is that day there."""
ANYWHERE_SHORT = "AoE"
ANYWHERE_LONG = "Anywhere on Earth"


@lru_cache(maxsize=1)
def time_zones() -> tuple[str, ...]:
    """Return the names of the time zones that a campaign can have: places such as Europe/Vienna, UTC, and
    `ANYWHERE`.
    """
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name))


def zone_choices() -> list[tuple[str, str]]:
    """Return (name, words) of all zones for a form; "anywhere on Earth" is listed by that name, after UTC."""
    rest = [(name, name) for name in time_zones() if name not in ("UTC", ANYWHERE)]
    return [("UTC", "UTC"), (ANYWHERE, f"{ANYWHERE_LONG} ({ANYWHERE_SHORT}, UTC−12)"), *rest]


def zone_named(text: str) -> str | None:
    """Return a zone's stored name, also for "AoE" and "anywhere on earth"; None if there is no such zone.

    >>> zone_named("aoe"), zone_named("Anywhere on Earth"), zone_named("Asia/Kolkata"), zone_named("Middle/Earth")
    ('Etc/GMT+12', 'Etc/GMT+12', 'Asia/Kolkata', None)
    """
    wanted = text.strip()
    if wanted.casefold() in (ANYWHERE_SHORT.casefold(), ANYWHERE_LONG.casefold()):
        return ANYWHERE
    return wanted if wanted in time_zones() else None


def zone_words(zone: str) -> str:
    """Return what people call a zone.

    >>> zone_words("Etc/GMT+12"), zone_words("Europe/Vienna")
    ('AoE', 'Europe/Vienna')
    """
    return ANYWHERE_SHORT if zone == ANYWHERE else zone


@contextmanager
def clocks_of(campaign: Campaign | None) -> Iterator[None]:
    """Show moments in the campaign's zone while templates are rendered, or in the site's zone without a campaign."""
    with timezone.override(ZoneInfo(campaign.time_zone) if campaign else timezone.get_default_timezone()):
        yield


def local(moment: datetime, zone: str) -> datetime:
    """Return the moment as clocks in the zone show it."""
    return moment.astimezone(ZoneInfo(zone))


def day_of(moment: datetime, zone: str) -> date:
    """Return the day of the moment in the zone.

    >>> from datetime import UTC
    >>> day_of(datetime(2026, 1, 5, 23, 30, tzinfo=UTC), "Europe/Berlin")
    datetime.date(2026, 1, 6)
    """
    return local(moment, zone).date()


def moment_words(moment: datetime, zone: str, *, seconds: bool = False) -> str:
    """Return day, time and the zone's abbreviation, as clocks there show them.

    >>> from datetime import UTC
    >>> moment_words(datetime(2026, 12, 2, 11, 59, tzinfo=UTC), "Etc/GMT+12")
    '2026-12-01 23:59 AoE'
    """
    shown = local(moment, zone)
    clock = f"{shown:%Y-%m-%d %H:%M:%S}" if seconds else f"{shown:%Y-%m-%d %H:%M}"
    return f"{clock} {ANYWHERE_SHORT if zone == ANYWHERE else shown.tzname()}"


# The deadline for runs, and its time zone.


def deadline_zone(campaign: Campaign) -> str:
    """Return the zone in which the deadline is given: its own, or else the campaign's."""
    return campaign.due_zone or campaign.time_zone


def due_words(due: datetime | None, zone: str) -> str:
    """Return a deadline as people read it, "2026-12-01 23:59 (Europe/Vienna)"; "" if there is none."""
    return "" if due is None else f"{local(due, zone):%Y-%m-%d %H:%M} ({zone_words(zone)})"


def deadline_words(campaign: Campaign) -> str:
    """Return the campaign's deadline as people read it; "" if there is none."""
    return due_words(campaign.runs_due, deadline_zone(campaign))


def due_local(campaign: Campaign) -> str:
    """Return the deadline for a form, "2026-12-01T23:59" in its zone; "" if there is none."""
    if campaign.runs_due is None:
        return ""
    return f"{local(campaign.runs_due, deadline_zone(campaign)):%Y-%m-%dT%H:%M}"


def is_past_due(campaign: Campaign, now: datetime) -> bool:
    """Return whether there is a deadline and it has passed; at the exact moment it has not."""
    return campaign.runs_due is not None and now > campaign.runs_due


def span_words(span: timedelta) -> str:
    """Return a length of time in its two largest units.

    >>> span_words(timedelta(days=1, hours=4, minutes=3)), span_words(timedelta(seconds=40))
    ('1 day 4 hours', 'less than a minute')
    >>> span_words(timedelta(days=12, hours=4)), span_words(timedelta(minutes=60))
    ('12 days', '1 hour')
    """
    minutes = int(abs(span).total_seconds()) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days >= 2:
        return ngettext("%(days)s day", "%(days)s days", days) % {"days": days}
    said = []
    if days:
        said.append(ngettext("%(days)s day", "%(days)s days", days) % {"days": days})
    if hours:
        said.append(ngettext("%(hours)s hour", "%(hours)s hours", hours) % {"hours": hours})
    if minutes and not days:
        said.append(ngettext("%(minutes)s minute", "%(minutes)s minutes", minutes) % {"minutes": minutes})
    return " ".join(said) or gettext("less than a minute")


PAST = "past-deadline"


def deadline_values(campaign: Campaign) -> dict[str, str]:
    """Return the current deadline as a form holds it, for `set_deadline` to compare."""
    return {"due": due_local(campaign), "time_zone": deadline_zone(campaign)}


def set_time_zone(*, actor: User, campaign: Campaign, time_zone: str) -> Campaign:
    """Set the zone in which the campaign's days begin: for progress by day, forecasts, time sheets, and all moments on
    pages.

    AoE means anywhere on Earth. Setting the same zone changes nothing. A frozen campaign's zone can be changed, too,
    since hours are often settled only then. Raises `Invalid` for an unknown zone.
    """
    zone = checked_zone(time_zone)
    with transaction.atomic():
        before = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk).time_zone
        campaign.time_zone = zone
        if before == zone:
            return campaign
        campaign.save(update_fields=["time_zone"])
        data = {"time_zone": [before, zone]}
        record_activity(actor=actor, action="campaign.time_zone", campaign=campaign, about=campaign, data=data)
    return campaign


def set_deadline(
    *,
    actor: User,
    campaign: Campaign,
    due: str,
    time_zone: str = "",
    past: bool = False,
    now: datetime | None = None,
    made_from: MadeFrom | None = None,
) -> Campaign:
    """Set until when participants submit, replace and withdraw runs; "" as ``due`` removes the deadline.

    ``due`` is "2026-12-01 23:59" (or with a T), in ``time_zone`` (AoE is anywhere on Earth; default: the zone of the
    previous deadline, or else the campaign's), unless it has an offset of its own. When clocks are set back and an hour
    occurs twice, the later one is meant. Setting the same deadline changes nothing. Raises `Invalid` for an unknown
    zone and for a time that can't be read or does not exist. Raises `Conflict` for a closed campaign, a deadline in the
    past (unless ``past`` says that this is intended), and if the stored deadline is no longer the one that the change
    was ``made_from`` (`deadline_values`).
    """
    require_changeable(campaign)
    zone = checked_zone(time_zone) if time_zone.strip() else campaign.due_zone
    moment = moment_of(due.strip(), ZoneInfo(zone or campaign.time_zone)) if due.strip() else None
    with transaction.atomic():
        locked = lock_open(campaign)
        before = (locked.runs_due, locked.due_zone)
        if before != (moment, zone):
            present = deadline_values(locked)
            require_unchanged(campaign=campaign, present=present, made_from=made_from, action="campaign.deadline")
        if moment is not None and moment != before[0] and not past:
            _require_future(moment, zone or campaign.time_zone, now or timezone.now())
        campaign.runs_due, campaign.due_zone = moment, zone
        if before == (moment, zone):
            return campaign
        campaign.save(update_fields=["runs_due", "due_zone"])
        record_activity(
            actor=actor,
            action="campaign.deadline",
            campaign=campaign,
            about=campaign,
            data={"runs_due": [_text(before[0]), _text(moment)], "due_zone": [before[1], zone]},
        )
    return campaign


def checked_zone(text: str) -> str:
    """Return a zone's stored name. Raises `Invalid` if there is no such zone."""
    zone = zone_named(text)
    if zone is None:
        raise Invalid(
            gettext(
                "There is no time zone “%(strip)s”. Write its place, such as Europe/Vienna, or UTC, or "
                "AoE (anywhere on Earth)."
            )
            % {"strip": text.strip()[:64]}
        )
    return zone


def _require_future(moment: datetime, zone: str, now: datetime) -> None:
    if moment <= now:
        shown = due_words(moment, zone)
        raise Conflict(
            gettext(
                "%(shown)s has passed, %(moment)s ago: participants could submit, replace and withdraw "
                "nothing any more. Choose a later time, or say that a deadline in the past is meant."
            )
            % {"shown": shown, "moment": span_words(now - moment)},
            code=PAST,
        )


def moment_of(text: str, zone: ZoneInfo) -> datetime:
    """Return the moment that "2026-12-01 23:59" means in this zone, unless the text has an offset of its own.

    Raises `Invalid` for a text that is not a date with a time, a time that clocks skip, and one out of range. Of a time
    that occurs twice, the later one is meant.
    """
    try:
        said = datetime.fromisoformat(text)
    except ValueError as error:
        raise Invalid(
            gettext("“%(text)s” is no date with a time. Write it as 2026-12-01 23:59.") % {"text": text[:40]}
        ) from error
    if len(text) <= len("2026-12-01"):
        raise Invalid(gettext("“%(text)s” says no time of the day. Write it as 2026-12-01 23:59.") % {"text": text})
    try:
        moment = (said if said.tzinfo is not None else said.replace(tzinfo=zone, fold=1)).astimezone(UTC)
        local = moment.astimezone(zone)  # a moment out of range in the zone could never be shown
    except OverflowError as error:
        raise Invalid(gettext("“%(text)s” is too far away. Choose another date.") % {"text": text[:40]}) from error
    if said.tzinfo is None and local.replace(tzinfo=None) != said:
        raise Invalid(
            gettext("%(said)s never comes in %(key)s: clocks are set forward. Choose another time.")
            % {"said": f"{said:%Y-%m-%d %H:%M}", "key": zone.key}
        )
    return moment


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment is not None else None


# The release dates of topics, document lists and the package for participants: the only place that decides.

NEEDS = {
    Part.TOPICS: (Part.TOPICS,),
    Part.LISTS: (Part.TOPICS, Part.LISTS),
    Part.PACKAGE: (Part.TOPICS, Part.LISTS, Part.PACKAGE),
}
"""The parts that must be released with each part: lists name the topics, and the package follows the lists."""


def own_date(campaign: Campaign, part: Part) -> datetime | None:
    """Return the release date that an organiser set for this part alone, or None."""
    moment: datetime | None = getattr(campaign, f"{part.value}_from")
    return moment


def released_on(campaign: Campaign, part: Part) -> datetime | None:
    """Return the date from which participants see this part and those it needs; None (at once) if no date is set."""
    return max((moment for each in NEEDS[part] if (moment := own_date(campaign, each)) is not None), default=None)


def is_out(campaign: Campaign, part: Part, now: datetime) -> bool:
    """Return whether this part is released to participants. At the exact moment of its date it is released. No
    query.
    """
    moment = released_on(campaign, part)
    return moment is None or now >= moment


def release_words(campaign: Campaign, part: Part) -> str:
    """Return the release date as people read it, "2026-06-24 09:00 (Europe/Vienna)"; "" if there is none."""
    return due_words(released_on(campaign, part), campaign.time_zone)


def release_local(campaign: Campaign, part: Part) -> str:
    """Return the part's own date for a form, "2026-06-24T09:00" in the campaign's zone; "" if there is none."""
    moment = own_date(campaign, part)
    return f"{local(moment, campaign.time_zone):%Y-%m-%dT%H:%M}" if moment is not None else ""


def release_values(campaign: Campaign) -> dict[str, str]:
    """Return the current release dates as a form holds them, for `set_release_dates` to compare."""
    return {part.value: release_local(campaign, part) for part in Part}


def set_release_dates(
    *,
    actor: User,
    campaign: Campaign,
    dates: Mapping[str, str],
    time_zone: str = "",
    made_from: MadeFrom | None = None,
) -> Campaign:
    """Set from when on participants see the named parts (`Part`); "" removes a date, which releases the part at once.

    Parts that are not named stay as they are. Dates are "2026-06-24 09:00" (or with a T) in ``time_zone`` (default: the
    campaign's), unless they have an offset of their own. A date in the past is accepted: the part is then released.
    Setting the same dates changes nothing. Raises `Invalid` for an unknown part or zone and a text that is not a date
    with a time, and `Conflict` for a closed campaign and if the stored dates are no longer those that the change was
    ``made_from`` (`release_values`).
    """
    require_changeable(campaign)
    zone = ZoneInfo(checked_zone(time_zone) if time_zone.strip() else campaign.time_zone)
    wanted = {}
    for name, text in dates.items():
        if name not in Part.values:
            raise Invalid(
                gettext("Nothing called “%(name)s” is given out. Use one of: %(values)s.")
                % {"name": name[:40], "values": ", ".join(Part.values)}
            )
        try:
            wanted[Part(name)] = moment_of(text.strip(), zone) if text.strip() else None
        except Invalid as refused:
            raise Invalid(refused.message, field=name) from refused
    with transaction.atomic():
        before = lock_open(campaign)
        changed = {part: moment for part, moment in wanted.items() if own_date(before, part) != moment}
        if changed:
            present = release_values(before)
            require_unchanged(campaign=campaign, present=present, made_from=made_from, action="campaign.release_dates")
        for part, moment in wanted.items():
            setattr(campaign, f"{part.value}_from", moment)
        if changed:
            campaign.save(update_fields=[f"{part.value}_from" for part in changed])
            data = {
                part.value: [each.isoformat(timespec="seconds") if each is not None else None for each in pair]
                for part, pair in ((part, (own_date(before, part), moment)) for part, moment in changed.items())
            }
            record_activity(actor=actor, action="campaign.release_dates", campaign=campaign, about=campaign, data=data)
    return campaign
