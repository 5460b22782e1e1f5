"""What people said of nuggets and answer classes, as the deeds of judgments.jsonl: current words of all, by role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.models import Assignment, Campaign, Item
from assess.queries.exports.everything import named_item, role_of
from nuggets.models import ClassAssignment, NuggetMatch
from nuggets.queries.classes import class_stages, correct_items, current_labels, current_members, superseded_members
from nuggets.queries.counting import as_importance, counting_lists, numbers_of, numbers_of_lists, working_lists
from nuggets.queries.lists import frozen_lists
from nuggets.queries.matches import all_marks, finished_reviews
from nuggets.queries.sources import nuggets_with_sources
from nuggets.queries.votes import current_votes
from scoring.deeds import AnswerFound, Classed, Deed, ListFrozen, Matched, NuggetWritten, Reviewed, Source, Voted


def classed_deeds(campaign: Campaign, names: Mapping[int, str], as_of: int | None) -> Iterator[Deed]:
    """Members of classes that are still correct."""
    for task, _, grade in class_stages(campaign):
        numbers = numbers_of(campaign, task)
        correct = set(correct_items(campaign, grade=grade, topics=numbers, as_of=as_of).values_list("pk", flat=True))
        rows = current_members(ClassAssignment.objects.filter(item__topic__in=list(numbers)), as_of=as_of)
        members = list(rows.select_related("item", "assignment", "answer_class").order_by("id"))
        old = superseded_members(numbers, as_of=as_of)
        members = [row for row in members if row.pk not in old]
        labels = current_labels({row.answer_class_id for row in members if row.answer_class_id}, as_of=as_of)
        for row in members:
            if row.item_id in correct and row.answer_class is not None:
                yield (AnswerFound if row.is_found else Classed)(
                    by=names[row.assignment.assessor_id],
                    topic=numbers[row.item.topic_id],
                    label=labels.get(row.answer_class.pk, row.item.text),
                    number=row.answer_class.number,
                    role=role_of(row.assignment.role),
                    **named_item(row.item),
                )


def written_deeds(campaign: Campaign, names: Mapping[int, str], as_of: int | None) -> Iterator[Deed]:
    """The newest frozen version of every assessor's list; of several authors of a topic the newest of all."""
    numbers = dict(campaign.topics.exclude(task="").values_list("pk", "number"))
    lists = frozen_lists(numbers, as_of=as_of)
    newest = {each.topic_id: each.pk for each in lists if each.assignment.role == Assignment.Role.PRIMARY}
    for nugget_list in lists:
        if nugget_list.assignment.role == Assignment.Role.PRIMARY and newest[nugget_list.topic_id] != nugget_list.pk:
            continue
        by, topic = names[nugget_list.owner_id], numbers[nugget_list.topic_id]
        role = role_of(nugget_list.assignment.role)
        for nugget, sources in nuggets_with_sources(nugget_list):
            yield NuggetWritten(
                by=by,
                topic=topic,
                number=nugget.number,
                importance=as_importance(nugget.importance),
                text=nugget.text,
                sources=tuple(Source(docno=docno, quote=quote) for docno, quote in sources),
                role=role,
                group=nugget.group,
                fields=nugget.fields,
            )
        yield ListFrozen(by=by, topic=topic, role=role)


def matched_deeds(campaign: Campaign, names: Mapping[int, str], as_of: int | None) -> Iterator[Deed]:
    """Marks on the lists that people work from, and the strings finished under them, of every assessor."""
    lists = working_lists(campaign, as_of)
    topics = numbers_of_lists(lists)
    items = Item.objects.filter(topic__in=list(topics)).in_bulk()
    for mark in all_marks(lists, as_of=as_of):
        yield Matched(
            by=names[mark.assessor_id],
            topic=topics[mark.topic_id],
            number=mark.number,
            part=mark.part,
            quote=mark.quote,
            is_partial=mark.value == NuggetMatch.Value.PARTIAL,
            is_absent=mark.value == NuggetMatch.Value.ABSENT,
            role=role_of(mark.role),
            **named_item(items[mark.item_id]),
        )
    for review in finished_reviews(lists, as_of=as_of):
        yield Reviewed(
            by=names[review.assessor_id],
            topic=topics[review.item.topic_id],
            role=role_of(review.assignment.role),
            **named_item(review.item),
        )


def voted_deeds(campaign: Campaign, names: Mapping[int, str], as_of: int | None) -> Iterator[Deed]:
    """Votes on the lists that count, of every assessor."""
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
            role=role_of(roles[vote.assignment_id]),
        )
