"""When assessors see what machine judges said: never, once they have judged an item themselves, or at once."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import lock_open
from assess.campaigns.models import Campaign, Drafts


def change_drafts(*, actor: User, campaign: Campaign, drafts: str) -> Campaign:
    """Set when machine judgments are shown; what was judged before keeps what it says of that. Refused once frozen."""
    if drafts not in Drafts.values:
        raise Invalid(f"{drafts[:20]} is none of: {', '.join(Drafts.values)}.")
    with transaction.atomic():
        before = lock_open(campaign).drafts
        campaign.drafts = drafts
        if before != drafts:
            data = {"from": before, "to": drafts}
            campaign.save(update_fields=["drafts"])
            record_activity(actor=actor, action="campaign.drafts", campaign=campaign, about=campaign, data=data)
    return campaign
