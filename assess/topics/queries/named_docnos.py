"""The documents that topics name in their fields."""

from __future__ import annotations

from collections.abc import Iterator

from assess.campaigns.models import Campaign


def topic_docnos(campaign: Campaign) -> set[str]:
    """The docnos that topics name in their fields: papers (``documents``) and page images (``pages``)."""
    return {docno for _, docno in docnos_by_topic(campaign)}


def docnos_by_topic(campaign: Campaign) -> Iterator[tuple[int, str]]:
    """The same, each with the id of the topic that names it. One query."""
    for pk, fields in campaign.topics.order_by().values_list("pk", "fields").iterator():
        for key in ("documents", "pages"):
            docnos = fields.get(key)
            if isinstance(docnos, list):
                yield from ((pk, docno) for docno in docnos if isinstance(docno, str))
