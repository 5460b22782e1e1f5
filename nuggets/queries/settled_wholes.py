"""Nugget lists and groupings by several people: the sides of a disagreement are whole works. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from assess.models import Assignment, Campaign, Item
from assess.protocol import Criterion, Stage
from assess.queries.judging.newest import newest_rows
from assess.queries.judging.picked_twice import labels as labels
from assess.queries.judging.picked_twice import spoken as spoken
from assess.queries.work.handed_over import lines_of, predecessors
from assess.settling import Disagreement, Line, Narrow, Side, Thing, Told, Words, digest_of, firsts
from nuggets.models import ClassAssignment, Nugget, NuggetList
from nuggets.queries.classes import correct_items, current_labels
from nuggets.queries.lists import ADJUDICATOR, PRIMARY, active_nuggets, frozen_lists

SECOND = Assignment.Role.SECOND
ROLES = (PRIMARY, SECOND, ADJUDICATOR)
LIST = Criterion(key="list", question="Which list counts?")
GROUPING = Criterion(key="grouping", question="Which grouping counts?")


def list_criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Which list."""
    del campaign, stage
    return [LIST]


def grouping_criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Which grouping."""
    del campaign
    return [GROUPING] if stage.class_grade is not None else []


# ---------------------------------------------------------------- lists


def lists_said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """Every topic's newest frozen lists, one of each piece of work, whoever had it. Three queries."""
    del criterion
    topics = set(topics) & firsts(things) if things is not None else topics
    lines = lines_of(campaign.assignments.filter(stage=stage.key, topic__in=list(topics)))
    lists = sorted(_lists(stage, topics), key=lambda made: made.frozen_point or 0)
    newest = {(made.topic_id, made.assignment.role, lines[made.assignment_id].voice): made for made in lists}
    nuggets = active_nuggets(newest.values())
    found: dict[Thing, Words] = {}
    for each in sorted(newest.values(), key=lambda made: made.frozen_point or 0):
        side = Side(row=each.frozen_point or 0, value=list_value(nuggets[each.pk]), assessor_id=each.owner_id)
        words = found.setdefault(Thing(topic_id=each.topic_id), Words())
        words.hear(each.assignment.role, side, is_live=lines[each.assignment_id].is_live)
    return found


def list_value(nuggets: Iterable[Nugget]) -> int:
    """What a list holds, in whatever order."""
    return digest_of(sorted((each.text, each.importance, each.group) for each in nuggets))


def _lists(stage: Stage, topics: Collection[int]) -> list[NuggetList]:
    return [
        made for made in frozen_lists(topics) if made.assignment.stage == stage.key and made.assignment.role in ROLES
    ]


def list_of_side(stage: Stage, topic: int, person: int) -> NuggetList | None:
    """The newest frozen list of a side. One query."""
    return next((made for made in _lists(stage, [topic]) if made.owner_id == person), None)


def lists_told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """Each side's nuggets in its order; marked what no other side has in these words. Two queries."""
    del campaign, criterion
    owners = {side.assessor_id for side in row.sides}
    lists = {made.owner_id: made for made in _lists(stage, [row.topic_id]) if made.owner_id in owners}
    nuggets = active_nuggets(lists.values())
    texts = {owner: {each.text.casefold() for each in nuggets[made.pk]} for owner, made in lists.items()}
    found = {}
    for owner, made in lists.items():
        others = set().union(*(words for other, words in texts.items() if other != owner))
        lines = [
            Line(
                text=each.text,
                mark=" · ".join(filter(None, (each.importance if stage.asks_importance else "", each.group))),
                is_alone=each.text.casefold() not in others,
            )
            for each in nuggets[made.pk]
        ]
        found[owner] = Told(lines=lines)
    return found


# ---------------------------------------------------------------- groupings


def groupings_said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """Every topic's groupings that were finished, and an adjudicator's. Three queries, four where work went on."""
    del criterion
    wanted = set(topics) & firsts(things) if things is not None else topics
    works = {each.pk: each for each in _groupers(campaign, stage, wanted)}
    found: dict[Thing, Words] = {}
    grouped = groups_of(campaign, stage, works.values())
    for pk, (row, groups) in sorted(grouped.items(), key=lambda pair: pair[1][0]):
        work = works[pk]
        value = digest_of(sorted(sorted(item for item, _ in members) for members in groups.values()))
        side = Side(row=row, value=value, assessor_id=work.assessor_id)
        found.setdefault(Thing(topic_id=work.topic_id), Words()).hear(work.role, side)
    return found


