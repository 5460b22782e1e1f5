"""Reads about members and about the tokens of an account."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet, Subquery

from assess.base.plain_reads import columns_of, first_row, instances_of
from assess.campaigns.models import Membership, Role
from assess.people.models import ApiToken, Invitation, PersonLanguage


def note_of_invitation() -> Subquery:
    """Return an annotation of memberships: the note of the last invitation that the person accepted and that has one;
    None without any.
    """
    accepted = Invitation.objects.filter(campaign=OuterRef("campaign"), accepted_by=OuterRef("user")).exclude(note="")
    return Subquery(accepted.order_by("-accepted_at", "-id").values("note")[:1])


def was_invited_by(actor: User) -> Exists:
    """Return an annotation of memberships: whether the person accepted an invitation to a campaign of the actor."""
    own = Membership.objects.filter(user=actor, role=Role.ORGANISER).values("campaign")
    return Exists(Invitation.objects.filter(accepted_by=OuterRef("user"), campaign__in=own))


def language_of(person: User) -> str:
    """Return the code of the language in which a person reads the pages, or "" if they never chose one."""
    return PersonLanguage.objects.filter(user=person).values_list("language", flat=True).first() or ""


TOKEN_OF = f"""
SELECT {columns_of(ApiToken, "token")}, {columns_of(User, "holder")}
FROM assess_apitoken AS token JOIN auth_user AS holder ON holder.id = token.user_id
WHERE token.sha256 = %s AND token.revoked_at IS NULL
"""


def token_of(digest: str) -> ApiToken | None:
    """Return the token with this digest, with its person loaded, or None if there is no such token or it is revoked.

    The SQL is written out, since every call of the API begins with this query.
    """
    found = first_row(TOKEN_OF, [digest])
    if found is None:
        return None
    token: ApiToken
    token, token.user = instances_of(found, ApiToken, User)
    return token


def tokens_of(person: User) -> QuerySet[ApiToken]:
    """Return the tokens of a person that are not revoked, newest first, including expired ones."""
    return ApiToken.objects.filter(user=person, revoked_at=None)
