"""Adjudicate marks on which people disagree: their opinions, and the adjudicator's decision."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.items.queries import current_pools
from assess.judging.queries.bench import label_of
from assess.judging.queries.stage_items import items_of, topic_of_item
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
from nuggets.matches.agreement_questions import match_questions
from nuggets.matches.current import all_marks, finished_reviews
from nuggets.matches.models import NuggetMatch
from nuggets.matches.record import MatchInput, record_match
from nuggets.options import Matching
from nuggets.writing import adjudicate as writing_disputed
from nuggets.writing.adjudicate import SECOND, as_criterion, at_work, is_at_one, nugget_of
from nuggets.writing.counting_lists import official_lists
from nuggets.writing.models import NuggetList

# Nuggets that several people looked for in the same strings. No query joins runs.

CHUNK = 5_000


@dataclass(frozen=True, slots=True)
class _OpinionInRole:
    """One person's opinion on a nugget in an item: its value, the person and their role, and the row of the ledger."""

    role: str
    assessor_id: int
    row: int
    value: int = 0


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the question whether a string contains a nugget. Return no question if each assessor marks
    their own list.
    """
    return [as_criterion(each) for each in match_questions(campaign) if each.stage == stage.key]


def opinions_on(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return item -> the opinions on it, for each nugget in a pooled string on which people disagree or once disagreed.
    Everyone who marked or finished the string has an opinion on each nugget that somebody marked in it.

    ``things`` may narrow the items. If several primary assessors have an opinion, only that of the one who looked at
    the string last counts. At most twelve queries.
    """
    if things is not None:
        items = Item.objects.filter(pk__in=first_ids(things), topic__in=list(topics))
        topics = set(items.order_by().values_list("topic_id", flat=True))
    lists = list(official_lists(topics).values())
    heard = _highest_marks(lists, full=criterion.grades[0].value, things=things)
    if not heard:
        return {}
    pooled = _pooled(campaign, stage, topics)
    live = at_work(campaign, stage, topics)
    looked = _finishers(lists)
    found = {}
    for thing, given in heard.items():
        if thing.item_id in pooled:
            seen = looked.get(thing.item_id, {})
            made = _opinions(thing, {**seen, **given}, seen, live)
            if not is_at_one(made):
                found[thing] = made
    return found


def _highest_marks(
    lists: Sequence[NuggetList], *, full: int, things: Narrow
) -> dict[AdjudicableItem, dict[int, _OpinionInRole]]:
    """Return item -> user id -> that person's highest mark of the nugget in the string. Users are those who began a
    chain of hand-overs.
    """
    heard: dict[AdjudicableItem, dict[int, _OpinionInRole]] = {}
    for mark in all_marks(lists):
        thing = AdjudicableItem(topic_id=mark.topic_id, item_id=mark.item_id, number=mark.number)
        if mark.role == Assignment.Role.MACHINE or (things is not None and thing.name not in things):
            continue
        value = {FULL: full, ABSENT: 0}.get(NuggetMatch.Value(mark.value), 1)
        given = heard.setdefault(thing, {})
        before = given.get(mark.begun_by)
        if before is None or value >= before.value:
            given[mark.begun_by] = _OpinionInRole(mark.role, mark.assessor_id, mark.row, value)
    return heard


def _finishers(lists: Sequence[NuggetList]) -> dict[int, dict[int, _OpinionInRole]]:
    """Return item's id -> user's id -> opinion, for the people who finished the item. The user is the one who began the
    chain of hand-overs.

    The opinion stands for all nuggets that the person did not mark in the item: they are absent.
    """
    found: dict[int, dict[int, _OpinionInRole]] = {}
    for review in finished_reviews(lists):
        if review.role != Assignment.Role.MACHINE:
            opinion = _OpinionInRole(review.role, review.assessor_id, review.row)
            found.setdefault(review.item_id, {})[review.begun_by] = opinion
    return found


