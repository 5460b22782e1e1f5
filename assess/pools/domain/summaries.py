"""The numbers of a pool, counted once and cached until their input changes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as noop

from assess.campaigns.models import Campaign
from assess.items.models import Pool
from assess.items.queries import current_pools
from assess.jobs.domain import ask_for_job
from assess.jobs.kinds import POOL_COUNTS
from assess.jobs.progress import JobProgress, ReportProgress, no_report
from assess.jobs.waiting import StillMaking
from assess.pools.domain.planning import keep, kept, key_of
from assess.pools.queries import PoolCounts, PoolSummary, counts_follow_from, pool_counts, summary_of
from scoring.pooling.recipe import ONLINE

VERSION = 1
AT_ONCE = 20_000
"""The most items of a pool that is counted while somebody waits: less than a tenth of a second."""


class StillCountingPool(StillMaking):
    """The worker is still counting the pool, or could not count it: ``job`` says which."""

    code = "still-counting-pool"
    title = gettext_lazy("Pool")
    doing = gettext_lazy("Counting the items of the pool")
    failed = gettext_lazy("The items of the pool could not be counted")
    again = gettext_lazy("The items of the pool are being counted in the background. Ask again in some seconds.")


def pool_summary(pool: Pool) -> PoolSummary:
    """Return the numbers of a pool. For organisers only, since they name runs.

    It takes five queries, and those of `pool_counts` if the pool must be counted again: because it grew, a topic was
    added or removed, or a run was accepted or withdrawn. Pages and calls use `summary_at_hand`.
    """
    return summary_of(pool, counts_of(pool))


def summary_at_hand(pool: Pool, *, actor: User) -> PoolSummary:
    """Return the numbers of a pool within a request.

    Raise `StillCountingPool` if a large pool must be counted again, which the worker does. A pool that grows by
    judgments is counted at once whatever its size, since the worker would never catch up.
    """
    follows = counts_follow_from(pool)
    counts = _kept(pool, follows)
    if counts is None:
        _, size, *_ = follows
        if size > AT_ONCE and pool.recipe.get("strategy") not in ONLINE:
            pools = sorted({pool.pk, *current_pools(pool.campaign).values_list("pk", flat=True)})
            told = {"pools": pools}
            job = ask_for_job(actor=actor, campaign=pool.campaign, kind=POOL_COUNTS, arguments=told)
            raise StillCountingPool(job)
        counts = _counted(pool, follows)
    return summary_of(pool, counts)


def counts_of(pool: Pool) -> PoolCounts:
    """Return the counts of a pool: the cached ones, or else counted and cached now.

    Building a large pool counts it, so that its page need not.
    """
    follows = counts_follow_from(pool)
    return _kept(pool, follows) or _counted(pool, follows)


def count_for_job(campaign: Campaign, arguments: dict[str, Any], progress: ReportProgress = no_report) -> int:
    """Count the pools that a job names, and return how many items they have. ``progress`` may stop it between two
    pools.
    """
    pools = list(Pool.objects.filter(campaign=campaign, pk__in=arguments["pools"]).order_by("pk"))
    items = 0
    for done, pool in enumerate(pools):
        progress(
            JobProgress(
                done=done, total=len(pools), unit="pools", note=noop("counting %(task)s"), values={"task": pool.task}
            )
        )
        items += sum(number for _, _, number in counts_of(pool).items)
    return items


def _key(pool: Pool, follows: list[Any]) -> str:
    return key_of("pool", VERSION, pool.created_at.isoformat(), follows)


def _kept(pool: Pool, follows: list[Any]) -> PoolCounts | None:
    found = kept(_key(pool, follows))
    return PoolCounts(**found) if found is not None else None


def _counted(pool: Pool, follows: list[Any]) -> PoolCounts:
    counts = pool_counts(pool)
    keep(_key(pool, follows), asdict(counts))
    return counts
