"""How many documents are stored, and how many of those that are named are not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Q

from assess.campaigns.models import Campaign
from assess.items.models import PoolItem
from assess.items.queries.membership import current_pools
from assess.topics.queries.named_docnos import topic_docnos


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentCounts:
    """Of a campaign: documents that are stored, pooled items with and without one, topics' documents without one."""

    documents: int
    pooled: int
    pooled_without_document: int
    named_without_document: int


def document_counts(campaign: Campaign, pools: Collection[int] | None = None) -> DocumentCounts:
    """The numbers above; ``pools`` are the ids of the current pools, where they are known. Five queries at most."""
    if pools is None:
        pools = list(current_pools(campaign).values_list("pk", flat=True))
    in_pools = PoolItem.objects.filter(pool__in=pools)
    pooled = in_pools.aggregate(all=Count("id"), bare=Count("id", filter=Q(item__document=None) & ~Q(item__docno="")))
    return DocumentCounts(
        documents=campaign.documents.count(),
        pooled=pooled["all"],
        pooled_without_document=pooled["bare"],
        named_without_document=_not_stored(campaign, topic_docnos(campaign)),
    )


def _not_stored(campaign: Campaign, docnos: set[str]) -> int:
    if not docnos:
        return 0
    return len(docnos) - campaign.documents.filter(docno__in=docnos).count()
