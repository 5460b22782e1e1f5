"""Adjudicate votes on which people disagree: their opinions, and the adjudicator's vote."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.kinds.opinions import (
    AdjudicableItem,
    Adjudication,
    Decision,
    Disagreement,
    Label,
    Narrow,
    Opinion,
    Opinions,
    Reasoning,
    first_ids,
)
from assess.protocol import Criterion, Stage
from nuggets.votes.agreement_questions import vote_questions
from nuggets.votes.current import current_votes
from nuggets.votes.models import NuggetVote
from nuggets.votes.record import record_vote
from nuggets.writing import adjudicate as writing_disputed
from nuggets.writing.adjudicate import as_criterion, at_work, disputed_nuggets, is_at_one, list_value, nugget_of
from nuggets.writing.counting_lists import ADJUDICATOR, PRIMARY, active_nuggets, official_lists
from nuggets.writing.models import Nugget, NuggetList

# Nuggets on which several people voted.

VALUES = {"vital": 1, "okay": 0}
NAMES = {value: name for name, value in VALUES.items()}


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the only question that is adjudicated: whether a nugget is vital."""
    return [as_criterion(each) for each in vote_questions(campaign) if each.stage == stage.key]


def opinions_on(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return item -> everybody's votes on it, for each nugget of the lists that count on which people disagree or once
    disagreed. ``things`` may narrow them. Eight to ten queries.
    """
    del criterion
    if things is not None:
        topics = set(topics) & first_ids(things)
    lists = official_lists(topics)
    votes = current_votes(lists.values(), machines=False)
    roles = dict(Assignment.objects.filter(pk__in={vote.assignment_id for vote in votes}).values_list("pk", "role"))
    live = at_work(campaign, stage, topics)
    active = active_nuggets(lists.values())
    authors = _authors(lists, active)
    found = _written(lists, active, authors)
    for vote in sorted(votes, key=lambda vote: vote.row):
        thing = AdjudicableItem(topic_id=vote.topic_id, number=vote.number)
        if thing in found:
            role = roles[vote.assignment_id]
            is_live = role != Assignment.Role.SECOND or (vote.topic_id, vote.assessor_id) in live
            if role != ADJUDICATOR:  # the list's owner votes as its author, all others as second assessors
                role = PRIMARY if vote.assessor_id == authors[vote.topic_id] else Assignment.Role.SECOND
            side = Opinion(row=vote.row, value=VALUES[vote.importance], assessor_id=vote.assessor_id)
            found[thing].add(role, side, is_live=is_live)
    return {thing: words for thing, words in found.items() if not is_at_one(words)}


def _authors(lists: Mapping[int, NuggetList], active: Mapping[int, Sequence[Nugget]]) -> dict[int, int]:
    """Return topic id -> the author of the list that counts. If an adjudicator's list is an unchanged copy of another
    list, the author is the owner of that other list.

    Two queries if any of the lists is an adjudicator's, otherwise none.
    """
    authors = {topic: each.owner_id for topic, each in lists.items()}
    settled = {topic for topic, each in lists.items() if each.assignment.role == ADJUDICATOR}
    if not settled:
        return authors
    frozen = NuggetList.objects.filter(topic__in=settled, frozen_point__isnull=False)
    written = list(frozen.exclude(assignment__role=ADJUDICATOR).order_by("-frozen_point"))
    nuggets = active_nuggets(written)
    for each in written:
        if list_value(nuggets[each.pk]) == list_value(active[lists[each.topic_id].pk]):
            authors[each.topic_id] = each.owner_id
    return authors


def _written(
    lists: Mapping[int, NuggetList], active: Mapping[int, Sequence[Nugget]], authors: Mapping[int, int]
) -> dict[AdjudicableItem, Opinions]:
    """Return, for each nugget, the importance that the list's author gave it, as the primary assessor's opinion."""
    return {
        AdjudicableItem(topic_id=topic, number=nugget.number): Opinions(
            primary=Opinion(row=0, value=VALUES[nugget.importance], assessor_id=authors[topic])
        )
        for topic, each in lists.items()
        for nugget in active[each.pk]
    }


def count_opinions(campaign: Campaign, stage: Stage, limit: int) -> int:
    """Return the number of votes cast in a stage, or ``limit`` if there are more. One query."""
    rows = NuggetVote.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """Return a label with the nugget for each of these rows. Two queries."""
    del campaign, stage
    nuggets = disputed_nuggets(rows)
    found = {}
    for row in rows:
        nugget = nuggets.get((row.topic_id, row.thing.number))
        found[row.name] = Label(label=f"{row.thing.number} {nugget.text if nugget is not None else ''}")
    return found


def reasonings(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Reasoning]:
    """Return an empty reasoning for each person, since a vote is recorded without reasons."""
    del campaign, stage, criterion
    return {side.assessor_id: Reasoning() for side in row.sides}


# How votes are adjudicated: by rows of the same ledger under the adjudicator's assignment.


def record_importance(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> NuggetVote:
    """Record the adjudicator's vote on a nugget; a decision of None takes it back. It replaces the nugget's importance,
    and also counts as one of the votes. Refuses what `add_vote` refuses.
    """
    del stage
    return record_vote(
        actor=actor,
        assignment=assignment,
        nugget=nugget_of(row),
        importance=NAMES[decision.value] if decision.value is not None else None,
        client_key=decision.client_key,
        how=decision.how,
    )


VOTES = Adjudication(
    criteria=criteria,
    opinions=opinions_on,
    labels=labels,
    reasonings=reasonings,
    record=record_importance,
    count_opinions=count_opinions,
    about=writing_disputed.about,
    is_choice=True,
)