def _opinions(
    thing: AdjudicableItem,
    given: Mapping[int, _OpinionInRole],
    looked: Mapping[int, _OpinionInRole],
    live: Collection[tuple[int, int]],
) -> Opinions:
    """Return the opinions on one nugget in an item, in the order in which people last looked at the item."""

    def last(person: int) -> int:
        return max(given[person].row, looked[person].row if person in looked else 0)

    made = Opinions()
    for opinion in (given[person] for person in sorted(given, key=last)):
        side = Opinion(row=opinion.row, value=opinion.value, assessor_id=opinion.assessor_id)
        made.add(opinion.role, side, is_live=(thing.topic_id, opinion.assessor_id) in live)
    return made


def _pooled(campaign: Campaign, stage: Stage, topics: Collection[int]) -> set[int]:
    pools = current_pools(campaign)
    items = Item.objects.filter(topic__in=list(topics), kind=stage.item_kind, pool_items__pool__in=pools)
    return set(items.order_by().values_list("pk", flat=True).iterator(CHUNK))


def count_opinions(campaign: Campaign, stage: Stage, limit: int) -> int:
    """Return the number of marks that second assessors made in a stage, or ``limit`` if there are more. One query."""
    rows = NuggetMatch.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.filter(assignment__role=SECOND).order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """Return a label for each of these rows: the number of the nugget, and a name for the string. One query."""
    del campaign, stage
    items = items_of(rows)
    return {
        row.name: Label(
            label=gettext("nugget %(thing)s · %(label_of)s")
            % {"thing": row.thing.number, "label_of": label_of(items[row.thing.item_id or 0])},
            docno=items[row.thing.item_id or 0].docno,
        )
        for row in rows
    }


def reasonings(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Reasoning]:
    """Return user id -> reasoning with the words that the person selected in the string. One query.

    There are no words if the person did not find the nugget, or selected none.
    """
    del campaign, stage, criterion
    marks = NuggetMatch.objects.filter(pk__in=[side.row for side in row.sides], item=row.thing.item_id or 0)
    quotes = dict(marks.values_list("pk", "quote"))
    return {
        side.assessor_id: Reasoning(quotes=[quotes[side.row]] if quotes.get(side.row) and side.value else [])
        for side in row.sides
    }


# How marks are adjudicated: by rows of the same ledger under the adjudicator's assignment.

FULL, PARTIAL, ABSENT = NuggetMatch.Value.FULL, NuggetMatch.Value.PARTIAL, NuggetMatch.Value.ABSENT


def record_mark(
    actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision
) -> NuggetMatch:
    """Record the adjudicator's decision as a mark of the nugget in the string. The mark quotes the words that an
    assessor with the same opinion selected.

    The decision "no" is recorded as a mark as well. If a decision is taken back, its mark is withdrawn, so that the
    primary assessor's mark counts again.
    """
    earlier = NuggetMatch.objects.filter(client_key=decision.client_key).first()
    nugget = nugget_of(row)
    item = Item.objects.get(pk=row.thing.item_id or 0)
    value = _mark_of(stage, decision.value)
    quote = _quote(row, decision) if value in (FULL, PARTIAL) else ""
    mark = MatchInput(
        nugget=nugget, item=item, client_key=decision.client_key, value=value, quote=quote, how=decision.how
    )
    if earlier is not None:
        return record_match(actor=actor, assignment=assignment, match=replace(mark, quote=earlier.quote))
    return record_match(actor=actor, assignment=assignment, match=mark)


def _mark_of(stage: Stage, value: int | None) -> str | None:
    """Return a decided value as the ledger of marks stores it: `ABSENT` for 0, and None if a decision is taken back."""
    if not value:
        return None if value is None else ABSENT
    return PARTIAL if stage.options(Matching).partial and value == 1 else FULL


def _quote(row: Disagreement, decision: Decision) -> str:
    """Return the words that were selected by the first assessor whose opinion has the decided value, or ""."""
    agreeing = [side.row for side in row.sides if side.value == decision.value]
    marks = NuggetMatch.objects.filter(pk__in=agreeing, item=row.thing.item_id or 0).exclude(quote="")
    return marks.order_by("id").values_list("quote", flat=True).first() or ""


MARKS = Adjudication(
    criteria=criteria,
    opinions=opinions_on,
    labels=labels,
    reasonings=reasonings,
    record=record_mark,
    count_opinions=count_opinions,
    topic_of=topic_of_item,
    about=writing_disputed.about,
)
