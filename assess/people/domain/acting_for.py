"""What an organiser does to another person's account on request: a new name, or a link for a new password."""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from assess.base.errors import Conflict, Invalid, NotAllowed, NotFound
from assess.campaigns.activity import record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.models import Activity, Campaign, Membership, Role
from assess.people.domain.names import ALIKE, TAKEN, keep_name, require_own_name
from assess.people.domain.tokens import revoke_all_tokens
from assess.people.models import Invitation, PasswordLink

LINK_HOURS = 24
DISPLAY_LIMIT = 150


def require_may_act_for(*, actor: User, campaign: Campaign, user: User) -> None:
    """Refuse an actor who may not change the account of this member.

    Superusers may change every member's account. An organiser may change those of members who organise nothing, are not
    staff, and belong only to campaigns that the organiser organises: whoever controls an account has all its rights.
    Anything else raises NotAllowed. A closed account raises Conflict, which says whether its person was erased.
    NotFound is raised for somebody who is no member, for a machine judge, and for an actor who is neither superuser nor
    organiser of the campaign. Four short queries.
    """
    own = Membership.objects.filter(user=actor, role=Role.ORGANISER)
    if not actor.is_superuser and not own.filter(campaign=campaign).exists():
        raise NotFound
    if not campaign.memberships.filter(user=user, is_machine=False).exists():
        raise NotFound(gettext("%(user)s is no member of this campaign.") % {"user": user})
    if not user.is_active:
        require_not_erased(user)
        raise Conflict(
            gettext("The account %(user)s is closed. Whoever keeps the site can open it again in the admin site.")
            % {"user": user}
        )
    if actor.is_superuser:
        return
    if user.is_staff or user.is_superuser:
        raise NotAllowed(
            gettext("%(user)s helps to keep this site. Ask whoever keeps it to change this account.") % {"user": user}
        )
    held = Membership.objects.filter(user=user)
    if held.filter(role=Role.ORGANISER).exists():
        raise NotAllowed(
            gettext("%(user)s organises a campaign. Ask whoever keeps the site to change this account.")
            % {"user": user}
        )
    if held.exclude(campaign__in=own.values("campaign")).exists():
        raise NotAllowed(
            gettext(
                "%(user)s belongs to campaigns that you do not organise. Ask whoever keeps the site to "
                "change this account."
            )
            % {"user": user}
        )


def require_not_erased(user: User) -> None:
    """Raise Conflict if the person of this account was erased. At most one query."""
    erased = Activity.objects.filter(action="member.erase", object_type="user", object_id=str(user.pk))
    if not user.is_active and erased.exists():
        raise Conflict(
            gettext("%(user)s is erased already. This can't be undone, and the name stays.") % {"user": user}
        )


def require_may_make_link(*, actor: User, campaign: Campaign, user: User) -> None:
    """Refuse to make a link for a new password for a person who accepted no invitation to a campaign of the actor.

    Anybody can be added to a campaign by name, without being asked, and a link could then take over their account.
    Whoever accepts an invitation agrees. Superusers may make a link for every member. What `require_may_act_for`
    refuses is refused, too. Five short queries.
    """
    require_may_act_for(actor=actor, campaign=campaign, user=user)
    own = Membership.objects.filter(user=actor, role=Role.ORGANISER).values("campaign")
    if not actor.is_superuser and not Invitation.objects.filter(accepted_by=user, campaign__in=own).exists():
        raise NotAllowed(
            gettext(
                "%(user)s was added by name and has accepted no invitation to your campaigns, so you "
                "can't make a link that opens their account. Ask whoever keeps the site to give them a "
                "new password."
            )
            % {"user": user}
        )


def name_values(user: User) -> dict[str, str]:
    """Return the names of an account as stored now. A change compares them with those it was made from."""
    return {"name": user.username, "display_name": user.first_name}


def rename_member(
    *,
    actor: User,
    campaign: Campaign,
    user: User,
    name: str,
    display_name: str,
    made_from: MadeFrom | None = None,
) -> User:
    """Give a member's account another login name and display name.

    Everything that the member did stays theirs, since records refer to the account and not to its name. The same names
    again change nothing. Refused: what `require_may_act_for`, `give_name` and `checked_display_name` refuse, and a
    change that was ``made_from`` other names than the stored ones (`name_values`).
    """
    require_may_act_for(actor=actor, campaign=campaign, user=user)
    after = {"name": name.strip(), "display_name": checked_display_name(display_name)}
    try:
        with transaction.atomic():
            locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
            before = name_values(locked)
            if before == after:
                return locked
            require_unchanged(
                campaign=campaign, present=before, made_from=made_from, action="member.name", about=locked
            )
            if before["name"] != after["name"]:
                give_name(locked, after["name"], field="name")
            locked.first_name = after["display_name"]
            locked.save(update_fields=["username", "first_name"])
            data = {"user": user.pk, "changed": [key for key in after if before[key] != after[key]]}  # and no name
            record_activity(actor=actor, action="member.name", campaign=campaign, about=locked, data=data)
    except IntegrityError as error:
        raise Conflict(OTHERS_NAME, field="name") from error
    return locked


