"""Find members and invitations for a person's seat in a campaign, and a person's own tokens.

Absent and forbidden look the same: `NotFound`.
"""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.base.errors import NotFound
from assess.campaigns.models import Membership
from assess.campaigns.seats import Seat
from assess.people.models import ApiToken, Invitation
from assess.people.queries import tokens_of


def access_invitation(seat: Seat, invitation_id: int) -> Invitation:
    """Return an invitation of the campaign. Raise NotFound if there is none, or if the person is no organiser."""
    invitation = seat.campaign.invitations.filter(pk=invitation_id).first() if seat.is_organiser else None
    if invitation is None:
        raise NotFound
    return invitation


def access_member(seat: Seat, membership_id: int) -> Membership:
    """Return a member of the campaign. Raise NotFound if there is none, or if the person is no organiser."""
    found = seat.campaign.memberships.filter(pk=membership_id).select_related("user") if seat.is_organiser else None
    member = found.first() if found is not None else None
    if member is None:
        raise NotFound
    return member


def access_token(person: User, token_id: int) -> ApiToken:
    """Return a token of the person. Raise NotFound if there is none, or if it is revoked."""
    token = tokens_of(person).filter(pk=token_id).first()
    if token is None:
        raise NotFound(gettext("No token of this account has this number; it may be revoked."))
    return token
