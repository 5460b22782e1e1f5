"""The way from a seat in a campaign to members and invitations. Absent and forbidden look the same: `NotFound`."""

from __future__ import annotations

from assess.base.errors import NotFound
from assess.campaigns.models import Membership
from assess.campaigns.seats import Seat
from assess.people.models import Invitation


def access_invitation(seat: Seat, invitation_id: int) -> Invitation:
    """An invitation that was made, for organisers."""
    invitation = seat.campaign.invitations.filter(pk=invitation_id).first() if seat.is_organiser else None
    if invitation is None:
        raise NotFound
    return invitation


def access_member(seat: Seat, membership_id: int) -> Membership:
    """A member of the campaign, for organisers."""
    found = seat.campaign.memberships.filter(pk=membership_id).select_related("user") if seat.is_organiser else None
    member = found.first() if found is not None else None
    if member is None:
        raise NotFound
    return member
