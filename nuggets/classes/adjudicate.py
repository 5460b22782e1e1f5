"""Adjudicate groupings: an opinion is a whole grouping, and the adjudicator's own is a copy of one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext_noop

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.judging.snapshots import Snapshot
from assess.kinds.opinions import (
    AdjudicableItem,
    Adjudication,
    Decision,
    Disagreement,
    Narrow,
    Opinion,
    OpinionLine,
    Opinions,
    Reasoning,
    digest_of,
    first_ids,
)
from assess.kinds.picks import adjudicate as picks_opinions
from assess.protocol import Criterion, Stage
from nuggets.classes.current import correct_items, current_labels, members_of, newest_places
from nuggets.classes.edits import Change, make_class_edit
from nuggets.classes.models import ClassEdit
from nuggets.classes.record import new_class
from nuggets.options import ItemGrouping
from nuggets.writing.adjudicate import ROLES, _side, _texts
from nuggets.writing.counting_lists import ADJUDICATOR

GROUPING = Criterion(key="grouping", question="Which grouping counts?")


def grouping_criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the only question that is adjudicated, which grouping counts; none for stages without groupings."""
    del campaign
    return [GROUPING] if isinstance(stage.work, ItemGrouping) else []


def groupings_said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return topic -> the opinions on it: one for each finished grouping, and each adjudicator's.

    An adjudicator's grouping counts before it is finished. ``things`` may narrow the topics further. Three queries, or
    four if an assignment was handed over.
    """
    del criterion
    wanted = set(topics) & first_ids(things) if things is not None else topics
    works = {each.pk: each for each in _groupers(campaign, stage, wanted)}
    found: dict[AdjudicableItem, Opinions] = {}
    grouped = groups_of(campaign, stage, works.values())
    for pk, (row, groups) in sorted(grouped.items(), key=lambda pair: pair[1][0]):
        work = works[pk]
        value = digest_of(sorted(sorted(item for item, _ in members) for members in groups.values()))
        side = Opinion(row=row, value=value, assessor_id=work.assessor_id)
        found.setdefault(AdjudicableItem(topic_id=work.topic_id), Opinions()).add(work.role, side)
    return found


def _groupers(campaign: Campaign, stage: Stage, topics: Collection[int]) -> list[Assignment]:
    held = campaign.assignments.filter(stage=stage.key, topic__in=list(topics), role__in=ROLES)
    done = Assignment.State.DONE
    return [each for each in held.order_by("pk") if each.role == ADJUDICATOR or each.state == done]


def groups_of(
    campaign: Campaign, stage: Stage, works: Iterable[Assignment]
) -> dict[int, tuple[int, dict[int, list[tuple[int, bool]]]]]:
    """Return assignment id -> (newest row of its grouping, class id -> members). A member is (id of a correct item,
    whether the assessor found it). Assignments without members are left out.

    If an assignment was handed over, its grouping continues that of its predecessor: an item is in the class that its
    newest row names. Two queries, or three if an assignment was handed over.
    """
    held = list(works)
    if not held or not isinstance(stage.work, ItemGrouping):
        return {}
    topics = {each.topic_id for each in held}
    correct = set(correct_items(Snapshot(campaign), grade=stage.work.grade, topics=topics).values_list("pk", flat=True))
    found: dict[int, tuple[int, dict[int, list[tuple[int, bool]]]]] = {}
    for (heir, item), (pk, placed, is_found) in sorted(newest_places(held).items(), key=lambda pair: pair[1][0]):
        if placed is not None and item in correct:
            _, groups = found.get(heir, (0, {}))
            groups.setdefault(placed, []).append((item, is_found))
            found[heir] = (pk, groups)
    return found


def grouping_of_side(
    campaign: Campaign, stage: Stage, topic: int, person: int
) -> list[tuple[str, list[tuple[int, bool]]]]:
    """Return the classes of one person's grouping, each as (label, members). A member is (item id, whether the assessor
    found it).

    At most five queries.
    """
    works = [each for each in _groupers(campaign, stage, [topic]) if each.assessor_id == person]
    groups = {
        number: items for _, found in groups_of(campaign, stage, works).values() for number, items in found.items()
    }
    names = current_labels(groups)
    return [(names.get(number, ""), items) for number, items in sorted(groups.items())]


def groupings_told(
    campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement
) -> Mapping[int, Reasoning]:
    """Return each person's classes with their answers, by user id. A class is marked if nobody else has a class with
    exactly these answers. At most six queries.
    """
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
    found: dict[int, Reasoning] = {}
    for person, groups in sides.items():
        others = set().union(*(sets for other, sets in alike.items() if other != person))
        lines = [
            OpinionLine(
                text=names.get(number, ""),
                mark=", ".join(dict.fromkeys(texts[item] for item in members if texts[item] != names.get(number))),
                is_alone=frozenset(members) not in others,
            )
            for number, members in sorted(groups.items())
        ]
        found[person] = Reasoning(lines=lines)
    return found


# How groupings are adjudicated: the adjudicator's own copies one of the others, through the ledgers.


def take_grouping(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> ClassEdit:
    """Copy the chosen grouping's classes, labels and answers as the adjudicator's own, in place of what they had.

    Answers that are no longer judged correct are not copied. A decision of None leaves the adjudicator without a
    grouping. Refuses what `make_class_edit` refuses.
    """
    side = None if decision.value is None else _side(row, decision)

    def plan(stage: Stage) -> Change:
        change = Change(places={each.item_id: (None, False) for each in members_of(assignment)})
        if side is not None:
            found = grouping_of_side(assignment.campaign, stage, row.topic_id, side.assessor_id)
            for label, items in found:
                made = new_class(assignment)
                change.labels[made.pk] = label
                change.places.update({item: (made.pk, is_found) for item, is_found in items})
        return change

    return make_class_edit(
        actor=actor,
        assignment=assignment,
        action="take",
        asked={"value": decision.value},
        client_key=decision.client_key,
        how=decision.how,
        plan=plan,
    )


GROUPINGS = Adjudication(
    criteria=grouping_criteria,
    opinions=groupings_said,
    labels=picks_opinions.labels,
    reasonings=groupings_told,
    record=take_grouping,
    count_opinions=picks_opinions.count_opinions,
    is_whole=True,
    taking=gettext_noop("The grouping that you take counts, with its labels and the answers that are judged correct."),
)
