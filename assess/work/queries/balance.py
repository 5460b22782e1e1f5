"""How much work each assessor has, and a plan that hands out the work that nobody has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import Count, Q

from assess.assignments.models import Assignment
from assess.assignments.own_teams import own_teams
from assess.assignments.queries.other_roles import handed_on, overtaken, recorded_in_another_role
from assess.assignments.queries.topics import all_stages, topics_to_judge, unassigned_stages
from assess.assignments.queries.who_can_be_given_work import people_of
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import track_of
from assess.items.models import PoolItem
from assess.items.queries import COUNTED, current_pools
from assess.kinds.base import Tally
from assess.progress.queries.assignment_progress import tallies_of
from assess.progress.queries.counted import Counts
from assess.protocol import Stage
from assess.topics.models import Topic
from assess.topics.queries import roots_of
from assess.work.queries.room import Piece, room_in


@dataclass(frozen=True, slots=True)
class Handout:
    """An assignment planned for an assessor, and the number of its items."""

    topic: Topic
    stage: str
    assessor: User
    role: str
    items: int


@dataclass(frozen=True, slots=True)
class Load:
    """The assignments and pooled items that an assessor has, and those that the plan would add."""

    assessor: User
    pieces: int
    items: int
    new_pieces: int
    new_items: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned assignments, and each assessor's load after them.

    ``blocked`` holds the (topic, stage) pairs that nobody can get because the runs judged there include some of each
    person's own team. ``full`` holds the other pairs that nobody can get: they would exceed the limit of items of
    everybody who may judge the topic.
    """

    handouts: list[Handout]
    loads: list[Load]
    blocked: list[tuple[Topic, str]] = field(default_factory=list)
    full: list[tuple[Topic, str]] = field(default_factory=list)


def balance_plan(campaign: Campaign) -> Plan:
    """Plan a primary assessor for every unassigned stage, without writing anything.

    Each series (a topic with all topics below it) goes to a single assessor, the one who has the least work by then.
    Topics without pooled items are left out. The load is counted in pooled items, and a stage without any counts as one
    item. An assessor who has a part of a series gets the rest of it; if nobody does, the author of its topic gets it. A
    stage for any number of assessors goes to everybody but the primary assessor of the series, in the role of second.

    Nobody gets a topic in which runs of their own team are judged, a stage that they judged in another role or before
    another primary assessor, or one that would exceed their limit of items. If nobody can get a whole series, its
    topics are planned one by one. The same state gives the same plan. Without assessors, the plan is empty.
    """
    assessors = people_of(campaign, Role.ASSESSOR)
    if not assessors:
        return Plan([], [])
    sizes = pooled_sizes(campaign)
    topics = {topic.pk: topic for topic in campaign.topics.select_related("parent").order_by("id")}
    roots = roots_of(campaign)
    live = campaign.assignments.filter(topic__dropped=False).exclude(state=Assignment.State.RETURNED)
    held = list(live.values_list("assessor_id", "topic_id", "role"))
    load = {assessor.pk: 0 for assessor in assessors}
    pieces = dict.fromkeys(load, 0)
    owner: dict[int, int] = {}
    for assessor_id, topic_id, role in held:
        if assessor_id in load:
            load[assessor_id] += max(sizes.get(topic_id, 0), 1)
            pieces[assessor_id] += 1
            if role == Assignment.Role.PRIMARY:
                owner.setdefault(roots[topic_id], assessor_id)
    for author_id, topic_id in campaign.topic_drafts.filter(topic__dropped=False).values_list("author_id", "topic_id"):
        if author_id in load and topic_id is not None:
            owner.setdefault(roots[topic_id], author_id)
    before, by_pk = dict(load), {assessor.pk: assessor for assessor in assessors}
    handouts: list[Handout] = []
    own = {pk: set(each.topics) for pk, each in own_teams(campaign, list(by_pk)).items()}
    barred = _barred(campaign, Assignment.Role.PRIMARY)
    blocked: list[tuple[Topic, str]] = []
    full: list[tuple[Topic, str]] = []
    room = room_in(campaign)

    def free_for(part: list[Piece]) -> list[int]:
        return [pk for pk in _free(part, own, barred, list(by_pk)) if room.fits(pk, part)]

    for series, wanted in _by_series(campaign, roots, sizes):
        for part in _parts(wanted, free_for):
            if not (free := free_for(part)):
                left = full if _free(part, own, barred, list(by_pk)) else blocked
                left += [(topics[topic_id], stage) for topic_id, stage in part]
                continue
            held_by = owner.get(series)
            chosen = held_by if held_by in free else min(free, key=lambda pk: (load[pk], by_pk[pk].username))
            owner.setdefault(series, chosen)
            room.give(chosen, part)
            for topic_id, stage in part:
                size = sizes.get(topic_id, 0)
                load[chosen] += max(size, 1)
                handouts.append(Handout(topics[topic_id], stage, by_pk[chosen], Assignment.Role.PRIMARY, size))
    taken = {*live.values_list("topic_id", "stage", "assessor_id"), *_barred(campaign, Assignment.Role.SECOND)}
    for topic, stage in _stages_for_many(campaign):
        for pk, assessor in by_pk.items():
            if owner.get(roots[topic.pk]) == pk or (topic.pk, stage, pk) in taken or topic.pk in own.get(pk, ()):
                continue
            if not room.fits(pk, [(topic.pk, stage)]):
                continue
            room.give(pk, [(topic.pk, stage)])
            load[pk] += 1
            handouts.append(Handout(topic, stage, assessor, Assignment.Role.SECOND, 0))
    new = {pk: sum(1 for each in handouts if each.assessor.pk == pk) for pk in load}
    loads = [Load(assessor, pieces[pk], before[pk], new[pk], load[pk] - before[pk]) for pk, assessor in by_pk.items()]
    return Plan(handouts, loads, blocked, full)


