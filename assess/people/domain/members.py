"""Members of a campaign: who they are, and what they may do."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext, ngettext

from assess.assignments.models import Assignment
from assess.assignments.queries.who_can_be_given_work import takes_work
from assess.base.errors import Conflict, Invalid, NotFound
from assess.base.numbers import grouped
from assess.campaigns.activity import record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.models import JUDGES, Campaign, Membership, Role
from assess.campaigns.queries import settings_of, track_of
from assess.campaigns.track_texts import in_language
from assess.people.models import Invitation


def add_member(*, actor: User, campaign: Campaign, user: User, role: str, team: str = "") -> Membership:
    """Make a person a member in a role, and return the membership.

    Adding the same member again changes nothing. Refused: what `check_role` refuses, and a participant who takes part
    for another team already.
    """
    check_role(campaign=campaign, role=role, team=team)
    with transaction.atomic():
        takes = role not in JUDGES or takes_work(campaign, user)
        membership, created = Membership.objects.get_or_create(
            campaign=campaign, user=user, role=role, defaults={"team": team, "takes_work": takes}
        )
        if not created and membership.team != team:
            raise Conflict(
                gettext("%(user)s already takes part for the team %(team)s.") % {"user": user, "team": membership.team}
            )
        if created:
            data = {"user": user.pk, "role": role, "team": team}
            record_activity(actor=actor, action="member.add", campaign=campaign, about=membership, data=data)
    return membership


def remove_member(*, actor: User, campaign: Campaign, user: User, role: str) -> None:
    """End a membership. Raise NotFound if there is none, and Conflict if it can't be ended now (`why_kept`).

    Unused invitations that a removed organiser made are withdrawn, since that person may know the links.
    """
    with transaction.atomic():
        _lock(campaign)
        membership = campaign.memberships.filter(user=user, role=role).first()
        if membership is None:
            raise NotFound
        if keeps := why_kept(membership):
            raise Conflict(keeps)
        membership.delete()
        data = {"user": user.pk, "role": role}
        record_activity(actor=actor, action="member.remove", campaign=campaign, data=data)
        if role == Role.ORGANISER:
            for invitation in campaign.invitations.filter(created_by=user, accepted_at=None):
                withdraw(actor=actor, invitation=invitation)


def why_kept(membership: Membership) -> str:
    """Return why a membership can't be ended now, and what to do first; "" if it can. At most four queries."""
    campaign, user, role = membership.campaign, membership.user, membership.role
    if role == Role.ORGANISER and led_alone_by(user).filter(pk=campaign.pk).exists():
        return gettext("This is the last organiser. Make somebody else organiser first.")
    states = [Assignment.State.OPEN, Assignment.State.STARTED]
    live = campaign.assignments.filter(assessor=user, state__in=states, topic__dropped=False)
    judging = set(JUDGES) & set(campaign.memberships.filter(user=user).values_list("role", flat=True))
    if judging == {role} and (count := live.count()):
        return ngettext(
            "%(user)s still has %(number)s assignment. Take it back first.",
            "%(user)s still has %(number)s assignments. Take them back first.",
            count,
        ) % {"user": user, "number": grouped(count)}
    return ""


def led_alone_by(user: User) -> QuerySet[Campaign]:
    """Return the campaigns that this person organises, and that nobody else with an open account organises."""
    organisers = Membership.objects.filter(role=Role.ORGANISER)
    others = organisers.filter(campaign=OuterRef("pk"), user__is_active=True).exclude(user=user)
    return Campaign.objects.filter(~Exists(others), pk__in=organisers.filter(user=user).values("campaign"))


def withdraw(*, actor: User, invitation: Invitation) -> None:
    """Delete an unused invitation. The caller must refuse what is not allowed, and holds the transaction."""
    data = {"role": invitation.role, "team": invitation.team, "made_by": invitation.created_by_id}
    record_activity(
        actor=actor, action="invitation.withdraw", campaign=invitation.campaign, about=invitation, data=data
    )
    invitation.delete()


def role_values(membership: Membership) -> dict[str, str]:
    """Return a membership's role and team as stored now. A change compares them with those it was made from."""
    return {"to": membership.role, "team": membership.team}


def change_role(
    *,
    actor: User,
    campaign: Campaign,
    user: User,
    role: str,
    to: str,
    team: str = "",
    made_from: MadeFrom | None = None,
) -> Membership:
    """Replace one of a member's roles by another, or a participant's team. Their judgments stay.

    Raise NotFound for somebody without this role. Refused: what `check_role` refuses of the new role; a machine judge;
    a role that they already have; ending a role that can't be ended now (`why_kept`); and a change that was
    ``made_from`` a role or team other than the stored one (`role_values`).
    """
    check_role(campaign=campaign, role=to, team=team)
    with transaction.atomic():
        _lock(campaign)
        present = campaign.memberships.filter(user=user, role=role).first()
        if present is None:
            raise NotFound
        if present.is_machine:
            raise Conflict(gettext("A machine judge has no other role."))
        values = role_values(present)
        if values != {"to": to, "team": team}:
            require_unchanged(
                campaign=campaign, present=values, made_from=made_from, action="member.team", about=present
            )
        if role == to:
            return _change_team(actor=actor, membership=present, team=team)
        if campaign.memberships.filter(user=user, role=to).exists():
            raise Conflict(
                gettext("%(user)s is %(label)s already. Remove the other role instead.")
                % {"user": user, "label": Role(to).label}
            )
        made = add_member(actor=actor, campaign=campaign, user=user, role=to, team=team)
        remove_member(actor=actor, campaign=campaign, user=user, role=role)
    return made


def _lock(campaign: Campaign) -> None:
    """Make changes of memberships wait for one another until the transaction ends."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def _change_team(*, actor: User, membership: Membership, team: str) -> Membership:
    if membership.team == team:
        return membership
    data = {"user": membership.user_id, "team": [membership.team, team]}
    membership.team = team
    membership.save(update_fields=["team"])
    record_activity(actor=actor, action="member.team", campaign=membership.campaign, about=membership, data=data)
    return membership


def check_role(*, campaign: Campaign, role: str, team: str) -> None:
    """Refuse an unknown role, a participant without a team, a team with another role, and a team that no run tag can
    contain.

    "The run-tag should be the concatenation of the Team ID and the priority of the run" (TAC 2008 QA, III). If a track
    names all runs in this way, a team whose id can't be part of a tag could never submit one.
    """
    if role not in Role.values:
        raise Invalid(
            gettext("%(role)s is not a role. Use one of: %(values)s.")
            % {"role": role, "values": ", ".join(Role.values)}
        )
    if role == Role.PARTICIPANT and not team:
        raise Invalid(gettext("A participant needs a team."), field="team")
    if role != Role.PARTICIPANT and team:
        raise Invalid(gettext("Only participants have a team."), field="team")
    if team and not any(letter.isalnum() for letter in team):
        raise Invalid(
            gettext("“%(team)s” can't be the ID of a team: it has no letter and no digit.") % {"team": team[:40]},
            field="team",
        )
    kinds = [each for each in track_of(campaign).submissions if not each.for_organisers]
    rules = [each.under(settings_of(campaign)).tags for each in kinds]
    if team and rules and not any(rule.carries(team) for rule in rules):
        raise Invalid(
            gettext("“%(team)s” can't be the ID of a team. Write %(team_words)s.")
            % {"team": team[:40], "team_words": in_language(rules[0].team_words)},
            field="team",
        )
