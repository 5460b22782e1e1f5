"""Setting aside: an assessor's own list, for later or from what is like it. None of this reaches an export."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.domain.assignments import require_judging, require_open
from assess.assignments.domain.held_work import hold
from assess.assignments.models import Aside, Assignment, DecidedLater, SetAside
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.items.models import Item


def set_aside(*, actor: User, assignment: Assignment, item: Item, why: str = Aside.LATER) -> None:
    """Set an item of the assessor's work aside; what is set aside already stays so.

    Refused: work that is not the actor's or not open, a campaign in which nobody judges, and another ``why``.
    """
    if why not in Aside.values:
        raise Invalid(gettext("Items are set aside %(values)s.") % {"values": " or ".join(Aside.values)}, field="why")
    with hold(assignment) as held:
        require_open(actor=actor, assignment=held.assignment)
        SetAside.objects.get_or_create(assignment=assignment, item=item, why=why)


def put_back(*, actor: User, assignment: Assignment, item: Item, why: str) -> None:
    """Take an item back among the others. Refused as by `set_aside`."""
    with hold(assignment) as held:
        require_open(actor=actor, assignment=held.assignment)
        SetAside.objects.filter(assignment=assignment, item=item, why=why).delete()


def decide_later(*, actor: User, campaign: Campaign, stage: str, criterion: str, thing: str) -> None:
    """Set a disagreement, by its name inside the site, aside for later. Refused: a campaign in which nobody judges."""
    require_judging(campaign)
    DecidedLater.objects.get_or_create(campaign=campaign, person=actor, stage=stage, criterion=criterion, thing=thing)
