"""Store what an accepted run returned: its responses, their segments and citations, and the items that are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from django.db import transaction
from django.utils.translation import gettext

from assess.base.bulk import add_rows
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.documents.domain.adding_items import ItemKey, add_items, known_items, require_fitting
from assess.protocol import ItemRecord, SegmentRecord
from assess.runs.models import Citation, Response, Run, Segment
from assess.topics.models import Topic
from assess.topics.queries import all_topics
from scoring.folding import count_characters

LOOKUP = 5_000
SEGMENT = ("response_id", "ordinal", "text", "docno", "no_docno", "line", "item_id")
CITATION = ("segment_id", "ordinal", "docno", "item_id")
BATCH = 1_000
"""How many records are in memory, and are stored in one transaction."""

Record = TypeVar("Record", SegmentRecord, ItemRecord)


def store_run(
    *,
    run: Run,
    segments: Iterable[SegmentRecord],
    responses: Iterable[ItemRecord] = (),
    ranked_topics: Iterable[str] = (),
) -> int:
    """Add the run's responses, segments, citations and new items. Return the number of segments.

    Each batch is a transaction; to store all or nothing, call it in a transaction. A response may have segments, an
    item of its own for the whole, both, or neither. ``ranked_topics`` are topics that the run answers with a ranked
    list, which stays in its file. Only topics that the run answers are read, and memory holds one batch of records.

    Refuses a topic that the campaign lacks, two whole responses to one topic, and a key that is too long to store.
    """
    answers = _Answers(run)
    stored = 0
    for batch in _batches(segments):
        with transaction.atomic(savepoint=False):
            stored += _add_segments(answers, batch)
    for wholes in _batches(responses):
        with transaction.atomic(savepoint=False):
            _add_wholes(answers, wholes)
    answers.open(ranked_topics)
    answers.finish()
    return stored


class _Answers:
    """The run's response to each topic that it answers, made when the topic first occurs."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.campaign = run.campaign
        self.of_topic: dict[str, Response] = {}
        self.topics: dict[str, Topic] = {}
        self.whole: set[str] = set()
        self.with_segments: set[str] = set()

    def open(self, numbers: Iterable[str]) -> None:
        """Make the responses to those topics that have none yet. Refuse a topic that the campaign lacks."""
        new = [number for number in dict.fromkeys(numbers) if number not in self.of_topic]
        self.topics.update(_topics(self.campaign, new))
        made = Response.objects.bulk_create(Response(run=self.run, topic=self.topics[number]) for number in new)
        self.of_topic.update(zip(new, made, strict=True))

    def finish(self) -> None:
        """Store the lengths of the responses, and their own items."""
        Response.objects.bulk_update(self.of_topic.values(), ["characters", "item"], batch_size=500)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    remaining = iter(records)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _add_segments(answers: _Answers, records: list[SegmentRecord]) -> int:
    """Add segments with their citations, and the items of both. Return the number of segments."""
    answers.open(record.topic for record in records)
    items = _items(answers, (item for record in records for item in _items_of(record) if _fits(item)))
    for record in records:
        answers.of_topic[record.topic].characters += count_characters(record.text)
        answers.with_segments.add(record.topic)
    rows = [
        (
            *(
                answers.of_topic[record.topic].pk,
                record.ordinal,
                record.text,
                record.docno,
                record.no_docno,
                record.line,
            ),
            items.get((record.topic, record.item_kind, record.item_key)),
        )
        for record in records
    ]
    add_rows(Segment, SEGMENT, rows)
    cited = [(row[:2], record) for row, record in zip(rows, records, strict=True) if record.citations]
    if cited:
        stored = Segment.objects.filter(response__in={response for (response, _), _ in cited}).order_by()
        segments = {tuple(place): pk for pk, *place in stored.values_list("pk", "response_id", "ordinal")}
        add_rows(
            Citation,
            CITATION,
            [
                (
                    *(segments[place], citation.ordinal, citation.docno),
                    items.get((record.topic, citation.item_kind, citation.item_key)),
                )
                for place, record in cited
                for citation in record.citations
            ],
        )
    return len(rows)


def _fits(item: ItemRecord) -> bool:
    """Return whether the item is judged at all. Refuse one that can't be stored."""
    require_fitting(item)
    return item.key != ""


def _add_wholes(answers: _Answers, wholes: list[ItemRecord]) -> None:
    """Give the responses their own items. If a topic has no segments, its whole response gives the length. Refuse a
    second whole response to a topic.
    """
    answers.open(whole.topic for whole in wholes)
    for whole in wholes:
        require_fitting(whole)
        if whole.topic in answers.whole:
            raise Invalid(gettext("The run has two responses to topic %(topic)s. Leave one.") % {"topic": whole.topic})
        answers.whole.add(whole.topic)
    items = _items(answers, wholes)
    for whole in wholes:
        response = answers.of_topic[whole.topic]
        response.item_id = items.get((whole.topic, whole.kind, whole.key))
        if whole.topic not in answers.with_segments:
            response.characters = sum(count_characters(text) for text in _texts(whole))


def _topics(campaign: Campaign, numbers: list[str]) -> dict[str, Topic]:
    remaining = iter(numbers)
    found: dict[str, Topic] = {}
    while batch := list(islice(remaining, LOOKUP)):
        found.update({topic.number: topic for topic in all_topics(campaign).filter(number__in=batch)})
    if missing := [number for number in numbers if number not in found]:
        raise Invalid(
            gettext("The run answers %(missing)s, which is no topic of this campaign. Take it out.")
            % {"missing": ", ".join(missing[:5])}
        )
    return found


def _texts(whole: ItemRecord) -> list[str]:
    """Return the text of a whole response, or the texts of its parts."""
    if whole.text:
        return [whole.text]
    parts = whole.fields.get("parts", ())
    return [str(part.get("text", "")) for part in parts]


def _items(answers: _Answers, records: Iterable[ItemRecord]) -> dict[ItemKey, int]:
    """Return the ids of these items. Add those that nobody has returned before, as the first record of each describes
    them.
    """
    wanted: dict[ItemKey, ItemRecord] = {}
    for record in records:
        wanted.setdefault((record.topic, record.kind, record.key), record)
    known = known_items(answers.topics, wanted)
    missing = {name: item for name, item in wanted.items() if name not in known}
    add_items(campaign=answers.campaign, topics=answers.topics, records=missing.values())
    known.update(known_items(answers.topics, missing))
    return known


def _items_of(record: SegmentRecord) -> Iterator[ItemRecord]:
    """Yield the items by which a segment and its citations are judged. A segment or citation without a key is not
    judged.
    """
    yield ItemRecord(
        topic=record.topic,
        kind=record.item_kind,
        key=record.item_key,
        text=record.text,
        docno=record.docno,
        fields=record.item_fields,
    )
    for citation in record.citations:
        yield ItemRecord(
            topic=record.topic,
            kind=citation.item_kind,
            key=citation.item_key,
            text=citation.item_text,
            docno=citation.docno,
            fields=citation.item_fields,
        )