def _barred(campaign: Campaign, role: str) -> set[tuple[int, str, int]]:
    """Return (topic id, stage key, user id) of those who can't have the stage in this role. At most two queries."""
    held, fields = campaign.assignments.order_by(), ("topic_id", "stage", "assessor_id")
    barred = set((recorded_in_another_role(held, role) | handed_on(held)).values_list(*fields))
    return barred | set(overtaken(held).values_list(*fields)) if role == Assignment.Role.PRIMARY else barred


def _free(
    part: list[Piece], own: Mapping[int, set[int]], barred: set[tuple[int, str, int]], people: list[int]
) -> list[int]:
    """Return the people who may judge all of these topics."""
    topics = {topic for topic, _ in part}
    return [
        pk for pk in people if not topics & own.get(pk, set()) and not any((*piece, pk) in barred for piece in part)
    ]


def _parts(wanted: list[Piece], free_for: Callable[[list[Piece]], list[int]]) -> list[list[Piece]]:
    """Return the series as one part if somebody may judge all of it and has room for it, otherwise a part for each
    topic.
    """
    if free_for(wanted):
        return [wanted]
    topics = dict.fromkeys(topic for topic, _ in wanted)
    return [[pair for pair in wanted if pair[0] == topic] for topic in topics]


def _by_series(
    campaign: Campaign, roots: dict[int, int], sizes: dict[int, int]
) -> list[tuple[int, list[tuple[int, str]]]]:
    """Return (series id, its unassigned (topic, stage) pairs), the largest series first, so that small ones even out
    the load.
    """
    groups: dict[int, list[tuple[int, str]]] = {}
    for topic_id, stage in unassigned_stages(campaign):
        groups.setdefault(roots[topic_id], []).append((topic_id, stage))

    def weight(series: int) -> int:
        return sum(max(sizes.get(topic, 0), 1) for topic, _ in groups[series])

    ordered = sorted(groups, key=lambda series: (-weight(series), series))
    return [(series, sorted(groups[series], key=lambda pair: pair[0])) for series in ordered]


