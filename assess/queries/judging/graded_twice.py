"""What several people graded: the sides of disagreements on items, with notes and snippets. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db.models import F, Max, Min

from assess.models import Assignment, Campaign, Item, Judgment
from assess.protocol import Criterion, Stage
from assess.queries.judging.judgments import ADJUDICATOR, PRIMARY, current_judgments
from assess.queries.judging.newest import newest_rows
from assess.queries.judging.workbench import label_of
from assess.queries.tracks import stage_of, track_of
from assess.settling import Disagreement, Label, Narrow, Side, Thing, Told, Words, firsts

SECOND = Assignment.Role.SECOND
RETURNED = Assignment.State.RETURNED
SIDES = (PRIMARY, SECOND)
WORK = "grade"
CHUNK = 5_000


def graded_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """The stages in which items are graded one by one, with their task's label."""
    found = [
        (task.label, stage.key) for task in track_of(campaign).tasks for stage in task.stages if stage.work == WORK
    ]
    return [(label, stage_of(campaign, key)[1]) for label, key in found]


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """What is asked of each item."""
    del campaign
    return stage.criteria


def said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """What was said of every item that was ever disputed. One query."""
    graded = Judgment.objects.filter(
        assignment__campaign=campaign,
        assignment__stage=stage.key,
        criterion=criterion.key,
        item__repeats__isnull=True,
        item__topic__in=list(topics),
    ).order_by()
    if things is not None:
        graded = graded.filter(item__in=firsts(things))
    ever = graded.filter(assignment__role__in=SIDES).values("item_id")
    disputed = ever.annotate(least=Min("value"), most=Max("value")).filter(least__lt=F("most")).values("item_id")
    current = current_judgments(campaign).filter(
        assignment__stage=stage.key,
        criterion=criterion.key,
        item__in=disputed,
        item__kind=stage.item_kind,
        item__repeats__isnull=True,
        assignment__role__in=(*SIDES, ADJUDICATOR),
    )
    fields = ("item_id", "item__topic_id", "pk", "value", "assessor_id", "assignment__role", "assignment__state")
    found: dict[Thing, Words] = {}
    rows = current.order_by("id").values_list(*fields, "note").iterator(CHUNK)
    for item, topic, row, value, person, role, state, note in rows:
        if value is None:
            continue
        words = found.setdefault(Thing(topic_id=topic, item_id=item), Words())
        if role == ADJUDICATOR:
            words.decided = (value, note)
            continue
        side = Side(row=row, value=value, assessor_id=person)
        if role == PRIMARY:
            words.primary = side
        else:
            words.seconds[person] = (side, state != RETURNED)
    return found


def spoken(campaign: Campaign, stage: Stage, limit: int) -> int:
    """How many judgments second assessors made in a stage, counted up to a limit. One query."""
    rows = Judgment.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.filter(assignment__role=SECOND).order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """The items of these rows, as a list calls them. One query."""
    del campaign, stage
    items = items_of(rows)
    found = {}
    for row in rows:
        item = items[row.thing.item_id or 0]
        found[row.name] = Label(label=label_of(item), docno=item.docno)
    return found


def items_of(rows: Iterable[Disagreement]) -> dict[int, Item]:
    """The items of these rows, with what a list says of them. One query."""
    ids = {row.thing.item_id for row in rows if row.thing.item_id is not None}
    return Item.objects.only("id", "key", "text", "docno", "fields").in_bulk(ids)


def told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """The notes of each side, on any criterion of the stage, and its snippets. One query."""
    del campaign
    people = [side.assessor_id for side in row.sides]
    judged = Judgment.objects.filter(item=row.thing.item_id, assessor__in=people)
    current = newest_rows(judged, "item_id", "criterion", "assessor_id").filter(value__isnull=False)
    by_person: dict[int, list[Judgment]] = {person: [] for person in people}
    for judgment in current.filter(criterion__in=[each.key for each in stage.criteria]).order_by("id"):
        by_person[judgment.assessor_id].append(judgment)
    found = {}
    for person, judgments in by_person.items():
        own = next((each for each in judgments if each.criterion == criterion.key), None)
        found[person] = Told(
            notes=list(dict.fromkeys(each.note for each in judgments if each.note.strip())),
            quotes=[snippet["quote"] for snippet in (own.evidence or ())] if own is not None else [],
        )
    return found
