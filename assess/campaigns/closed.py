"""Frozen and released campaigns: what they refuse, however a write and a freeze fall together.

How this holds at the same moment is told in docs/decisions/0006.
"""

from __future__ import annotations

from assess.base.errors import Conflict
from assess.campaigns.models import Campaign


def require_open_now(campaign: Campaign) -> None:
    """Refuse where the campaign is frozen or released by now, whatever ``campaign`` says. One query.

    Stays true until the transaction ends where that holds the ledger's counter or the campaign's row.
    """
    state = Campaign.State(Campaign.objects.values_list("state", flat=True).get(pk=campaign.pk))
    if state in Campaign.CLOSED:
        raise Conflict(f"The campaign is {state.label}; nothing in it can be changed.")


def lock_open(campaign: Campaign) -> Campaign:
    """The campaign as it is by now, its row locked until the transaction ends. Refused once it is closed.

    For what organisers change: such writes happen one after the other. Lock it before any other row.
    """
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    require_open_now(locked)
    return locked


def hold_work(campaign: Campaign) -> tuple[Campaign, frozenset[int]]:
    """The campaign as it is by now and the ids of its assignments, all locked until the transaction ends.

    Whoever judges holds the lock of one assignment, so what they write is waited for, and what they begin waits.
    """
    locked = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    assignments = locked.assignments.order_by("pk").select_for_update(no_key=True)
    return locked, frozenset(assignments.values_list("pk", flat=True))
