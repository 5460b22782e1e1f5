"""Erase a person's identity: a pseudonym replaces the name, and nothing else shows whose account it was.

Ledgers refer to the account by its key and not by its name, so everything that the person did stays, as the acts of one
person.
"""

from __future__ import annotations

import secrets

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from axes.models import AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Conflict, NotAllowed
from assess.base.wording import counted
from assess.base.write_ahead_log import empty_write_ahead_log
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.people.domain.acting_for import give_name, require_may_act_for, require_not_erased
from assess.people.domain.members import led_alone_by, withdraw
from assess.people.domain.tokens import revoke_all_tokens
from assess.people.models import ApiToken, Invitation, PasswordLink, PersonLanguage


def new_pseudonym() -> str:
    """Return a pseudonym that reveals nothing, not even an order."""
    return f"person-{secrets.token_hex(4)}"


def erase_person(*, actor: User, user: User, campaign: Campaign | None = None, pseudonym: str = "") -> User:
    """Give an account a pseudonym, close it, and delete what shows whose it was. Return it. This can't be undone.

    It deletes name, display name, mail address, password, tokens, other ways to log in, sessions, the notes of their
    invitations, unused invitations that they made, and the records of their logins. It is recorded in each of their
    campaigns. Texts that people wrote stay as they are. Refused: without a ``campaign``, an actor who is not a
    superuser; with one, what `require_may_act_for` refuses; oneself; a person with unfinished assignments, who is the
    last organiser of a campaign, or who was erased before; and a pseudonym that `give_name` refuses.
    """
    if campaign is not None:
        require_may_act_for(actor=actor, campaign=campaign, user=user)
    elif not actor.is_superuser:
        raise NotAllowed(
            gettext("%(actor)s is no superuser. Organisers erase members of their campaigns, under People, Names ….")
            % {"actor": actor}
        )
    if user == actor:
        raise Conflict(gettext("You can't erase yourself. Ask another organiser, or whoever keeps the site."))
    name = pseudonym.strip() or new_pseudonym()
    with transaction.atomic():
        member_of = Campaign.objects.filter(pk__in=user.memberships.values("campaign")).order_by("pk")
        campaigns = list(member_of.select_for_update(no_key=True))
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        require_not_erased(locked)
        if alone := list(led_alone_by(locked).order_by("slug").values_list("slug", flat=True)):
            raise Conflict(
                gettext("%(locked)s is the last organiser of %(alone)s. Make somebody else organiser there first.")
                % {"locked": locked, "alone": ", ".join(alone)}
            )
        states = [Assignment.State.OPEN, Assignment.State.STARTED]
        live = Assignment.objects.filter(assessor=locked, state__in=states, topic__dropped=False)
        if held := list(live.order_by("campaign__slug").values_list("campaign__slug", flat=True)):
            raise Conflict(
                gettext("%(locked)s still has %(live)s (%(campaigns)s). Take them back first.")
                % {
                    "locked": locked,
                    "live": counted(len(held), "assignment"),
                    "campaigns": ", ".join(dict.fromkeys(held)),
                }
            )
        locked.first_name, locked.last_name, locked.email = "", "", ""
        give_name(locked, name, field="pseudonym")
        locked.is_active, locked.last_login = False, None
        locked.set_unusable_password()
        locked.save()
        revoke_all_tokens(actor=actor, user=locked)
        ApiToken.objects.filter(user=locked).update(name="erased")
        PasswordLink.objects.filter(user=locked).delete()
        PersonLanguage.objects.filter(user=locked).delete()
        Invitation.objects.filter(accepted_by=locked).update(note="")
        for invitation in Invitation.objects.filter(created_by=locked, accepted_at=None).select_related("campaign"):
            withdraw(actor=actor, invitation=invitation)
        for rows in (EmailAddress, SocialAccount, Authenticator, UserSession):
            rows.objects.filter(user=locked).delete()
        for logins in (AccessFailureLog, AccessLog):  # which have the new name by now
            logins.objects.filter(username=name).delete()
        recorded_in: list[Campaign | None] = [*campaigns] or [None]
        for each in recorded_in:
            record_activity(actor=actor, action="member.erase", campaign=each, about=locked, data={"user": locked.pk})
        transaction.on_commit(empty_write_ahead_log, robust=True)
    return locked
