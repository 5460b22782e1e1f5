"""Marking notices as read. A click whose page did not show the newest is refused in `judging/domain.py`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from assess.assignments.models import NoticesSeen
from assess.campaigns.models import Campaign


def acknowledge_notices(*, actor: User, campaign: Campaign, point: int) -> None:
    """Record that the actor has read all notices up to this ledger point, the newest that their page showed.

    The recorded point never goes back. It is not part of the campaign, so this works for a frozen campaign, too.
    """
    newest = campaign.activities.aggregate(newest=Max("id"))["newest"] or 0
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        seen, made = NoticesSeen.objects.get_or_create(
            campaign=campaign, user=actor, defaults={"point": min(point, newest)}
        )
        if not made and seen.point < point:
            NoticesSeen.objects.filter(pk=seen.pk).update(point=min(point, newest))
