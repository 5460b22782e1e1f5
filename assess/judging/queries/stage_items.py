"""Items as judging needs them: those of a stage, control items, those that a topic's author found, and their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Q, QuerySet, Value, When

from assess.assignments.models import Assignment, ControlItem, HelpRequest
from assess.assignments.queries.handoffs import predecessors_of
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import drafting_of, settings_of, stage_of, track_of
from assess.items.models import Item
from assess.items.queries import current_pools, pooled_items
from assess.judging.models import Judgment
from assess.judging.queries.current import official_judgments
from assess.judging.queries.judged import answers, judged_groups
from assess.judging.snapshots import Snapshot
from assess.kinds.opinions import Disagreement
from assess.protocol import Criterion, Needs, Stage
from assess.runs.models import Citation, Response, Run, Segment
from assess.topic_drafts.models import DraftFind, TopicDraft
from assess.topic_drafts.queries import ShownDraft, show_draft
from assess.topics.models import Topic
from scoring.own_items import own_key
from scoring.release.explained import About

# The items of a stage in a topic: the pooled ones that meet the stage's `Needs`. Nothing here joins runs.


def stage_items(topic: Topic, stage: Stage) -> QuerySet[Item]:
    """Return the items to judge for a topic in a stage. The query set can be filtered further; it stays one query."""
    items = pooled_items(topic, stage.item_kind)
    asked = needed(topic.campaign, stage, [topic.pk])
    return items if asked is None else items.filter(asked)


def needed(campaign: Campaign, stage: Stage, topics: Iterable[int]) -> Q | None:
    """Return the condition that `Stage.needs` sets for items in these topics (ids); None if the stage needs nothing.

    A whole response meets it if one of its segments is, or cites, an item judged good enough; a segment meets it if it
    cites such an item. If the pool took runs only to a depth, segments below that depth do not count, even with the
    same text. Items that came with the topic or with a file of judgments always meet it.
    """
    if (needs := stage.work.needs) is None:
        return None
    good = _good(campaign, needs, topics)
    citing = Citation.objects.filter(item__in=good).order_by()
    if (last := needs.last(settings_of(campaign))) is not None:
        citing = citing.filter(ordinal__lte=last)
    holding = Segment.objects.filter(item__in=good).order_by()
    if (depth := _pooled_depth(campaign, stage)) is not None:
        citing = citing.filter(segment__ordinal__lte=depth)
        holding = holding.filter(ordinal__lte=depth)
    responses = Response.objects.filter(
        Q(pk__in=citing.values("segment__response")) | Q(pk__in=holding.values("response")), item__isnull=False
    ).order_by()
    segments = Segment.objects.filter(pk__in=citing.values("segment"), item__isnull=False).order_by()
    return Q(given=True) | Q(pk__in=responses.values("item")) | Q(pk__in=segments.values("item"))


def _pooled_depth(campaign: Campaign, stage: Stage) -> int | None:
    """Return the depth in segments to which the current pool took this stage's items; None if it took all. One
    query.
    """
    task, _ = stage_of(campaign, stage.key)
    recipe = current_pools(campaign).filter(task=task.key).values_list("recipe", flat=True).first() or {}
    found = [each.get("depth") for each in recipe.get("kinds", ()) if each.get("kind") == stage.item_kind]
    return found[0] if found else None


def _good(campaign: Campaign, needs: Needs, topics: Iterable[int]) -> Any:
    """Return a query for the ids of the items judged good enough, for use inside other queries."""
    least = getattr(settings_of(campaign), needs.setting)
    official = official_judgments(Snapshot(campaign), topics=topics)
    return official.filter(criterion=needs.criterion, item__kind=needs.kind, value__gte=least).order_by().values("item")


def unpooled_items(assignment: Assignment, kind: str) -> set[int]:
    """Return the ids of the topic's items that runs returned and that are neither given nor in the pool."""
    items = Item.objects.filter(topic=assignment.topic_id, kind=kind, given=False)
    returned: set[int] = set()
    for model in (Segment, Citation, Response):
        named = model._default_manager.filter(item__in=items).order_by()
        returned.update(named.values_list("item_id", flat=True).distinct())
    if not returned:
        return returned
    return returned - set(pooled_items(assignment.topic, kind).order_by().values_list("pk", flat=True))


# Items as disagreements and explanations name them.


def item_about(campaign: Campaign, about: About, run: Run | None) -> Item | None:
    """Return the item that a row of an explanation refers to, or None; never an item that repeats another.

    The first choice is the run's own item with the row's key, the second another item with that key, the third an item
    whose text is the key.
    """
    items = Item.objects.filter(topic__campaign=campaign, topic__number=about.topic, kind=about.name, repeats=None)
    keys = [own_key(about.key, run.tag)] if run is not None else []
    keys.append(about.key)
    is_other = Case(When(key__in=keys, then=Value(0)), default=Value(1))  # many items may have this text
    named = items.filter(Q(key__in=keys) | Q(text=about.key)).order_by(is_other, "pk")
    found = list(named.select_related("topic", "document")[:3])
    by_key = {item.key: item for item in found}
    return next((by_key[key] for key in keys if key in by_key), found[0] if found else None)


