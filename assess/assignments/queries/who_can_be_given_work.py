"""Who can be given work in a campaign: its people, those who take no more, and who can log in to do it."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now

from assess.campaigns.models import JUDGES, Campaign, Membership


def assessors_of(campaign: Campaign) -> list[User]:
    """Everybody who may judge, by name: assessors and adjudicators, those who take no more work among them."""
    return people_of(campaign, *JUDGES, willing=False)


def unwilling_assessors(campaign: Campaign) -> list[User]:
    """Return those of `assessors_of` who take no more work, by name. One query."""
    return _people(members_of(campaign).filter(_can_log_in(), role__in=JUDGES, takes_work=False))


def names_to_choose(campaign: Campaign, people: Iterable[User]) -> dict[int, str]:
    """By id what people are called where one is chosen to be handed work: who takes no more is called so. One query."""
    unwilling = {person.pk for person in unwilling_assessors(campaign)}
    names = {each.pk: f"{each} ({each.first_name})" if each.first_name else str(each) for each in people}
    return {pk: f"{name}, takes no more work" if pk in unwilling else name for pk, name in names.items()}


def people_of(campaign: Campaign, *roles: str, willing: bool = True) -> list[User]:
    """Everybody in one of these roles who can come and do it, and takes work, by name. One query.

    Without ``willing`` those who take no more work are among them.

    Machines are left out, and so are accounts that nobody can log in to: closed ones, and those that published
    judgments are stored under. Somebody without a password who holds an API token can still log in with that.
    """
    members = members_of(campaign).filter(_can_log_in(), role__in=roles)
    return _people(members.filter(takes_work=True) if willing else members)


def takes_work(campaign: Campaign, person: User) -> bool:
    """Return whether somebody may be handed work: not where they, or an organiser, said that they take no more. One
    query.
    """
    return not campaign.memberships.filter(user=person, role__in=JUDGES, takes_work=False).exists()


def _people(members: QuerySet[Membership]) -> list[User]:
    return list(User.objects.filter(pk__in=members.values("user")).order_by("username"))


def _can_log_in() -> Q:
    """Of a membership: its person has a password or a token of the API that works, and the account is not closed."""
    lasting = Q(api_tokens__expires_at=None) | Q(api_tokens__expires_at__gt=Now())
    by_token = User.objects.filter(lasting, api_tokens__isnull=False, api_tokens__revoked_at=None)
    has_password = ~(Q(user__password="") | Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX))
    return Q(user__is_active=True) & (has_password | Q(user__in=by_token.values("pk")))


def members_of(campaign: Campaign) -> QuerySet[Membership]:
    """The people who are members, each with ``can_log_in``; machine judges are no people."""
    can_log_in = ExpressionWrapper(_can_log_in(), output_field=BooleanField())
    return Membership.objects.filter(campaign=campaign, is_machine=False).annotate(can_log_in=can_log_in)
