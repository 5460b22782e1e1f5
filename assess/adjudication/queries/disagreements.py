"""The disagreements between assessors, the decisions on them, and how many wait. Nothing here joins runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import Q

from assess.adjudication.queries.sides import SIDES, drawn, in_drawn_order, sides_of
from assess.adjudication.queries.who_may_settle import may_settle, own_topics
from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.kinds.base import Tally, work_kind
from assess.kinds.opinions import AdjudicableItem, Adjudication, Disagreement, Opinion, Opinions
from assess.protocol import MAJORITY, Criterion, Stage
from assess.topics.queries import tree_order

SECOND = Assignment.Role.SECOND


@dataclass(frozen=True, kw_only=True, slots=True)
class DisputedQuestion:
    """One criterion of one stage, with the numbers of its disagreements and of those that are decided."""

    task: str
    stage: Stage
    criterion: Criterion
    total: int
    decided: int

    @property
    def left(self) -> int:
        """The number of disagreements still to be decided."""
        return self.total - self.decided


class DisagreementGroup(NamedTuple):
    """A key to count disagreements by: topic, size of the difference, and whether they are decided."""

    topic_id: int
    size: int
    is_decided: bool


AT_ONCE = 5_000
"""The number of things that one query reads one by one."""


def is_settled(stage: Stage) -> bool:
    """Return whether adjudicators settle the disagreements in a stage.

    They do not if the stage's kind of work has no adjudication, or if differences between people are the
    result of the stage (`Stage.spread_is_weight`).
    """
    return work_kind(stage.work.key).adjudication is not None and not stage.spread_is_weight


def adjudicated_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """Return (task label, stage) of the stages in which adjudicators settle disagreements (`is_settled`)."""
    stages = [(task.label, stage) for task in track_of(campaign).tasks for stage in task.stages]
    return [(label, stage_of(campaign, each.key)[1]) for label, each in stages if is_settled(each)]


def criteria_of(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the criteria of a stage on which disagreements can be settled."""
    kind = work_kind(stage.work.key).adjudication
    return kind.criteria(campaign, stage) if kind is not None else ()


def kind_of(stage: Stage) -> Adjudication:
    """Return how disagreements in one of the `adjudicated_stages` are settled.

    Raises `ValueError` for any other stage.
    """
    kind = work_kind(stage.work.key).adjudication
    if kind is None:
        raise ValueError(f"nobody settles the work {stage.work.key!r}")
    return kind


def disputed_questions(campaign: Campaign, person: User | None = None) -> list[DisputedQuestion]:
    """Return the criteria on which there are disagreements; with a ``person``, only disagreements that this person may
    settle count.

    It makes the queries of `counted_disagreements` for each criterion.
    """
    found = []
    for task, stage in adjudicated_stages(campaign):
        for criterion in criteria_of(campaign, stage):
            groups = counted_disagreements(campaign, stage, criterion, person=person)
            if groups:
                question = DisputedQuestion(
                    task=task,
                    stage=stage,
                    criterion=criterion,
                    total=groups.total(),
                    decided=sum(number for group, number in groups.items() if group.is_decided),
                )
                found.append(question)
    return found


def disagreements(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    *,
    person: User | None = None,
    things: Collection[str] | None = None,
    topics: Collection[int] | None = None,
) -> list[Disagreement]:
    """Return the things on which opinions differ on this criterion, or that were settled, in topic order.

    Within a topic they are ordered by nugget, and then in a pseudo-random order, since the order of ids would be that
    of runs. For a ``person``, things that they judged themselves and topics of which they are an assessor in this stage
    are left out. ``things`` (names) and ``topics`` (ids) narrow the search. One query if nothing was judged twice,
    otherwise two and those of the kind of work.
    """
    rows = list(_unordered_disagreements(campaign, stage, criterion, person, things, topics))
    if not rows:
        return []
    order = campaign.topics.filter(pk__in={row.topic_id for row in rows}).order_by(*tree_order())
    numbers = dict(order.values_list("pk", "number"))
    rank = {topic: place for place, topic in enumerate(numbers)}
    rows.sort(key=lambda row: (rank[row.topic_id], row.thing.number or 0, drawn(stage.key, row.name)))
    return [
        replace(row, topic=numbers[row.topic_id], sides=in_drawn_order(row.sides, row.thing, criterion)) for row in rows
    ]


