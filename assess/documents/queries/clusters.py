"""Near-identical documents of a topic, as `domain.clusters` found them: as a file, as a list, and one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from assess.campaigns.models import Campaign
from assess.documents.models import Document, DocumentBody, DocumentCluster
from assess.topics.models import Topic

COLUMNS = ("topic", "cluster", "docno")
"""The columns of the file of clusters, which has one line a document, with tabs between."""

SHOWN = 5
"""The number of documents that a list of clusters names for each."""

TEXT_LIMIT = 20_000
"""The number of characters of a text that are shown next to another text."""


def clustered(campaign: Campaign) -> QuerySet[DocumentCluster]:
    """Return every document in a cluster, by topic, cluster and docno."""
    rows = DocumentCluster.objects.filter(topic__campaign=campaign)
    return rows.order_by("topic", "number", "document__docno").select_related("topic", "document")


def cluster_rows(campaign: Campaign) -> Iterator[tuple[str, int, str]]:
    """Yield (topic, cluster, docno) of every document in a cluster, in this order. One query."""
    yield from clustered(campaign).values_list("topic__number", "number", "document__docno")


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """One cluster of a topic: the number of its documents, and the first of them by docno."""

    topic: str
    number: int
    documents: int
    first: tuple[str, ...]


def clusters_of(campaign: Campaign, *, topic: str = "") -> QuerySet[DocumentCluster, Any]:
    """Return the clusters for `named_clusters`, grouped and counted in the database.

    With ``topic``, only topics whose numbers contain this text are searched. A cluster with only one document left is
    left out.
    """
    rows = DocumentCluster.objects.filter(topic__campaign=campaign, topic__number__icontains=topic)
    grouped = rows.order_by("topic", "number").values("topic", "topic__number", "number")
    return grouped.annotate(documents=Count("id")).filter(documents__gt=1)


def named_clusters(rows: Sequence[dict[str, Any]]) -> list[Cluster]:
    """Return a page of `clusters_of`, each with its first five docnos. One query, however many documents they have."""
    wanted = Q(pk=None)
    for row in rows:
        wanted |= Q(topic=row["topic"], number=row["number"])
    place = Window(RowNumber(), partition_by=[F("topic"), F("number")], order_by="document__docno")
    first = DocumentCluster.objects.filter(wanted).annotate(place=place).filter(place__lte=SHOWN).order_by("place")
    docnos: dict[tuple[int, int], list[str]] = {}
    for topic, number, docno in first.values_list("topic", "number", "document__docno"):
        docnos.setdefault((topic, number), []).append(docno)
    return [
        Cluster(
            topic=row["topic__number"],
            number=row["number"],
            documents=row["documents"],
            first=tuple(docnos.get((row["topic"], row["number"]), ())),
        )
        for row in rows
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterCounts:
    """How many documents are in clusters, counted once for each cluster, and how many clusters there are."""

    documents: int
    clusters: int


def cluster_counts(campaign: Campaign) -> ClusterCounts:
    """Return the campaign's counts of clusters. One query."""
    found = clusters_of(campaign).aggregate(all=Sum("documents"), clusters=Count("number"))
    return ClusterCounts(documents=found["all"] or 0, clusters=found["clusters"])


def documents_in(topic: Topic, number: int) -> QuerySet[Document]:
    """Return the documents of one cluster, by docno."""
    return Document.objects.filter(clusters__topic=topic, clusters__number=number).order_by("docno").defer("fields")


def text_beginning(document: Document) -> tuple[str, bool]:
    """Return the beginning of a document's text, and whether there is more of it. One query."""
    text = DocumentBody.objects.values_list("text", flat=True).get(document=document)
    return text[:TEXT_LIMIT], len(text) > TEXT_LIMIT
