"""Everything that people said, as the deeds of judgments.jsonl: current words of all assessors, by role."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from assess.models import Assignment, Campaign, Item, Judgment
from assess.queries.judgments import current_judgments
from assess.queries.pseudonyms import pseudonyms
from assess.queries.tracks import track_of
from nuggets.models import ClassAssignment, ItemReview, Nugget, NuggetList, NuggetMatch, NuggetSource
from nuggets.queries.classes import class_stages, correct_items, current_labels, current_members
from nuggets.queries.counting import as_importance, counting_lists, numbers_of
from nuggets.queries.lists import lineages
from nuggets.queries.matches import current_reviews, newest_matches
from nuggets.queries.votes import current_votes
from scoring.formats.judgments_jsonl import (
    AnswerFound,
    Classed,
    Deed,
    Judged,
    ListFrozen,
    Matched,
    NuggetWritten,
    Reviewed,
    Source,
    Voted,
)

CHUNK = 2000
ROLES = {Assignment.Role.PRIMARY.value: "", Assignment.Role.SECOND.value: "second"}


def everything(campaign: Campaign, as_of: int | None = None) -> Iterator[Deed]:
    """The deeds of a campaign up to a ledger point, official or not. What was taken back is left out."""
    names = pseudonyms(campaign)
    return chain(
        _judged(campaign, names, as_of),
        _classed(campaign, names, as_of),
        _written(campaign, names, as_of),
        _matched(campaign, names, as_of),
        _voted(campaign, names, as_of),
    )


def _role(role: str) -> str:
    return ROLES.get(role, role)


def _judged(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    """Judgments made in a stage that asks for them; those of found answers go with the answer."""
    asking = {
        (stage.key, criterion.key)
        for task in track_of(campaign).tasks
        for stage in task.stages
        for criterion in stage.criteria
    }
    rows = current_judgments(campaign, as_of=as_of).select_related("item__topic", "assignment").order_by("id")
    for row in rows.iterator(CHUNK):
        if (row.assignment.stage, row.criterion) in asking:
            yield _judged_deed(row, names)


def _judged_deed(row: Judgment, names: dict[int, str]) -> Judged:
    return Judged(
        by=names[row.assessor_id],
        topic=row.item.topic.number,
        docno=row.item.docno,
        answer=row.item.text,
        criterion=row.criterion,
        value=int(row.value or 0),
        note=row.note,
        role=_role(row.assignment.role),
    )


def _classed(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    """Members of classes that are still correct."""
    for task, _, grade in class_stages(campaign):
        numbers = numbers_of(campaign, task)
        correct = set(correct_items(campaign, grade=grade, topics=numbers, as_of=as_of).values_list("pk", flat=True))
        rows = current_members(ClassAssignment.objects.filter(item__topic__in=list(numbers)), as_of=as_of)
        members = list(rows.select_related("item", "assignment", "answer_class").order_by("id"))
        labels = current_labels({row.answer_class_id for row in members if row.answer_class_id}, as_of=as_of)
        for row in members:
            if row.item_id in correct and row.answer_class is not None:
                yield (AnswerFound if row.is_found else Classed)(
                    by=names[row.assignment.assessor_id],
                    topic=numbers[row.item.topic_id],
                    docno=row.item.docno,
                    answer=row.item.text,
                    label=labels.get(row.answer_class.pk, row.item.text),
                    number=row.answer_class.number,
                    role=_role(row.assignment.role),
                )


def _written(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    """The newest frozen version of every assessor's list."""
    lists = NuggetList.objects.filter(topic__campaign=campaign, frozen_point__isnull=False)
    if as_of is not None:
        lists = lists.filter(frozen_point__lte=as_of)
    newest: dict[tuple[int, int], NuggetList] = {}
    for nugget_list in lists.select_related("assignment", "topic").order_by("version"):
        newest[nugget_list.topic_id, nugget_list.owner_id] = nugget_list
    for nugget_list in newest.values():
        by, topic = names[nugget_list.owner_id], nugget_list.topic.number
        role = _role(nugget_list.assignment.role)
        for nugget, sources in _nuggets(nugget_list):
            yield NuggetWritten(
                by=by,
                topic=topic,
                number=nugget.number,
                importance=as_importance(nugget.importance),
                text=nugget.text,
                sources=sources,
                role=role,
            )
        yield ListFrozen(by=by, topic=topic, role=role)


def _nuggets(nugget_list: NuggetList) -> Iterator[tuple[Nugget, tuple[Source, ...]]]:
    sources: dict[int, list[Source]] = {}
    rows = NuggetSource.objects.filter(nugget__nugget_list=nugget_list).select_related("item").order_by("id")
    for row in rows:
        quote = row.quote or (row.item.text if row.item is not None else "")
        sources.setdefault(row.nugget_id, []).append(Source(docno=row.docno, quote=quote))
    for nugget in nugget_list.nuggets.filter(is_retired=False, merged_into=None).order_by("number"):
        yield nugget, tuple(sources.get(nugget.pk, ()))


def _matched(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    """Marks on the lists that count, and the strings finished under them, of every assessor."""
    lists = counting_lists(campaign, as_of)
    known = lineages(lists.values())
    topics = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    numbers = {nugget: number for found in known.values() for nugget, number in found.numbers.items()}
    items = Item.objects.filter(topic__in=list(topics)).in_bulk()
    last: dict[tuple[int, int, int, int], NuggetMatch] = {}
    rows = newest_matches(NuggetMatch.objects.filter(nugget__in=list(numbers)), as_of=as_of)
    for row in rows.select_related("assignment").order_by("id"):
        last[numbers[row.nugget_id], row.part, row.item_id, row.assessor_id] = row
    for (number, part, item_id, assessor), row in last.items():
        if row.value != NuggetMatch.Value.NONE:
            item = items[item_id]
            yield Matched(
                by=names[assessor],
                topic=topics[item.topic_id],
                docno=item.docno,
                answer=item.text,
                number=number,
                part=part,
                quote=row.quote,
                is_partial=row.value == NuggetMatch.Value.PARTIAL,
                role=_role(row.assignment.role),
            )
    reviews = current_reviews(ItemReview.objects.filter(item__topic__in=list(topics)), as_of=as_of)
    for review in reviews.filter(is_reviewed=True).select_related("assignment").order_by("id"):
        item = items[review.item_id]
        if review.nugget_list_id in known[item.topic_id].covering:
            yield Reviewed(
                by=names[review.assessor_id],
                topic=topics[item.topic_id],
                docno=item.docno,
                answer=item.text,
                role=_role(review.assignment.role),
            )


def _voted(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    lists = counting_lists(campaign, as_of)
    topics = {nugget_list.topic_id: number for number, nugget_list in lists.items()}
    roles = dict(
        Assignment.objects.filter(campaign=campaign, nugget_votes__isnull=False)
        .order_by()
        .values_list("pk", "role")
        .distinct()
    )
    for vote in current_votes(lists.values(), as_of=as_of):
        yield Voted(
            by=names[vote.assessor_id],
            topic=topics[vote.topic_id],
            number=vote.number,
            importance=as_importance(vote.importance),
            role=_role(roles[vote.assignment_id]),
        )
