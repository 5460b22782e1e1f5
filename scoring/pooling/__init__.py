"""Chooses pools: the documents that assessors will see. It is pure and deterministic: the same recipe and runs give the
same pool.

    depth          the first ``depth`` documents of every run (Sparck Jones and van Rijsbergen 1975)
    priority       as depth, but each priority of runs has its own depth
    rrf            the best ``budget`` of a topic by reciprocal rank fusion, sum of 1 / (k + rank)   (Cormack 2009)
    rbp            the best ``budget`` by rank-biased weight, sum or max of (1 - p) p^(rank - 1)     (Moffat 2007)
    stratified     strata by best rank in any run, or by how many runs return a document, each sampled at its rate with
                   the recipe's seed; every entry carries stratum and inclusion probability (Yilmaz et al. 2008)
    depth-order    all documents by best rank, then by how many runs return them, up to ``budget``
    move-to-front, max-mean     one document after the other, as judgments are made: `scoring.pooling.online`

Runs are ranked by score, and ties by docno, both descending, as in trec_eval. Ties of fused scores are broken by the
better best rank, then by the smaller docno. `scoring.pooling.analysis` describes a pool before and after it is judged.
"""

from scoring.pooling.build import pool_entries
from scoring.pooling.online import OnlinePool, simulated
from scoring.pooling.ranks import PoolRun, best_ranks, first_docnos, fused_order
from scoring.pooling.recipe import STRATEGIES, PoolEntry, Recipe, Stratum, pool_digest, read_recipe, recipe_json

__all__ = [
    "STRATEGIES", "OnlinePool", "PoolEntry", "PoolRun", "Recipe", "Stratum", "best_ranks", "first_docnos",
    "fused_order", "pool_digest", "pool_entries", "read_recipe", "recipe_json", "simulated",
]  # fmt: skip
