"""Nuggets on whose importance several people voted: the sides of disagreements. No join of runs.

The author of the list is a side by the importance that they wrote, unless they cast another vote.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from assess.models import Assignment, Campaign
from assess.protocol import Criterion, Stage
from assess.settling import Disagreement, Label, Narrow, Side, Thing, Told, Words, firsts
from nuggets.models import NuggetList, NuggetVote
from nuggets.queries.judge_values import vote_questions
from nuggets.queries.lists import ADJUDICATOR, active_nuggets, official_lists
from nuggets.queries.settled_marks import as_criterion, at_work, disputed_nuggets, is_at_one
from nuggets.queries.votes import Vote, current_votes

VALUES = {"vital": 1, "okay": 0}


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Whether a nugget is vital."""
    return [as_criterion(each) for each in vote_questions(campaign) if each.stage == stage.key]


def said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """Every nugget of the lists that count, with everybody's vote, where they differ. Eight queries."""
    del criterion
    if things is not None:
        topics = set(topics) & firsts(things)
    lists = official_lists(topics)
    votes = current_votes(lists.values(), machines=False)
    roles = dict(Assignment.objects.filter(pk__in={vote.assignment_id for vote in votes}).values_list("pk", "role"))
    live = at_work(campaign, stage, topics)
    found = _written(lists)
    for vote in sorted(votes, key=lambda vote: vote.row):
        thing = Thing(topic_id=vote.topic_id, number=vote.number)
        if thing in found:
            _hear(found[thing], vote, roles[vote.assignment_id], lists[vote.topic_id].owner_id, live)
    return {thing: words for thing, words in found.items() if not is_at_one(words)}


def _written(lists: Mapping[int, NuggetList]) -> dict[Thing, Words]:
    """What the authors wrote."""
    active = active_nuggets(lists.values())
    return {
        Thing(topic_id=topic, number=nugget.number): Words(
            primary=Side(row=0, value=VALUES[nugget.importance], assessor_id=each.owner_id)
        )
        for topic, each in lists.items()
        for nugget in active[each.pk]
    }


def _hear(words: Words, vote: Vote, role: str, author: int, live: Collection[tuple[int, int]]) -> None:
    side = Side(row=vote.row, value=VALUES[vote.importance], assessor_id=vote.assessor_id)
    if role == ADJUDICATOR:
        words.decided = (side.value, "")
    elif vote.assessor_id == author:
        words.primary = side
    else:
        is_live = role != Assignment.Role.SECOND or (vote.topic_id, vote.assessor_id) in live
        words.seconds[vote.assessor_id] = (side, is_live)


def spoken(campaign: Campaign, stage: Stage, limit: int) -> int:
    """How many votes were cast in a stage, counted up to a limit. One query."""
    rows = NuggetVote.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """The nuggets of these rows. Two queries."""
    del campaign, stage
    topics = {row.name: (row.topic_id, row.thing.number or 0) for row in rows}
    lists = {nugget_list.pk: topic for topic, nugget_list in official_lists({row.topic_id for row in rows}).items()}
    texts = {(lists[each.nugget_list_id], each.number): each.text for each in disputed_nuggets(rows)}
    return {name: Label(label=f"{place[1]} {texts.get(place, '')}") for name, place in topics.items()}


def told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """Votes come with nothing beside them."""
    del campaign, stage, criterion
    return {side.assessor_id: Told() for side in row.sides}
