"""Adjudicate nugget lists: an opinion is a whole list, and the adjudicator's own list is a copy of one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, gettext_noop

from assess.assignments.domain.held_work import require_open_for_writing
from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import chains_of
from assess.base.errors import Conflict, Invalid
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.items.models import Item
from assess.kinds.agreement_questions import Question
from assess.kinds.opinions import (
    AdjudicableItem,
    Adjudication,
    Decision,
    Disagreement,
    Narrow,
    NuggetFacts,
    Opinion,
    OpinionLine,
    Opinions,
    Reasoning,
    digest_of,
    first_ids,
)
from assess.kinds.picks import adjudicate as picks_opinions
from assess.ledger.adding import add_once
from assess.protocol import Criterion, Grade, Stage
from nuggets.options import NuggetWriting
from nuggets.writing.counting_lists import (
    ADJUDICATOR,
    NOT_COUNTING,
    PRIMARY,
    active_nuggets,
    frozen_lists,
    latest_list,
    official_lists,
)
from nuggets.writing.edits import WORK, lock_assignment
from nuggets.writing.lists import copy_nuggets, freeze_list
from nuggets.writing.models import Nugget, NuggetEdit, NuggetList, NuggetSource

SECOND = Assignment.Role.SECOND


ROLES = (PRIMARY, SECOND, ADJUDICATOR)


LIST = Criterion(key="list", question="Which list counts?")


def list_criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """Return the only question that is adjudicated: which list counts."""
    del campaign, stage
    return [LIST]


def lists_said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[AdjudicableItem, Opinions]:
    """Return topic -> the opinions on it: one for the newest frozen list of each person.

    A chain of hand-overs counts as one person. ``things`` may narrow the topics further. Three queries.
    """
    del criterion
    topics = set(topics) & first_ids(things) if things is not None else topics
    chains = chains_of(campaign.assignments.filter(stage=stage.key, topic__in=list(topics)))
    lists = sorted(_lists(stage, topics), key=lambda made: made.frozen_point or 0)
    newest = {(made.topic_id, made.assignment.role, chains[made.assignment_id].begun_by): made for made in lists}
    nuggets = active_nuggets(newest.values())
    found: dict[AdjudicableItem, Opinions] = {}
    for each in sorted(newest.values(), key=lambda made: made.frozen_point or 0):
        side = Opinion(row=each.frozen_point or 0, value=list_value(nuggets[each.pk]), assessor_id=each.owner_id)
        words = found.setdefault(AdjudicableItem(topic_id=each.topic_id), Opinions())
        words.add(each.assignment.role, side, is_live=chains[each.assignment_id].is_live)
    return found


def list_value(nuggets: Iterable[Nugget]) -> int:
    """Return a number that is the same for lists with the same nuggets, in any order."""
    return digest_of(sorted((each.text, each.importance, each.group) for each in nuggets))


def _lists(stage: Stage, topics: Collection[int]) -> list[NuggetList]:
    return [
        made for made in frozen_lists(topics) if made.assignment.stage == stage.key and made.assignment.role in ROLES
    ]


def list_of_side(stage: Stage, topic: int, person: int) -> NuggetList | None:
    """Return the newest frozen list that this person wrote for the topic, or None. One query."""
    return next((made for made in _lists(stage, [topic]) if made.owner_id == person), None)


def compare_lists(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Reasoning]:
    """Return user's id -> the nuggets of this person's list, in the list's order. A nugget is marked if no other
    person's list has a nugget with the same words. Two queries.
    """
    del campaign, criterion
    owners = {side.assessor_id for side in row.sides}
    lists = {made.owner_id: made for made in _lists(stage, [row.topic_id]) if made.owner_id in owners}
    nuggets = active_nuggets(lists.values())
    texts = {owner: {each.text.casefold() for each in nuggets[made.pk]} for owner, made in lists.items()}
    found = {}
    weighs = stage.options(NuggetWriting).asks_importance
    for owner, made in lists.items():
        others = set().union(*(words for other, words in texts.items() if other != owner))
        lines = [
            OpinionLine(
                text=each.text,
                mark=" · ".join(filter(None, (each.importance if weighs else "", each.group))),
                is_alone=each.text.casefold() not in others,
            )
            for each in nuggets[made.pk]
        ]
        found[owner] = Reasoning(lines=lines)
    return found


def _texts(items: Iterable[int]) -> Iterable[tuple[int, str]]:
    return Item.objects.filter(pk__in=list(items)).values_list("pk", "text")


# Nuggets on which people disagree, in strings or by votes. No query joins runs.

MOST_SOURCES = 5


def as_criterion(question: Question) -> Criterion:
    """Return the criterion with which a question of agreement is adjudicated. Its grades have the keys 1, 2, … from the
    highest value down.
    """
    grades = tuple(
        Grade(value=int(value), key=str(place), name=name)
        for place, (value, name) in enumerate(sorted(question.scale, reverse=True), start=1)
    )
    return Criterion(key=question.criterion, question=question.asked, grades=grades, level=question.level)


def is_at_one(words: Opinions) -> bool:
    """Return whether there are fewer than two different opinions, an adjudicator's decision included."""
    values = {side.value for side, _ in words.seconds.values()}
    values |= {words.primary.value} if words.primary is not None else set()
    values |= {words.decided[0]} if words.decided is not None else set()
    return len(values) < 2


