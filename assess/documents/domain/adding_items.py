"""Adding items: the first source that names an item adds it with its text, document and fields, which then stay."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice

from django.db import transaction
from django.db.models import Exists, OuterRef

from assess.base.bulk import add_new_rows
from assess.base.errors import Invalid
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open
from assess.campaigns.models import Campaign
from assess.documents.domain.document_rows import link_items
from assess.documents.models import Document
from assess.items.models import Item
from assess.protocol import ItemRecord
from assess.topics.models import Topic

LOOKUP = 5_000
COLUMNS = ("topic_id", "kind", "key", "text", "docno", "document_id", "fields", "given")
KEY_LIMIT, KIND_LIMIT, DOCNO_LIMIT = 200, 30, 200

ItemKey = tuple[str, str, str]  # topic number, kind, key


def require_fitting(record: ItemRecord) -> None:
    """Raise `Invalid` for an item whose key, kind or docno is too long to be stored."""
    limits = (("key", record.key, KEY_LIMIT), ("kind", record.kind, KIND_LIMIT), ("docno", record.docno, DOCNO_LIMIT))
    for name, value, limit in limits:
        if len(value) > limit:
            raise Invalid(
                Sentence(
                    "Topic %(topic)s: the %(name)s of an item has %(length)s characters; at most %(limit)s "
                    "can be stored (%(beginning)s…). Shorten the id in the file.",
                    topic=record.topic,
                    name=name,
                    length=len(value),
                    limit=limit,
                    beginning=value[:40],
                )
            )


def known_items(topics: Mapping[str, Topic], names: Iterable[ItemKey]) -> dict[ItemKey, int]:
    """Return the ids of the stored ones among these items, by (topic number, kind, key).

    ``topics`` maps numbers to topics. Items are looked up in batches.
    """
    by_topic: dict[str, set[ItemKey]] = {}
    for name in names:
        by_topic.setdefault(name[0], set()).add(name)
    found: dict[ItemKey, int] = {}
    for number, wanted in by_topic.items():
        keys = iter(sorted({key for _, _, key in wanted}))
        while batch := list(islice(keys, LOOKUP)):
            rows = Item.objects.filter(topic=topics[number], key__in=batch).order_by().values_list("kind", "key", "pk")
            found.update({(number, kind, key): pk for kind, key, pk in rows if (number, kind, key) in wanted})
    return found


def add_items(
    *, campaign: Campaign, topics: Mapping[str, Topic], records: Iterable[ItemRecord], given: bool = False
) -> None:
    """Add items, with the stored documents that they name. An item that exists stays as it is. With ``given``, the
    items are marked as not returned by a run (`Item.given`).

    Several callers may add the same item at once; the first wins. Raises `Invalid` for a text that can't be stored.
    Needs a transaction.
    """
    rows = list(records)
    documents = documents_of(campaign, (record.docno for record in rows))
    add_new_rows(
        Item,
        COLUMNS,
        [
            (
                *(topics[record.topic].pk, record.kind, record.key, record.text, record.docno),
                *(documents.get(record.docno), json.dumps(dict(record.fields)), given),
            )
            for record in rows
        ],
    )


def documents_of(campaign: Campaign, docnos: Iterable[str]) -> dict[str, int]:
    """Return the ids of the stored ones among these documents, by docno. Docnos are looked up in batches."""
    remaining = iter(sorted(set(docnos) - {""}))
    found: dict[str, int] = {}
    while batch := list(islice(remaining, LOOKUP)):
        stored = Document.objects.filter(campaign=campaign, docno__in=batch)
        found.update(stored.values_list("docno", "pk"))
    return found


def link_left_items(campaign: Campaign, *, topic: int | None = None) -> None:
    """Set the document of items, of one topic (id) if given, that have none although one with their docno is stored. An
    item gets there if it is added at the moment in which its document is stored. One query if there are none. Raises
    `Conflict` for a closed campaign.
    """
    stored = Document.objects.filter(campaign=campaign, docno=OuterRef("docno"))
    of = {"topic__campaign": campaign} if topic is None else {"topic": topic}
    left = Item.objects.filter(Exists(stored), **of, document=None).order_by()
    docnos = iter(list(left.values_list("docno", flat=True).distinct()))
    while batch := list(islice(docnos, LOOKUP)):
        with transaction.atomic():
            lock_open(campaign)
            link_items(campaign, batch)
