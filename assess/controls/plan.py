"""Planning where to add repeats and gold items in a stage's open assignments, without writing anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random

from django.db.models import Count, QuerySet
from django.utils.translation import gettext

from assess.assignments.models import Assignment, ControlItem
from assess.assignments.queries.handoffs import predecessors
from assess.assignments.queries.work_order import in_own_order, with_order
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of
from assess.items.models import Item
from assess.items.queries import current_pools, known_items, named_topics
from assess.judging.models import Judgment
from assess.judging.queries.stage_items import needed
from assess.protocol import Stage

Expected = Mapping[str, int]
Gold = Mapping[int, Mapping[int, Expected]]
"""Known answers: topic id -> item id -> criterion -> value."""

SHORT = 30  # items: in a shorter list, an assessor may notice a repeat


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlItemRequest:
    """How many control items to add to each assignment, and how.

    ``repeats`` and ``gold`` are numbers of items. Instead of them, ``repeat_share`` is the share of the assignment's
    items to repeat, and ``gold_every`` asks for one gold item for that many items. A control item is at least ``gap``
    items away from its original; ``seed`` determines the choice.
    """

    repeats: int = 0
    gold: int = 0
    repeat_share: float = 0.0
    gold_every: int = 0
    gap: int = 10
    seed: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Addition:
    """One item to add before item number ``slot`` (from 0) of the assignment; ``expected`` is for gold items."""

    item: int
    slot: int
    kind: str
    expected: Expected = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedWork:
    """One assignment: the number of its items, and what would be added. ``why`` is the reason if fewer items would be
    added than wished, otherwise "".
    """

    assignment: Assignment
    items: int
    additions: tuple[Addition, ...]
    why: str

    @property
    def repeats(self) -> int:
        """The number of repeats that would be added."""
        return sum(each.kind == ControlItem.Kind.REPEAT for each in self.additions)

    @property
    def gold(self) -> int:
        """The number of gold items that would be added."""
        return len(self.additions) - self.repeats

    @property
    def would_reveal(self) -> bool:
        """Whether a repeat would be in so short a list that the assessor may notice it."""
        return self.repeats > 0 and self.items < SHORT


def control_item_plan(campaign: Campaign, *, stage: str, wish: ControlItemRequest, gold: Gold) -> list[PlannedWork]:
    """Return what would be added to every assignment of the stage that is not done and has no control items yet.

    A repeat is an item of the assignment itself, at least ``wish.gap`` items after its first occurrence; nothing is
    placed before the last item that is judged already, be it by whoever had the work before a hand-over. What these
    judged is not repeated. Gold items are those of the topic in ``gold``. The same state and seed give the same plan.
    Six queries, however many assignments, and one more with hand-overs.
    """
    _, found = stage_of(campaign, stage)
    works = list(_open_works(campaign, stage).select_related("topic", "assessor"))
    items = _items(campaign, found, {work.topic_id for work in works})
    before = predecessors(works)
    judged: dict[int, set[int]] = {}
    said = Judgment.objects.filter(assignment__in=[*works, *chain.from_iterable(before.values())]).order_by()
    for assignment, item in said.values_list("assignment_id", "item_id").distinct():
        judged.setdefault(assignment, set()).add(item)
    return [
        _planted(
            work,
            in_own_order(items.get(work.topic_id, ()), work.seed, found.order),
            judged.get(work.pk, set()),
            set().union(*(judged.get(each.pk, set()) for each in before.get(work.pk, ()))),
            wish=wish,
            gold=gold.get(work.topic_id, {}),
        )
        for work in works
    ]


def usual_repeats(campaign: Campaign, stage: Stage) -> int:
    """Return the number of repeats in an open assignment of median size, by the share that the track asks for.

    At least 1; 0 if no assignment is open and without control items. Three queries.
    """
    topics = list(_open_works(campaign, stage.key).values_list("topic_id", flat=True))
    counted = _asked(campaign, stage, set(topics)).order_by().values("topic").annotate(number=Count("pk"))
    numbers = dict(counted.values_list("topic", "number"))
    sizes = sorted(numbers.get(topic, 0) for topic in topics)
    return max(1, round(stage.checks.repeats * sizes[len(sizes) // 2])) if sizes else 0


def known_gold(campaign: Campaign, stage: Stage) -> dict[int, dict[int, dict[str, int]]]:
    """Return the track's known answers about stored items of this stage, as gold. Three queries."""
    topics = named_topics(campaign)
    found: dict[int, dict[int, dict[str, int]]] = {}
    items = known_items(campaign, stage.item_kind, stage.checks.gold)
    for answer, item in zip(stage.checks.gold, items, strict=True):
        if item is not None:
            found.setdefault(topics[answer.topic], {}).setdefault(item, {}).update(answer.expected)
    return found


