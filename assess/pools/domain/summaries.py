"""A pool in numbers, counted once for what they follow from."""

from __future__ import annotations

from dataclasses import asdict

from assess.items.models import Pool
from assess.pools.domain.planning import keep, kept, key_of
from assess.pools.queries import PoolCounts, PoolSummary, counts_follow_from, pool_counts, summary_of

VERSION = 1


def pool_summary(pool: Pool) -> PoolSummary:
    """The pool in numbers. For organisers only, since it names runs.

    Queries: five, and those of `pool_counts` where it is counted anew: since it was built or counted last, the pool
    grew, a topic came or went, or a run was accepted or withdrawn.
    """
    return summary_of(pool, counts_of(pool))


def counts_of(pool: Pool) -> PoolCounts:
    """What is counted of a pool, and kept: whoever builds a large one has it counted, and its page need not."""
    key = key_of("pool", VERSION, pool.created_at.isoformat(), counts_follow_from(pool))
    found = kept(key)
    if found is not None:
        return PoolCounts(**found)
    counts = pool_counts(pool)
    keep(key, asdict(counts))
    return counts
