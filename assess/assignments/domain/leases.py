"""Leases: an assignment on which nothing is done for a time goes back, so that somebody else can take it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from assess.assignments.models import Assignment
from assess.assignments.own_teams import require_other_teams
from assess.assignments.queries.handoffs import is_lapsed_for_good
from assess.assignments.queries.waiting import waiting_reasons
from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.numbers import grouped
from assess.campaigns.activity import hold_work, lock_open, record_activities, record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import lease_end

LIVE = (Assignment.State.OPEN, Assignment.State.STARTED)


class Lapsed(Conflict):
    """The refusal of an assignment whose lease ran out.

    Its assessor may take it up again as long as nobody else has it.
    """

    code = "lapsed"

    def __init__(self, assignment: Assignment) -> None:
        hours = assignment.campaign.lease_hours
        why = gettext("This work went back because nothing was done on it.")
        if hours:
            why = ngettext(
                "This work went back because nothing was done on it for %(hours)s hour.",
                "This work went back because nothing was done on it for %(hours)s hours.",
                hours,
            ) % {"hours": hours}
        kept = gettext(
            "What you judged is kept, and what is not saved yet waits in this browser. Open the work again, or reload "
            "its page, to take it up again if nobody else has it by now."
        )
        super().__init__(f"{why} {kept}")


def restart_leases(*, campaign: Campaign) -> None:
    """Restart the leases of all live assignments, because their length changed or judging begins. One statement."""
    campaign.assignments.filter(state__in=LIVE).update(lease_until=lease_end(campaign))


def restart_waiting(assignment: Assignment) -> None:
    """Restart the leases of a topic's unopened assignments, because a stage of the topic is done.

    Some of them may have waited for that stage, and nobody could work on them.
    """
    until = lease_end(assignment.campaign)
    if until is not None:
        Assignment.objects.filter(topic=assignment.topic_id, state=Assignment.State.OPEN).update(lease_until=until)


def return_lapsed(*, campaign: Campaign, now: datetime | None = None) -> list[Assignment]:
    """Give back all assignments whose lease ran out, record it as activities, and return them. Their judgments stay.

    An assignment that waits for an earlier stage gets a new lease instead, since nobody can work on it. Assignments
    under which somebody is writing at this moment are left alone. Nothing happens unless the campaign is in judging.
    Costs one query if no lease ran out, and none if the campaign has no leases.
    """
    if campaign.lease_hours is None or campaign.state != Campaign.State.JUDGING:
        return []
    now = now or timezone.now()
    late = campaign.assignments.filter(state__in=LIVE, lease_until__lt=now, topic__dropped=False)
    late = late.exclude(role=Assignment.Role.MACHINE)
    if not late.exists():
        return []
    with transaction.atomic():
        found = list(late.order_by("pk").select_for_update(no_key=True, skip_locked=True, of=("self",)))
        for assignment in found:
            assignment.campaign = campaign
        waiting = waiting_reasons(found)
        campaign.assignments.filter(pk__in=list(waiting)).update(lease_until=lease_end(campaign, now=now))
        lapsed = [assignment for assignment in found if assignment.pk not in waiting]
        returned = Assignment.State.RETURNED
        campaign.assignments.filter(pk__in=[each.pk for each in lapsed]).update(state=returned, done_at=None)
        for assignment in lapsed:
            assignment.state = returned
        about = [(each, {"assessor": each.assessor_id, "stage": each.stage}) for each in lapsed]
        record_activities(campaign=campaign, acts=[(None, "assignment.lapse", *each) for each in about])
    return lapsed


def take_up_again(*, actor: User, assignment: Assignment) -> Assignment:
    """Let an assessor continue an assignment whose lease ran out. Doing it again changes nothing.

    Raises `NotAllowed` for somebody else's assignment, and `Conflict` for one that was taken away or handed over, that
    somebody else has by now, or whose campaign is closed; and what `require_other_teams` raises.
    """
    campaign = assignment.campaign
    if assignment.assessor_id != actor.pk:
        raise NotAllowed(gettext("This work belongs to somebody else."))
    if assignment.state in LIVE:
        return assignment
    if not assignment.has_lapsed:
        raise Conflict(
            gettext("An organiser took this work back or gave it to somebody else. If you need it, ask the organiser.")
        )
    require_other_teams(actor=actor, campaign=campaign, topic=assignment.topic, assessor=actor)
    gone = gettext("Somebody else has this work by now, so you can't go on with it. What you judged is kept.")
    try:
        with transaction.atomic():
            lock_open(campaign)
            if is_lapsed_for_good(assignment):
                raise Conflict(gone, code="taken")
            state = Assignment.State.STARTED if assignment.started_at else Assignment.State.OPEN
            until = lease_end(campaign)
            back = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.RETURNED)
            if back.update(state=state, lease_until=until):
                record_activity(actor=actor, action="assignment.resume", campaign=campaign, about=assignment)
    except IntegrityError as error:
        raise Conflict(gone, code="taken") from error
    assignment.state, assignment.lease_until = state, until
    return assignment


# The organiser's rules of handing out: leases, and whether assessors take primary assignments from the stack.

LEASE_LIMIT = 24 * 365  # hours


def work_rules_of(campaign: Campaign) -> dict[str, Any]:
    """Return the current rules of work, for `change_work_rules` to compare."""
    return {"lease_hours": campaign.lease_hours, "takes_primary": campaign.takes_primary}


def change_work_rules(
    *,
    actor: User,
    campaign: Campaign,
    lease_hours: int | None,
    takes_primary: bool,
    made_from: MadeFrom | None = None,
) -> Campaign:
    """Set the rules of work of a campaign: the length of leases, and whether primary assessors' work is on the stack.

    An assignment goes back after ``lease_hours`` idle hours, or never if that is None. With ``takes_primary``,
    assessors may take primary assessors' work from the stack. If the length of leases changes, all live leases restart.
    Raises `Invalid` for a lease outside its limits, and `Conflict` for a closed campaign and if the stored rules are no
    longer those that the change was ``made_from`` (`work_rules_of`).
    """
    require_changeable(campaign)
    if lease_hours is not None and not 1 <= lease_hours <= LEASE_LIMIT:
        raise Invalid(
            gettext("A lease has from 1 to %(value)s hours; leave it empty if work never goes back by itself.")
            % {"value": grouped(LEASE_LIMIT)}
        )
    after = {"lease_hours": lease_hours, "takes_primary": takes_primary}
    with transaction.atomic():
        locked, _ = hold_work(campaign)
        before = work_rules_of(locked)
        if before != after:
            require_unchanged(campaign=campaign, present=before, made_from=made_from, action="campaign.work_rules")
        campaign.lease_hours, campaign.takes_primary = lease_hours, takes_primary
        if before == after:
            return campaign
        campaign.save(update_fields=["lease_hours", "takes_primary"])
        if before["lease_hours"] != lease_hours:
            restart_leases(campaign=campaign)
        changed = {key: [before[key], value] for key, value in after.items() if before[key] != value}
        record_activity(actor=actor, action="campaign.work_rules", campaign=campaign, about=campaign, data=changed)
    return campaign
