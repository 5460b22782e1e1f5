"""Notices to people who judge: marked as read, and required before a click counts."""

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
"""Code of a refusal of a click that was made before its page told what is new: browsers keep it, and send it again."""


def acknowledge_notices(*, actor: User, campaign: Campaign, point: int) -> None:
    """Note that the actor has read all notices up to this ledger point, which is the newest that their page showed.

    Never goes back. It records nothing of the campaign, so it may be said of a frozen one, too.
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


def require_told(*, actor: User, campaign: Campaign, told: int | None) -> None:
    """Refuse (`Conflict` with the code "unread") a click while something new has not been told to its author.

    ``told`` is the ledger point up to which the page showed notices; None where there was no page, as in calls of the
    API and files. Notices that the person marked as read count as shown. One query where there is nothing new.
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
