"""Nobody judges their own team's runs: find who would, and refuse it wherever work is handed out or settled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.base.errors import Conflict
from assess.campaigns.models import Campaign, Membership, Role
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.runs.models import Citation, Response, Run, Segment
from assess.topics.models import Topic

# Who would judge their own team's runs: the topics for which accepted runs of that team returned judged items.


@dataclass(frozen=True, slots=True)
class OwnTeam:
    """The topics that one person must not judge, because a run of their team returned something for them. ``topics``
    maps the id of each topic to that team.
    """

    topics: dict[int, str]


def own_teams(
    campaign: Campaign, people: Iterable[int] | None = None, *, topic: int | None = None
) -> dict[int, OwnTeam]:
    """Return, by user id, the topics that people must not judge; people who may judge all are left out.

    ``people`` and ``topic`` (ids) limit the search. A member of a team must not judge a topic for which an accepted run
    of the team returned something that is pooled; while the topic's task has no pool, anything returned counts. One
    query if nobody takes part for a team, otherwise two.
    """
    seats = Membership.objects.filter(campaign=campaign, role=Role.PARTICIPANT).exclude(team="").order_by()
    if people is not None:
        seats = seats.filter(user__in=list(people))
    teams = list(seats.values_list("user_id", "team"))
    if not teams:
        return {}
    touched: dict[str, set[int]] = {}
    for team, judged in _judged_responses(campaign, {team for _, team in teams}, topic):
        touched.setdefault(team, set()).add(judged)
    found: dict[int, OwnTeam] = {}
    for person, team in teams:
        for judged in touched.get(team, ()):
            found.setdefault(person, OwnTeam({})).topics[judged] = team
    return found


def _judged_responses(campaign: Campaign, teams: set[str], topic: int | None) -> list[tuple[str, int]]:
    """Return (team, topic id) of the responses that are judged, or may be."""
    pools = current_pools(campaign)
    pooled = PoolItem.objects.filter(pool__in=pools, item=OuterRef("item"))
    strings = Segment.objects.filter(Exists(pooled), response=OuterRef("pk"))
    cited = Citation.objects.filter(Exists(pooled), segment__response=OuterRef("pk"))
    responses = Response.objects.filter(
        Q(~Exists(pools.filter(task=OuterRef("topic__task")))) | Exists(pooled) | Exists(strings) | Exists(cited),
        run__campaign=campaign,
        run__state=Run.State.ACCEPTED,
        run__team__in=teams,
    )
    if topic is not None:
        responses = responses.filter(topic=topic)
    return list(responses.order_by().values_list("run__team", "topic_id").distinct())


def own_team_conflicts(campaign: Campaign) -> list[tuple[Assignment, str]]:
    """Return the live assignments that their assessors must not do, each with the team, in topic order; for organisers.

    Such a conflict arises if somebody became a participant, or a run came in, after the assignment was handed out.
    """
    found = own_teams(campaign)
    if not found:
        return []
    live = campaign.assignments.filter(assessor__in=list(found), topic__dropped=False).exclude(
        state=Assignment.State.RETURNED
    )
    return [
        (each, found[each.assessor_id].topics[each.topic_id])
        for each in live.select_related("topic", "assessor")
        if each.topic_id in found[each.assessor_id].topics
    ]


# The refusal, for all functions that hand out or settle work.


def require_other_teams(*, actor: User, campaign: Campaign, topic: Topic, assessor: User) -> None:
    """Raise `Conflict` for an assessor who takes part for a team whose accepted runs returned something that is judged
    in this topic. At most two queries.
    """
    found = own_teams(campaign, [assessor.pk], topic=topic.pk).get(assessor.pk)
    team = found.topics.get(topic.pk) if found is not None else None
    if team is None:
        return
    told = (
        gettext(
            "You take part for the team %(team)s, and a run of that team returned something that is judged in topic "
            "%(topic)s. Nobody judges their own team's runs: ask the organiser to give this to somebody else."
        )
        if actor.pk == assessor.pk
        else gettext(
            "%(assessor)s takes part for the team %(team)s, and a run of that team returned something that is judged "
            "in topic %(topic)s. Nobody judges their own team's runs: give it to somebody else."
        )
    )
    raise Conflict(told % {"assessor": assessor, "team": team, "topic": topic.number}, code="own-team")
