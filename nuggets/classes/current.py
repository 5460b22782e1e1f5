"""Answer classes: which instances are correct, how each assessor grouped them, and which grouping counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Max, Q, QuerySet

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chain_start, chain_starts, heirs_of, in_chains, predecessors_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.blind_responses import in_seeded_order
from assess.judging.queries.current import official_judgments
from assess.judging.snapshots import OFFICIAL_COUNTING, CountingRule, Snapshot
from assess.ledger.newest import newest_rows
from assess.protocol import Stage, Task
from nuggets.classes.models import AnswerClass, ClassAssignment, ClassLabel
from nuggets.classes.suggestions import suggest_classes
from nuggets.options import ItemGrouping
from nuggets.writing.counting_lists import ADJUDICATOR


def class_stages(campaign: Campaign) -> list[tuple[Task, Stage, tuple[str, int]]]:
    """Return (task, stage, grade) for each stage of the track in which the items with this grade are grouped.

    A grade is (criterion's key, value).
    """
    return [
        (task, stage, stage.work.grade)
        for task in track_of(campaign).tasks
        for stage in task.stages
        if isinstance(stage.work, ItemGrouping)
    ]


def official_values(snapshot: Snapshot, *, criterion: str, topics: Iterable[int]) -> QuerySet[Judgment]:
    """Return the official judgments by one criterion of the items of these topics."""
    return official_judgments(snapshot, topics=topics).filter(criterion=criterion)


def correct_items(snapshot: Snapshot, *, grade: tuple[str, int], topics: Iterable[int]) -> QuerySet[Item]:
    """Return the items of these topics whose official judgment is this grade. These are the items to put into
    classes.
    """
    judged = official_values(snapshot, criterion=grade[0], topics=topics).filter(value=grade[1])
    return Item.objects.filter(pk__in=judged.values("item_id"))


def current_members(members: QuerySet[ClassAssignment], *, as_of: int | None = None) -> QuerySet[ClassAssignment]:
    """Return the newest row for each assignment and item. Items that were taken out of their class are left out."""
    return newest_rows(members, "assignment_id", "item_id", as_of=as_of).filter(answer_class__isnull=False)


def current_labels(classes: Iterable[int], *, as_of: int | None = None) -> dict[int, str]:
    """Return the newest label of each of these classes, by class id."""
    labels = ClassLabel.objects.filter(answer_class__in=list(classes))
    newest = newest_rows(labels, "answer_class_id", as_of=as_of)
    return dict(newest.values_list("answer_class_id", "label"))


def line_of(assignment: Assignment) -> list[int]:
    """Return the ids of this assignment and of the assignments that it continues. No query if it continues none."""
    return [assignment.pk, *(each.pk for each in predecessors_of(assignment))]


def members_of(assignment: Assignment, **only: object) -> QuerySet[ClassAssignment]:
    """Return the current members of an assignment's grouping, narrowed by ``only``. For each item this is the newest
    row in the chain of hand-overs.
    """
    line = line_of(assignment)
    rows = ClassAssignment.objects.filter(assignment__in=line, **only)
    if len(line) == 1:
        return current_members(rows)
    return newest_rows(rows, "item_id").filter(answer_class__isnull=False)


def found_judgments(items: Iterable[int], *, assignment: Assignment, stage: Stage) -> QuerySet[Judgment]:
    """Return the current judgments that this assignment or one that it continues has on these items (ids).

    These are the judgments of answers that assessors found themselves. For a primary assessor, the result includes
    judgments by primary assessors whose work on the topic was taken back, since those count, too.
    """
    works = Q(assignment__in=line_of(assignment))
    if assignment.role == Assignment.Role.PRIMARY:
        before = Assignment.objects.filter(topic=assignment.topic_id, stage=assignment.stage, role=assignment.role)
        works |= Q(assignment__in=before.filter(state=Assignment.State.RETURNED))
    rows = Judgment.objects.filter(works, item__in=list(items), criterion=stage.options(ItemGrouping).grade[0])
    return newest_rows(rows, "item_id", "assessor_id").filter(value__isnull=False)


def newest_places(works: Iterable[Assignment]) -> dict[tuple[int, int], tuple[int, int | None, bool]]:
    """Return (assignment id, item id) -> (row, class id, is found) for each item that was ever put into a class.

    The class id is None if the item was taken out again, and is found means that the assessor found the item. If an
    assignment was handed over, the rows of its predecessors are included. One query, or two if an assignment was handed
    over.
    """
    heirs = heirs_of(works)
    rows = newest_rows(ClassAssignment.objects.filter(assignment__in=list(heirs)), "assignment_id", "item_id")
    newest: dict[tuple[int, int], tuple[int, int | None, bool]] = {}
    for pk, said_in, item, number, is_found in rows.values_list("pk", "assignment", "item", "answer_class", "is_found"):
        for heir in heirs[said_in]:
            place = (heir.pk, item)
            newest[place] = max((pk, number, is_found), newest.get(place, (0, None, False)))
    return newest


def classes_before(assignment: Assignment) -> dict[str, AnswerClass | None]:
    """Return label -> class for the classes that predecessors made before the assignment was handed over.

    Return {} if it was not handed over. No value is None; the type allows it for the caller, who adds to them.
    """
    line = line_of(assignment)[1:]
    if not line:
        return {}
    made = {found.pk: found for found in AnswerClass.objects.filter(assignment__in=line)}
    return {label: made[pk] for pk, label in current_labels(made).items()}


def superseded_members(topics: Iterable[int], *, as_of: int | None = None) -> set[int]:
    """Return the ids of rows of class members that a newer row in the same chain of hand-overs replaced.

    With ``as_of``, only rows up to this ledger point are considered.
    """
    starts = chain_starts(Assignment.objects.filter(topic__in=list(topics), chain_start__isnull=False))
    if not starts:
        return set()
    rows = ClassAssignment.objects.filter(in_chains(starts, "assignment__"))
    if as_of is not None:
        rows = rows.filter(id__lte=as_of)
    last: dict[tuple[int, int], int] = {}
    old: set[int] = set()
    for row, start, item in rows.order_by("id").values_list("id", chain_start("assignment__"), "item_id"):
        if (start, item) in last:
            old.add(last[start, item])
        last[start, item] = row
    return old


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A correct instance that is in a class, or waits for one."""

    item: Item
    is_found: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassView:
    """One distinct answer with its correct instances, in the order in which they were put into the class."""

    id: int
    number: int
    topic_id: int
    label: str
    members: tuple[Member, ...]

    @property
    def is_found(self) -> bool:
        """Return whether the class contains only answers that the assessor found, and none that a run returned."""
        return all(member.is_found for member in self.members)


@dataclass(frozen=True, kw_only=True, slots=True)
class Grouping:
    """How one assignment groups its topic: the classes by number, and the correct instances that are in no
    class yet.
    """

    classes: tuple[ClassView, ...] = ()
    waiting: tuple[Item, ...] = ()
    suggestions: dict[int, str] = field(default_factory=dict)  # item id -> what its class could be


def grouping_of(assignment: Assignment, stage: Stage) -> Grouping:
    """Return this assignment's grouping of its topic, for its page. Five queries, none of which joins runs.

    Instances with the same text are in a random order that depends on the assignment's seed, since the order of ids
    would reveal the order of runs. An instance that is not, or no longer, officially judged correct is left out of its
    class.
    """
    campaign, topic = assignment.campaign, assignment.topic_id
    found = correct_items(Snapshot(campaign), grade=stage.options(ItemGrouping).grade, topics=[topic])
    correct = sorted(in_seeded_order(found, seed=assignment.seed, key=lambda item: item.pk), key=lambda item: item.text)
    classes = _classes(members_of(assignment), correct, as_of=None)
    placed = {member.item.pk for view in classes for member in view.members}
    waiting = tuple(item for item in correct if item.pk not in placed)
    return Grouping(classes=classes, waiting=waiting, suggestions=suggest_classes(waiting, classes))


def _classes(rows: QuerySet[ClassAssignment], correct: Iterable[Item], *, as_of: int | None) -> tuple[ClassView, ...]:
    by_id = {item.pk: item for item in correct}
    members: dict[int, list[Member]] = {}
    heads: dict[int, tuple[int, int]] = {}
    for row in rows.select_related("answer_class").order_by("id"):
        if row.answer_class is None or row.item_id not in by_id:
            continue
        heads[row.answer_class.pk] = (row.answer_class.topic_id, row.answer_class.number)
        member = Member(item=by_id[row.item_id], is_found=row.is_found)
        members.setdefault(row.answer_class.pk, []).append(member)
    labels = current_labels(heads, as_of=as_of)
    views = [
        ClassView(id=pk, number=number, topic_id=topic, label=labels.get(pk, ""), members=tuple(members[pk]))
        for pk, (topic, number) in heads.items()
    ]
    return tuple(sorted(views, key=lambda view: (view.topic_id, view.number)))


def official_classes(snapshot: Snapshot, *, topics: Iterable[int], grade: tuple[str, int]) -> tuple[ClassView, ...]:
    """Return the answer classes that count for these topics: the adjudicator's, or else the primary assessor's.

    All classes of a topic come from one grouping. If several people in the same role made a grouping, the one with the
    newest row counts. If the snapshot counts the judgments of certain judges, their groupings count. For a topic that
    they did not group, the official grouping counts.
    """
    topics = list(topics)
    found = _counting_classes(snapshot, topics, grade, snapshot.counting)
    if snapshot.counting.is_official:
        return found
    left = set(topics).difference(view.topic_id for view in found)
    return (*found, *_counting_classes(snapshot, sorted(left), grade, OFFICIAL_COUNTING))


def _counting_classes(
    snapshot: Snapshot, topics: list[int], grade: tuple[str, int], who: CountingRule
) -> tuple[ClassView, ...]:
    """Return the classes in the groupings of people whose work ``who`` counts. The snapshot says which items are
    correct.
    """
    as_of = snapshot.as_of
    rows = ClassAssignment.objects.filter(
        item__topic__in=topics, **who.where("assignment__role", "assignment__assessor")
    )
    current = current_members(rows, as_of=as_of)
    newest = current.order_by().values("assignment_id", "assignment__topic_id", "assignment__role")
    chosen: dict[int, tuple[bool, int, int]] = {}
    for row in newest.annotate(newest=Max("id")):
        rank = (row["assignment__role"] == ADJUDICATOR, row["newest"], row["assignment_id"])
        topic = row["assignment__topic_id"]
        chosen[topic] = max(chosen.get(topic, rank), rank)
    works = Assignment.objects.filter(pk__in=[assignment for _, _, assignment in chosen.values()])
    chains = rows.filter(in_chains(chain_starts(works), "assignment__"))
    standing = newest_rows(chains, "item_id", as_of=as_of).filter(answer_class__isnull=False)
    correct = correct_items(snapshot, grade=grade, topics=topics)
    return _classes(standing, correct, as_of=as_of)