def _groupers(campaign: Campaign, stage: Stage, topics: Collection[int]) -> list[Assignment]:
    held = campaign.assignments.filter(stage=stage.key, topic__in=list(topics), role__in=ROLES)
    done = Assignment.State.DONE
    return [each for each in held.order_by("pk") if each.role == ADJUDICATOR or each.state == done]


def groups_of(
    campaign: Campaign, stage: Stage, works: Iterable[Assignment]
) -> dict[int, tuple[int, dict[int, list[tuple[int, bool]]]]]:
    """By assignment: the newest row, and class id -> the items in it that are correct, with whether they were found.

    A grouping goes on with that of who had the work before: the newest row of an item says where it is. Two queries,
    three where work was handed over.
    """
    held = list(works)
    if not held or stage.class_grade is None:
        return {}
    topics = {each.topic_id for each in held}
    correct = set(correct_items(campaign, grade=stage.class_grade, topics=topics).values_list("pk", flat=True))
    before = predecessors(held)
    heirs: dict[int, list[int]] = {}
    for work in held:
        for each in (work, *before.get(work.pk, ())):
            heirs.setdefault(each.pk, []).append(work.pk)
    rows = newest_rows(ClassAssignment.objects.filter(assignment__in=list(heirs)), "assignment_id", "item_id")
    newest: dict[tuple[int, int], tuple[int, int | None, bool]] = {}
    for pk, said_in, item, number, is_found in rows.values_list("pk", "assignment", "item", "answer_class", "is_found"):
        for heir in heirs[said_in] if item in correct else ():
            newest[heir, item] = max((pk, number, is_found), newest.get((heir, item), (0, None, False)))
    found: dict[int, tuple[int, dict[int, list[tuple[int, bool]]]]] = {}
    for (heir, item), (pk, placed, is_found) in sorted(newest.items(), key=lambda pair: pair[1][0]):
        if placed is not None:
            _, groups = found.get(heir, (0, {}))
            groups.setdefault(placed, []).append((item, is_found))
            found[heir] = (pk, groups)
    return found


def grouping_of_side(
    campaign: Campaign, stage: Stage, topic: int, person: int
) -> list[tuple[str, list[tuple[int, bool]]]]:
    """The classes of a side: label, and items by id with whether the assessor found them. Five queries at most."""
    works = [each for each in _groupers(campaign, stage, [topic]) if each.assessor_id == person]
    groups = {
        number: items for _, found in groups_of(campaign, stage, works).values() for number, items in found.items()
    }
    names = current_labels(groups)
    return [(names.get(number, ""), items) for number, items in sorted(groups.items())]


def groupings_told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """Each side's classes with their answers; marked those that no other side has alike. Six queries at most."""
    del criterion
    people = {side.assessor_id for side in row.sides}
    works = {each.pk: each for each in _groupers(campaign, stage, [row.topic_id]) if each.assessor_id in people}
    sides = {
        works[pk].assessor_id: {number: [item for item, _ in members] for number, members in groups.items()}
        for pk, (_, groups) in groups_of(campaign, stage, works.values()).items()
    }
    texts = dict(_texts({item for groups in sides.values() for members in groups.values() for item in members}))
    names = current_labels(number for groups in sides.values() for number in groups)
    alike = {person: {frozenset(members) for members in groups.values()} for person, groups in sides.items()}
    found: dict[int, Told] = {}
    for person, groups in sides.items():
        others = set().union(*(sets for other, sets in alike.items() if other != person))
        lines = [
            Line(
                text=names.get(number, ""),
                mark=", ".join(dict.fromkeys(texts[item] for item in members if texts[item] != names.get(number))),
                is_alone=frozenset(members) not in others,
            )
            for number, members in sorted(groups.items())
        ]
        found[person] = Told(lines=lines)
    return found


def _texts(items: Iterable[int]) -> Iterable[tuple[int, str]]:
    return Item.objects.filter(pk__in=list(items)).values_list("pk", "text")