WORK = "grade"


def graded_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """Return (task label, stage) of each stage in which items are graded one by one."""
    found = [
        (task.label, stage.key) for task in track_of(campaign).tasks for stage in task.stages if stage.work.key == WORK
    ]
    return [(label, stage_of(campaign, key)[1]) for label, key in found]


def topic_of_item(number: int) -> int | None:
    """Return the id of the topic of the item with this id, or None if there is no such item. One query."""
    return Item.objects.filter(pk=number).values_list("topic_id", flat=True).first()


def items_of(rows: Iterable[Disagreement]) -> dict[int, Item]:
    """Return the items of these disagreements by id, with the fields that a list shows. One query."""
    ids = {row.thing.item_id for row in rows if row.thing.item_id is not None}
    return Item.objects.only("id", "key", "text", "docno", "fields").in_bulk(ids)


# How many of the control items among an assessor's work are judged.


def control_item_counts(assignments: Iterable[Assignment], criteria: Sequence[Criterion]) -> dict[int, tuple[int, int]]:
    """Return (settled control items, all control items) by assignment id; assignments without any are left out.

    A control item is settled if it is judged or excused. All assignments must belong to a stage with these criteria.
    One query if there are no control items, otherwise three.
    """
    group = {each.pk: each for each in assignments}
    controls: dict[int, set[int]] = {}
    rows = ControlItem.objects.filter(assignment__in=list(group)).order_by().values_list("assignment_id", "item_id")
    for assignment, item in rows:
        controls.setdefault(assignment, set()).add(item)
    if not controls:
        return {}
    items = {item for found in controls.values() for item in found}
    said = Judgment.objects.filter(item__in=items, assignment__in=list(controls)).order_by()
    given = answers(said, "assignment_id", "item_id", "criterion")
    judged = set(judged_groups(given, criteria, "assignment_id", "item_id"))
    asked = HelpRequest.objects.filter(item__in=items, excused=True).order_by()
    excused = set(asked.values_list("assignment_id", "item_id"))
    settled = {
        (pk, item) for pk, found in controls.items() for item in found if (pk, item) in judged or (pk, item) in excused
    }
    return {pk: (sum((pk, item) in settled for item in found), len(found)) for pk, found in controls.items()}


# Answers that the author of a topic found for it: they belong to the topic, whoever judges it.


def finds_for(assignment: Assignment, kind: str) -> list[DraftFind]:
    """Return the author's finds of one kind that are copied into this assignment when it begins.

    Only a primary assessor's assignment gets them, whoever the author is. A handed-over assignment has them already,
    unless no former assessor had begun. Four queries at most.
    """
    if assignment.role != Assignment.Role.PRIMARY or any(each.started_at for each in predecessors_of(assignment)):
        return []
    return finds_of(assignment, kind)


def finds_of(assignment: Assignment, kind: str) -> list[DraftFind]:
    """Return what the author of the assignment's topic found while drafting it, of one kind of find.

    It takes three queries, or none if the campaign has no topic drafts.
    """
    topic, campaign = assignment.topic, assignment.campaign
    if drafting_of(campaign) is None:
        return []
    heads = {topic.pk, topic.parent_id} - {None}
    draft = TopicDraft.objects.filter(topic__in=heads).select_related("topic").first()
    if draft is None:
        return []
    draft.campaign = campaign
    shown = show_draft(draft)
    part = _part_of(shown, topic)
    found = [find for find in shown.of_kind(kind) if find.part == part]
    for find in found:
        find.draft = draft
    return found


@dataclass(frozen=True, slots=True)
class FoundByAuthor:
    """A find of the topic's author, and whether it was copied into this assignment when that began."""

    find: DraftFind
    is_taken: bool


def found_by_author(assignment: Assignment, kind: str) -> list[FoundByAuthor]:
    """Return the author's finds that a bench shows, and of each whether it was copied into the assignment.
    It makes the queries of `finds_of`, and two more if there are finds.
    """
    finds = finds_of(assignment, kind)
    if not finds:
        return []
    works = [str(each.pk) for each in (assignment, *predecessors_of(assignment))]
    said = Activity.objects.filter(campaign=assignment.campaign_id, action="draft.carry", object_id__in=works)
    taken = {int(number) for data in said.values_list("data", flat=True) for number in data.get("finds", {})}
    return [FoundByAuthor(find, find.number in taken) for find in finds]


def _part_of(shown: ShownDraft, topic: Topic) -> int | None:
    """Return the key of the question of a draft that became this topic. It is 0 if the draft as a whole became the
    topic; None if the topic did not come from this draft.
    """
    drafting, head = drafting_of(shown.draft.campaign), shown.draft.topic
    if drafting is None or head is None:
        return None
    if drafting.parts is None:
        return 0 if topic.pk == head.pk else None
    records = list(drafting.records(shown.content, head.number, head.ordinal))[1:]
    keys = {record.number: part.key for record, part in zip(records, shown.content.parts, strict=True)}
    return keys.get(topic.number)
