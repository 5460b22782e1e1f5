"""Nuggets about which several people do not agree, in strings or by votes. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chains_of
from assess.campaigns.models import Campaign
from assess.kinds.opinions import About, Disagreement, Words
from assess.kinds.questions import Question
from assess.protocol import Criterion, Grade, Stage
from nuggets.writing.counting_lists import active_nuggets, official_lists
from nuggets.writing.models import Nugget, NuggetSource

SECOND = Assignment.Role.SECOND


MOST_SOURCES = 5


def as_criterion(question: Question) -> Criterion:
    """A question on which judges are compared, as it is decided: the highest value has the first key."""
    grades = tuple(
        Grade(value=int(value), key=str(place), name=name)
        for place, (value, name) in enumerate(sorted(question.scale, reverse=True), start=1)
    )
    return Criterion(key=question.criterion, question=question.asked, grades=grades, level=question.level)


def is_at_one(words: Words) -> bool:
    """Whether all say the same, the adjudicator as well where one spoke."""
    values = {side.value for side, _ in words.seconds.values()}
    values |= {words.primary.value} if words.primary is not None else set()
    values |= {words.decided[0]} if words.decided is not None else set()
    return len(values) < 2


def at_work(campaign: Campaign, stage: Stage, topics: Collection[int]) -> set[tuple[int, int]]:
    """(topic, person) of second assessors who did not give their work back, unless for somebody to go on. One query."""
    held = list(campaign.assignments.filter(stage=stage.key, role=SECOND, topic__in=list(topics)))
    chains = chains_of(held)
    return {(each.topic_id, each.assessor_id) for each in held if chains[each.pk].is_live}


def about(campaign: Campaign, stage: Stage, row: Disagreement) -> About | None:
    """The nugget on the list that counts, with where it was seen. Three queries."""
    del campaign, stage
    found = disputed_nuggets([row]).get((row.topic_id, row.thing.number))
    if found is None:
        return None
    sources = NuggetSource.objects.filter(nugget=found).exclude(quote="").order_by("id").values_list("quote", flat=True)
    return About(number=found.number, text=found.text, sources=list(dict.fromkeys(sources))[:MOST_SOURCES])


def disputed_nuggets(rows: Sequence[Disagreement]) -> dict[tuple[int, int | None], Nugget]:
    """(topic id, number) -> the nugget of these rows, where it is on the list that counts. Two queries."""
    lists = official_lists({row.topic_id for row in rows})
    wanted = {(row.topic_id, row.thing.number) for row in rows}
    active = active_nuggets(lists.values())
    known = {(topic, nugget.number): nugget for topic, made in lists.items() for nugget in active[made.pk]}
    return {place: nugget for place, nugget in known.items() if place in wanted}
