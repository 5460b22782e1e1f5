"""Nobody judges their own team's runs: the refusal that all who hand out or settle work ask."""

from __future__ import annotations

from django.contrib.auth.models import User

from assess.assignments.queries.own_teams import own_teams
from assess.base.errors import Conflict
from assess.campaigns.models import Campaign
from assess.topics.models import Topic


def require_other_teams(*, actor: User, campaign: Campaign, topic: Topic, assessor: User) -> None:
    """Refuse an assessor who takes part for a team whose accepted runs returned something judged in this topic."""
    found = own_teams(campaign, [assessor.pk], topic=topic.pk).get(assessor.pk)
    team = found.topics.get(topic.pk) if found is not None else None
    if team is None:
        return
    who, does = ("You take", "you") if actor.pk == assessor.pk else (f"{assessor} takes", "them")
    raise Conflict(
        f"{who} part for the team {team}, and a run of that team returned something that is judged in topic "
        f"{topic.number}. Nobody judges their own team's runs: "
        + ("ask the organiser to give this to somebody else." if does == "you" else "give it to somebody else."),
        code="own-team",
    )
