"""The records of a campaign's exports, from the ledgers as they stood at a point.

Each function is a collector that tracks name by `Export.collect`, and streams. What counts is the official value: the
adjudicator's, else the author's. Questions to the organiser are not read here at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import Campaign, Item, Segment
from assess.protocol import Task
from assess.queries.exports.pseudonyms import pseudonyms
from assess.queries.pools.membership import current_pools
from assess.queries.runs.listing import accepted_runs
from nuggets.models import NuggetMatch
from nuggets.queries.classes import ClassView, class_stages, official_classes, official_values
from nuggets.queries.counting import as_importance, counting_lists, match_tasks, numbers_of
from nuggets.queries.lists import active_nuggets
from nuggets.queries.matches import official_marks
from nuggets.queries.votes import counting_importance, counting_votes
from scoring.own_items import run_of_key
from scoring.records import (
    AnswerClass,
    InstanceJudgment,
    ItemMatch,
    JudgedInstance,
    Nugget,
    NuggetVote,
    ResponseItem,
    RunMatch,
)

CHUNK = 2000


def instance_judgments(campaign: Campaign, as_of: int | None = None) -> Iterator[InstanceJudgment]:
    """Every instance with an official judgment, found answers included, with its answer class if it is in one."""
    for task, _, grade in class_stages(campaign):
        numbers = numbers_of(campaign, task)
        keys = class_keys(official_classes(campaign, topics=numbers, grade=grade, as_of=as_of))
        judged = official_values(campaign, criterion=grade[0], topics=numbers, as_of=as_of)
        fields = ("item__topic_id", "item_id", "item__docno", "item__text", "item__key", "value")
        for topic, item, docno, text, key, value in judged.values_list(*fields).order_by("item_id").iterator(CHUNK):
            yield InstanceJudgment(
                topic=numbers[topic],
                docno=docno,
                text=text,
                correctness=value,
                answer_class=keys.get(item, ""),
                key=key if run_of_key(key) else "",
            )


def answer_classes(campaign: Campaign, as_of: int | None = None) -> Iterator[AnswerClass]:
    """The final answer sets: each class that holds a correct instance."""
    for task, _, grade in class_stages(campaign):
        numbers = numbers_of(campaign, task)
        for view in official_classes(campaign, topics=numbers, grade=grade, as_of=as_of):
            found_by = "assessor" if view.is_found else ""
            yield AnswerClass(topic=numbers[view.topic_id], key=str(view.number), label=view.label, found_by=found_by)


def nuggets(campaign: Campaign, as_of: int | None = None) -> Iterator[Nugget]:
    """The active nuggets of the lists that count."""
    lists = counting_lists(campaign, as_of)
    active = active_nuggets(lists.values())
    said = counting_importance(lists.values(), as_of=as_of)
    for number, nugget_list in lists.items():
        for nugget in active[nugget_list.pk]:
            importance = said.get((nugget_list.topic_id, nugget.number), nugget.importance)
            yield Nugget(topic=number, number=nugget.number, importance=as_importance(importance), text=nugget.text)


def votes(campaign: Campaign, as_of: int | None = None) -> Iterator[NuggetVote]:
    """All votes that count, the authors' own importance included; assessors by pseudonym."""
    names = pseudonyms(campaign)
    lists = counting_lists(campaign, as_of)
    numbers = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    for vote in counting_votes(lists.values(), as_of=as_of):
        yield NuggetVote(
            topic=numbers[vote.topic_id],
            number=vote.number,
            assessor=names[vote.assessor_id],
            importance=as_importance(vote.importance),
        )


def item_matches(campaign: Campaign, as_of: int | None = None) -> Iterator[ItemMatch]:
    """The nuggets that items contain in full."""
    lists = counting_lists(campaign, as_of)
    numbers = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    marks = [mark for mark in official_marks(lists.values(), as_of=as_of) if mark.value == NuggetMatch.Value.FULL]
    items = Item.objects.filter(topic__in=list(numbers)).values_list("pk", "docno", "text", "key")
    texts = {pk: (docno, text, key if run_of_key(key) else "") for pk, docno, text, key in items.iterator(CHUNK)}
    for mark in marks:
        docno, text, key = texts[mark.item_id]
        topic = numbers[mark.topic_id]
        yield ItemMatch(topic=topic, docno=docno, text=text, number=mark.number, part=mark.part, key=key)


def list_judged(campaign: Campaign, as_of: int | None = None) -> Iterator[JudgedInstance]:
    """The judged instances of every accepted run. Of each class a run's first instance is the distinct one."""
    for task, _, grade in class_stages(campaign):
        numbers = numbers_of(campaign, task)
        keys = class_keys(official_classes(campaign, topics=numbers, grade=grade, as_of=as_of))
        judged = official_values(campaign, criterion=grade[0], topics=numbers, as_of=as_of)
        values = {item: value for item, value in judged.values_list("item_id", "value") if value is not None}
        counted: set[tuple[str, int, str]] = set()
        for run, topic, _, item, docno, text in returned(campaign, task):
            if item not in values:
                continue
            key = (run, topic, keys.get(item, ""))
            distinct = key[2] != "" and key not in counted
            counted.add(key)
            yield JudgedInstance(
                topic=numbers[topic], run=run, docno=docno, correctness=values[item], distinct=distinct, text=text
            )


def other_judged(campaign: Campaign, as_of: int | None = None) -> Iterator[ResponseItem | RunMatch]:
    """The pooled strings of every accepted run, and each nugget once in a response, at its first string."""
    lists = counting_lists(campaign, as_of)
    marked: dict[int, list[tuple[int, int]]] = {}
    for mark in official_marks(lists.values(), as_of=as_of):
        if mark.value == NuggetMatch.Value.FULL:
            marked.setdefault(mark.item_id, []).append((mark.number, mark.part))
    for task in match_tasks(campaign):
        numbers = numbers_of(campaign, task)
        pools = current_pools(campaign).filter(task=task.key)
        pooled = set(Item.objects.filter(pool_items__pool__in=pools).values_list("pk", flat=True))
        counted: set[tuple[str, int, int, int]] = set()
        for run, topic, ordinal, item, docno, text in returned(campaign, task):
            if item not in pooled:
                continue
            yield ResponseItem(topic=numbers[topic], run=run, item=ordinal, docno=docno, text=text)
            for number, part in sorted(marked.get(item, ())):
                if (run, topic, number, part) not in counted:
                    counted.add((run, topic, number, part))
                    yield RunMatch(topic=numbers[topic], run=run, item=ordinal, number=number, part=part)


def returned(campaign: Campaign, task: Task) -> Iterator[tuple[str, int, int, int, str, str]]:
    """What accepted runs returned for the questions of a task: run tag, topic id, ordinal, item id, docno, text."""
    segments = Segment.objects.filter(
        response__run__in=accepted_runs(campaign), response__topic__task=task.key, item__isnull=False
    )
    fields = ("response__run__tag", "response__topic_id", "ordinal", "item_id", "docno", "text")
    ordered = segments.order_by("response__run__tag", "response__topic_id", "ordinal")
    yield from ordered.values_list(*fields).iterator(CHUNK)


def class_keys(classes: tuple[ClassView, ...]) -> dict[int, str]:
    """Item id -> the key of its class."""
    return {member.item.pk: str(view.number) for view in classes for member in view.members}
