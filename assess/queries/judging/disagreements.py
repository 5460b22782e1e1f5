"""Where authors and other assessors do not agree on an item that both graded, and what was decided. No join of runs.

A side is one person's current value. The author's side is the newest of the primary assessors'; where another
assessor's work was given back and somebody else did it again, the one who gave it back is no side any more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import F, Max, Min

from assess.models import Assignment, Campaign, Item, Judgment
from assess.protocol import Criterion, Stage
from assess.queries.judging.judgments import ADJUDICATOR, PRIMARY, current_judgments
from assess.queries.judging.newest import newest_rows
from assess.queries.topics.listing import tree_order
from assess.queries.tracks import stage_of, track_of

SECOND = Assignment.Role.SECOND
RETURNED = Assignment.State.RETURNED
SIDES = (PRIMARY, SECOND)
WORK = "grade"
CHUNK = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One person's value, by the number of its row. Whose it is decides who may settle it, and is never shown."""

    row: int
    value: int
    assessor_id: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Disagreement:
    """An item with values that differ on one criterion. ``sides`` stand in an order that says nothing of roles.

    ``size`` counts the steps on the scale between the lowest and the highest (1 on a nominal scale). ``decided`` is
    the adjudicator's value, with their note, or None.
    """

    item_id: int
    topic_id: int
    topic: str
    sides: tuple[Side, ...]
    size: int
    decided: int | None = None
    note: str = ""

    @property
    def values(self) -> tuple[int, ...]:
        """What the sides said, in the order in which they stand."""
        return tuple(side.value for side in self.sides)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One criterion of one stage, with how many disagreements there are and how many of them are decided."""

    task: str
    stage: Stage
    criterion: Criterion
    total: int
    decided: int

    @property
    def left(self) -> int:
        """How many are still to be decided."""
        return self.total - self.decided


@dataclass(slots=True)
class _Said:
    """What was said of one item: the newest of the authors, each other assessor's, the adjudicator's."""

    primary: Side | None = None
    seconds: dict[int, tuple[Side, bool]] = field(default_factory=dict)
    decided: tuple[int, str] | None = None


def adjudicated_stages(campaign: Campaign) -> list[tuple[str, Stage]]:
    """The stages whose disagreements are settled item by item, with their task's label."""
    found = [
        (task.label, stage.key) for task in track_of(campaign).tasks for stage in task.stages if stage.work == WORK
    ]
    return [(label, stage_of(campaign, key)[1]) for label, key in found]


def questions_of(campaign: Campaign, person: User | None = None) -> list[Question]:
    """Every criterion on which somebody disagrees, for a ``person`` without what they may not settle.

    Two queries for each criterion that is graded.
    """
    found = []
    for task, stage in adjudicated_stages(campaign):
        for criterion in stage.criteria:
            rows = disagreements(campaign, stage, criterion, person=person)
            if rows:
                decided = sum(row.decided is not None for row in rows)
                found.append(Question(task=task, stage=stage, criterion=criterion, total=len(rows), decided=decided))
    return found


def disagreements(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    *,
    person: User | None = None,
    items: Iterable[int] | None = None,
    topics: Iterable[int] | None = None,
) -> list[Disagreement]:
    """The items on which sides differ by this criterion, or that were settled, in the order of topics. Two queries.

    Left out for a ``person``: what they judged themselves, and topics whose stage is their work as a side.
    ``items`` and ``topics`` (ids) narrow the search.
    """
    said = _said(campaign, stage, criterion, items, topics)
    if not said:
        return []
    order = campaign.topics.filter(pk__in={topic for _, topic in said}).order_by(*tree_order())
    numbers = dict(order.values_list("pk", "number"))
    rank = {topic: place for place, topic in enumerate(numbers)}
    own = own_topics(campaign, stage, person) if person is not None else set()
    found = []
    for (item, topic), words in said.items():
        row = _disagreement(item, topic, numbers[topic], words, criterion)
        if row is None or (person is not None and not may_settle(row, person, own)):
            continue
        found.append(row)
    return sorted(found, key=lambda row: (rank[row.topic_id], row.item_id))


