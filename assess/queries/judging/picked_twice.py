"""Lists of picks by several people: the sides of a disagreement are whole ordered lists. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assess.models import Assignment, Campaign, Item, Judgment
from assess.protocol import Criterion, Stage
from assess.queries.judging.judgments import ADJUDICATOR, PRIMARY
from assess.queries.judging.newest import newest_rows
from assess.queries.judging.picks import WORK as WORK
from assess.queries.judging.picks import label_of, picks_tally, ranking_of
from assess.settling import Disagreement, Label, Line, Narrow, Side, Thing, Told, Words, digest_of, firsts
from assess.workbench import Tally

SECOND = Assignment.Role.SECOND
ROLES = (PRIMARY, SECOND, ADJUDICATOR)
NONE = "None of them"


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Which items, in which order."""
    del campaign
    return [ranking_of(stage)]


def said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """Each topic's lists, of all who answered. Five queries."""
    if things is not None:
        topics = set(topics) & firsts(things)
    held = list(campaign.assignments.filter(stage=stage.key, topic__in=list(topics), role__in=ROLES))
    answered = {pk for pk, tally in _tallies(campaign, held).items() if tally.done}
    lists, rows = picks_of(held, criterion)
    found: dict[Thing, Words] = {}
    for work in sorted((each for each in held if each.pk in answered), key=lambda each: rows.get(_place(each), 0)):
        words = found.setdefault(Thing(topic_id=work.topic_id), Words())
        value = digest_of(lists.get(_place(work), []))
        side = Side(row=rows.get(_place(work), 0), value=value, assessor_id=work.assessor_id)
        if work.role == ADJUDICATOR:
            words.decided = (value, "")
        elif work.role == PRIMARY:
            words.primary = side
        else:
            words.seconds[work.assessor_id] = (side, work.state != Assignment.State.RETURNED)
    return found


def _tallies(campaign: Campaign, held: Sequence[Assignment]) -> Mapping[int, Tally]:
    for each in held:
        each.campaign = campaign
    return picks_tally(held)


def _place(work: Assignment) -> tuple[int, int]:
    return work.topic_id, work.assessor_id


def picks_of(
    held: Sequence[Assignment], criterion: Criterion
) -> tuple[dict[tuple[int, int], list[int]], dict[tuple[int, int], int]]:
    """By (topic, person): the items that they picked, in order, and their newest row. One query."""
    said = Judgment.objects.filter(
        criterion=criterion.key,
        item__topic__in={each.topic_id for each in held},
        assessor__in={each.assessor_id for each in held},
    )
    newest = newest_rows(said, "item_id", "criterion", "assessor_id", whole_groups=True).order_by("value", "id")
    lists: dict[tuple[int, int], list[int]] = {}
    rows: dict[tuple[int, int], int] = {}
    for pk, topic, person, item, value in newest.values_list("pk", "item__topic", "assessor", "item", "value"):
        place = (topic, person)
        rows[place] = max(pk, rows.get(place, 0))
        if value is not None:
            lists.setdefault(place, []).append(item)
    return lists, rows


def spoken(campaign: Campaign, stage: Stage, limit: int) -> int:
    """How many second assessors' lists there are, counted up to a limit. One query."""
    held = campaign.assignments.filter(stage=stage.key, role=SECOND).order_by()
    return len(held.values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """The topics of these rows. One query."""
    del stage
    texts = dict(campaign.topics.filter(pk__in=[row.topic_id for row in rows]).values_list("pk", "text"))
    return {row.name: Label(label=texts[row.topic_id]) for row in rows}


def told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """Each side's list, by place; marked what the others did not pick. Three queries."""
    people = [side.assessor_id for side in row.sides]
    held = list(campaign.assignments.filter(stage=stage.key, topic=row.topic_id, assessor__in=people))
    lists, _ = picks_of(held, criterion)
    by_person = {person: lists.get((row.topic_id, person), []) for person in people}
    items = Item.objects.in_bulk({item for picked in by_person.values() for item in picked})
    found = {}
    for person, picked in by_person.items():
        others = {item for other, mine in by_person.items() if other != person for item in mine}
        lines = [
            Line(text=f"{place}. {label_of(items[item])}", is_alone=item not in others)
            for place, item in enumerate(picked, start=1)
        ]
        found[person] = Told(lines=lines or [Line(text=NONE)])
    return found
