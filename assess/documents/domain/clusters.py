"""Finding near-identical documents in each topic's pool, by MinHash signatures of their viewable texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.base.bulk import add_rows
from assess.base.errors import Conflict
from assess.base.sentences import Sentence
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.documents.models import DocumentBody, DocumentCluster
from assess.items.models import PoolItem
from assess.items.queries import current_pools
from assess.jobs.domain import enqueue_job
from assess.jobs.kinds import CLUSTERS
from assess.jobs.models import Job
from assess.jobs.progress import JobProgress, no_report
from scoring.collections.signatures import near_identical, signature_of

BATCH = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Clustered:
    """The numbers of clusters, of documents in clusters, and of documents compared; a document counts once for each
    topic.
    """

    compared: int
    clustered: int
    clusters: int

    def sentence(self) -> Sentence:
        """Return a sentence on the result."""
        return Sentence(
            "%(number)s document compared, each with the others of its topic: %(documents)s in %(clusters)s.",
            "%(number)s documents compared, each with the others of its topic: %(documents)s in %(clusters)s.",
            self.compared,
            documents=Sentence("%(number)s document", "%(number)s documents", self.clustered),
            clusters=Sentence("%(number)s cluster", "%(number)s clusters", self.clusters),
        )


def start_clustering(*, actor: User, campaign: Campaign, likeness: float | None = None) -> Job:
    """Start a job that finds near-identical documents (`cluster_documents`).

    Raises `Conflict` for a closed campaign, for one without a stored pooled document, and while such a job is under
    way.
    """
    require_changeable(campaign)
    if not _in_pools(campaign).exists():
        raise Conflict(gettext("No document is pooled and stored. Build a pool and load its documents first."))
    return enqueue_job(actor=actor, campaign=campaign, kind=CLUSTERS, arguments={"likeness": likeness})


def cluster_documents(
    *,
    actor: User,
    campaign: Campaign,
    likeness: float | None = None,
    progress: Callable[[JobProgress], None] = no_report,
) -> Clustered:
    """Find clusters of near-identical documents in each topic's pool, in place of the current clusters.

    ``likeness`` (by default the setting ASSAY_NEAR_IDENTICAL) is the least share of five-word sequences that two texts
    must have in common, as MinHash estimates it. The same texts, pool and share give the same clusters, numbered in
    each topic from 1 by their first docno. Raises `Conflict` for a closed campaign. 200 texts are read at
    a time; 10,000 of one topic take some ten seconds. Nothing is locked until the result is complete, and stopping
    before that changes nothing: ``progress``, called every 200 documents, may raise `Stopped`.
    """
    require_changeable(campaign)
    least = settings.ASSAY_NEAR_IDENTICAL if likeness is None else likeness
    pooled = _pooled(campaign)
    total, compared = sum(map(len, pooled.values())), 0
    rows: list[tuple[int, int, int]] = []
    clusters = 0
    for topic, documents in sorted(pooled.items()):
        signatures: list[bytes] = []
        for start in range(0, len(documents), BATCH):
            progress(JobProgress(done=compared + start, total=total))
            signatures += _signatures(documents[start : start + BATCH])
        groups = near_identical(signatures, likeness=least)
        rows += [(topic, documents[place], number) for number, group in enumerate(groups, 1) for place in group]
        clusters += len(groups)
        compared += len(documents)
    made = Clustered(compared=compared, clustered=len(rows), clusters=clusters)
    with transaction.atomic():
        lock_open(campaign)
        DocumentCluster.objects.filter(topic__campaign=campaign).delete()
        add_rows(DocumentCluster, ["topic_id", "document_id", "number"], rows)
        data = {"likeness": least, "documents": made.clustered, "clusters": made.clusters}
        record_activity(actor=actor, action="documents.cluster", campaign=campaign, data=data)
    return made


def _pooled(campaign: Campaign) -> dict[int, list[int]]:
    """Return the ids of the documents in the current pools by topic, in the order of their docnos."""
    pairs = (
        _in_pools(campaign)
        .order_by("item__topic", "item__document__docno")
        .values_list("item__topic", "item__document")
    )
    found: dict[int, dict[int, None]] = defaultdict(dict)
    for topic, document in pairs:
        found[topic][document] = None
    return {topic: list(documents) for topic, documents in found.items()}


def _in_pools(campaign: Campaign) -> QuerySet[PoolItem]:
    return PoolItem.objects.filter(pool__in=current_pools(campaign), item__document__isnull=False)


def _signatures(documents: Sequence[int]) -> list[bytes]:
    """Return the signatures of viewable texts; b"" for a document without text, such as an image."""
    bodies = DocumentBody.objects.filter(document__in=documents)
    made = {document: signature_of(text) for document, text in bodies.values_list("document_id", "text")}
    return [made.get(document, b"") for document in documents]
