"""Tallies of grading: how many items are judged or excused, from judgments or from counts. Nothing here joins runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count, QuerySet

from assess.adjudication.queries.disagreements import adjudicator_tallies
from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.handoffs import predecessors
from assess.assignments.queries.waiting import unit_of
from assess.campaigns.queries import stage_of
from assess.items.models import Item, PoolItem
from assess.items.queries import current_pools
from assess.judging.models import Judgment
from assess.judging.queries.judged import answers, is_judged, judged_groups, judged_numbers
from assess.judging.queries.stage_items import control_item_counts, needed
from assess.kinds.base import Tally
from assess.progress.queries.counted import Counts
from assess.protocol import Criterion, Stage

FEW = 50
"""The most people whose judgments are asked for by name: for each item, SQLite looks once for each of them. With more
people all judgments are read, since those of others are in no tally.
"""


def grade_tally(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """Return the result of `plain_grade_tally`, but count disagreements for adjudicators who have any."""
    assignments = list(assignments)
    return plain_grade_tally(assignments) | adjudicator_tallies(assignments)


def plain_grade_tally(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """Return how many items of each assignment are judged or excused. Five queries for each stage.

    Control items are counted, and so are items judged before a hand-over. The database counts topics in which nothing
    was handed over or excused; the other topics are read item by item.
    """
    by_stage: dict[tuple[int, str], list[Assignment]] = {}
    for assignment in assignments:
        by_stage.setdefault((assignment.campaign_id, assignment.stage), []).append(assignment)
    tallies: dict[int, Tally] = {}
    for group in by_stage.values():
        tallies.update(_stage_tally(group))
    return tallies


def _stage_tally(group: list[Assignment]) -> dict[int, Tally]:
    campaign = group[0].campaign
    task, stage = stage_of(campaign, group[0].stage)
    topics = {assignment.topic_id for assignment in group}
    before = predecessors(group)
    people = {each.assessor_id for line in (group, *before.values()) for each in line}
    pools = current_pools(campaign).filter(task=task.key)
    pooled = PoolItem.objects.filter(pool__in=pools, item__kind=stage.item_kind, item__topic__in=topics).order_by()
    condition = needed(campaign, stage, topics)
    wanted = Item.objects.filter(condition, topic__in=topics).values("pk") if condition is not None else None
    if wanted is not None:
        pooled = pooled.filter(item__in=wanted)
    totals = dict(pooled.values_list("item__topic").annotate(number=Count("id")))
    asked = HelpRequest.objects.filter(assignment__topic__in=topics, item__kind=stage.item_kind)
    if wanted is not None:
        asked = asked.filter(item__in=wanted)
    excused = _excused(asked.filter(item__pool_items__pool__in=pools))
    done: dict[tuple[int, int], set[int]] = {key: set(items) for key, items in excused.items()}
    keys = [criterion.key for criterion in stage.criteria]
    own = Judgment.objects.filter(
        item__topic__in=topics,
        item__kind=stage.item_kind,
        item__pool_items__pool__in=pools,
        criterion__in=keys,
    ).order_by()
    if len(people) <= FEW:
        own = own.filter(assessor__in=people)
    if wanted is not None:
        own = own.filter(item__in=wanted)
    given = answers(own, "item_id", "criterion", "assessor_id")
    by_item = {topic for topic, _ in excused} | {each.topic_id for each in group if each.pk in before}
    by_item &= topics
    numbers: dict[tuple[int, ...], int] = {}
    if topics - by_item:
        counted = given.filter(item__topic__in=topics - by_item)
        numbers = judged_numbers(counted, stage.criteria, "item__topic", "assessor", of="item")
    if by_item:
        found = given.filter(item__topic__in=by_item)
        for topic, person, item in judged_groups(found, stage.criteria, "item__topic", "assessor", "item"):
            done.setdefault((topic, person), set()).add(item)
    carried = _carried(given, before, excused, stage.criteria) if before else {}
    controls = control_item_counts(group, stage.criteria)
    tallies = {}
    for assignment in group:
        place = (assignment.topic_id, assignment.assessor_id)
        settled = len(done.get(place, set()) | carried.get(assignment.pk, set())) or numbers.get(place, 0)
        more, control_items = controls.get(assignment.pk, (0, 0))
        total = totals.get(assignment.topic_id, 0) + control_items
        tallies[assignment.pk] = Tally(done=settled + more, total=total, unit=unit_of(stage))
    return tallies


def _carried(
    given: QuerySet[Judgment],
    before: Mapping[int, Sequence[Assignment]],
    excused: Mapping[tuple[int, int], set[int]],
    criteria: Sequence[Criterion],
) -> dict[int, set[int]]:
    """Return, by id of a handed-over assignment, the items settled in it or before the hand-over. One query."""
    fields = ("item__topic", "assessor", "assignment", "item", "criterion", "value")
    rows = list(given.order_by("id").values_list(*fields))
    current = {each.pk: each for each in Assignment.objects.filter(pk__in=list(before))}
    found: dict[int, set[int]] = {}
    for pk, line in before.items():
        topic, person, handed = current[pk].topic_id, current[pk].assessor_id, {each.pk for each in line}
        said: dict[int, dict[str, int | None]] = {}
        for of_topic, assessor, assignment, item, criterion, value in rows:
            if of_topic == topic and (assessor == person or assignment in handed):
                said.setdefault(item, {})[criterion] = value
        found[pk] = {item for item, answered in said.items() if is_judged(criteria, answered)}
        for each in line:
            found[pk] |= excused.get((topic, each.assessor_id), set())
    return found


def _excused(asked: QuerySet[HelpRequest]) -> dict[tuple[int, int], set[int]]:
    found: dict[tuple[int, int], set[int]] = {}
    excused = asked.filter(excused=True).order_by()
    for topic, person, item in excused.values_list("assignment__topic", "assignment__assessor", "item"):
        if item is not None:
            found.setdefault((topic, person), set()).add(item)
    return found


def counted_grade_tally(assignments: Iterable[Assignment], counts: Counts) -> dict[int, Tally]:
    """Return the result of `grade_tally` from counts, in a few short queries for each stage.

    Handed-over assignments, and stages whose items depend on other judgments, are counted from their judgments.
    """
    assignments = list(assignments)
    tallies: dict[int, Tally] = {}
    plain: dict[tuple[int, str], list[Assignment]] = {}
    directly = []
    stages: dict[tuple[int, str], Stage] = {}
    for assignment in assignments:
        place = (assignment.campaign_id, assignment.stage)
        stage = stages.get(place) or stages.setdefault(place, stage_of(assignment.campaign, assignment.stage)[1])
        if stage.work.needs is not None or assignment.taken_over_id is not None:
            directly.append(assignment)
        else:
            plain.setdefault(place, []).append(assignment)
    settled = {place: counted.settled for place, counted in counts.pieces.items()}
    for group in plain.values():
        tallies.update(_group_tally(group, settled, counts.items()))
    return tallies | plain_grade_tally(directly) | adjudicator_tallies(assignments)


def _group_tally(
    group: list[Assignment], settled: dict[tuple[int, str, int], int], items: dict[tuple[int, str], int]
) -> dict[int, Tally]:
    task, stage = stage_of(group[0].campaign, group[0].stage)
    excused = _excused_unjudged(group, task.key, stage)
    controls = control_item_counts(group, stage.criteria)
    tallies, unit = {}, unit_of(stage)
    for each in group:
        place = (each.topic_id, each.stage, each.assessor_id)
        more, control_items = controls.get(each.pk, (0, 0))
        tallies[each.pk] = Tally(
            done=settled.get(place, 0) + excused.get((each.topic_id, each.assessor_id), 0) + more,
            total=items.get((each.topic_id, stage.item_kind), 0) + control_items,
            unit=unit,
        )
    return tallies


def _excused_unjudged(group: list[Assignment], task: str, stage: Stage) -> dict[tuple[int, int], int]:
    """Return, by (topic id, person id), the number of pooled items that the person is excused from and has not
    judged.
    """
    pools = current_pools(group[0].campaign).filter(task=task)
    asked = HelpRequest.objects.filter(
        assignment__topic__in={each.topic_id for each in group},
        excused=True,
        item__kind=stage.item_kind,
        item__pool_items__pool__in=pools,
    ).order_by()
    rows = asked.values_list("assignment__topic_id", "assignment__assessor_id", "item_id")
    excused = {(topic, person, item) for topic, person, item in rows if item is not None}
    if not excused:
        return {}
    judged = _judged(asked, stage)
    found: dict[tuple[int, int], int] = {}
    for topic, person, item in excused:
        if (person, item) not in judged:
            found[topic, person] = found.get((topic, person), 0) + 1
    return found


def _judged(asked: QuerySet[HelpRequest], stage: Stage) -> set[tuple[int, int]]:
    """Return (person, item) for each of these items that the person judged completely."""
    keys = [criterion.key for criterion in stage.criteria]
    said = Judgment.objects.filter(item__in=asked.values("item"), criterion__in=keys).order_by()
    given = answers(said, "item_id", "criterion", "assessor_id")
    return {(person, item) for person, item in judged_groups(given, stage.criteria, "assessor_id", "item_id")}