def _unordered_disagreements(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    person: User | None,
    things: Collection[str] | None,
    topics: Collection[int] | None,
) -> Iterator[Disagreement]:
    """Yield the disagreements in no order and without the numbers of their topics, for callers that only count them."""
    twice = topics_of_several(campaign, stage, topics)
    said = kind_of(stage).opinions(campaign, stage, criterion, things, twice) if twice else {}
    own = own_topics(campaign, stage, person) if said and person is not None else set()
    for thing, words in said.items():
        row = _disagreement(thing, words, criterion, stage)
        if row is None or (things is not None and row.name not in things):
            continue
        if person is None or may_settle(row, person, own):
            yield row


def counted_disagreements(
    campaign: Campaign, stage: Stage, criterion: Criterion, *, person: User | None = None
) -> Counter[DisagreementGroup]:
    """Return how many `disagreements` there are by topic, by size and by whether they are decided.

    A kind of work that can count by itself (`Adjudication.counted`) does so for most topics. Disagreements are read one
    by one in topics in which an assignment was given back or handed over, and in those in which the ``person`` is an
    assessor. Costs the kind's queries and two more, and those of `disagreements` for the topics that are read and for
    items on which somebody gave more than one opinion.
    """
    kind = kind_of(stage)
    found: Counter[DisagreementGroup] = Counter()
    if kind.counted is None or stage.counts == MAJORITY:
        _count(found, _unordered_disagreements(campaign, stage, criterion, person, None, None))
        return found
    topics = topics_of_several(campaign, stage, None)
    moved = topics & topics_of_moved_work(campaign, stage)
    plain = topics - moved
    if plain and person is not None:
        plain -= own_topics(campaign, stage, person)
    spread, again = kind.counted(campaign, stage, criterion, plain) if plain else ({}, [])
    for (topic, low, high, is_decided), number in spread.items():
        found[DisagreementGroup(topic, distance(criterion, (low, high)), is_decided)] += number
    for first in range(0, len(again), AT_ONCE):
        _count(
            found,
            _unordered_disagreements(campaign, stage, criterion, person, set(again[first : first + AT_ONCE]), plain),
        )
    if moved:
        _count(found, _unordered_disagreements(campaign, stage, criterion, person, None, moved))
    return found


def _count(found: Counter[DisagreementGroup], rows: Iterable[Disagreement]) -> None:
    found.update(DisagreementGroup(row.topic_id, row.size, row.decided is not None) for row in rows)


def stage_disagreements(campaign: Campaign, stage: Stage, topics: Collection[int] | None = None) -> list[Disagreement]:
    """Return what `disagreements` returns for each criterion of a stage, one criterion after the other."""
    asked = criteria_of(campaign, stage)
    found = (disagreements(campaign, stage, criterion, topics=topics) for criterion in asked)
    return [row for rows in found for row in rows]


def topics_of_several(campaign: Campaign, stage: Stage, topics: Collection[int] | None) -> set[int]:
    """Return the ids of the topics that have or had a second assessor in the stage. One query.

    If any number of people may do the stage, return all topics that have or had an assessor in it.
    """
    held = campaign.assignments.filter(stage=stage.key, topic__dropped=False).order_by()
    held = held.filter(role__in=SIDES) if stage.many else held.filter(role=SECOND)
    if topics is not None:
        held = held.filter(topic__in=list(topics))
    return set(held.values_list("topic_id", flat=True).distinct())


def topics_of_moved_work(campaign: Campaign, stage: Stage) -> set[int]:
    """Return the ids of the topics in which an assignment of this stage was given back or handed over. One query."""
    held = campaign.assignments.filter(stage=stage.key, role__in=SIDES).order_by()
    held = held.filter(Q(state=Assignment.State.RETURNED) | Q(chain_start__isnull=False))
    return set(held.values_list("topic_id", flat=True).distinct())


def _disagreement(thing: AdjudicableItem, words: Opinions, criterion: Criterion, stage: Stage) -> Disagreement | None:
    """Return the disagreement on a thing, without its topic's number; None if opinions agree, no answer is wanted, and
    nothing was decided, and if there is neither an opinion nor an answer wanted.

    In stages where the most frequent grade counts, opinions differ only if two grades are equally frequent.
    """
    sides = sides_of(words)
    if not words.is_wanted and not _differ(sides, stage) and (words.decided is None or not sides):
        return None
    decided, note = words.decided or (None, "")
    return Disagreement(
        thing=thing,
        topic="",
        sides=tuple(sides),
        size=distance(criterion, [side.value for side in sides]),
        decided=decided,
        note=note,
    )


