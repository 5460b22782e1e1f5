"""The way from a seat in a campaign to invitations. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.seats import Seat
from assess.people.models import Invitation


def access_invitation(seat: Seat, invitation_id: int) -> Invitation:
    """An invitation that was made, for organisers."""
    invitation = seat.campaign.invitations.filter(pk=invitation_id).first() if seat.is_organiser else None
    if invitation is None:
        raise NotFound
    return invitation
