"""Everything that people said, as the deeds of judgments.jsonl: current words of all assessors, by role."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from assess.models import Assignment, Campaign, Item
from assess.queries.exports.grades import topics_in_turn
from assess.queries.exports.pseudonyms import pseudonyms
from assess.queries.judging.judgments import judgments_in_topics
from assess.queries.judging.picks import none_picked
from assess.queries.tracks import track_of
from assess.queries.work.handed_over import superseded_judgments, topics_of_several_authors
from nuggets.models import ClassAssignment, NuggetMatch
from nuggets.queries.classes import class_stages, correct_items, current_labels, current_members, superseded_members
from nuggets.queries.counting import as_importance, counting_lists, numbers_of, numbers_of_lists, working_lists
from nuggets.queries.lists import frozen_lists
from nuggets.queries.matches import all_marks, finished_reviews
from nuggets.queries.sources import nuggets_with_sources
from nuggets.queries.votes import current_votes
from scoring.folding import answer_key
from scoring.formats.judgments_jsonl import (
    AnswerFound,
    Classed,
    Deed,
    Evidence,
    Judged,
    ListFrozen,
    Matched,
    NonePicked,
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
        _none_picked(campaign, names, as_of),
        _classed(campaign, names, as_of),
        _written(campaign, names, as_of),
        _matched(campaign, names, as_of),
        _voted(campaign, names, as_of),
    )


def _role(role: str) -> str:
    return ROLES.get(role, role)


def _judged(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    """Judgments made in a stage that asks for them; those of found answers go with the answer.

    Where work went from one author to another, what a later one said stands instead of an earlier one's word.
    """
    asking = {
        (stage.key, criterion.key)
        for task in track_of(campaign).tasks
        for stage in task.stages
        for criterion in stage.criteria
    }
    shared = topics_of_several_authors(campaign)
    for batch in topics_in_turn(campaign):
        numbers = {topic: record.number for record, topic in batch}
        current = judgments_in_topics(list(numbers), as_of=as_of)
        if several := shared & set(numbers):
            current = current.exclude(pk__in=superseded_judgments(several, as_of=as_of))
        rows = current.values_list(*_JUDGED_FIELDS)
        for stage, criterion, value, note, evidence, draft, by, role, topic, key, docno, text in rows.iterator(CHUNK):
            if (stage, criterion) in asking:
                yield Judged(
                    by=names[by],
                    topic=numbers[topic],
                    criterion=criterion,
                    value=int(value or 0),
                    note=note,
                    role=_role(role),
                    evidence=tuple(_snippets(evidence)),
                    draft=draft or "",
                    docno=docno,
                    answer=text,
                    key=_own_key(key, text, docno),
                )


_JUDGED_FIELDS = (
    *("assignment__stage", "criterion", "value", "note", "evidence", "draft", "assessor_id", "assignment__role"),
    *("item__topic_id", "item__key", "item__docno", "item__text"),
)


def _none_picked(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    for assignment, criterion in none_picked(campaign, as_of):
        yield NonePicked(
            by=names[assignment.assessor_id],
            topic=assignment.topic.number,
            criterion=criterion.key,
            role=_role(assignment.role),
        )


def _snippets(evidence: object) -> Iterator[Evidence]:
    """The snippets that a judgment keeps."""
    for each in evidence if isinstance(evidence, list) else ():
        yield Evidence(quote=each["quote"], start=each.get("start", -1), value=each.get("value"))


def _classed(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
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
                    role=_role(row.assignment.role),
                    **_named(row.item),
                )


def _written(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
    """The newest frozen version of every assessor's list; of several authors of a topic the newest of all."""
    numbers = dict(campaign.topics.exclude(task="").values_list("pk", "number"))
    lists = frozen_lists(numbers, as_of=as_of)
    newest = {each.topic_id: each.pk for each in lists if each.assignment.role == Assignment.Role.PRIMARY}
    for nugget_list in lists:
        if nugget_list.assignment.role == Assignment.Role.PRIMARY and newest[nugget_list.topic_id] != nugget_list.pk:
            continue
        by, topic = names[nugget_list.owner_id], numbers[nugget_list.topic_id]
        role = _role(nugget_list.assignment.role)
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


def _matched(campaign: Campaign, names: dict[int, str], as_of: int | None) -> Iterator[Deed]:
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
            role=_role(mark.role),
            **_named(items[mark.item_id]),
        )
    for review in finished_reviews(lists, as_of=as_of):
        yield Reviewed(
            by=names[review.assessor_id],
            topic=topics[review.item.topic_id],
            role=_role(review.assignment.role),
            **_named(review.item),
        )


def _named(item: Item) -> dict[str, str]:
    """How deeds name an item: by docno and string, and by its key where that does not follow from these."""
    return {"docno": item.docno, "answer": item.text, "key": _own_key(item.key, item.text, item.docno)}


def _own_key(key: str, text: str, docno: str) -> str:
    return "" if key == answer_key(text, docno) else key


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