OTHERS_NAME = gettext_lazy("This name is taken, or looks like one that is taken. Choose another.")


def give_name(user: User, name: str, *, field: str) -> None:
    """Give an account a name that somebody else chose for it, without saving the account. Refuse a name that is taken,
    malformed, reserved or similar to another; the refusal is about the form's ``field``.

    What names the account by its name in place of its key gets the new one: its logins, and the admin site's history.
    """
    former, user.username = user.username, name
    try:
        user.clean_fields(exclude=["password"])
        require_own_name(name, user=user)
        keep_name(user)
        AccessAttempt.objects.filter(username=former).delete()
        for logins in (AccessFailureLog, AccessLog):
            logins.objects.filter(username=former).update(username=name)
        history = LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk))
        history.update(object_repr=name)
    except ValidationError as error:
        if error.messages[0] in (str(TAKEN), str(ALIKE)):
            raise Conflict(OTHERS_NAME, field=field) from error
        raise Invalid(" ".join(error.messages), field=field) from error


def checked_display_name(text: str) -> str:
    """Return the name on one line. Refused if it is too long or contains characters that can't be shown."""
    name = " ".join(text.split())
    if len(name) > DISPLAY_LIMIT:
        raise Invalid(
            gettext("Shorten the display name to %(value)s characters.") % {"value": DISPLAY_LIMIT},
            field="display_name",
        )
    if not name.isprintable():
        raise Invalid(
            gettext("The display name holds characters that can't be shown. Type it again."), field="display_name"
        )
    return name


# A link with which a person sets a new password. It works once, for a day, and only its digest is stored.


def create_password_link(*, actor: User, campaign: Campaign, user: User) -> tuple[PasswordLink, str]:
    """Make a link for a new password, and return it with its token, which is not stored.

    Unused links that were made earlier for the same account stop working. What `require_may_make_link` refuses is
    refused.
    """
    require_may_make_link(actor=actor, campaign=campaign, user=user)
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        _open_links().filter(user=user).update(expires_at=timezone.now())
        link = PasswordLink.objects.create(
            user=user,
            campaign=campaign,
            token_sha256=_digest(token, user),
            expires_at=timezone.now() + timedelta(hours=LINK_HOURS),
            made_by=actor,
        )
        record_activity(
            actor=actor, action="member.password_link", campaign=campaign, about=link, data={"user": user.pk}
        )
    return link, token


def find_password_link(token: str) -> PasswordLink:
    """Return the open link with this token. Used, expired and unknown links look the same: NotFound.

    A link stops working when the account's password changes in any way, and when its maker can no longer log in or may
    no longer make a link for this account (`require_may_make_link`).
    """
    waiting = _open_links().filter(made_by__is_active=True).select_related("user", "campaign", "made_by")
    link = next((each for each in waiting if each.token_sha256 == _digest(token, each.user)), None)
    gone = NotFound(gettext("This link is used, expired or unknown. Ask the organiser for a new one."))
    if link is None:
        raise gone
    try:
        require_may_make_link(actor=link.made_by, campaign=link.campaign, user=link.user)
    except (Conflict, NotAllowed, NotFound) as refused:
        raise gone from refused
    return link


def set_password_by_link(*, token: str, password: str) -> User:
    """Give the link's account this password, and return the account. It works once, and ends the account's API tokens
    and sessions.

    Refused: a used, expired or unknown link, and a weak password, after which the link still works.
    """
    link = find_password_link(token)
    user = link.user
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages), field="password") from error
    with transaction.atomic():
        if not _open_links().filter(pk=link.pk).update(used_at=timezone.now()):
            raise NotFound
        user.set_password(password)
        user.save(update_fields=["password"])
        revoke_all_tokens(actor=user)
        data: dict[str, Any] = {"made_by": link.made_by_id}
        record_activity(actor=user, action="member.password", campaign=link.campaign, about=link, data=data)
    return user


def _open_links() -> QuerySet[PasswordLink]:
    return PasswordLink.objects.filter(used_at=None, expires_at__gt=timezone.now())


def _digest(token: str, user: User) -> str:
    """Return the digest of a token, which is valid only together with the account's current password."""
    return sha256(f"{token} {user.password}".encode()).hexdigest()
