"""What an organiser sets about how work is handed out: leases, and who may take primary work from the stack."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from assess.assignments.domain.leases import restart_leases
from assess.base.errors import Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.closed import hold_work
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign

LEASE_LIMIT = 24 * 365  # hours


def change_work_rules(*, actor: User, campaign: Campaign, lease_hours: int | None, takes_primary: bool) -> Campaign:
    """Set after how many hours without anything done work goes back (None: never), and whether primary work is taken.

    The leases of all live work begin anew when their length changes. Refused once frozen, and a lease of no time.
    """
    require_changeable(campaign)
    if lease_hours is not None and not 1 <= lease_hours <= LEASE_LIMIT:
        raise Invalid(f"A lease has from 1 to {LEASE_LIMIT:,} hours; leave it empty if work never goes back by itself.")
    after = {"lease_hours": lease_hours, "takes_primary": takes_primary}
    with transaction.atomic():
        locked, _ = hold_work(campaign)
        before = {"lease_hours": locked.lease_hours, "takes_primary": locked.takes_primary}
        campaign.lease_hours, campaign.takes_primary = lease_hours, takes_primary
        if before == after:
            return campaign
        campaign.save(update_fields=["lease_hours", "takes_primary"])
        if before["lease_hours"] != lease_hours:
            restart_leases(campaign=campaign)
        changed = {key: [before[key], value] for key, value in after.items() if before[key] != value}
        record_activity(actor=actor, action="campaign.work_rules", campaign=campaign, about=campaign, data=changed)
    return campaign
