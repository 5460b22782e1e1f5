"""Recorded acts about rights and about published data: logins, tokens, passwords, members, exports, releases."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy

from assess.campaigns.models import Activity, Campaign, Membership

OF_PEOPLE = {
    "login": gettext_lazy("Logins"),
    "token.": gettext_lazy("API tokens"),
    "password.": gettext_lazy("Passwords"),
}
OF_CAMPAIGNS = {
    "member.": gettext_lazy("Members"),
    "invitation.": gettext_lazy("Invitations"),
    "agreement.": gettext_lazy("User agreements"),
    "campaign.unfreeze": gettext_lazy("Opened again"),
    "export.": gettext_lazy("Exports"),
    "report.": gettext_lazy("Reports"),
    "release.": gettext_lazy("Releases"),
}
"""Prefixes of the audited actions, each with its name on pages."""


def audited(campaign: Campaign | None = None) -> QuerySet[Activity]:
    """Return the audited acts of the whole site; or those of a campaign, with those that concern its members' logins,
    API tokens and passwords.
    """
    rows = Activity.objects.select_related("actor", "campaign")
    of_people, of_campaigns = _beginning(OF_PEOPLE), _beginning(OF_CAMPAIGNS)
    if campaign is None:
        return rows.filter(of_people | of_campaigns)
    members = User.objects.filter(pk__in=Membership.objects.filter(campaign=campaign).values("user"))
    return rows.filter((of_campaigns & Q(campaign=campaign)) | (of_people & Q(campaign=None, actor__in=members)))


def _beginning(names: Iterable[str]) -> Q:
    found = Q()
    for name in names:
        found |= Q(action__startswith=name)
    return found