def adjudicated_gold(stage: Stage, topics: Iterable[int]) -> dict[int, dict[int, dict[str, int]]]:
    """Return adjudicators' decisions on the items of these topics (ids), as gold. One query."""
    rows = Judgment.objects.filter(
        item__topic__in=list(topics),
        item__kind=stage.item_kind,
        item__repeats=None,
        criterion__in=[criterion.key for criterion in stage.criteria],
        assignment__role=Assignment.Role.ADJUDICATOR,
    )
    found: dict[int, dict[int, dict[str, int]]] = {}
    for topic, item, criterion, value in rows.order_by("id").values_list(
        "item__topic_id", "item_id", "criterion", "value"
    ):
        expected = found.setdefault(topic, {}).setdefault(item, {})
        if value is None:
            expected.pop(criterion, None)
        else:
            expected[criterion] = value
    return {topic: {item: said for item, said in items.items() if said} for topic, items in found.items()}


def _open_works(campaign: Campaign, stage: str) -> QuerySet[Assignment]:
    """Return people's open and started assignments of a stage that have no control items, without dropped topics."""
    live = campaign.assignments.filter(
        stage=stage, topic__dropped=False, state__in=(Assignment.State.OPEN, Assignment.State.STARTED)
    )
    return live.exclude(role=Assignment.Role.MACHINE).exclude(control_items__isnull=False)


def _asked(campaign: Campaign, stage: Stage, topics: set[int]) -> QuerySet[Item]:
    """Return the items that a stage asks for in these topics (ids)."""
    task, _ = stage_of(campaign, stage.key)
    pools = current_pools(campaign).filter(task=task.key)
    pooled = Item.objects.filter(topic__in=topics, kind=stage.item_kind, pool_items__pool__in=pools)
    condition = needed(campaign, stage, topics)
    return pooled if condition is None else pooled.filter(condition)


def _items(campaign: Campaign, stage: Stage, topics: set[int]) -> dict[int, list[Item]]:
    """Return the items of the stage in each of these topics, by topic id, with the pool's places."""
    asked = _asked(campaign, stage, topics).only("id", "topic_id", "text").order_by("id")
    found: dict[int, list[Item]] = {}
    for item in with_order(asked, stage.order):
        found.setdefault(item.topic_id, []).append(item)
    return found


def _planted(
    work: Assignment,
    items: Sequence[Item],
    judged: set[int],
    earlier: set[int],
    *,
    wish: ControlItemRequest,
    gold: Mapping[int, Expected],
) -> PlannedWork:
    """Return what is added to an assignment in which its assessor ``judged`` these items (ids), and whoever had it
    ``earlier`` those.
    """
    repeats = wish.repeats or round(wish.repeat_share * len(items))
    wish = replace(wish, repeats=repeats, gold=wish.gold or (len(items) // wish.gold_every if wish.gold_every else 0))
    random = Random(f"{wish.seed} {work.seed} {work.stage}")  # noqa: S311 (chooses items, protects nothing)
    places = {item.pk: place for place, item in enumerate(items)}
    first = max((places[pk] + 1 for pk in judged | earlier if pk in places), default=0)
    chosen = _gold(random, sorted(gold), places, len(items), first=first, wish=wish)
    taken = {addition.item for addition in chosen} | (earlier - judged)
    own = [item.pk for item in items if item.pk not in taken and places[item.pk] + wish.gap <= len(items)]
    repeated = random.sample(own, min(wish.repeats, len(own)))
    additions = [
        *(Addition(item=each.item, slot=each.slot, kind=each.kind, expected=gold[each.item]) for each in chosen),
        *(
            Addition(
                item=pk,
                slot=random.randint(max(places[pk] + wish.gap, first), len(items)),
                kind=ControlItem.Kind.REPEAT.value,
            )
            for pk in repeated
        ),
    ]
    additions.sort(key=lambda each: (each.slot, each.item))
    why = []
    if len(repeated) < wish.repeats:
        few = gettext(
            "has too few items (%(items)s): repeats (%(repeats)s), each %(gap)s later, need at least %(least)s"
        )
        if earlier:
            few = gettext("%(repeated)s of %(repeats)s repeats: others judged most of it before the hand-over")
        least = wish.gap + wish.repeats - 1
        said = {"items": len(items), "repeats": wish.repeats, "gap": wish.gap, "least": least}
        why.append(few % {**said, "repeated": len(repeated)})
    if len(chosen) < wish.gold:
        why.append(
            gettext("%(chosen)s of %(gold)s gold items: the topic has %(gold_2)s known answers")
            % {"chosen": len(chosen), "gold": wish.gold, "gold_2": len(gold)}
        )
    return PlannedWork(assignment=work, items=len(items), additions=tuple(additions), why="; ".join(why))


def _gold(
    random: Random, known: list[int], places: Mapping[int, int], items: int, *, first: int, wish: ControlItemRequest
) -> list[Addition]:
    """Choose up to ``wish.gold`` of the items with known answers. Each is placed at least ``wish.gap`` items away from
    the same item in the assignment.
    """
    chosen: list[Addition] = []
    for pk in random.sample(known, len(known)):
        if len(chosen) == wish.gold:
            break
        own = places.get(pk)
        slots = [slot for slot in range(first, items + 1) if own is None or abs(slot - own) >= wish.gap]
        if slots:
            chosen.append(Addition(item=pk, slot=random.choice(slots), kind=ControlItem.Kind.GOLD.value))
    return chosen
