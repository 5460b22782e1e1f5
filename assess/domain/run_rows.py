"""What an accepted run becomes: its responses, their segments, and the items that these are judged by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from assess.models import Campaign, Citation, Document, Item, Response, Run, Segment, Topic
from assess.protocol import SegmentRecord
from scoring.folding import count_characters

LOOKUP = 5_000

ItemKey = tuple[str, str, str]  # topic number, kind, key


def store_segments(*, run: Run, records: Iterable[SegmentRecord]) -> int:
    """Add the run's responses, segments, citations and new items; how many segments. Needs a transaction.

    Rows go in many at a time, and only the topics that the run answers are looked at: 200 questions of 20
    instances take well under a second.
    """
    by_topic: dict[str, list[SegmentRecord]] = {}
    for record in records:
        by_topic.setdefault(record.topic, []).append(record)
    topics = {topic.number: topic for topic in run.campaign.topics.filter(number__in=by_topic)}
    items = _items(run.campaign, topics, by_topic)
    responses = [
        Response(run=run, topic=topics[number], characters=sum(count_characters(each.text) for each in found))
        for number, found in by_topic.items()
    ]
    of_topic = {response.topic.number: response for response in Response.objects.bulk_create(responses)}
    ordered = [record for found in by_topic.values() for record in found]
    segments = Segment.objects.bulk_create(
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
        for record, segment in zip(ordered, segments, strict=True)
        for citation in record.citations
    )
    return len(segments)


def documents_of(campaign: Campaign, docnos: Iterable[str]) -> dict[str, int]:
    """The ids of those of these documents that are stored, by docno; asked in batches."""
    remaining = iter(sorted(set(docnos) - {""}))
    found: dict[str, int] = {}
    while batch := list(islice(remaining, LOOKUP)):
        stored = Document.objects.filter(campaign=campaign, docno__in=batch)
        found.update(stored.values_list("docno", "pk"))
    return found


def _items(
    campaign: Campaign, topics: dict[str, Topic], by_topic: dict[str, list[SegmentRecord]]
) -> dict[ItemKey, int]:
    """The ids of all items that the records name; those that nobody returned before are added."""
    wanted = {number: dict(_items_of(found)) for number, found in by_topic.items()}
    known: dict[ItemKey, int] = {}
    for number, named in wanted.items():
        known.update(_known(topics[number], named))
    missing = [
        (number, kind, key, text, docno)
        for number, named in wanted.items()
        for (kind, key), (text, docno) in named.items()
        if (number, kind, key) not in known
    ]
    documents = documents_of(campaign, (docno for *_, docno in missing))
    Item.objects.bulk_create(
        (
            Item(topic=topics[number], kind=kind, key=key, text=text, docno=docno, document_id=documents.get(docno))
            for number, kind, key, text, docno in missing
        ),
        ignore_conflicts=True,  # another run with the same new items may be coming in at this moment
    )
    for number in {number for number, *_ in missing}:
        known.update(_known(topics[number], wanted[number]))
    return known


def _items_of(records: list[SegmentRecord]) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """((kind, key), (text, docno)) of every item that the records name; the first text of a key wins."""
    seen: set[tuple[str, str]] = set()
    for record in records:
        named = [(record.item_kind, record.item_key, record.text, record.docno)]
        named += [(each.item_kind, each.item_key, record.text, each.docno) for each in record.citations]
        for kind, key, text, docno in named:
            if key and (kind, key) not in seen:
                seen.add((kind, key))
                yield (kind, key), (text, docno)


def _known(topic: Topic, named: dict[tuple[str, str], tuple[str, str]]) -> dict[ItemKey, int]:
    keys = iter(sorted({key for _, key in named}))
    found: dict[ItemKey, int] = {}
    while batch := list(islice(keys, LOOKUP)):
        rows = Item.objects.filter(topic=topic, key__in=batch).order_by().values_list("kind", "key", "pk")
        found.update({(topic.number, kind, key): pk for kind, key, pk in rows if (kind, key) in named})
    return found
