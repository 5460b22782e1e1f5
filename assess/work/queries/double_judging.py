"""Plan which topics a second assessor judges, and who that is, without writing anything."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext_noop

from assess.assignments.models import Assignment
from assess.assignments.own_teams import OwnTeam, own_teams
from assess.assignments.queries.topics import topics_to_judge
from assess.assignments.queries.who_can_be_given_work import people_of
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import track_of
from assess.protocol import Stage
from assess.topics.models import Topic
from assess.work.queries.balance import pooled_sizes
from assess.work.queries.room import FULL, room_in

PRIMARY, SECOND, RETURNED = Assignment.Role.PRIMARY, Assignment.Role.SECOND, Assignment.State.RETURNED


@dataclass(frozen=True, kw_only=True, slots=True)
class Sample:
    """A sample of topics: all of them, a ``share`` from 0 to 1, or a ``number``. The ``seed`` alone decides which."""

    share: float | None = None
    number: int | None = None
    seed: int = 1

    def size(self, topics: int) -> int:
        """Return the size of the sample for this number of topics.

        >>> Sample(share=0.2).size(11), Sample(number=5).size(3), Sample().size(7)
        (3, 3, 7)
        """
        if self.share is not None:
            return math.ceil(self.share * topics - 1e-9)
        return min(self.number, topics) if self.number is not None else topics

    def choose(self, topics: Sequence[Topic]) -> list[Topic]:
        """Return the sampled topics in the order given. A larger sample with the same seed includes the smaller one."""
        drawn = sorted(topics, key=lambda topic: (_drawn(self.seed, topic.number), topic.pk))[: self.size(len(topics))]
        chosen = {topic.pk for topic in drawn}
        return [topic for topic in topics if topic.pk in chosen]


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondWork:
    """A sampled topic and its second assessor. If nobody can be given it, ``assessor`` is None and ``why`` says the
    reason.
    """

    topic: Topic
    stages: tuple[str, ...]
    items: int
    assessor: User | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DoublePlan:
    """A plan for second assessors: how many topics are sampled, how many of them have a second assessor already, and
    what happens to the others.
    """

    topics: int
    sampled: int
    already: int
    works: tuple[SecondWork, ...]

    @property
    def handouts(self) -> list[SecondWork]:
        """The topics that would be handed out."""
        return [work for work in self.works if work.assessor is not None]

    @property
    def waiting(self) -> list[SecondWork]:
        """The topics that nobody can be given now."""
        return [work for work in self.works if work.assessor is None]

    @property
    def items(self) -> int:
        """The number of pooled items that would be judged a second time."""
        return sum(work.items for work in self.handouts)

    @property
    def loads(self) -> list[tuple[str, int, int]]:
        """The (assessor, topics, items) that would be handed out, sorted by name."""
        found: dict[str, tuple[int, int]] = {}
        for work in self.handouts:
            name = str(work.assessor)
            topics, items = found.get(name, (0, 0))
            found[name] = (topics + 1, items + work.items)
        return [(name, *found[name]) for name in sorted(found)]


def double_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """Return (task's label, stage) for each stage that has a primary assessor and can have a second.

    Stages that any number of people do are left out. So are stages that are handed out by name only, such as the
    contractor's in the definition pilot, because nothing uses a second opinion there.
    """
    return [
        (task.label, stage)
        for task in track_of(campaign).tasks
        for stage in task.stages
        if not stage.many and not stage.by_hand
    ]


def double_plan(campaign: Campaign, *, stages: Iterable[str], sample: Sample, each: int = 2) -> DoublePlan:
    """Plan second assessors for the sampled topics that have a primary assessor and fewer than ``each`` assessors.

    The assessor with the least work gets all chosen stages of a topic that lack a second assessor. That assessor is
    never somebody who has or had any of these chosen stages in any role, belongs to a team whose runs are judged in the
    topic, or would exceed the limit of items. A topic that nobody can be given is listed with the reason. Load is
    counted in items. A task without a chosen stage is left out of the sample. Nine queries, whatever the number of
    topics.
    """
    chosen = set(stages)
    asked = {
        task.key: [stage.key for stage in task.stages if stage.key in chosen and not stage.many]
        for task in track_of(campaign).tasks
    }
    topics = [topic for topic in topics_to_judge(campaign) if asked.get(topic.task)]
    sampled = sample.choose(topics)
    people = people_of(campaign, Role.ASSESSOR)
    own = own_teams(campaign, [person.pk for person in people])
    sizes = pooled_sizes(campaign)
    counting = campaign.assignments.filter(topic__dropped=False).order_by("id")
    rows = list(counting.values_list("topic_id", "stage", "role", "state", "assessor_id"))
    load = {person.pk: 0 for person in people}
    for topic_id, _, _, state, assessor in rows:
        if assessor in load and state != RETURNED:
            load[assessor] += max(sizes.get(topic_id, 0), 1)
    held: dict[int, list[tuple[str, str, str, int]]] = {}
    for topic_id, stage, role, state, assessor in rows:
        held.setdefault(topic_id, []).append((stage, role, state, assessor))
    room, works, already = room_in(campaign), [], 0
    for topic in sampled:
        live = Counter((stage, role) for stage, role, state, _ in held.get(topic.pk, ()) if state != RETURNED)
        lacking = [stage for stage in asked[topic.task] if live[stage, SECOND] < each - 1]
        if not lacking:
            already += 1
            continue
        size = sizes.get(topic.pk, 0)
        barred = {assessor for stage, _, _, assessor in held.get(topic.pk, ()) if stage in asked[topic.task]}
        free = [person for person in people if person.pk not in barred and not _is_own_team(own, person, topic)]
        wanted = [(topic.pk, stage) for stage in lacking]
        fitting = [person for person in free if room.fits(person.pk, wanted)]
        if any(not live[stage, PRIMARY] for stage in lacking):
            works.append(
                SecondWork(
                    topic=topic, stages=tuple(lacking), items=size, why=gettext_noop("has no primary assessor yet")
                )
            )
        elif not free:
            works.append(
                SecondWork(topic=topic, stages=tuple(lacking), items=size, why=gettext_noop("nobody else may judge it"))
            )
        elif not fitting:
            works.append(SecondWork(topic=topic, stages=tuple(lacking), items=size, why=FULL))
        else:
            best = min(fitting, key=lambda person: (load[person.pk], person.username))
            room.give(best.pk, wanted)
            load[best.pk] += max(size, 1) * len(lacking)
            works.append(SecondWork(topic=topic, stages=tuple(lacking), items=size, assessor=best))
    return DoublePlan(topics=len(topics), sampled=len(sampled), already=already, works=tuple(works))


def shared_stages(campaign: Campaign) -> list[Stage]:
    """Return the stages for which the track says that several people judge a share of the topics."""
    return [stage for task in track_of(campaign).tasks for stage in task.stages if stage.people > 1]


def _is_own_team(own: Mapping[int, OwnTeam], person: User, topic: Topic) -> bool:
    found = own.get(person.pk)
    return found is not None and topic.pk in found.topics


def _drawn(seed: int, number: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{number}".encode(errors="surrogatepass")).digest()
