"""Whether participants may see scores, and as of which ledger point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assess.models import Campaign

if TYPE_CHECKING:
    from assess.models import Release


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
