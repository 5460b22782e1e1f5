"""What the bench for picking shows: the labels to choose from, the assessor's own ordered picks, the pages to look at.

Nothing here joins runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from django.contrib.auth.models import User
from django.db.models import Max

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import predecessors, predecessors_of
from assess.assignments.queries.waiting import unit_of
from assess.base.wording import natural
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.documents.models import Document
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.stage_items import stage_items
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally
from assess.protocol import Criterion, Stage
from assess.topics.models import Topic

WORK = "picks"
NONE_ACTION = "picks.none"


@dataclass(frozen=True, kw_only=True, slots=True)
class PageImage:
    """A page to look at: its docno, and the stored document or None where it is missing."""

    docno: str
    document: Document | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PickedList:
    """The list that counts for an assignment: (item id, place) in order, or with ``none`` that none of them fits.

    ``is_carried``: said by whoever had the work before; it counts until its assessor says something.
    """

    items: tuple[tuple[int, int], ...] = ()
    none: bool = False
    is_carried: bool = False


def ranking_of(stage: Stage) -> Criterion:
    """The criterion by which a stage ranks; a stage for picking without one is a bug of its track."""
    return next(criterion for criterion in stage.criteria if criterion.ranks)


def picked_items(
    topic: Topic, stage: Stage, assessor: User | int, *, as_of: int | None = None
) -> list[tuple[int, int]]:
    """(item id, place) of what an assessor picked, in order, now or up to ledger point ``as_of``. One query."""
    rows = Judgment.objects.filter(item__topic=topic, criterion=ranking_of(stage).key, assessor=assessor)
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    newest = rows.order_by().values("item_id").annotate(newest=Max("id")).values("newest")
    current = Judgment.objects.filter(pk__in=newest, value__isnull=False).order_by("value", "id")
    return [(item, value) for item, value in current.values_list("item_id", "value") if value is not None]


def standing_picks(assignment: Assignment, stage: Stage) -> PickedList:
    """Return what counts for an assignment: what its assessor said, else whoever had the work before, the nearest
    first.

    Three queries, four where nothing was said; where the work was handed over as many for each who had it before.
    """
    for each in (assignment, *predecessors_of(assignment)):
        picked, none = answers([each], stage)
        if each.pk in picked | none:
            items = picked_items(assignment.topic, stage, each.assessor_id)
            is_carried = each.assessor_id != assignment.assessor_id
            return PickedList(items=tuple(items), none=each.pk in none, is_carried=is_carried)
    return PickedList()


def says_none(assignment: Assignment, stage: Stage) -> bool:
    """Return whether the newest answer of the assessor's own is "none of them". Two queries."""
    return assignment.pk in answers([assignment], stage)[1]


def labels_of(assignment: Assignment, stage: Stage) -> list[Item]:
    """Return the items to choose from: those pooled, and whatever this assessor, or one who had the work before, ever
    picked.

    In order of their labels.
    """
    pooled = list(stage_items(assignment.topic, stage).only("id", "text", "key"))
    people = {assignment.assessor_id, *(before.assessor_id for before in predecessors_of(assignment))}
    own = Judgment.objects.filter(item__topic=assignment.topic_id, assessor__in=people)
    ever = Item.objects.filter(pk__in=own.values("item_id"), kind=stage.item_kind).only("id", "text", "key")
    return sorted({item.pk: item for item in [*pooled, *ever]}.values(), key=lambda item: natural(label_of(item)))


def label_of(item: Item) -> str:
    """Return what an item to pick is called."""
    return item.text or item.key


def page_images(topic: Topic) -> list[PageImage]:
    """Return the pages that belong to a topic, by its field ``pages``, a list of docnos. One query at most."""
    pages = topic.fields.get("pages")
    docnos = [page for page in pages if isinstance(page, str)] if isinstance(pages, list) else []
    if not docnos:
        return []
    stored = {each.docno: each for each in Document.objects.filter(campaign=topic.campaign_id, docno__in=docnos)}
    return [PageImage(docno=docno, document=stored.get(docno)) for docno in docnos]


def said_none(assignments: Sequence[Assignment], *, as_of: int | None = None) -> dict[int, int]:
    """Return where "none of them" was said of an assignment and not taken back: its id -> the ledger point. One
    query.
    """
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


def none_picked(snapshot: Snapshot) -> Iterator[tuple[Assignment, Criterion]]:
    """The assignments whose newest answer is "none of them", with the criterion. Three queries for each stage."""
    for stage in _picking_stages(snapshot.campaign):
        group = list(
            snapshot.campaign.assignments.filter(stage=stage.key, topic__dropped=False)
            .select_related("topic")
            .order_by("pk")
        )
        _, none = answers(group, stage, as_of=snapshot.as_of)
        for assignment in group:
            if assignment.pk in none:
                yield assignment, ranking_of(stage)


