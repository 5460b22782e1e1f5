"""Topics with what people annotated for them, for exports that are topics with their gold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.models import Campaign
from assess.protocol import TopicRecord
from assess.queries.exports.everything import role_of
from assess.queries.exports.grades import grades
from assess.queries.exports.pseudonyms import pseudonyms
from assess.queries.judging.picks import official_pickers
from assess.queries.topics.listing import topic_records
from nuggets.queries.counting import as_importance
from nuggets.queries.lists import official_lists
from nuggets.queries.sources import nuggets_with_sources
from scoring.deeds import NuggetWritten, Source
from scoring.records import ItemGrade


def annotated_topics(
    campaign: Campaign, as_of: int | None = None, *, task: str, kind: str = "", criteria: Sequence[str] = ()
) -> Iterator[TopicRecord | ItemGrade | NuggetWritten]:
    """The topics of a task in order, each followed by the official grades of its items and by its nugget list.

    The grades are those of items of ``kind`` ("": none) by ``criteria``; the list is the frozen one that counts, each
    nugget with its sources. Of picks one person's count, as a whole. Two queries for each list.
    """
    names = pseudonyms(campaign)
    pickers = {
        (criterion, number): names[assessor]
        for criterion in criteria
        for number, assessor in official_pickers(campaign, criterion, as_of=as_of).items()
    }
    found: dict[str, list[ItemGrade]] = {}
    for grade in grades(campaign, as_of, kind=kind, criteria=criteria) if kind else ():
        if pickers.get((grade.criterion, grade.topic), grade.by) == grade.by:
            found.setdefault(grade.topic, []).append(grade)
    numbers = dict(campaign.topics.filter(task=task).values_list("pk", "number"))
    lists = {numbers[topic]: each for topic, each in official_lists(numbers, as_of=as_of).items()}
    for record in topic_records(campaign):
        if record.task != task:
            continue
        yield record
        yield from found.get(record.number, ())
        if (nugget_list := lists.get(record.number)) is not None:
            for nugget, sources in nuggets_with_sources(nugget_list):
                yield NuggetWritten(
                    by=names[nugget_list.owner_id],
                    topic=record.number,
                    number=nugget.number,
                    importance=as_importance(nugget.importance),
                    text=nugget.text,
                    sources=tuple(Source(docno=docno, quote=quote) for docno, quote in sources),
                    role=role_of(nugget_list.assignment.role),
                    group=nugget.group,
                    fields=nugget.fields,
                )
