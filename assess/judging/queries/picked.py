"""Lists of picks in the ledger of judgments: who answered, by picks or by "none of them", and whose list counts.

A list counts as a whole, although each of its places is a judgment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Max

from assess.assignments.models import Assignment
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import track_of
from assess.items.queries import COUNTED
from assess.judging.models import Judgment
from assess.judging.snapshots import Snapshot
from assess.ledger.newest import newest_rows
from assess.protocol import Criterion, Picking, Stage

NONE_ACTION = "picks.none"
ADJUDICATOR = Assignment.Role.ADJUDICATOR


def ranking_of(stage: Stage) -> Criterion:
    """Return the criterion by which a stage ranks. A picking stage without one is a bug in its track."""
    return next(criterion for criterion in stage.criteria if criterion.ranks)


def official_pickers(snapshot: Snapshot, criterion: str, *, topics: Iterable[int] | None = None) -> dict[str, int]:
    """Return the assessor whose list of picks counts for each topic: topic number -> assessor id. Four queries.

    It is the adjudicator, if one picked or answered "none of them"; otherwise the primary assessor who answered last.
    Topics without an answer are left out. ``topics`` (ids) narrows the search.
    """
    whose = snapshot.counting.where("role", "assessor")
    chosen: dict[str, tuple[bool, int, int]] = {}
    held = snapshot.campaign.assignments.filter(topic__dropped=False, **whose).select_related("topic")
    if topics is not None:
        held = held.filter(topic__in=list(topics))
    for stage in picking_stages(snapshot.campaign):
        if ranking_of(stage).key != criterion:
            continue
        group = list(held.filter(stage=stage.key))
        for each, point in answer_points(group, stage, as_of=snapshot.as_of):
            word = (each.role == ADJUDICATOR, point, each.assessor_id)
            chosen[each.topic.number] = max(word, chosen.get(each.topic.number, word))
    return {number: assessor for number, (_, _, assessor) in chosen.items()}


def counting_picks(snapshot: Snapshot, *, topics: Iterable[int] | None = None) -> dict[str, list[int]]:
    """Return, for each criterion by which items are picked, the ids of the judgments in the lists that count.

    ``topics`` (ids) narrows the search. A second assessor's list is what they picked as such, even if they picked again
    as adjudicator. Five queries for each such criterion.
    """
    found = {}
    for key in dict.fromkeys(ranking_of(stage).key for stage in picking_stages(snapshot.campaign)):
        pickers = official_pickers(snapshot, key, topics=topics)
        rows = Judgment.objects.filter(COUNTED, item__topic__campaign=snapshot.campaign, criterion=key)
        rows = rows.filter(assessor__in=set(pickers.values()), item__repeats=None)
        if not (is_any := ADJUDICATOR in snapshot.counting.roles):
            rows = rows.exclude(assignment__role=ADJUDICATOR)
        if topics is not None:
            rows = rows.filter(item__topic__in=list(topics))
        newest = newest_rows(rows, "item_id", "criterion", "assessor_id", as_of=snapshot.as_of, whole_groups=is_any)
        said = newest.filter(value__isnull=False).values_list("pk", "item__topic__number", "assessor_id")
        found[key] = [pk for pk, number, person in said if pickers.get(number) == person]
    return found


def points_of_none(assignments: Sequence[Assignment], *, as_of: int | None = None) -> dict[int, int]:
    """Return the assignments whose answer is "none of them": id -> the ledger point of that answer. One query."""
    rows = Activity.objects.filter(
        campaign__in={assignment.campaign_id for assignment in assignments},
        action=NONE_ACTION,
        object_id__in=[str(assignment.pk) for assignment in assignments],
    )
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    said: dict[int, int] = {}
    for pk, point, data in rows.order_by("id").values_list("object_id", "id", "data"):
        said[int(pk)] = point if data.get("none") else -1
    return {pk: point for pk, point in said.items() if point > 0}


def answers(group: Sequence[Assignment], stage: Stage, *, as_of: int | None = None) -> tuple[set[int], set[int]]:
    """Return the ids of the assignments with picks, and the ids of those with the answer "none of them" and no pick.

    "None of them" counts only if it is newer than the last pick that was removed. All assignments must be of one stage.
    A former assessor's answers from before a hand-over do not count here. Nor do, for a second assessor, the answers
    that the same person gave as adjudicator. Two queries.
    """
    rows = Judgment.objects.filter(
        item__topic__in={assignment.topic_id for assignment in group},
        criterion=ranking_of(stage).key,
        assessor__in={assignment.assessor_id for assignment in group},
    ).order_by()
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    newest: dict[tuple[bool, int, int], dict[int, tuple[int, int | None]]] = {}
    for topic, assessor, item, pk, value, role in rows.order_by("id").values_list(
        "item__topic", "assessor", "item", "id", "value", "assignment__role"
    ):
        for decides in {role == ADJUDICATOR, True}:
            newest.setdefault((decides, topic, assessor), {})[item] = (pk, value)
    none = points_of_none(group, as_of=as_of)
    with_picks, without = set(), set()
    for each in group:
        said = newest.get((each.role == ADJUDICATOR, each.topic_id, each.assessor_id), {}).values()
        if any(value is not None for _, value in said):
            with_picks.add(each.pk)
        if none.get(each.pk, 0) > max((pk for pk, _ in said), default=0):
            without.add(each.pk)
    return with_picks, without - with_picks


def answer_points(group: list[Assignment], stage: Stage, *, as_of: int | None) -> list[tuple[Assignment, int]]:
    """Return the answered assignments of a stage, each with the ledger point of its latest answer."""
    picked, none = answers(group, stage, as_of=as_of)
    said = points_of_none(group, as_of=as_of)
    rows = Judgment.objects.filter(assignment__in=group, criterion=ranking_of(stage).key)
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    last = dict(rows.order_by().values_list("assignment").annotate(last=Max("id")))
    points = [(each, max(last.get(each.pk, 0), said.get(each.pk, 0))) for each in group if each.pk in picked | none]
    return [(each, point) for each, point in points if point]


def picking_stages(campaign: Campaign) -> list[Stage]:
    """Return the stages of the campaign's track in which items are picked."""
    return [stage for task in track_of(campaign).tasks for stage in task.stages if isinstance(stage.work, Picking)]
