"""Near-identical documents of a topic's pool: which stand together, and that the same comes out again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from assess.documents.domain.clusters import Clustered, cluster_documents
from assess.documents.queries.clusters import cluster_rows
from assess.models import Activity, Campaign, DocumentBody, DocumentCluster, Item, Pool, PoolItem, Topic
from tests import factories
from tests.assess.commands import run_command

pytestmark = pytest.mark.django_db

FERRY = " ".join(f"The ferry number {n} stopped at the pier of harbour {n * 7} in May." for n in range(40))
OTHER = " ".join(f"A kite of colour {n} flew over hill {n * 3} and came down." for n in range(40))
TEXTS = {
    "a": OTHER,
    "b": FERRY,
    "c": FERRY + " Copied without a word of thanks.",
    "d": FERRY[: len(FERRY) // 2],
    "e": OTHER.upper(),
    "f": "",
    "g": "",
}


def pool_of(topic: Topic, docnos: str) -> Pool:
    """A pool of the topic's task with these documents, each by two items."""
    pool = Pool.objects.create(campaign=topic.campaign, task=topic.task, recipe={}, digest="x")
    documents = {each.docno: each for each in topic.campaign.documents.all()}
    for number in range(2):
        for docno in docnos:
            item = factories.item(topic, f"{docno} {number} {pool.pk}", docno=docno)
            Item.objects.filter(pk=item.pk).update(document=documents[docno])
            PoolItem.objects.create(pool=pool, item=item)
    return pool


@pytest.fixture
def pooled(campaign: Campaign, rigid: Topic) -> Campaign:
    for docno, text in TEXTS.items():
        factories.document(campaign, docno, text or "x")
    DocumentBody.objects.filter(text="x").update(text="")
    pool_of(rigid, "gfedcba")
    return campaign


def test_near_identical_documents_stand_together(pooled: Campaign, organiser: User, rigid: Topic) -> None:
    made = cluster_documents(actor=organiser, campaign=pooled)
    assert made == Clustered(compared=7, clustered=4, clusters=2)
    number = rigid.number
    assert list(cluster_rows(pooled)) == [(number, 1, "a"), (number, 1, "e"), (number, 2, "b"), (number, 2, "c")]
    row = Activity.objects.get(action="documents.cluster")
    assert row.data == {"likeness": 0.8, "documents": 4, "clusters": 2}


def test_the_share_says_how_alike_and_the_last_run_counts(pooled: Campaign, organiser: User) -> None:
    cluster_documents(actor=organiser, campaign=pooled, likeness=0.3)
    assert [docno for _, number, docno in cluster_rows(pooled) if number == 2] == ["b", "c", "d"]
    cluster_documents(actor=organiser, campaign=pooled, likeness=1)
    assert [docno for _, _, docno in cluster_rows(pooled)] == ["a", "e"]


def test_only_what_is_pooled_for_the_same_topic_is_compared(
    pooled: Campaign, organiser: User, rigid: Topic, squishy: Topic
) -> None:
    pool_of(rigid, "ab")
    pool_of(squishy, "ce")
    assert cluster_documents(actor=organiser, campaign=pooled).clusters == 0


def test_the_command_prints_the_same_file_again(pooled: Campaign, rigid: Topic) -> None:
    lines = ["topic\tcluster\tdocno", *(f"{rigid.number}\t{row}" for row in ("1\ta", "1\te", "2\tb", "2\tc"))]
    code, out, said = run_command("cluster_documents", "opinions")
    assert (code, out.splitlines()) == (0, lines)
    assert said.strip() == ("7 documents compared, each with the others of its topic: 4 documents in 2 clusters.")
    assert run_command("cluster_documents", "opinions")[1] == out
    assert run_command("cluster_documents", "opinions", "--list")[1] == out
    assert "2 is not above 0 and at most 1" in run_command("cluster_documents", "opinions", "--likeness", "2")[2]


def test_a_document_that_is_taken_out_leaves_its_cluster(pooled: Campaign, organiser: User) -> None:
    cluster_documents(actor=organiser, campaign=pooled)
    PoolItem.objects.all().delete()
    pooled.documents.filter(docno="b").delete()
    assert DocumentCluster.objects.count() == 3
