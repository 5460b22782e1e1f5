"""Nugget lists by several people: an opinion is a whole list. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chains_of
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.kinds.opinions import Disagreement, Line, Narrow, Side, Thing, Told, Words, digest_of, firsts
from assess.protocol import Criterion, Stage
from nuggets.writing.counting_lists import ADJUDICATOR, PRIMARY, active_nuggets, frozen_lists
from nuggets.writing.models import Nugget, NuggetList

SECOND = Assignment.Role.SECOND


ROLES = (PRIMARY, SECOND, ADJUDICATOR)


LIST = Criterion(key="list", question="Which list counts?")


def list_criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Which list."""
    del campaign, stage
    return [LIST]


def lists_said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """Every topic's newest frozen lists, one of each piece of work, whoever had it. Three queries."""
    del criterion
    topics = set(topics) & firsts(things) if things is not None else topics
    chains = chains_of(campaign.assignments.filter(stage=stage.key, topic__in=list(topics)))
    lists = sorted(_lists(stage, topics), key=lambda made: made.frozen_point or 0)
    newest = {(made.topic_id, made.assignment.role, chains[made.assignment_id].begun_by): made for made in lists}
    nuggets = active_nuggets(newest.values())
    found: dict[Thing, Words] = {}
    for each in sorted(newest.values(), key=lambda made: made.frozen_point or 0):
        side = Side(row=each.frozen_point or 0, value=list_value(nuggets[each.pk]), assessor_id=each.owner_id)
        words = found.setdefault(Thing(topic_id=each.topic_id), Words())
        words.hear(each.assignment.role, side, is_live=chains[each.assignment_id].is_live)
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


def _texts(items: Iterable[int]) -> Iterable[tuple[int, str]]:
    return Item.objects.filter(pk__in=list(items)).values_list("pk", "text")
