"""Moving a campaign from state to state."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.leases import restart_leases
from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import hold_work
from assess.campaigns.domain import MOVES
from assess.campaigns.models import Campaign


def change_state(*, actor: User, campaign: Campaign, state: str) -> Campaign:
    """Move the campaign on, or one step back before release. Staying where it is changes nothing.

    Waits for what is being written under its assignments; whatever asks to write after that sees the new state.
    Refused to close it while work is handed out at the same moment.
    """
    if state not in Campaign.State.values:
        raise Invalid(f"{state} is not a state. Use one of: {', '.join(Campaign.State.values)}.")
    with transaction.atomic():
        locked, held = hold_work(campaign)
        campaign.state = locked.state
        if state == campaign.state:
            return campaign
        if state not in MOVES[Campaign.State(campaign.state)]:
            present = campaign.get_state_display()
            raise Conflict(f"A campaign that is {present} can't become {Campaign.State(state).label}.")
        data = {"from": campaign.state, "to": state}
        campaign.state = state
        campaign.save(update_fields=["state"])
        if state == Campaign.State.JUDGING:
            restart_leases(campaign=campaign)
        record_activity(actor=actor, action="campaign.state", campaign=campaign, about=campaign, data=data)
        if campaign.is_closed and frozenset(campaign.assignments.values_list("pk", flat=True)) != held:
            raise Conflict("Work was handed out at this very moment. Try again.")
    return campaign
