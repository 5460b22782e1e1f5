"""Find webhooks for a person's seat in a campaign."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.webhooks.models import Webhook, WebhookCall


def access_webhook(seat: Seat, webhook_id: int) -> Webhook:
    """Return a webhook of the campaign, for organisers. Raise `NotFound` if there is none, and for everybody else."""
    found = seat.campaign.webhooks.filter(pk=webhook_id).first() if seat.is_organiser else None
    if found is None:
        raise NotFound
    found.campaign = seat.campaign
    return found


def access_call(seat: Seat, webhook_id: int, call_id: int) -> WebhookCall:
    """Return a call to a webhook of the campaign, for organisers. Raise `NotFound` if there is none, and for everybody
    else.
    """
    hook = access_webhook(seat, webhook_id)
    found = hook.calls.filter(pk=call_id).first()
    if found is None:
        raise NotFound
    found.webhook = hook
    return found
