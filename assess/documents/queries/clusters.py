"""Which documents of a topic are near-identical, as `domain.clusters` found."""

from __future__ import annotations

from collections.abc import Iterator

from assess.campaigns.models import Campaign
from assess.documents.models import DocumentCluster

COLUMNS = ("topic", "cluster", "docno")
"""Of the file of clusters: a line a document, with tabs between."""


def cluster_rows(campaign: Campaign) -> Iterator[tuple[str, int, str]]:
    """(topic, cluster, docno) of every document in a cluster, by topic, cluster and docno. One query."""
    rows = DocumentCluster.objects.filter(topic__campaign=campaign).order_by("topic", "number", "document__docno")
    yield from rows.values_list("topic__number", "number", "document__docno")
