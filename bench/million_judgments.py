"""Make an ad hoc campaign with 1,000,000 judgments, or as many as are asked for, for `bench.bench_release`.

Rows are added in bulk under the ledger's counter, and a few judgments are changed or withdrawn.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

SLUG, ORGANISER = "million", "organiser"
DAYS, CHANGED, TAKEN_BACK, UNJUDGED, SECONDED = 30, 0.03, 0.003, 0.02, 0.05
BATCH = 20_000


def make(judgments: int, topics: int, assessors: int) -> None:
    """Fill the database, unless it holds the campaign already."""
    from django.core.management import call_command
    from django.db import connection

    from assess.campaigns.models import Campaign

    call_command("migrate", verbosity=0)
    if Campaign.objects.filter(slug=SLUG).exists():
        return
    start = time.perf_counter()
    work = _hand_out(topics, assessors)
    items = max(int(judgments / (1 - UNJUDGED + CHANGED + SECONDED) / topics), 1)
    _add_items(work, items)
    _judge(work, items, judgments)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"made\t{time.perf_counter() - start:.0f} s\t{topics} topics, {items:,} documents each", flush=True)


def _hand_out(topics: int, assessors: int) -> list[tuple[Any, Any, Any]]:
    """Create the campaign, its people and its topics. Return (topic, primary assessor's work, second assessor's work)
    for each topic.
    """
    from django.contrib.auth.models import User

    from assess.models import Assignment, Campaign, Guideline, Membership, Topic

    organiser = User.objects.create_user(ORGANISER)
    campaign = Campaign.objects.create(slug=SLUG, title="A million", track="adhoc", state=Campaign.State.JUDGING)
    Membership.objects.create(campaign=campaign, user=organiser, role="organiser")
    Guideline.objects.create(campaign=campaign, version=1, text="Judge.", published_by=organiser)
    people = [User.objects.create_user(f"assessor{number}") for number in range(1, assessors + 1)]
    for person in people:
        Membership.objects.create(campaign=campaign, user=person, role="assessor")
    work = []
    for number in range(1, topics + 1):
        topic = Topic.objects.create(
            campaign=campaign, task="ranking", number=str(number), text=f"Topic {number}", ordinal=number
        )
        first, second = (
            Assignment.objects.create(
                campaign=campaign,
                topic=topic,
                stage="documents",
                assessor=people[(number + place) % assessors],
                role=role,
                state="started",
                seed=number,
            )
            for place, role in enumerate(("primary", "second"))
        )
        work.append((topic, first, second))
    return work


def _add_items(work: list[tuple[Any, Any, Any]], items: int) -> None:
    from django.db import connection, transaction

    from assess.base.bulk import add_rows
    from assess.items.models import Item, Pool, PoolItem

    pool = Pool.objects.create(
        campaign=work[0][0].campaign, task="ranking", recipe={"strategy": "depth", "kind": "document"}, digest="0" * 64
    )
    columns = ("id", "topic_id", "kind", "key", "text", "docno", "fields", "given")
    first, false = 1, False
    with transaction.atomic():
        for topic, _, _ in work:
            docnos = [f"doc-{topic.number}-{number * 7919 % 1_000_003:07d}" for number in range(items)]
            rows = [
                (first + place, topic.pk, "document", docno, "", docno, "{}", false)
                for place, docno in enumerate(docnos)
            ]
            add_rows(Item, columns, rows)
            pooled = ("pool_id", "item_id", "stratum", "probability")
            add_rows(PoolItem, pooled, [(pool.pk, first + place, "", 1.0) for place in range(items)])
            first += items
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT setval(pg_get_serial_sequence('assess_item', 'id'), %s)", [first])


def _judge(work: list[tuple[Any, Any, Any]], items: int, judgments: int) -> None:
    from django.db import connection, transaction

    from assess.base.bulk import add_rows
    from assess.judging.models import Judgment
    from assess.ledger.models import take_points

    dice, campaign = random.Random(1), work[0][1].campaign_id
    suffix = "+00:00" if connection.vendor == "postgresql" else ""
    begin = datetime.now(UTC).replace(hour=9) - timedelta(days=DAYS)
    columns = (
        *("id", "created_at", "item_id", "criterion", "value", "note", "assessor_id", "assignment_id"),
        *("client_key", "how", "seconds"),
    )
    said = islice(_said(work, items, dice), judgments)
    place = 0
    while batch := list(islice(said, BATCH)):
        with transaction.atomic():
            rows = []
            numbers = take_points(campaign, len(batch))
            for number, (item, value, assignment) in zip(numbers, batch, strict=True):
                at = begin + timedelta(days=DAYS * place // judgments, seconds=place % 28_000)
                place += 1
                seconds = round(dice.lognormvariate(3, 0.6), 1)
                rows.append(
                    (
                        *(number, at.strftime("%Y-%m-%d %H:%M:%S") + suffix, item, "relevance", value, ""),
                        *(assignment.assessor_id, assignment.pk, UUID(int=dice.getrandbits(128)).hex, "key", seconds),
                    )
                )
            add_rows(Judgment, columns, rows)


def _said(work: list[tuple[Any, Any, Any]], items: int, dice: random.Random) -> Iterator[tuple[int, int | None, Any]]:
    """Yield (item, value, assignment) for each judgment. Topics take turns, since people work at the same time."""
    for place in range(items):
        for number, (_, author, second) in enumerate(work):
            item = number * items + place + 1
            if dice.random() < UNJUDGED:
                continue
            yield item, dice.choice((0, 0, 0, 1, 2, 3)), author
            if dice.random() < SECONDED:
                yield item, dice.choice((0, 0, 0, 1, 2, 3)), second
            if dice.random() < CHANGED:
                yield item, None if dice.random() < TAKEN_BACK / CHANGED else dice.choice((0, 1)), author
