"""Items that assessors set aside, to judge them later or apart from similar ones. This is never exported."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.domain.held_work import hold, require_judging, require_open
from assess.assignments.models import AsideReason, Assignment, DecidedLater, SetAside
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.items.models import Item


def set_aside(*, actor: User, assignment: Assignment, item: Item, why: str = AsideReason.LATER) -> None:
    """Set an item of the actor's assignment aside; doing it again changes nothing.

    Raises `Invalid` for an unknown reason ``why``, and what `require_open` raises.
    """
    if why not in AsideReason.values:
        raise Invalid(
            gettext("Items are set aside %(values)s.") % {"values": " or ".join(AsideReason.values)}, field="why"
        )
    with hold(assignment) as held:
        require_open(actor=actor, assignment=held.assignment)
        SetAside.objects.get_or_create(assignment=assignment, item=item, why=why)


def undo_set_aside(*, actor: User, assignment: Assignment, item: Item, why: str) -> None:
    """Take back that an item was set aside for the reason ``why``. Without effect if it was not, whatever the reason.

    Raises what `require_open` raises.
    """
    with hold(assignment) as held:
        require_open(actor=actor, assignment=held.assignment)
        SetAside.objects.filter(assignment=assignment, item=item, why=why).delete()


def decide_later(
    *, actor: User, campaign: Campaign, stage: str, criterion: str, thing: str, is_back: bool = False
) -> None:
    """Set a disagreement aside for the actor to decide later; with ``is_back``, undo that.

    ``thing`` is the disagreement's name inside the site. Doing either again changes nothing. Raises `Conflict` if the
    campaign is not being judged.
    """
    require_judging(campaign)
    if is_back:
        mine = DecidedLater.objects.filter(campaign=campaign, person=actor, stage=stage)
        mine.filter(criterion=criterion, thing=thing).delete()
        return
    DecidedLater.objects.get_or_create(campaign=campaign, person=actor, stage=stage, criterion=criterion, thing=thing)
