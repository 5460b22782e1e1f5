"""Near-identical documents of a topic's pool: which stand together, and that the same comes out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import Conflict
from assess.documents.domain.clusters import BATCH, Clustered, cluster_documents, start_clustering
from assess.documents.queries.clusters import cluster_rows
from assess.jobs.background import do_job
from assess.jobs.progress import JobProgress, Stopped
from assess.models import Activity, Campaign, DocumentBody, DocumentCluster, Item, Job, Pool, PoolItem, Topic
from tests import factories
from tests.assess.commands import run_command
from tests.assess.pages import page_of

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


def test_a_job_finds_them_and_page_and_api_list_them(
    client: Client, pooled: Campaign, organiser: User, rigid: Topic
) -> None:
    client.force_login(organiser)
    address, api = reverse("document-clusters", args=["opinions"]), reverse("api-document-clusters", args=["opinions"])
    assert "none found; look for them" in page_of(client.get(reverse("documents", args=["opinions"])))
    assert client.post(address, {"likeness": "1.5"}).status_code == 422
    assert not Job.objects.exists()
    client.post(address, {"likeness": "0.8"})
    job = Job.objects.get()
    with pytest.raises(Conflict, match="under way already"):
        start_clustering(actor=organiser, campaign=pooled)
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.kind, job.state, job.done, job.total) == ("clusters", "done", 7, 7)
    assert job.message == "7 documents compared, each with the others of its topic: 4 documents in 2 clusters."
    listed = page_of(client.get(address))
    assert "4 documents in 2 clusters" in listed
    assert ["a, e" in listed, "b, c" in listed] == [True, True]
    assert "4 in 2 clusters" in page_of(client.get(reverse("documents", args=["opinions"])))
    assert "No topic with clusters" not in page_of(client.get(address, {"q": rigid.number[:2]}))
    rows: Any = client.get(api, {"limit": 3, "topic": rigid.number}).json()
    assert rows["results"] == [
        {"topic": rigid.number, "cluster": cluster, "docno": docno} for cluster, docno in ((1, "a"), (1, "e"), (2, "b"))
    ]
    made: Any = client.post(api, json.dumps({"likeness": 1}), content_type="application/json")
    assert (made.status_code, made.json()["kind"]) == (201, "clusters")
    do_job(made.json()["id"])
    assert [docno for _, _, docno in cluster_rows(pooled)] == ["a", "e"]


def test_the_documents_of_a_cluster_stand_side_by_side(
    client: Client, pooled: Campaign, organiser: User, rigid: Topic
) -> None:
    cluster_documents(actor=organiser, campaign=pooled, likeness=0.3)
    client.force_login(organiser)
    address = reverse("document-cluster", args=["opinions", rigid.number, 2])

    def compared(**asked: str) -> list[str]:
        return [document.docno for document, _, _ in client.get(address, asked).context["compared"]]

    assert [compared(), compared(left="c"), compared(right="d")] == [["b", "c"], ["c", "b"], ["b", "d"]]
    assert compared(left="a", right="nobody") == ["b", "c"]
    page = page_of(client.get(address))
    assert "Copied without a word of thanks." in page
    assert reverse("document", args=["opinions", "d"]) in page
    for number, cluster in ((rigid.number, 3), ("no", 1)):
        assert client.get(reverse("document-cluster", args=["opinions", number, cluster])).status_code == 404


def test_what_is_left_of_a_cluster_alone_is_none(
    client: Client, pooled: Campaign, organiser: User, rigid: Topic
) -> None:
    cluster_documents(actor=organiser, campaign=pooled)
    PoolItem.objects.all().delete()
    pooled.documents.filter(docno="b").delete()
    client.force_login(organiser)
    listed = page_of(client.get(reverse("document-clusters", args=["opinions"])))
    assert ("2 documents in 1 cluster" in listed, "a, e" in listed) == (True, True)
    assert client.get(reverse("document-cluster", args=["opinions", rigid.number, 2])).status_code == 404
    with pytest.raises(Conflict, match="No document is pooled and stored"):
        start_clustering(actor=organiser, campaign=pooled)


def test_a_job_that_is_stopped_leaves_the_clusters_of_before_and_is_done_again(
    pooled: Campaign, organiser: User
) -> None:
    cluster_documents(actor=organiser, campaign=pooled)
    before = list(cluster_rows(pooled))
    job = start_clustering(actor=organiser, campaign=pooled, likeness=1)
    Job.objects.filter(pk=job.pk).update(asked_to_stop=True)
    do_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.message) == ("stopped", "The clusters of before stay; start it again to look anew.")
    assert list(cluster_rows(pooled)) == before
    Job.objects.filter(pk=job.pk).update(state="waiting", asked_to_stop=False)
    do_job(job.pk)
    assert list(cluster_rows(pooled)) == before[:2]


def test_a_large_topic_is_stopped_between_batches(pooled: Campaign, organiser: User, rigid: Topic) -> None:
    more = [factories.document(pooled, f"n{number:03}", f"Words {number}.").docno for number in range(BATCH)]
    documents = {each.docno: each for each in pooled.documents.all()}
    pool = Pool.objects.filter(campaign=pooled).latest("pk")
    items = Item.objects.bulk_create(
        Item(topic=rigid, kind="x", key=docno, docno=docno, document=documents[docno]) for docno in more
    )
    PoolItem.objects.bulk_create(PoolItem(pool=pool, item=each) for each in items)
    told: list[JobProgress] = []

    def stop_second(progress: JobProgress) -> None:
        told.append(progress)
        if len(told) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        cluster_documents(actor=organiser, campaign=pooled, progress=stop_second)
    assert [(each.done, each.total) for each in told] == [(0, BATCH + 7), (BATCH, BATCH + 7)]
    assert not DocumentCluster.objects.exists()
