"""When participants see topics, document lists and the package of documents."""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.deadlines import checked_zone, moment_of
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign, Part
from assess.campaigns.openings import own_date


def set_release_dates(*, actor: User, campaign: Campaign, dates: Mapping[str, str], time_zone: str = "") -> Campaign:
    """Say from when on participants see the parts named (`Part`); "" takes a date away: at once. Others stay.

    Dates are "2026-06-24 09:00" (or with a T) in ``time_zone`` (default: the campaign's), unless they say an offset of
    their own. One that has passed is taken: the part is out. Setting the same changes nothing. Refused: an unknown
    part, a zone that has no such name, what is no date with a time, a frozen campaign.
    """
    require_changeable(campaign)
    zone = ZoneInfo(checked_zone(time_zone) if time_zone.strip() else campaign.time_zone)
    wanted = {}
    for name, text in dates.items():
        if name not in Part.values:
            raise Invalid(f"Nothing called “{name[:40]}” is given out. Use one of: {', '.join(Part.values)}.")
        try:
            wanted[Part(name)] = moment_of(text.strip(), zone) if text.strip() else None
        except Invalid as refused:
            raise Invalid(refused.message, field=name) from refused
    with transaction.atomic():
        before = lock_open(campaign)
        changed = {part: moment for part, moment in wanted.items() if own_date(before, part) != moment}
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
