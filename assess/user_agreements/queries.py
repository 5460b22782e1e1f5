"""Reads about the user agreement of a campaign: which teams have accepted it, and what requires it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from assess.campaigns.dates import NEEDS
from assess.campaigns.models import Campaign, Part, Role
from assess.user_agreements.models import Acceptance, UserAgreement

AGREEMENT_FIRST = gettext_lazy(
    "The {part} of this campaign are for teams that have accepted its user agreement, and "
    "yours has not yet. Read and accept it first: “User agreement” on the page “Topics”."
)


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """A team and its acceptance of the agreement in force, or None."""

    team: str
    acceptance: Acceptance | None


def agreement_in_force(campaign: Campaign) -> UserAgreement | None:
    """Return the newest version; None if none was published. One query."""
    return campaign.user_agreements.select_related("published_by").order_by("-version").first()


def parts_behind_agreement(campaign: Campaign) -> tuple[Part, ...]:
    """Return the parts that participants get only after their team has accepted: those named, and those that need
    them.
    """
    return tuple(part for part in Part if set(NEEDS[part]) & set(campaign.agreement_for))


def waits_for_agreement(campaign: Campaign, part: Part, teams: Collection[str]) -> bool:
    """Return whether this part requires the user agreement and none of these teams has accepted it. At most two
    queries.
    """
    if part not in parts_behind_agreement(campaign):
        return False
    newest = campaign.user_agreements.order_by("-version").values_list("pk", flat=True).first()
    return not Acceptance.objects.filter(agreement=newest, team__in=list(teams)).exists()


def team_answers(campaign: Campaign, agreement: UserAgreement | None) -> list[TeamAnswer]:
    """Return every team that takes part or accepted, by name, with its acceptance of this version. Two queries."""
    given = {}
    if agreement is not None:
        given = {each.team: each for each in agreement.acceptances.select_related("accepted_by")}
    members = campaign.memberships.filter(role=Role.PARTICIPANT).order_by().values_list("team", flat=True).distinct()
    return [TeamAnswer(team, given.get(team)) for team in sorted({*members, *given})]