def _stages_for_many(campaign: Campaign) -> list[tuple[Topic, str]]:
    """Return (topic, stage) for each stage that any number of assessors do, for every topic in order. No query if there
    is no such stage.
    """
    many = {
        task.key: [stage.key for stage in task.stages if stage.many and not stage.by_hand]
        for task in track_of(campaign).tasks
    }
    if not any(many.values()):
        return []
    topics = topics_to_judge(campaign).order_by("id")
    return [(topic, stage) for topic in topics for stage in many.get(topic.task, ())]


def pooled_sizes(campaign: Campaign, topics: Iterable[Topic] | None = None) -> dict[int, int]:
    """Return the number of each topic's items in current pools, by topic id; topics without pooled items are left out.

    All topics are counted, or only ``topics``. One query.
    """
    pooled = PoolItem.objects.filter(COUNTED, pool__in=current_pools(campaign)).order_by()
    if topics is not None:
        pooled = pooled.filter(item__topic__in=[topic.pk for topic in topics])
    return dict(pooled.values_list("item__topic").annotate(items=Count("id")))


# Topics by stages: who has which work, and how far it is.


@dataclass(frozen=True, slots=True)
class Cell:
    """A stage of a topic in the matrix. ``key`` names it in forms. ``stage`` is None if the topic's task lacks it."""

    key: str
    stage: Stage | None
    works: list[tuple[Assignment, Tally]]

    @property
    def assignments(self) -> list[Assignment]:
        """The assignments, without their tallies."""
        return [work for work, _ in self.works]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A topic with a cell for every stage, the number of its pooled items, and how much of its work is done."""

    topic: Topic
    cells: list[Cell]
    items: int

    @property
    def judged(self) -> int:
        """The number of items that are judged, over all assignments."""
        return sum(tally.done for cell in self.cells for _, tally in cell.works)

    @property
    def left(self) -> int:
        """The number of items that are still to be judged, over all assignments."""
        return sum(tally.left for cell in self.cells for _, tally in cell.works)

    @property
    def is_handed_out(self) -> bool:
        """Whether anybody has an assignment in the topic."""
        return any(cell.works for cell in self.cells)


def matrix_rows(campaign: Campaign, topics: Iterable[Topic], counts: Counts | None = None) -> list[MatrixRow]:
    """Return the topics, each with a cell for every stage. Two queries, and those of the tally of each kind of work.

    With complete ``counts``, none of them reads every judgment.
    """
    shown = list(topics)
    stages = all_stages(campaign)
    tasks = {task.key: {stage.key for stage in task.stages} for task in track_of(campaign).tasks}
    live = (
        campaign.assignments.filter(topic__in=[topic.pk for topic in shown])
        .exclude(Q(state=Assignment.State.RETURNED) | Q(role=Assignment.Role.MACHINE))
        .select_related("assessor")
        .order_by("id")
    )
    found = list(live.select_related("topic", "topic__parent"))
    for assignment in found:
        assignment.campaign = campaign
    tallies = tallies_of(campaign, found, counts)
    held: dict[tuple[int, str], list[tuple[Assignment, Tally]]] = {}
    for assignment in found:
        held.setdefault((assignment.topic_id, assignment.stage), []).append((assignment, tallies[assignment.pk]))
    sizes = pooled_sizes(campaign, shown)
    rows = []
    for topic in shown:
        own = tasks.get(topic.task, set())
        cells = [
            Cell(f"{topic.pk}:{stage.key}", stage if stage.key in own else None, held.get((topic.pk, stage.key), []))
            for stage in stages
        ]
        rows.append(MatrixRow(topic, cells, sizes.get(topic.pk, 0)))
    return rows
