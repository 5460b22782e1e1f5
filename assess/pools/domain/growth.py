"""Pools that grow while they are judged: rankings and official judgments determine the next documents."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from assess.assignments.models import Assignment, HelpRequest
from assess.assignments.queries.handoffs import predecessors_of
from assess.base.bulk import add_rows
from assess.base.errors import NotFound, Refused
from assess.base.files import stored_path
from assess.campaigns.activity import record_activity
from assess.campaigns.grown_work import recheck_done_work
from assess.campaigns.models import Campaign
from assess.campaigns.queries import judges_ranked_items, stage_of
from assess.documents.domain.adding_items import ItemKey, add_items, known_items, link_left_items
from assess.items.models import Pool, PoolItem
from assess.items.queries import GROWTH, current_pools
from assess.judging.models import Judgment
from assess.judging.snapshots import Snapshot
from assess.pools.domain.building import COLUMNS
from assess.pools.domain.draw import LISTED, document_record, ranking_of
from assess.pools.domain.rankings_file import open_rankings
from assess.pools.queries import judged_documents
from assess.protocol import Task
from assess.topics.models import Topic
from scoring.pooling import OnlinePool
from scoring.pooling.recipe import ONLINE

FEW = 5
"""A topic's pool grows as soon as its assessor has fewer open items than this."""

GOOD = "relevant_from"
"""The key of the lowest relevant grade in a pool's selection."""

logger = logging.getLogger(__name__)


def extend_pool(*, actor: User, assignment: Assignment) -> int:
    """Let the pool of an assignment's topic grow if fewer than `FEW` of its items are open, and return how many were
    added.

    Done assignments of the topic are then reopened. The pool's strategy draws the next batch from the stored rankings
    and the official judgments. An unjudged item of the pool counts as not relevant until it is judged. The budget is
    never exceeded; documents from lists do not count towards it. So the same judgments always give the same items, for
    every assessor of the topic. If the rankings are not stored on this site (`can_grow`), or if the campaign is closed,
    nothing is added.

    It takes one short query if the task's pool does not grow, three if enough is open, and none if the stage judges
    another kind of item.
    """
    if not judges_ranked_items(assignment.campaign, assignment.stage):
        return 0
    task, stage = stage_of(assignment.campaign, assignment.stage)
    pool = _live_pool(assignment.campaign, task)
    kind = stage.item_kind
    if pool is None or assignment.campaign.is_closed:
        return 0
    if _open(pool, kind, assignment) >= FEW or not can_grow(pool):
        return 0
    with transaction.atomic():
        topic = Topic.objects.select_for_update(no_key=True).get(pk=assignment.topic_id)
        if _open(pool, kind, assignment) >= FEW:  # another assessor of the topic was here first
            return 0
        added = _grow(actor=actor, pool=pool, task=task, kind=kind, topic=topic, campaign=assignment.campaign)
    if added:  # in transactions of their own: they lock work and the campaign, and the growth held the ledger's number
        link_left_items(assignment.campaign, topic=topic.pk)  # documents that were being stored meanwhile
        recheck_done_work(campaign=assignment.campaign, actor=actor, topics=[topic.pk])
    return added


def pool_grows(assignment: Assignment) -> bool:
    """Return whether the task's pool is of the kind that grows, whether or not its rankings are stored here. One
    query.
    """
    task, _ = stage_of(assignment.campaign, assignment.stage)
    return _live_pool(assignment.campaign, task) is not None


def can_grow(pool: Pool) -> bool:
    """Return whether the pool grows and its rankings are stored here. They are not if the pool came with a release."""
    selection = pool.recipe.get("selection")
    recipe = selection.get("recipe") if isinstance(selection, dict) else None
    if not isinstance(selection, dict) or not isinstance(recipe, dict):
        return False
    if not all(isinstance(each, int) for each in (recipe.get("budget"), selection.get("batch"), selection.get(GOOD))):
        return False
    try:
        return stored_path(str(selection.get("rankings"))).is_file()
    except NotFound:
        return False


