"""From when on participants see topics, document lists and the package of documents: the one place that decides it."""

from __future__ import annotations

from datetime import datetime

from assess.campaigns.days import local
from assess.campaigns.deadlines import due_words
from assess.campaigns.models import Campaign, Part

NEEDS = {
    Part.TOPICS: (Part.TOPICS,),
    Part.LISTS: (Part.TOPICS, Part.LISTS),
    Part.PACKAGE: (Part.TOPICS, Part.LISTS, Part.PACKAGE),
}
"""A list names the topics, and the package follows the lists: none of them is out before what it tells of."""


def own_date(campaign: Campaign, part: Part) -> datetime | None:
    """The release date that an organiser set for this part alone; None where there is none."""
    moment: datetime | None = getattr(campaign, f"{part.value}_from")
    return moment


def released_on(campaign: Campaign, part: Part) -> datetime | None:
    """From when on participants see this part, what it needs with it; None where no date was set: at once."""
    return max((moment for each in NEEDS[part] if (moment := own_date(campaign, each)) is not None), default=None)


def is_out(campaign: Campaign, part: Part, now: datetime) -> bool:
    """Whether this part is released to participants; the moment itself is in time. No query."""
    moment = released_on(campaign, part)
    return moment is None or now >= moment


def release_words(campaign: Campaign, part: Part) -> str:
    """The release date as people read it, "2026-06-24 09:00 (Europe/Vienna)"; "" where there is none."""
    return due_words(released_on(campaign, part), campaign.time_zone)


def release_local(campaign: Campaign, part: Part) -> str:
    """The date set for this part as a form holds it, "2026-06-24T09:00" in the campaign's zone; "" where none."""
    moment = own_date(campaign, part)
    return f"{local(moment, campaign.time_zone):%Y-%m-%dT%H:%M}" if moment is not None else ""
