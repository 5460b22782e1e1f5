"""Notices by mail: who wants which, and sending them, which the worker does and never a request."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from assess.base.errors import Invalid
from assess.base.mail_sender import post, server_answers
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Activity, Campaign, Membership
from assess.campaigns.queries import ledger_point, whole_campaigns
from assess.mails.models import MailedUpTo, MailWish
from assess.mails.queries import NOTICES, OF_ACTION, participants, people_concerned

NEAR = timedelta(days=3)
"""How long before a deadline its notice is sent."""


def want_notices(*, actor: User, notices: Collection[str]) -> None:
    """Send these notices, and no others, to the actor from now on. An unknown notice is refused."""
    if strange := sorted(set(notices) - set(NOTICES)):
        raise Invalid(
            gettext("There is no notice “%(notice)s”. Notices: %(notices)s.")
            % {"notice": strange[0][:40], "notices": ", ".join(NOTICES)},
            field="notices",
        )
    with transaction.atomic():
        kept = " ".join(notice for notice in NOTICES if notice in notices)
        MailWish.objects.update_or_create(user=actor, defaults={"notices": kept, "since": timezone.now()})
        record_activity(actor=actor, action="mail.want", data={"notices": kept.split()})


def send_notices() -> None:
    """Send the notices of what happened since the last call: one mail for each person and campaign.

    One query if nobody wants any. Notices are recorded as sent before they are sent, so never sent twice. While the
    mail server is away they are not recorded, and are sent once it is back.
    """
    if not settings.ASSAY_PASSWORD_MAIL:
        return
    wishes = {wish.user_id: wish for wish in MailWish.objects.exclude(notices="").filter(user__is_active=True)}
    if not wishes:
        return
    now = timezone.now()
    for campaign in whole_campaigns().filter(pk__in=Membership.objects.filter(user__in=wishes).values("campaign")):
        told = _due_notices(campaign, wishes, now)
        for address in EmailAddress.objects.filter(user__in=told, verified=True, primary=True):
            post(_mail(campaign, address.email, told[address.user_id]))


def _due_notices(campaign: Campaign, wishes: dict[int, MailWish], now: datetime) -> dict[int, list[str]]:
    """Return by person the notices that are due now, and record them as sent. As long as the mail server does not
    answer, return nothing and record nothing.
    """
    point = ledger_point(campaign)
    upto, made = MailedUpTo.objects.get_or_create(campaign=campaign, defaults={"point": point})
    is_near = campaign.runs_due is not None and now < campaign.runs_due < now + NEAR
    deadline = campaign.runs_due if is_near else upto.deadline
    if made or (upto.point >= point and deadline == upto.deadline):
        return {}
    found: dict[int, set[str]] = {}
    acts = Activity.objects.filter(campaign=campaign, id__gt=upto.point, id__lte=point, action__in=OF_ACTION)
    for act in acts.order_by("id"):
        for person in people_concerned(campaign, act) & wishes.keys():
            if act.created_at >= wishes[person].since:
                found.setdefault(person, set()).add(OF_ACTION[act.action])
    for person in (participants(campaign) & wishes.keys()) if deadline != upto.deadline else ():
        found.setdefault(person, set()).add("deadline")
    wanted = {person: set(wishes[person].notices.split()) & said for person, said in found.items()}
    due = {person: [each for each in NOTICES if each in said] for person, said in wanted.items() if said}
    if due and not server_answers():
        return {}
    unsent = MailedUpTo.objects.filter(pk=upto.pk, point=upto.point, deadline=upto.deadline)
    return due if unsent.update(point=point, deadline=deadline) else {}  # otherwise another worker does it


def _mail(campaign: Campaign, address: str, notices: list[str]) -> EmailMessage:
    """Return the mail that tells a person these notices of a campaign."""
    site = next(iter(settings.CSRF_TRUSTED_ORIGINS), "")
    title = " ".join(campaign.title.split())  # a header is one line
    lines = [f"{title}:", *(f"- {NOTICES[each]}" for each in notices), "", *([site] if site else [])]
    ends = "You get this since you asked for it on your profile, where you can end it, too."
    return EmailMessage(f"Assay: {title}", "\n".join([*lines, ends]), None, [address])
