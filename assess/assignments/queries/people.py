"""Who can be given work, who would judge their own team's runs, and by which names they stand in exports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.db.models import BooleanField, Exists, ExpressionWrapper, Min, OuterRef, Q, QuerySet

from assess.assignments.models import Assignment
from assess.base.wording import letters
from assess.campaigns.models import JUDGES, Campaign, Membership, Role
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.runs.models import Citation, Response, Run, Segment

CAN_LOG_IN = Q(user__is_active=True) & (
    ~(Q(user__password="") | Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX)) | Q(user__auth_token__isnull=False)
)
"""Of a membership: its person has a password or a token of the API, and the account is not closed."""


def assessors_of(campaign: Campaign) -> list[User]:
    """Everybody who may judge, by name: assessors and adjudicators, those who take no more work among them."""
    return people_of(campaign, *JUDGES, willing=False)


def unwilling_assessors(campaign: Campaign) -> list[User]:
    """Those of `assessors_of` who take no more work, by name. One query."""
    return _people(members_of(campaign).filter(CAN_LOG_IN, role__in=JUDGES, takes_work=False))


def names_to_choose(campaign: Campaign, people: Iterable[User]) -> dict[int, str]:
    """By id what people are called where one is chosen to be handed work: who takes no more is called so. One query."""
    unwilling = {person.pk for person in unwilling_assessors(campaign)}
    return {each.pk: f"{each}, takes no more work" if each.pk in unwilling else str(each) for each in people}


def people_of(campaign: Campaign, *roles: str, willing: bool = True) -> list[User]:
    """Everybody in one of these roles who can come and do it, and takes work, by name. One query.

    Without ``willing`` those who take no more work are among them.

    Machines are left out, and accounts that nobody can log in to: those that were closed, and those under which
    published judgments are kept. Somebody without a password who holds a token of the API can come by that.
    """
    members = members_of(campaign).filter(CAN_LOG_IN, role__in=roles)
    return _people(members.filter(takes_work=True) if willing else members)


def takes_work(campaign: Campaign, person: User) -> bool:
    """Whether somebody may be handed work: not where they, or an organiser, said that they take no more. One query."""
    return not campaign.memberships.filter(user=person, role__in=JUDGES, takes_work=False).exists()


def _people(members: QuerySet[Membership]) -> list[User]:
    return list(User.objects.filter(pk__in=members.values("user")).order_by("username"))


def members_of(campaign: Campaign) -> QuerySet[Membership]:
    """The people who are members, each with ``can_log_in``; machine judges are no people."""
    can_log_in = ExpressionWrapper(CAN_LOG_IN, output_field=BooleanField())
    return Membership.objects.filter(campaign=campaign, is_machine=False).annotate(can_log_in=can_log_in)


# Who would judge runs of their own team: the topics in which a team's accepted runs returned what is judged.


@dataclass(frozen=True, slots=True)
class OwnTeam:
    """What one person must not judge: topic id -> the team of theirs whose runs returned something there."""

    topics: dict[int, str]


def own_teams(
    campaign: Campaign, people: Iterable[int] | None = None, *, topic: int | None = None
) -> dict[int, OwnTeam]:
    """By user id, of these people or of all: the topics that they must not judge. Who may judge all is left out.

    With ``topic`` (an id) only that topic is looked at.

    Somebody who takes part for a team must not judge a topic in which an accepted run of it returned something that is
    pooled, or anything at all while the topic's task has no pool. One query where nobody takes part, else two.
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
    """(team, topic id) of the responses that are judged, or may be."""
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
    """Live work that its assessor must not do, with the team, in the order of the topics; for organisers.

    Such work is there when somebody became a participant, or a team's run came in, after it was handed out.
    """
    found = own_teams(campaign)
    if not found:
        return []
    live = campaign.assignments.exclude(state=Assignment.State.RETURNED).filter(assessor__in=list(found))
    return [
        (each, found[each.assessor_id].topics[each.topic_id])
        for each in live.select_related("topic", "assessor")
        if each.topic_id in found[each.assessor_id].topics
    ]


# The names under which assessors appear in what is exported.

MACHINE_PREFIX = "machine-"


def pseudonyms(campaign: Campaign) -> dict[int, str]:
    """User id -> "assessor-1", "assessor-2", … in the order in which people were first given work.

    Work is never deleted, so a name once given stays with its person, whoever joins or leaves. Machine judges have
    names of their own, "machine-A", "machine-B", …, so that none of them moves a person's number.
    """
    given = campaign.assignments.order_by().values("assessor_id", "role").annotate(first=Min("id")).order_by("first")
    people: dict[int, str] = {}
    machines: dict[int, str] = {}
    for row in given:
        is_machine = row["role"] == Assignment.Role.MACHINE
        names, prefix = (machines, MACHINE_PREFIX) if is_machine else (people, "assessor-")
        if row["assessor_id"] not in names:
            place = len(names) + 1
            names[row["assessor_id"]] = prefix + (letters(place) if is_machine else str(place))
    return {**people, **machines}


def pseudonyms_with_authors(campaign: Campaign) -> dict[int, str]:
    """The same names, and behind them one for everybody who drafted topics and was given no work, by their first draft.

    For what is written of a closed campaign alone, since who is given work later takes the next name.
    """
    names = pseudonyms(campaign)
    place = sum(not name.startswith(MACHINE_PREFIX) for name in names.values())
    for author in campaign.topic_drafts.order_by("number").values_list("author_id", flat=True):
        if author not in names:
            place += 1
            names[author] = f"assessor-{place}"
    return names