def official_pickers(snapshot: Snapshot, criterion: str) -> dict[str, int]:
    """Whose list counts as a whole, for each topic with one: its number -> the assessor's id. Four queries.

    It is an adjudicator's where one picked or said "none of them", else that of the author who spoke last.
    """
    whose = snapshot.counting.where("role", "assessor")
    chosen: dict[str, tuple[bool, int, int]] = {}
    for stage in _picking_stages(snapshot.campaign):
        if ranking_of(stage).key != criterion:
            continue
        group = list(
            snapshot.campaign.assignments.filter(stage=stage.key, topic__dropped=False, **whose).select_related("topic")
        )
        for each, point in _answered(group, stage, as_of=snapshot.as_of):
            word = (each.role == Assignment.Role.ADJUDICATOR, point, each.assessor_id)
            chosen[each.topic.number] = max(word, chosen.get(each.topic.number, word))
    return {number: assessor for number, (_, _, assessor) in chosen.items()}


def replaced_adjudicators(snapshot: Snapshot) -> set[tuple[str, int]]:
    """Return the adjudicators instead of whose list a later adjudicator's counts: (topic's number, id of the assessor).

    Four queries for each stage.
    """
    replaced: set[tuple[str, int]] = set()
    for stage in _picking_stages(snapshot.campaign):
        group = snapshot.campaign.assignments.filter(
            stage=stage.key, role=Assignment.Role.ADJUDICATOR, topic__dropped=False
        )
        said = _answered(list(group.select_related("topic")), stage, as_of=snapshot.as_of)
        last = {each.topic.number: each.assessor_id for each, _ in sorted(said, key=itemgetter(1))}
        told = {(each.topic.number, each.assessor_id) for each, _ in said}
        replaced |= {(number, assessor) for number, assessor in told if last[number] != assessor}
    return replaced


def _answered(group: list[Assignment], stage: Stage, *, as_of: int | None) -> list[tuple[Assignment, int]]:
    """The assignments of a stage whose question is answered, each with the ledger point of its latest answer."""
    picked, none = answers(group, stage, as_of=as_of)
    said = said_none(group, as_of=as_of)
    rows = Judgment.objects.filter(assignment__in=group, criterion=ranking_of(stage).key)
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    last = dict(rows.order_by().values_list("assignment").annotate(last=Max("id")))
    points = [(each, max(last.get(each.pk, 0), said.get(each.pk, 0))) for each in group if each.pk in picked | none]
    return [(each, point) for each, point in points if point]


def _picking_stages(campaign: Campaign) -> list[Stage]:
    return [stage for task in track_of(campaign).tasks for stage in task.stages if stage.work.key == WORK]


def picks_tally(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """Return whether each assignment's question is answered: picked from, or "none of them"; also before it was handed
    over.

    Two queries for each stage, one more where any of the work was handed over.
    """
    by_stage: dict[tuple[int, str], list[Assignment]] = {}
    for assignment in assignments:
        by_stage.setdefault((assignment.campaign_id, assignment.stage), []).append(assignment)
    tallies: dict[int, Tally] = {}
    for group in by_stage.values():
        _, stage = stage_of(group[0].campaign, group[0].stage)
        before = predecessors(group)
        picked, none = answers([*group, *(each for line in before.values() for each in line)], stage)
        answered = picked | none
        for assignment in group:
            answered |= {assignment.pk for each in before.get(assignment.pk, ()) if each.pk in answered}
            tallies[assignment.pk] = Tally(
                done=int(assignment.pk in answered), total=1, unit=f"list of {unit_of(stage)}"
            )
    return tallies


def answers(group: Sequence[Assignment], stage: Stage, *, as_of: int | None = None) -> tuple[set[int], set[int]]:
    """Return the assignments with picks; those where none of them was said after the last pick was taken out. Two
    queries.

    All assignments are of one stage. Answers from before a hand-over are not counted as the new assessor's.
    """
    rows = Judgment.objects.filter(
        item__topic__in={assignment.topic_id for assignment in group},
        criterion=ranking_of(stage).key,
        assessor__in={assignment.assessor_id for assignment in group},
    ).order_by()
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    newest: dict[tuple[int, int, int], tuple[int, int | None]] = {}
    for topic, assessor, item, pk, value in rows.order_by("id").values_list(
        "item__topic", "assessor", "item", "id", "value"
    ):
        newest[topic, assessor, item] = (pk, value)
    picked = {(topic, assessor) for (topic, assessor, _), (_, value) in newest.items() if value is not None}
    last: dict[tuple[int, int], int] = {}
    for (topic, assessor, _), (pk, _) in newest.items():
        last[topic, assessor] = max(pk, last.get((topic, assessor), 0))
    none = said_none(group, as_of=as_of)
    with_picks = {each.pk for each in group if (each.topic_id, each.assessor_id) in picked}
    without = {each.pk for each in group if none.get(each.pk, 0) > last.get((each.topic_id, each.assessor_id), 0)}
    return with_picks, without - with_picks
