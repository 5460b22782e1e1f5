"""Who can be given work: members in a role who can come and do it."""

from __future__ import annotations

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from assess.models import JUDGES, Campaign, Membership

CAN_LOG_IN = Q(user__is_active=True) & (
    ~(Q(user__password="") | Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX)) | Q(user__auth_token__isnull=False)
)
"""Of a membership: its person has a password or a token of the API, and the account is not closed."""


def assessors_of(campaign: Campaign) -> list[User]:
    """Everybody who may judge, by name: assessors and adjudicators."""
    return people_of(campaign, *JUDGES)


def people_of(campaign: Campaign, *roles: str) -> list[User]:
    """Everybody in one of these roles who can come and do it, by name. One query.

    Machines are left out, and accounts that nobody can log in to: those that were closed, and those under which
    published judgments are kept. Somebody without a password who holds a token of the API can come by that.
    """
    members = members_of(campaign).filter(CAN_LOG_IN, role__in=roles).values("user")
    return list(User.objects.filter(pk__in=members).order_by("username"))


def members_of(campaign: Campaign) -> QuerySet[Membership]:
    """The people who are members, each with ``can_log_in``; machine judges are no people."""
    can_log_in = ExpressionWrapper(CAN_LOG_IN, output_field=BooleanField())
    return Membership.objects.filter(campaign=campaign, is_machine=False).annotate(can_log_in=can_log_in)
