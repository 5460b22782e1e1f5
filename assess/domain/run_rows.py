"""What an accepted run becomes: its responses, their segments and citations, and the items these are judged by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from assess.domain.errors import Invalid
from assess.domain.items import add_items, known_items, require_fitting
from assess.models import Campaign, Citation, Response, Run, Segment, Topic
from assess.protocol import ItemRecord, SegmentRecord
from scoring.folding import count_characters

LOOKUP = 5_000


def store_run(
    *,
    run: Run,
    segments: Iterable[SegmentRecord],
    responses: Iterable[ItemRecord] = (),
    ranked_topics: Iterable[str] = (),
) -> int:
    """Add the run's responses, segments, citations and new items; how many segments. Needs a transaction.

    A response may have segments, an item of its own as a whole, both, or neither: ``ranked_topics`` are those that the
    run answers by a ranked list, which stays in its file. Refused: a topic that the campaign does not have, two whole
    responses to one topic, a key too long to store. Rows go in many at a time, and only the topics that the run
    answers are looked at: 200 questions of 20 instances take well under a second.
    """
    by_topic: dict[str, list[SegmentRecord]] = {}
    for record in segments:
        by_topic.setdefault(record.topic, []).append(record)
    wholes = _by_topic(responses)
    answered = list(dict.fromkeys([*by_topic, *wholes, *ranked_topics]))
    topics = _topics(run.campaign, answered)
    items = _items(run.campaign, topics, by_topic, wholes)
    of_topic = _add_responses(run, answered, topics, by_topic, wholes, items)
    ordered = [record for found in by_topic.values() for record in found]
    stored = Segment.objects.bulk_create(
        Segment(
            response=of_topic[record.topic],
            ordinal=record.ordinal,
            text=record.text,
            docno=record.docno,
            line=record.line,
            item_id=items.get((record.topic, record.item_kind, record.item_key)),
        )
        for record in ordered
    )
    Citation.objects.bulk_create(
        Citation(
            segment=segment,
            ordinal=citation.ordinal,
            docno=citation.docno,
            item_id=items.get((record.topic, citation.item_kind, citation.item_key)),
        )
        for record, segment in zip(ordered, stored, strict=True)
        for citation in record.citations
    )
    return len(stored)


def _by_topic(responses: Iterable[ItemRecord]) -> dict[str, ItemRecord]:
    found: dict[str, ItemRecord] = {}
    for record in responses:
        if record.topic in found:
            raise Invalid(f"The run has two responses to topic {record.topic}. Leave one.")
        found[record.topic] = record
    return found


def _topics(campaign: Campaign, numbers: list[str]) -> dict[str, Topic]:
    remaining = iter(numbers)
    found: dict[str, Topic] = {}
    while batch := list(islice(remaining, LOOKUP)):
        found.update({topic.number: topic for topic in campaign.topics.filter(number__in=batch)})
    if missing := [number for number in numbers if number not in found]:
        raise Invalid(f"The run answers {', '.join(missing[:5])}, which is no topic of this campaign. Take it out.")
    return found


def _add_responses(
    run: Run,
    answered: list[str],
    topics: dict[str, Topic],
    by_topic: dict[str, list[SegmentRecord]],
    wholes: dict[str, ItemRecord],
    items: dict[tuple[str, str, str], int],
) -> dict[str, Response]:
    """The run's response to each topic that it answers, by the topic's number."""
    made = []
    for number in answered:
        whole = wholes.get(number)
        texts = [record.text for record in by_topic.get(number, ())] or _texts(whole)
        made.append(
            Response(
                run=run,
                topic=topics[number],
                characters=sum(count_characters(text) for text in texts),
                item_id=items.get((number, whole.kind, whole.key)) if whole is not None else None,
            )
        )
    return {response.topic.number: response for response in Response.objects.bulk_create(made)}


def _texts(whole: ItemRecord | None) -> list[str]:
    """The text of a whole response, or of its parts."""
    if whole is None or whole.text:
        return [whole.text] if whole is not None else []
    parts = whole.fields.get("parts", ())
    return [str(part.get("text", "")) for part in parts]


def _items(
    campaign: Campaign,
    topics: dict[str, Topic],
    by_topic: dict[str, list[SegmentRecord]],
    wholes: dict[str, ItemRecord],
) -> dict[tuple[str, str, str], int]:
    """The ids of all items that the records name; those that nobody returned before are added."""
    wanted: dict[tuple[str, str, str], ItemRecord] = {}
    for records in by_topic.values():
        for record in records:
            for item in _items_of(record):
                require_fitting(item)
                if item.key:
                    wanted.setdefault((item.topic, item.kind, item.key), item)
    for whole in wholes.values():
        require_fitting(whole)
        wanted.setdefault((whole.topic, whole.kind, whole.key), whole)
    known = known_items(topics, wanted)
    missing = [item for name, item in wanted.items() if name not in known]
    add_items(campaign=campaign, topics=topics, records=missing)
    known.update(known_items(topics, [(item.topic, item.kind, item.key) for item in missing]))
    return known


def _items_of(record: SegmentRecord) -> Iterator[ItemRecord]:
    """What a segment and its citations are judged by; without a key it is not judged."""
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
