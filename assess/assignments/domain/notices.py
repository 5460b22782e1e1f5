"""Notices to assessors: marking them as read, and requiring that before a click counts."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from assess.assignments.models import NoticesSeen
from assess.assignments.queries.notices import TOLD, notices_of
from assess.base.errors import Conflict
from assess.base.plain_reads import first_row
from assess.campaigns.models import Campaign

UNREAD = "unread"
"""The code of a refusal of a click whose page did not show the newest notice. Browsers keep the click and resend it."""


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


NEWER = f"""
SELECT 1 FROM assess_activity
WHERE campaign_id = %s AND action IN ({", ".join(["%s"] * len(TOLD))}) AND id > %s LIMIT 1
"""


def require_notices_shown(*, actor: User, campaign: Campaign, told: int | None) -> None:
    """Refuse a click (`Conflict` with the code "unread") if a newer notice was not shown to its author.

    ``told`` is the ledger point up to which the page showed notices; it is None without a page, as in calls of the API
    and in files. Notices that the person marked as read count as shown. One query if there is nothing new.
    """
    if told is None or first_row(NEWER, [campaign.pk, *TOLD, told]) is None:
        return
    unread = [notice.text for notice in notices_of(campaign, actor) if notice.point > told]
    if unread:
        raise Conflict(
            gettext(
                "Something new came before this was saved. %(unread)s Read it on the page, say that you "
                "have read it (z), and then this counts."
            )
            % {"unread": " ".join(unread)},
            code=UNREAD,
        )
