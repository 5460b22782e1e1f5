"""Nuggets that several people looked for in the same strings: the sides of disagreements. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assess.judge_values import Question
from assess.models import Assignment, Campaign, Item
from assess.protocol import Criterion, Grade, Stage
from assess.queries.judging.graded_twice import items_of
from assess.queries.judging.workbench import label_of
from assess.queries.pools.membership import current_pools
from assess.queries.work.handed_over import lines_of, voices
from assess.settling import About, Disagreement, Label, Narrow, Side, Thing, Told, Words, firsts
from nuggets.models import Nugget, NuggetList, NuggetMatch, NuggetSource
from nuggets.queries.judge_values import match_questions
from nuggets.queries.lists import active_nuggets, official_lists
from nuggets.queries.matches import all_marks, finished_reviews

SECOND = Assignment.Role.SECOND
FULL, ABSENT = NuggetMatch.Value.FULL, NuggetMatch.Value.ABSENT
MOST_SOURCES = 5
CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class _Word:
    """What one voice says of a nugget in an item, in which role and by which row."""

    role: str
    assessor_id: int
    row: int
    value: int = 0


def as_criterion(question: Question) -> Criterion:
    """A question on which judges are compared, as it is decided: the highest value has the first key."""
    grades = tuple(
        Grade(value=int(value), key=str(place), name=name)
        for place, (value, name) in enumerate(sorted(question.scale, reverse=True), start=1)
    )
    return Criterion(key=question.criterion, question=question.asked, grades=grades, level=question.level)


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Whether a string contains a nugget; nothing where everybody marks a list of their own."""
    return [as_criterion(each) for each in match_questions(campaign) if each.stage == stage.key]


def said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """What was said of every nugget in a string that somebody marked, by all who finished the string or spoke of it.

    Of several authors the one is heard who looked at the string last. Twelve queries at most.
    """
    if things is not None:
        items = Item.objects.filter(pk__in=firsts(things), topic__in=list(topics))
        topics = set(items.order_by().values_list("topic_id", flat=True))
    lists = list(official_lists(topics).values())
    heard = _heard(lists, full=criterion.grades[0].value, things=things)
    if not heard:
        return {}
    pooled = _pooled(campaign, stage, topics)
    live = at_work(campaign, stage, topics)
    looked = _looked(lists)
    found = {}
    for thing, words in heard.items():
        if thing.item_id in pooled:
            seen = looked.get(thing.item_id, {})
            made = _words(thing, {**seen, **words}, seen, live)
            if not is_at_one(made):
                found[thing] = made
    return found


def _heard(lists: Sequence[NuggetList], *, full: int, things: Narrow) -> dict[Thing, dict[int, _Word]]:
    """What each voice marked, by nugget and item; of parts the most."""
    heard: dict[Thing, dict[int, _Word]] = {}
    for mark in all_marks(lists):
        thing = Thing(topic_id=mark.topic_id, item_id=mark.item_id, number=mark.number)
        if mark.role == Assignment.Role.MACHINE or (things is not None and thing.name not in things):
            continue
        value = {FULL: full, ABSENT: 0}.get(NuggetMatch.Value(mark.value), 1)
        words = heard.setdefault(thing, {})
        before = words.get(mark.voice)
        if before is None or value >= before.value:
            words[mark.voice] = _Word(mark.role, mark.assessor_id, mark.row, value)
    return heard


def _looked(lists: Sequence[NuggetList]) -> dict[int, dict[int, _Word]]:
    """Who finished each item, by item id and voice: nuggets that they did not mark are not there."""
    spoken = voices({each.topic_id for each in lists})
    found: dict[int, dict[int, _Word]] = {}
    for review in finished_reviews(lists):
        if review.assignment.role != Assignment.Role.MACHINE:
            voice = spoken.get(review.assignment_id, review.assessor_id)
            found.setdefault(review.item_id, {})[voice] = _Word(review.assignment.role, review.assessor_id, review.pk)
    return found


def _words(
    thing: Thing, words: Mapping[int, _Word], looked: Mapping[int, _Word], live: Collection[tuple[int, int]]
) -> Words:
    """What was said of one nugget in an item, by who spoke of the item last, last."""

    def last(voice: int) -> int:
        return max(words[voice].row, looked[voice].row if voice in looked else 0)

    made = Words()
    for word in (words[voice] for voice in sorted(words, key=last)):
        side = Side(row=word.row, value=word.value, assessor_id=word.assessor_id)
        made.hear(word.role, side, is_live=(thing.topic_id, word.assessor_id) in live)
    return made


def is_at_one(words: Words) -> bool:
    """Whether all say the same, the adjudicator as well where one spoke."""
    values = {side.value for side, _ in words.seconds.values()}
    values |= {words.primary.value} if words.primary is not None else set()
    values |= {words.decided[0]} if words.decided is not None else set()
    return len(values) < 2


def _pooled(campaign: Campaign, stage: Stage, topics: Collection[int]) -> set[int]:
    pools = current_pools(campaign)
    items = Item.objects.filter(topic__in=list(topics), kind=stage.item_kind, pool_items__pool__in=pools)
    return set(items.order_by().values_list("pk", flat=True).iterator(CHUNK))


def at_work(campaign: Campaign, stage: Stage, topics: Collection[int]) -> set[tuple[int, int]]:
    """(topic, person) of second assessors who did not give their work back, unless for somebody to go on. One query."""
    held = list(campaign.assignments.filter(stage=stage.key, role=SECOND, topic__in=list(topics)))
    lines = lines_of(held)
    return {(each.topic_id, each.assessor_id) for each in held if lines[each.pk].is_live}


def spoken(campaign: Campaign, stage: Stage, limit: int) -> int:
    """How many marks second assessors made in a stage, counted up to a limit. One query."""
    rows = NuggetMatch.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.filter(assignment__role=SECOND).order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """The strings of these rows, each after the number of its nugget. One query."""
    del campaign, stage
    items = items_of(rows)
    return {
        row.name: Label(
            label=f"nugget {row.thing.number} · {label_of(items[row.thing.item_id or 0])}",
            docno=items[row.thing.item_id or 0].docno,
        )
        for row in rows
    }


def told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """What each side selected in the string. One query."""
    del campaign, stage, criterion
    marks = NuggetMatch.objects.filter(pk__in=[side.row for side in row.sides], item=row.thing.item_id or 0)
    quotes = dict(marks.values_list("pk", "quote"))
    return {
        side.assessor_id: Told(quotes=[quotes[side.row]] if quotes.get(side.row) and side.value else [])
        for side in row.sides
    }


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