def may_settle(row: Disagreement, person: User, own: Iterable[int]) -> bool:
    """Whether somebody is no party to it: no side is theirs, and the topic's stage is not their work (``own``)."""
    return row.topic_id not in own and all(side.assessor_id != person.pk for side in row.sides)


def own_topics(campaign: Campaign, stage: Stage, person: User) -> set[int]:
    """The topics whose stage somebody holds as author or other assessor. One query."""
    held = campaign.assignments.filter(stage=stage.key, assessor=person, role__in=SIDES).exclude(state=RETURNED)
    return set(held.order_by().values_list("topic_id", flat=True))


def rows_of_sides(stage: Stage, row: Disagreement) -> dict[int, list[Judgment]]:
    """What each side said of the item by all criteria of the stage, by assessor: notes stand beside any. One query."""
    people = [side.assessor_id for side in row.sides]
    said = Judgment.objects.filter(item=row.item_id, assessor__in=people)
    current = newest_rows(said, "item_id", "criterion", "assessor_id").filter(value__isnull=False)
    found: dict[int, list[Judgment]] = {person: [] for person in people}
    for judgment in current.filter(criterion__in=[each.key for each in stage.criteria]).order_by("id"):
        found[judgment.assessor_id].append(judgment)
    return found


def labels_of(rows: Sequence[Disagreement]) -> dict[int, Item]:
    """The items of these rows, with what a list says of them. One query."""
    return Item.objects.only("id", "key", "text", "docno", "fields").in_bulk([row.item_id for row in rows])


def _said(
    campaign: Campaign,
    stage: Stage,
    criterion: Criterion,
    items: Iterable[int] | None,
    topics: Iterable[int] | None,
) -> dict[tuple[int, int], _Said]:
    """What was said of every item that may be disputed, or was settled, by (item, topic). One query."""
    graded = Judgment.objects.filter(
        assignment__campaign=campaign, assignment__stage=stage.key, criterion=criterion.key, item__repeats__isnull=True
    ).order_by()
    if items is not None:
        graded = graded.filter(item__in=list(items))
    if topics is not None:
        graded = graded.filter(item__topic__in=list(topics))
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
    said: dict[tuple[int, int], _Said] = {}
    rows = current.order_by("id").values_list(*fields, "note").iterator(CHUNK)
    for item, topic, row, value, person, role, state, note in rows:
        if value is None:
            continue
        words = said.setdefault((item, topic), _Said())
        if role == ADJUDICATOR:
            words.decided = (value, note)
            continue
        side = Side(row=row, value=value, assessor_id=person)
        if role == PRIMARY:
            words.primary = side
        else:
            words.seconds[person] = (side, state != RETURNED)
    return said


def _disagreement(item: int, topic: int, number: str, words: _Said, criterion: Criterion) -> Disagreement | None:
    """The row of an item, or None where nobody disagrees (any more) and nothing was settled."""
    sides = list(_sides(words))
    if words.decided is None and len({side.value for side in sides}) < 2:
        return None
    sides.sort(key=lambda side: _drawn(item, criterion.key, side.assessor_id))
    decided, note = words.decided or (None, "")
    return Disagreement(
        item_id=item,
        topic_id=topic,
        topic=number,
        sides=tuple(sides),
        size=distance(criterion, [side.value for side in sides]),
        decided=decided,
        note=note,
    )


def _sides(words: _Said) -> Iterator[Side]:
    if words.primary is not None:
        yield words.primary
    live = [side for side, is_live in words.seconds.values() if is_live]
    yield from live or [side for side, _ in list(words.seconds.values())[-1:]]


def distance(criterion: Criterion, values: Sequence[int]) -> int:
    """How far apart values are: the steps between lowest and highest; on a nominal scale 1, where they differ.

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


def _drawn(*things: object) -> bytes:
    """A draw that stays the same, for the order in which sides stand."""
    return hashlib.sha256("\0".join(map(str, things)).encode()).digest()
