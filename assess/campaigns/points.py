"""Points of the ledgers by which a campaign is read: now, frozen, released, named by people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.ledger.models import LedgerPoint

if TYPE_CHECKING:
    from assess.releases.models import Release


def published_release(campaign: Campaign) -> Release | None:
    """The newest release that was published, or None."""
    return campaign.releases.filter(published=True).order_by("-id").first()


def scores_are_out(campaign: Campaign) -> bool:
    """Whether participants see the scores of their runs: the campaign is released, or one of its releases is out."""
    return campaign.state == Campaign.State.RELEASED or published_release(campaign) is not None


def released_point(campaign: Campaign) -> int | None:
    """The ledger point of the published release; None (now) for a campaign released without one."""
    release = published_release(campaign)
    return release.as_of if release is not None else None


def ledger_point() -> int:
    """The number of the newest row of all ledgers: what "as of" is when nothing else is said."""
    return LedgerPoint.objects.values_list("value", flat=True).get()


def newest_point(campaign: Campaign) -> int:
    """What "as of" is for one campaign when nothing else is said: of a closed one, where it was frozen. One query.

    The ledgers' numbers are those of all campaigns together, so those of others go on when nothing of it changes.
    """
    return frozen_point(campaign) if campaign.is_closed else ledger_point()


def frozen_point(campaign: Campaign) -> int:
    """The ledger point at which the campaign was frozen last: nothing of it was written after that."""
    freezes = campaign.activities.filter(action="campaign.state", data__to=Campaign.State.FROZEN).order_by("-id")
    point = freezes.values_list("pk", flat=True).first()
    return point if point is not None else ledger_point()


_DIGITS = 15


def reached_point(campaign: Campaign, as_of: int | None) -> int:
    """The ledger point asked for, by default the campaign's newest; one that was not reached yet is refused."""
    if as_of is None:
        return newest_point(campaign)
    now = ledger_point()
    if not 0 <= as_of <= now:
        raise Invalid(f"There is no ledger point {as_of}; the newest is {now}. Give one from 0 to {now}.")
    return as_of


def point_named(campaign: Campaign, text: str) -> int:
    """The ledger point that an address names; "" is the campaign's newest. Refused as `reached_point` refuses."""
    text = text.strip()
    if not text:
        return reached_point(campaign, None)
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise Invalid(f"“{text[:40]}” is no ledger point. Give a whole number, or none for the newest.")
    return reached_point(campaign, int(text))