def at_work(campaign: Campaign, stage: Stage, topics: Collection[int]) -> set[tuple[int, int]]:
    """Return (topic id, user id) of each second assessor whose opinion still counts. One query.

    It counts unless the assignment was returned and nobody else took it over.
    """
    held = list(campaign.assignments.filter(stage=stage.key, role=SECOND, topic__in=list(topics)))
    chains = chains_of(held)
    return {(each.topic_id, each.assessor_id) for each in held if chains[each.pk].is_live}


def about(rows: Sequence[Disagreement]) -> dict[str, NuggetFacts]:
    """Return row's name -> the number, the text and up to `MOST_SOURCES` quotes of its nugget on the list that counts.

    Rows whose nugget is not active on that list are left out. Three queries.
    """
    nuggets = disputed_nuggets(rows)
    quotes: dict[int, dict[str, None]] = {nugget.pk: {} for nugget in nuggets.values()}
    sources = NuggetSource.objects.filter(nugget__in=quotes).exclude(quote="").order_by("id")
    for pk, quote in sources.values_list("nugget_id", "quote"):
        quotes[pk][quote] = None
    found = {row.name: nuggets.get((row.topic_id, row.thing.number)) for row in rows}
    return {
        name: NuggetFacts(number=nugget.number, text=nugget.text, sources=list(quotes[nugget.pk])[:MOST_SOURCES])
        for name, nugget in found.items()
        if nugget is not None
    }


def disputed_nuggets(rows: Sequence[Disagreement]) -> dict[tuple[int, int | None], Nugget]:
    """Return (topic's id, number) -> nugget, for the nuggets of these rows that are on the list that counts. Two
    queries.
    """
    lists = official_lists({row.topic_id for row in rows})
    wanted = {(row.topic_id, row.thing.number) for row in rows}
    active = active_nuggets(lists.values())
    known = {(topic, nugget.number): nugget for topic, made in lists.items() for nugget in active[made.pk]}
    return {place: nugget for place, nugget in known.items() if place in wanted}


# How lists are adjudicated: the adjudicator's own list copies one of the others, through the ledger of edits.


def take_list(actor: User, assignment: Assignment, stage: Stage, row: Disagreement, decision: Decision) -> NuggetEdit:
    """Copy the chosen list as the adjudicator's own list and freeze it; from then on it counts. Return the edit that
    froze it.

    Marks and votes on unchanged nuggets carry over. The same key with the same list returns the same row. Refuses to
    withdraw the choice, since a frozen list stays; a key that was used for another list; a list that is not there any
    more; a choice while the adjudicator has a list of their own that is not frozen; and an assignment that is not open.
    """
    if decision.value is None:
        raise Invalid(
            gettext(
                "The list that you took is frozen and counts, so taking it can't be undone. To decide otherwise, take "
                "the other list, or write and freeze one of your own."
            )
        )

    def add() -> NuggetEdit:
        source = list_of_side(stage, row.topic_id, _side(row, decision).assessor_id)
        if source is None:
            raise Conflict(gettext("This list is not there any more. Reload the list of disagreements."))
        require_open_for_writing(actor=actor, assignment=assignment)
        made = _copy_of(source, actor=actor, assignment=assignment)
        freeze_list(actor=actor, nugget_list=made, client_key=decision.client_key, without_vital=True)
        return NuggetEdit.objects.get(client_key=decision.client_key)

    def same(earlier: NuggetEdit) -> bool:
        made = earlier.nugget_list
        is_own = (earlier.action, earlier.actor_id, made.topic_id) == ("freeze", actor.pk, row.topic_id)
        return is_own and list_value(active_nuggets([made])[made.pk]) == decision.value

    with transaction.atomic():
        lock_assignment(assignment, WORK)
        return add_once(
            add=add,
            earlier=NuggetEdit.objects.filter(client_key=decision.client_key).first,
            same=same,
        )


def _copy_of(source: NuggetList, *, actor: User, assignment: Assignment) -> NuggetList:
    before = latest_list(assignment)
    if before is not None and not before.is_frozen:
        raise Conflict(
            gettext("You have begun a list of your own here. Freeze it on its bench, or go on with it there.")
        )
    made = NuggetList.objects.create(
        topic_id=source.topic_id,
        owner=actor,
        assignment=assignment,
        version=before.version + 1 if before is not None else 1,
        previous=before,
        last_number=max(source.last_number, before.last_number if before is not None else 0),
    )
    copy_nuggets(source=source, target=made)
    data = {"topic": assignment.topic.number, "version": made.version}
    record_activity(actor=actor, action="list.revise", campaign=assignment.campaign, about=made, data=data)
    return made


def _side(row: Disagreement, decision: Decision) -> Opinion:
    """Return the opinion that has the decided value. The caller has checked that there is one."""
    return next(side for side in row.sides if side.value == decision.value)


LISTS = Adjudication(
    criteria=list_criteria,
    opinions=lists_said,
    labels=picks_opinions.labels,
    reasonings=compare_lists,
    record=take_list,
    count_opinions=picks_opinions.count_opinions,
    is_whole=True,
    is_choice=True,
    can_go_back=False,
    taking=gettext_noop(
        "The list that you take counts at once, frozen; marks and votes on nuggets that it "
        "shares with the one that counted before stay. It can't be undone, but you can take "
        "another."
    ),
)


def nugget_of(row: Disagreement) -> Nugget:
    found = disputed_nuggets([row]).get((row.topic_id, row.thing.number))
    if found is None:
        raise Conflict(NOT_COUNTING)
    return found
