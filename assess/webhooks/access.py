"""Find webhooks for a person's seat in a campaign."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.webhooks.models import Webhook


def access_webhook(seat: Seat, webhook_id: int) -> Webhook:
    """Return a webhook of the campaign. Only organisers may see it."""
    found = seat.campaign.webhooks.filter(pk=webhook_id).first() if seat.is_organiser else None
    if found is None:
        raise NotFound
    found.campaign = seat.campaign
    return found
