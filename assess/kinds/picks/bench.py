"""What the bench for picking shows: the labels to choose from, the assessor's ordered picks, and the pages to look at.

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
from assess.campaigns.queries import stage_of
from assess.documents.models import Document
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.picked import answer_points, answers, picking_stages, points_of_none, ranking_of
from assess.judging.queries.stage_items import stage_items
from assess.judging.snapshots import Snapshot
from assess.kinds.base import Tally
from assess.protocol import Criterion, Stage
from assess.topics.models import Topic

WORK = "picks"


@dataclass(frozen=True, kw_only=True, slots=True)
class PageImage:
    """A page to look at: its docno, and the stored document or None if it is not stored."""

    docno: str
    document: Document | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PickedList:
    """The current list of an assignment: (item id, place) in order; ``none`` means that no item fits.

    ``is_carried`` means that a former assessor made the list; it counts until the current one answers.
    """

    items: tuple[tuple[int, int], ...] = ()
    none: bool = False
    is_carried: bool = False


def picked_items(
    topic: Topic, stage: Stage, assessor: User | int, *, as_of: int | None = None
) -> list[tuple[int, int]]:
    """Return (item id, place) of an assessor's picks, in order, now or as of a ledger point. One query."""
    rows = Judgment.objects.filter(item__topic=topic, criterion=ranking_of(stage).key, assessor=assessor)
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    newest = rows.order_by().values("item_id").annotate(newest=Max("id")).values("newest")
    current = Judgment.objects.filter(pk__in=newest, value__isnull=False).order_by("value", "id")
    return [(item, value) for item, value in current.values_list("item_id", "value") if value is not None]


def current_picks(assignment: Assignment, stage: Stage) -> PickedList:
    """Return the current list of an assignment: that of its assessor or of a former one, whoever answered last.

    The list is empty if nobody answered. Three to five queries.
    """
    line = [assignment, *predecessors_of(assignment)]
    picked, none = answers(line, stage)
    if not picked | none:
        return PickedList()
    speaker = _last_speaker(line, picked | none, stage)
    items = picked_items(assignment.topic, stage, speaker.assessor_id)
    is_carried = speaker.assessor_id != assignment.assessor_id
    return PickedList(items=tuple(items), none=speaker.pk in none, is_carried=is_carried)


def _last_speaker(line: Sequence[Assignment], answered: set[int], stage: Stage) -> Assignment:
    """Return the one of these assignments of one topic that was answered last; ``answered`` holds their ids. Two
    queries if there are several.
    """
    told = [each for each in line if each.pk in answered]
    if len(told) == 1:
        return told[0]
    rows = Judgment.objects.filter(
        item__topic=line[0].topic_id,
        criterion=ranking_of(stage).key,
        assessor__in={each.assessor_id for each in told},
    )
    last = dict(rows.order_by().values_list("assessor").annotate(last=Max("id")))
    none = points_of_none(told)
    return max(told, key=lambda each: max(last.get(each.assessor_id, 0), none.get(each.pk, 0)))


def is_none_picked(assignment: Assignment, stage: Stage) -> bool:
    """Return whether the assessor's own newest answer is "none of them". Two queries."""
    return assignment.pk in answers([assignment], stage)[1]


def labels_of(assignment: Assignment, stage: Stage) -> list[Item]:
    """Return the items to choose from, in the order of their labels.

    They are the pooled items, and all that this or a former assessor of the assignment ever picked.
    """
    pooled = list(stage_items(assignment.topic, stage).only("id", "text", "key"))
    people = {assignment.assessor_id, *(before.assessor_id for before in predecessors_of(assignment))}
    own = Judgment.objects.filter(item__topic=assignment.topic_id, assessor__in=people)
    ever = Item.objects.filter(pk__in=own.values("item_id"), kind=stage.item_kind).only("id", "text", "key")
    return sorted({item.pk: item for item in [*pooled, *ever]}.values(), key=lambda item: natural(label_of(item)))


def label_of(item: Item) -> str:
    """Return the label of an item to pick: its text, or else its key."""
    return item.text or item.key


def page_images(topic: Topic) -> list[PageImage]:
    """Return the pages that belong to a topic, from its field ``pages``, a list of docnos. One query at most."""
    pages = topic.fields.get("pages")
    docnos = [page for page in pages if isinstance(page, str)] if isinstance(pages, list) else []
    if not docnos:
        return []
    stored = {each.docno: each for each in Document.objects.filter(campaign=topic.campaign_id, docno__in=docnos)}
    return [PageImage(docno=docno, document=stored.get(docno)) for docno in docnos]


def none_picked(snapshot: Snapshot) -> Iterator[tuple[Assignment, Criterion]]:
    """Yield the assignments whose newest answer is "none of them", with the criterion. Three queries for each stage."""
    for stage in picking_stages(snapshot.campaign):
        group = list(
            snapshot.campaign.assignments.filter(stage=stage.key, topic__dropped=False)
            .select_related("topic")
            .order_by("pk")
        )
        _, none = answers(group, stage, as_of=snapshot.as_of)
        for assignment in group:
            if assignment.pk in none:
                yield assignment, ranking_of(stage)


def replaced_adjudicators(snapshot: Snapshot) -> set[tuple[str, int]]:
    """Return (topic number, assessor id) of the adjudicators whose list a later adjudicator's list replaces.

    Four queries for each stage.
    """
    replaced: set[tuple[str, int]] = set()
    for stage in picking_stages(snapshot.campaign):
        group = snapshot.campaign.assignments.filter(
            stage=stage.key, role=Assignment.Role.ADJUDICATOR, topic__dropped=False
        )
        said = answer_points(list(group.select_related("topic")), stage, as_of=snapshot.as_of)
        last = {each.topic.number: each.assessor_id for each, _ in sorted(said, key=itemgetter(1))}
        told = {(each.topic.number, each.assessor_id) for each, _ in said}
        replaced |= {(number, assessor) for number, assessor in told if last[number] != assessor}
    return replaced


def picks_tally(assignments: Iterable[Assignment]) -> dict[int, Tally]:
    """Return each assignment's tally, by id: 1 of 1 if it is answered, by picks or by "none of them", otherwise 0 of 1.

    Answers from before a hand-over count. Two queries for each stage, one more if an assignment was handed over.
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