def _differ(sides: Iterable[Opinion], stage: Stage) -> bool:
    most = Counter(side.value for side in sides).most_common(2)
    return len(most) > 1 and (stage.counts != MAJORITY or most[0][1] == most[1][1])


def distance(criterion: Criterion, values: Sequence[int]) -> int:
    """Return how far apart values are: the steps between lowest and highest; on a nominal scale 1 if they differ.

    >>> from assess.protocol import Grade
    >>> scale = tuple(Grade(value=value, key=str(value), name=str(value)) for value in (-2, 0, 1, 5))
    >>> distance(Criterion(key="r", question="", grades=scale, level="ordinal"), (-2, 5))
    3
    """
    low, high = min(values, default=0), max(values, default=0)
    if criterion.level == "interval":
        return high - low
    if criterion.level == "ordinal":
        return sum(1 for grade in criterion.grades if low < grade.value <= high)
    return int(low != high)


# The number of disagreements that wait for an adjudicator, computed cheaply enough for a start page.

FEW = 20_000


def stages_to_settle(campaign: Campaign) -> list[Stage]:
    """Return the stages whose disagreements must be settled. Stages in which settling them is optional are left out
    (`Adjudication.is_choice`).
    """
    return [stage for _, stage in adjudicated_stages(campaign) if not kind_of(stage).is_choice]


def undecided(campaign: Campaign, stages: Iterable[Stage], person: User | None = None) -> int:
    """Return how many disagreements of these stages are undecided; for a ``person``, those that they may settle.

    It makes the queries of `counted_disagreements` for each criterion.
    """
    groups = (
        counted_disagreements(campaign, stage, criterion, person=person)
        for stage in stages
        for criterion in criteria_of(campaign, stage)
    )
    return sum(number for each in groups for group, number in each.items() if not group.is_decided)


def open_disagreements(campaign: Campaign, person: User | None = None) -> int | None:
    """Return how many disagreements are undecided; for a ``person``, those that they may settle.

    Return None if more than `FEW` opinions would have to be compared. One query if there is no second assessor.
    Otherwise there is one query for each stage with second assessors, and those of `undecided`.
    """
    seconds = campaign.assignments.filter(role=Assignment.Role.SECOND, topic__dropped=False).order_by()
    keys = set(seconds.values_list("stage", flat=True).distinct())
    if not keys:
        return 0
    stages = [stage for stage in stages_to_settle(campaign) if stage.key in keys]
    if sum(kind_of(stage).count_opinions(campaign, stage, FEW + 1) for stage in stages) > FEW:
        return None
    return undecided(campaign, stages, person)


# The tallies of adjudicators: how many disagreements in their topics are decided.

UNIT = "disagreements"


def adjudicator_tallies(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """Return the tally of each adjudicator's assignment whose topic has disagreements; others are left out.

    In a stage whose disagreements are not settled (`is_settled`), only earlier decisions count, and nothing is left to
    do. An adjudicator who was given a topic without disagreements judges all of it. Costs one query, or those of
    `disagreements`, for each criterion of a stage. Makes no query if no assignment is an adjudicator's.
    """
    by_stage: dict[tuple[int, str], list[Assignment]] = {}
    for each in assignments:
        if each.role == Assignment.Role.ADJUDICATOR:
            by_stage.setdefault((each.campaign_id, each.stage), []).append(each)
    tallies: dict[int, Tally] = {}
    for group in by_stage.values():
        campaign = group[0].campaign
        _, stage = stage_of(campaign, group[0].stage)
        topics = {each.topic_id for each in group}
        total: Counter[int] = Counter()
        decided: Counter[int] = Counter()
        for row in stage_disagreements(campaign, stage, topics):
            if not is_settled(stage) and row.decided is None:
                continue
            total[row.topic_id] += 1
            decided[row.topic_id] += row.decided is not None
        for each in group:
            if total[each.topic_id]:
                tallies[each.pk] = Tally(done=decided[each.topic_id], total=total[each.topic_id], unit=UNIT)
    return tallies
