"""How far grading is, from counts at hand (`assess.queries.progress.counted`) instead of from every judgment."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Max, QuerySet

from assess.kinds.base import Tally
from assess.models import Assignment, HelpRequest, Judgment
from assess.protocol import Stage
from assess.queries.judging.workbench import unit_of
from assess.queries.pools.membership import current_pools
from assess.queries.progress.adjudicator_tally import adjudicator_tallies
from assess.queries.progress.counted import Counts
from assess.queries.progress.grade_tally import plain_grade_tally
from assess.queries.tracks import stage_of
from assess.queries.work.plants import plant_counts


def counted_grade_tally(assignments: Iterable[Assignment], counts: Counts) -> dict[int, Tally]:
    """What `grade_tally` gives, in a few short queries for each stage.

    Work that was taken over, and stages that ask only what other judgments let in, are counted from their judgments.
    """
    assignments = list(assignments)
    tallies: dict[int, Tally] = {}
    plain: dict[tuple[int, str], list[Assignment]] = {}
    directly = []
    stages: dict[tuple[int, str], Stage] = {}
    for assignment in assignments:
        place = (assignment.campaign_id, assignment.stage)
        stage = stages.get(place) or stages.setdefault(place, stage_of(assignment.campaign, assignment.stage)[1])
        if stage.needs is not None or assignment.taken_over_id is not None:
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
    planted = plant_counts(group, dict.fromkeys((each.pk for each in group), len(stage.criteria)))
    tallies = {}
    for each in group:
        place = (each.topic_id, each.stage, each.assessor_id)
        more, plants = planted.get(each.pk, (0, 0))
        tallies[each.pk] = Tally(
            done=settled.get(place, 0) + excused.get((each.topic_id, each.assessor_id), 0) + more,
            total=items.get((each.topic_id, stage.item_kind), 0) + plants,
            unit=unit_of(stage),
        )
    return tallies


def _excused_unjudged(group: list[Assignment], task: str, stage: Stage) -> dict[tuple[int, int], int]:
    """(topic, person) -> how many pooled items they are excused from and have not judged all the same."""
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
    """(person, item) of these items where somebody judged them by every criterion."""
    keys = [criterion.key for criterion in stage.criteria]
    said = Judgment.objects.filter(item__in=asked.values("item"), criterion__in=keys).order_by()
    newest = said.values("item_id", "criterion", "assessor_id").annotate(newest=Max("id")).values("newest")
    given: dict[tuple[int, int], int] = {}
    current = Judgment.objects.filter(pk__in=newest, value__isnull=False).order_by()
    for person, item in current.values_list("assessor_id", "item_id"):
        given[person, item] = given.get((person, item), 0) + 1
    return {place for place, number in given.items() if number == len(keys)}
