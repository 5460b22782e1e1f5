"""Freezing a campaign once everything adds up, and taking it up again with a reason."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import hold_work
from assess.campaigns.models import Campaign
from assess.ledger.models import take_points
from assess.organising.domain.states import change_state
from assess.organising.queries.freezing import FreezeState, freeze_state
from assess.progress.domain import count_work

REASON_LIMIT = 2_000


def freeze_campaign(*, actor: User, campaign: Campaign, despite: str = "") -> Campaign:
    """Close the campaign: from now on it refuses every write. Freezing a frozen one changes nothing.

    Refused while something is missing that must not be (`FreezeState.errors`), and, without a reason in ``despite``,
    while anything else is missing; the reason is recorded with what it passed over. What is being written at this
    moment is waited for, and counts. Work is counted before that, so that others wait only while what came since is.
    """
    reason = _checked_reason(despite)
    count_work(campaign)
    with transaction.atomic():
        locked, _ = hold_work(campaign)
        campaign.state = locked.state
        if locked.state == Campaign.State.FROZEN:
            return campaign
        if locked.state != Campaign.State.JUDGING:
            present = locked.get_state_display()
            raise Conflict(f"A campaign that is {present} can't become frozen. Only one that is being judged can.")
        take_points(0)  # what others write is waited for and is looked at; what they write from here on is refused
        state = freeze_state(locked, count_work(locked))
        _refuse(state, reason)
        data = {"pieces": len(state.accounts), "things": state.total, "done": state.done}
        passed = {lack.code: lack.count for lack in state.lacks}
        record_activity(
            actor=actor,
            action="campaign.freeze",
            campaign=campaign,
            about=campaign,
            data={**data, "despite": reason, "missing": passed} if passed else data,
        )
        change_state(actor=actor, campaign=campaign, state=Campaign.State.FROZEN)
    return campaign


def unfreeze_campaign(*, actor: User, campaign: Campaign, reason: str) -> Campaign:
    """Open judging again; the reason is recorded. Refused without one, and for what is not frozen or is released."""
    reason = _checked_reason(reason)
    if not reason:
        raise Invalid("Say why the campaign is opened again: the reason is recorded.")
    with transaction.atomic():
        campaign.state = hold_work(campaign)[0].state
        if campaign.state == Campaign.State.RELEASED:
            raise Conflict("The campaign is released, so it can't be opened again. Load it into another campaign.")
        if campaign.state != Campaign.State.FROZEN:
            raise Conflict(f"The campaign is {campaign.get_state_display()}, so there is nothing to open.")
        record_activity(
            actor=actor, action="campaign.unfreeze", campaign=campaign, about=campaign, data={"reason": reason}
        )
        change_state(actor=actor, campaign=campaign, state=Campaign.State.JUDGING)
    return campaign


def move_campaign(*, actor: User, campaign: Campaign, state: str, reason: str = "") -> Campaign:
    """What the page of states and the API do: freezing and opening again go by their own rules, the rest as it is."""
    if state == Campaign.State.FROZEN:
        return freeze_campaign(actor=actor, campaign=campaign, despite=reason)
    if state == Campaign.State.JUDGING and campaign.state == Campaign.State.FROZEN:
        return unfreeze_campaign(actor=actor, campaign=campaign, reason=reason)
    if state == Campaign.State.RELEASED and campaign.state == Campaign.State.FROZEN:
        raise Conflict("A campaign is released by publishing a release. Make one on the page Release.")
    return change_state(actor=actor, campaign=campaign, state=state)


def _refuse(state: FreezeState, reason: str) -> None:
    if state.errors:
        raise Conflict("The campaign can't be frozen yet. " + " ".join(lack.text for lack in state.errors))
    if state.warnings and not reason:
        missing = " ".join(lack.text for lack in state.warnings)
        raise Conflict(f"{missing} To freeze the campaign all the same, say why.", code="reason-needed")


def _checked_reason(reason: str) -> str:
    reason = reason.replace("\0", "").strip()
    if len(reason) > REASON_LIMIT:
        raise Invalid(f"The reason has {len(reason):,} characters; {REASON_LIMIT:,} are allowed. Say it in fewer.")
    return reason
