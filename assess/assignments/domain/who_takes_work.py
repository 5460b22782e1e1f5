"""People who take no more assignments in a campaign, as they or an organiser said."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.assignments.queries.who_can_be_given_work import takes_work
from assess.base.errors import Conflict, NotFound
from assess.campaigns.activity import record_activity
from assess.campaigns.models import JUDGES, Campaign


def set_takes_work(*, actor: User, campaign: Campaign, user: User, takes: bool) -> None:
    """Record whether somebody takes more assignments, in all roles in which they judge; they keep what they have.

    Doing it again changes nothing. Raises `NotFound` for a machine and for somebody who does not judge in this
    campaign. The caller must check that the actor is that person or an organiser.
    """
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        seats = campaign.memberships.filter(user=user, role__in=JUDGES, is_machine=False)
        if not seats.exists():
            raise NotFound(gettext("%(user)s does not judge in this campaign.") % {"user": user})
        if not seats.filter(takes_work=not takes).update(takes_work=takes):
            return
        data = {"user": user.pk, "takes_work": takes}
        record_activity(actor=actor, action="member.takes_work", campaign=campaign, data=data)


def require_takes_work(*, actor: User, campaign: Campaign, assessor: User) -> None:
    """Raise `Conflict` if this person takes no more assignments. One query."""
    if takes_work(campaign, assessor):
        return
    if actor.pk == assessor.pk:
        raise Conflict(
            gettext("You are given no work at present. Choose “Give me work again” on your Work page first.")
        )
    raise Conflict(
        gettext(
            "%(assessor)s takes no more work. Choose somebody else; or ask them, and let them take "
            "work again under People."
        )
        % {"assessor": assessor}
    )
