"""Which topics a second assessor judges too, and who that is: a plan that writes nothing."""

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
    """Which topics: all, a ``share`` of them from 0 to 1, or a ``number``; chosen by ``seed`` alone."""

    share: float | None = None
    number: int | None = None
    seed: int = 1

    def size(self, topics: int) -> int:
        """Return how many of so many topics.

        >>> Sample(share=0.2).size(11), Sample(number=5).size(3), Sample().size(7)
        (3, 3, 7)
        """
        if self.share is not None:
            return math.ceil(self.share * topics - 1e-9)
        return min(self.number, topics) if self.number is not None else topics

    def choose(self, topics: Sequence[Topic]) -> list[Topic]:
        """The topics chosen, in their own order. A larger sample with the same seed holds the smaller one."""
        drawn = sorted(topics, key=lambda topic: (_drawn(self.seed, topic.number), topic.pk))[: self.size(len(topics))]
        chosen = {topic.pk for topic in drawn}
        return [topic for topic in topics if topic.pk in chosen]


@dataclass(frozen=True, kw_only=True, slots=True)
class SecondWork:
    """One topic of the sample: who judges its stages too. ``assessor`` is None where ``why`` says why nobody does."""

    topic: Topic
    stages: tuple[str, ...]
    items: int
    assessor: User | None = None
    why: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DoublePlan:
    """The sample of the topics to judge: what is handed out, what has a second assessor already, what has to wait."""

    topics: int
    sampled: int
    already: int
    works: tuple[SecondWork, ...]

    @property
    def handouts(self) -> list[SecondWork]:
        """What would be handed out."""
        return [work for work in self.works if work.assessor is not None]

    @property
    def waiting(self) -> list[SecondWork]:
        """The topics that nobody can be given now."""
        return [work for work in self.works if work.assessor is None]

    @property
    def items(self) -> int:
        """Pooled items that would be judged again."""
        return sum(work.items for work in self.handouts)

    @property
    def loads(self) -> list[tuple[str, int, int]]:
        """(assessor, topics, items) that would be handed out, by name."""
        found: dict[str, tuple[int, int]] = {}
        for work in self.handouts:
            name = str(work.assessor)
            topics, items = found.get(name, (0, 0))
            found[name] = (topics + 1, items + work.items)
        return [(name, *found[name]) for name in sorted(found)]


def double_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """(task's label, stage) of all stages that an author does, and a second assessor can do, too.

    It leaves out stages that any number of people do, and those handed out by name alone, such as the contractor's of
    the definition pilot: what a second assessor says there is asked for by nothing.
    """
    return [
        (task.label, stage)
        for task in track_of(campaign).tasks
        for stage in task.stages
        if not stage.many and not stage.by_hand
    ]


def double_plan(campaign: Campaign, *, stages: Iterable[str], sample: Sample, each: int = 2) -> DoublePlan:
    """Give every sampled topic that has an author, and fewer assessors than ``each``, to whoever has least to do.

    One person gets all of the chosen stages of a topic that lack a second assessor: never who is or was its author
    there, has any of them in another role, takes part for a team whose runs are judged in it, or would have more items
    than one person judges at most. Items count as load.
    A task of which no stage is chosen is left out of the sample. Nine queries, however many topics.
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
        free = [person for person in people if person.pk not in barred and not _own(own, person, topic)]
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
    """Return the stages of which the track says how many people judge how large a share of the topics."""
    return [stage for task in track_of(campaign).tasks for stage in task.stages if stage.people > 1]


def _own(own: Mapping[int, OwnTeam], person: User, topic: Topic) -> bool:
    found = own.get(person.pk)
    return found is not None and topic.pk in found.topics


def _drawn(seed: int, number: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{number}".encode(errors="surrogatepass")).digest()