def extend_quietly(*, actor: User, assignment: Assignment) -> None:
    """Let the pool grow as `extend_pool` does, after a judgment was stored, and only log a refusal.

    The next judgment tries again.
    """
    try:
        extend_pool(actor=actor, assignment=assignment)
    except Refused as refusal:
        logger.warning("the pool of assignment %s does not grow: %s", assignment.pk, refusal.message)


def _live_pool(campaign: Campaign, task: Task) -> Pool | None:
    return current_pools(campaign).filter(task=task.key, recipe__strategy__in=ONLINE).first()


def _open(pool: Pool, kind: str, assignment: Assignment) -> int:
    """Return how many pooled items of the topic the assessor has neither judged nor been excused from.

    Judgments made before the work was handed over count as well. An item counts as judged once a grade was given by any
    criterion, even if it was withdrawn later.
    """
    people = [assignment.assessor_id, *(before.assessor_id for before in predecessors_of(assignment))]
    pooled = PoolItem.objects.filter(pool=pool, item__topic=assignment.topic_id, item__kind=kind).order_by()
    judged = Judgment.objects.filter(
        assessor__in=people, item__topic=assignment.topic_id, item__kind=kind, value__isnull=False
    )
    excused = HelpRequest.objects.filter(
        assignment__topic=assignment.topic_id, assignment__assessor__in=people, excused=True
    )
    settled = pooled.filter(item__in=judged.order_by().values("item")) | pooled.filter(
        item__in=excused.order_by().values("item")
    )
    return pooled.exclude(pk__in=settled.values("pk")).count()


def _grow(*, actor: User, pool: Pool, task: Task, kind: str, topic: Topic, campaign: Campaign) -> int:
    selection: dict[str, Any] = pool.recipe["selection"]
    members = PoolItem.objects.filter(pool=pool, item__topic=topic, item__kind=kind).order_by("place", "item__key")
    rows = list(members.values_list("item__key", "stratum", "place"))
    room = selection["recipe"]["budget"] - sum(stratum != LISTED and place is not None for _, stratum, place in rows)
    count = min(room, selection["batch"])
    if count <= 0:
        return 0
    rankings = open_rankings(selection["rankings"]).of(topic.number)
    grades = judged_documents(Snapshot(campaign), task, kind, topics=[topic.pk]).get(topic.number, {})
    judgments = [(topic.number, docno, grade >= selection[GOOD]) for docno, grade in grades.items()]
    online = OnlinePool(pool.recipe["strategy"], {topic.number: rankings}, judgments=judgments)
    pooled = [key for key, _, _ in rows]
    drawn = online.next_documents(topic.number, count, out=[key for key in pooled if key not in grades])
    if not drawn:
        return 0
    ids = _item_ids(campaign, task, kind, topic, drawn)
    last = members.aggregate(last=Max("place"))["last"] or 0
    new = [(pool.pk, ids[topic.number, kind, docno], "", 1.0, last + step) for step, docno in enumerate(drawn, 1)]
    told = "".join(f"{key}\n" for key in [*pooled, *drawn])
    data = {
        "task": task.key, "topic": topic.number, "items": drawn, "place": last + 1, "judged": len(grades),
        "members": hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest(),
    }  # fmt: skip
    record_activity(actor=actor, action=GROWTH, campaign=campaign, about=pool, data=data)
    # Hold the ledger's number, so that the rows of a pool are in the order of its acts (items/queries.py).
    add_rows(PoolItem, COLUMNS, new)
    return len(drawn)


def _item_ids(campaign: Campaign, task: Task, kind: str, topic: Topic, docnos: list[str]) -> dict[ItemKey, int]:
    is_document = ranking_of(campaign, task, kind).is_document
    records = [document_record(topic.number, kind, docno, is_document=is_document) for docno in docnos]
    topics = {topic.number: topic}
    add_items(campaign=campaign, topics=topics, records=records)
    return known_items(topics, [(topic.number, kind, docno) for docno in docnos])
