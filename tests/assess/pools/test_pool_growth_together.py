"""A growing pool that two people judge at the same moment: nothing comes in twice, and nobody misses anything."""

from __future__ import annotations

from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection

from assess.base.errors import Refused
from assess.models import Activity, Assignment, Campaign, Item, Judgment, Membership, Pool, PoolItem
from assess.pools.domain.growth import extend_pool
from tests import factories
from tests.assess.pooling import build, grade, submit, work

BUDGET = 24


@pytest.fixture
def crowded(committed_db: None, organiser: User, settings: Any, tmp_path: Path) -> Pool:
    """A live pool of one topic that grows two documents at a time, over four runs of 20 documents."""
    settings.DATA_DIR = tmp_path
    campaign = Campaign.objects.create(slug="ranked", title="Ranked", track="adhoc", state=Campaign.State.JUDGING)
    Membership.objects.create(campaign=campaign, user=organiser, role="organiser")
    factories.topic(campaign, "1", "Topic 1", task="ranking", ordinal=1)
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
    for number in range(4):
        team = f"team{number}"
        submit(campaign, organiser, f"run{number}", team, {"1": alphabet[number * 5 :][:20]})
    return build(campaign, organiser, strategy="max-mean", budget=BUDGET, batch=2)


def judge_all(assignment: Assignment, start: Barrier, wrong: list[Exception]) -> None:
    """Judge what is open on the bench until nothing is, as fast as possible."""
    try:
        start.wait()
        while True:
            left = list(Item.objects.filter(pool_items__isnull=False).exclude(judgments__assignment=assignment))
            if not left and not extend_pool(actor=assignment.assessor, assignment=assignment):
                return
            for item in left:
                grade(assignment, item.key[1:], ord(item.key[1]) % 2)
    except (DatabaseError, Refused) as error:
        wrong.append(error)
    finally:
        connection.close()


def test_two_people_at_once_get_the_same_documents_each_once(
    crowded: Pool, assessor: User, second_assessor: User
) -> None:
    campaign = crowded.campaign
    pieces = [work(campaign, "1", assessor), work(campaign, "1", second_assessor, role="second")]
    start = Barrier(2)
    wrong: list[Exception] = []
    threads = [Thread(target=judge_all, args=(piece, start, wrong)) for piece in pieces]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    rows = list(PoolItem.objects.filter(pool=crowded).order_by("place").values_list("place", "item_id"))
    assert [place for place, _ in rows] == list(range(1, BUDGET + 1))
    pooled = {item for _, item in rows}
    assert len(pooled) == BUDGET
    for piece in pieces:
        said = list(Judgment.objects.filter(assignment=piece).values_list("item_id", flat=True))
        assert (len(said), set(said)) == (BUDGET, pooled)
    told = [
        key for grown in Activity.objects.filter(action="pool.extend").order_by("id") for key in grown.data["items"]
    ]
    first = PoolItem.objects.filter(pool=crowded, place__lte=2).order_by("place").values_list("item__key", flat=True)
    every = PoolItem.objects.filter(pool=crowded).order_by("place").values_list("item__key", flat=True)
    assert [*first, *told] == list(every)
