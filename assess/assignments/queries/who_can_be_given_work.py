"""The people who can be given assignments in a campaign: who takes no more, and who can log in to do them."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext

from assess.campaigns.models import JUDGES, Campaign, Membership


def assessors_of(campaign: Campaign) -> list[User]:
    """Return everybody who may judge, by name, including assessors and adjudicators who take no more assignments."""
    return people_of(campaign, *JUDGES, willing=False)


def unwilling_assessors(campaign: Campaign) -> list[User]:
    """Return those of `assessors_of` who take no more assignments, by name. One query."""
    return _people(members_of(campaign).filter(_can_log_in(), role__in=JUDGES, takes_work=False))


def names_to_choose(campaign: Campaign, people: Iterable[User]) -> dict[int, str]:
    """Return the names of people by id, for forms that hand out assignments; a note marks those who take no more.

    One query.
    """
    unwilling = {person.pk for person in unwilling_assessors(campaign)}
    names = {each.pk: f"{each} ({each.first_name})" if each.first_name else str(each) for each in people}
    marked = gettext("%(name)s, takes no more work")
    return {pk: marked % {"name": name} if pk in unwilling else name for pk, name in names.items()}


def people_of(campaign: Campaign, *roles: str, willing: bool = True) -> list[User]:
    """Return everybody in one of these roles who can log in and takes assignments, by name. One query.

    If ``willing`` is false, those who take no more are included. Machines are left out, and so are accounts that nobody
    can log in to: closed ones, and those under which published judgments are stored. A person without a password who
    has a valid API token can log in.
    """
    members = members_of(campaign).filter(_can_log_in(), role__in=roles)
    return _people(members.filter(takes_work=True) if willing else members)


def takes_work(campaign: Campaign, person: User) -> bool:
    """Return whether somebody may be handed assignments: false if they or an organiser said that they take no more.

    True also for somebody who does not judge in the campaign. One query.
    """
    return not campaign.memberships.filter(user=person, role__in=JUDGES, takes_work=False).exists()


def _people(members: QuerySet[Membership]) -> list[User]:
    return list(User.objects.filter(pk__in=members.values("user")).order_by("username"))


def _can_log_in() -> Q:
    """Return the condition on memberships that the account is open and has a password or a valid API token."""
    lasting = Q(api_tokens__expires_at=None) | Q(api_tokens__expires_at__gt=Now())
    by_token = User.objects.filter(lasting, api_tokens__isnull=False, api_tokens__revoked_at=None)
    has_password = ~(Q(user__password="") | Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX))
    return Q(user__is_active=True) & (has_password | Q(user__in=by_token.values("pk")))


def members_of(campaign: Campaign) -> QuerySet[Membership]:
    """Return the campaign's memberships without machine judges, each with the annotation ``can_log_in``."""
    can_log_in = ExpressionWrapper(_can_log_in(), output_field=BooleanField())
    return Membership.objects.filter(campaign=campaign, is_machine=False).annotate(can_log_in=can_log_in)
