"""Building pools: what is judged. The same runs give the same pool."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from assess.domain.activity import record_activity
from assess.domain.bulk import add_rows
from assess.domain.campaigns import require_changeable
from assess.domain.errors import Conflict, Invalid
from assess.models import Campaign, Item, Pool, PoolItem
from assess.protocol import Task
from assess.queries.pools import current_pools
from assess.queries.runs import judged_runs, returned_items
from assess.queries.tracks import settings_of, track_of

Member = tuple[str, str, str]  # topic number, kind, key


def build_pool(
    *,
    actor: User,
    campaign: Campaign,
    task: str,
    priorities: Iterable[int] | None = None,
    drop_judged: bool = False,
) -> Pool:
    """Pool the distinct items that the accepted runs of these priorities returned for a task.

    ``priorities`` default to the campaign's setting. A run without a priority counts as judged. The digest
    covers recipe and members; building the same again returns the newest pool. Refused (`Conflict`): a pool
    that judged items would leave, unless ``drop_judged`` says so; their judgments stay in the ledger.
    """
    require_changeable(campaign)
    found = _task(campaign, task)
    chosen = _priorities(campaign, found, priorities)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        runs = judged_runs(campaign, chosen)
        kinds = [recipe.kind for recipe in found.pooling]
        recipe = {
            "strategy": "all",
            "kind": kinds[0],
            "priorities": chosen,
            "runs": [[tag, file] for tag, file in runs.values_list("tag", "file")],
        }
        items = returned_items(runs, task=found.key, kinds=kinds)
        members = sorted(items.values_list("topic__number", "kind", "key", "pk"))
        if not members:
            raise Conflict(f"No accepted run of these priorities answers {found.label}, so there is nothing to pool.")
        digest = _digest(recipe, ((number, kind, key) for number, kind, key, _ in members))
        newest = current_pools(campaign).filter(task=found.key).first()
        if newest is not None and newest.digest == digest:
            return newest
        leaving = _judged_that_leave(newest, {pk for *_, pk in members})
        if leaving and not drop_judged:
            raise Conflict(
                f"{leaving:,} judged items would leave the pool of {found.label}: no run of these priorities returns "
                "them any more. What was said of them is kept: a correct answer stays in the answer set. Build it with "
                "“drop judged items” if that is what you want."
            )
        pool = Pool.objects.create(campaign=campaign, task=found.key, recipe=recipe, digest=digest)
        columns = ("pool_id", "item_id", "stratum", "probability")
        add_rows(PoolItem, columns, [(pool.pk, pk, "", 1.0) for *_, pk in members])
        data = {"task": found.key, "items": len(members), "digest": digest, "judged_items_left": leaving}
        record_activity(actor=actor, action="pool.build", campaign=campaign, about=pool, data=data)
        return pool


def _task(campaign: Campaign, key: str) -> Task:
    track = track_of(campaign)
    found = track.task(key)
    if found is None:
        raise Invalid(f"There is no task “{key}”. Use one of: {', '.join(task.key for task in track.tasks)}.")
    return found


def _priorities(campaign: Campaign, task: Task, given: Iterable[int] | None) -> list[int]:
    if given is None:
        given = getattr(settings_of(campaign), task.pooling[0].priorities_setting)
    chosen = sorted(set(given))
    if not chosen:
        raise Invalid("Name the priorities whose runs are judged, such as 1,2.")
    return chosen


def _digest(recipe: dict[str, Any], members: Iterable[Member]) -> str:
    """The sha256 over the recipe and the members' keys; row ids are not in it, so that copies agree."""
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True, ensure_ascii=False).encode())
    for member in members:
        digest.update("\0".join(member).encode(errors="surrogatepass") + b"\n")
    return digest.hexdigest()


def _judged_that_leave(newest: Pool | None, members: set[int]) -> int:
    """How many items of the newest pool have a judgment and are not among the members."""
    if newest is None:
        return 0
    judged = Item.objects.filter(pool_items__pool=newest, judgments__isnull=False).order_by()
    return len(set(judged.values_list("pk", flat=True).distinct()) - members)
