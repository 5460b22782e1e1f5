import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.pooling import (
    PoolEntry,
    PoolRun,
    Recipe,
    Stratum,
    build_pool,
    fused_order,
    max_mean,
    move_to_front,
    pool_digest,
    pool_run,
    recipe_digest,
)
from scoring.records import RankedDoc

A = PoolRun(tag="a", rankings={"1": ["d1", "d2", "d3"], "2": ["e1"]}, priority=1)
B = PoolRun(tag="b", rankings={"1": ["d3", "d4", "d1"]}, priority=2)
RANKINGS = st.lists(st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8), max_size=4)


def docnos(entries, topic="1"):
    return [entry.docno for entry in entries if entry.topic == topic]


def runs_of(rankings):
    return [PoolRun(tag=f"r{place}", rankings={"1": ranking}) for place, ranking in enumerate(rankings)]


def test_depth_is_the_union_of_the_tops():
    assert build_pool(Recipe(depth=2), [A, B]) == (
        PoolEntry(topic="1", docno="d1"),
        PoolEntry(topic="1", docno="d2"),
        PoolEntry(topic="1", docno="d3"),
        PoolEntry(topic="1", docno="d4"),
        PoolEntry(topic="2", docno="e1"),
    )


def test_only_runs_of_the_priorities_contribute():
    assert docnos(build_pool(Recipe(depth=1, priorities=(2,)), [A, B])) == ["d3"]


def test_budget_lowers_the_depth():
    assert docnos(build_pool(Recipe(depth=3, budget=3), [A, B])) == ["d1", "d3"]
    assert docnos(build_pool(Recipe(depth=3, budget=4), [A, B])) == ["d1", "d2", "d3", "d4"]


def test_reciprocal_rank_fusion_takes_the_best():
    # d1: 1/61 + 1/63, d3: 1/63 + 1/61, d2 and d4: 1/62; d1 and d3 tie and go by docno
    assert fused_order([A.rankings["1"], B.rankings["1"]], lambda rank: 1 / (60 + rank)) == ["d1", "d3", "d2", "d4"]
    assert docnos(build_pool(Recipe(strategy="rrf", budget=3), [A, B])) == ["d1", "d2", "d3"]


def test_rank_biased_fusion_with_a_low_p_prefers_first_places():
    rankings = [["x", "y"], ["z", "y"]]
    assert docnos(build_pool(Recipe(strategy="rbp", budget=2, p=0.1), runs_of(rankings))) == ["x", "z"]
    assert docnos(build_pool(Recipe(strategy="rbp", budget=2, p=0.9), runs_of(rankings))) == ["x", "y"]


def test_union_comes_in_and_judged_stay_out():
    pool = build_pool(Recipe(depth=1), [A, B], union=[("1", "listed")], judged=[("1", "d1")])
    assert docnos(pool) == ["d3", "listed"]


def test_runs_rank_by_score_then_docno_descending():
    lines = [
        RankedDoc(topic="1", docno=docno, rank=rank, score=score)
        for docno, rank, score in [("a", 1, 1.0), ("b", 2, 1.0), ("c", 3, 9.0)]
    ]
    assert pool_run(lines, tag="t").rankings == {"1": ("c", "b", "a")}


def test_sample_has_strata_and_probabilities():
    long = PoolRun(tag="long", rankings={"1": [f"d{rank:03}" for rank in range(1, 101)]})
    recipe = Recipe(
        strategy="stratified", strata=(Stratum(last_rank=10, rate=1), Stratum(last_rank=60, rate=0.2)), seed=7
    )
    pool = build_pool(recipe, [long])
    first = [entry for entry in pool if entry.stratum == "1"]
    second = [entry for entry in pool if entry.stratum == "2"]
    assert [entry.docno for entry in first] == [f"d{rank:03}" for rank in range(1, 11)]
    assert {entry.probability for entry in first} == {1.0}
    assert (len(second), {entry.probability for entry in second}) == (10, {0.2})
    assert all("d011" <= entry.docno <= "d060" for entry in second)
    assert build_pool(recipe, [long]) == pool
    others = build_pool(Recipe(strategy="stratified", strata=recipe.strata, seed=8), [long])
    assert docnos(others) != docnos(pool)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"depth": 0}, "1 or more"),
        ({"budget": 0}, "1 or more"),
        ({"strategy": "rrf"}, "needs a budget"),
        ({"strategy": "best"}, "must be one of"),
        ({"p": 1.0}, "between"),
        ({"strategy": "stratified"}, "needs strata"),
        ({"strategy": "stratified", "strata": (Stratum(last_rank=5, rate=1), Stratum(last_rank=5, rate=1))}, "rise"),
        ({"strategy": "stratified", "strata": (Stratum(last_rank=5, rate=0),)}, "rate"),
    ],
)
def test_wrong_recipe_is_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        Recipe(**changes)


def test_digests_follow_recipe_and_files():
    assert recipe_digest(Recipe(), {"a": "1", "b": "2"}) == recipe_digest(Recipe(), {"b": "2", "a": "1"})
    assert recipe_digest(Recipe(), {"a": "1"}) != recipe_digest(Recipe(seed=1), {"a": "1"})
    assert recipe_digest(Recipe(), {"a": "1"}) != recipe_digest(Recipe(), {"a": "2"})
    pool = build_pool(Recipe(), [A, B])
    assert pool_digest(pool) == pool_digest(reversed(pool))


def test_move_to_front_stays_with_a_run_that_finds():
    rankings = {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"]}
    assert list(move_to_front(rankings, lambda docno: docno in {"b1", "b2"})) == ["a1", "b1", "b2", "a2", "a3"]


def test_max_mean_goes_to_the_run_with_the_best_share():
    rankings = {"a": ["a1", "a2"], "b": ["b1", "b2"]}
    assert list(max_mean(rankings, lambda docno: docno.startswith("b"))) == ["a1", "b1", "b2", "a2"]


@given(RANKINGS, st.integers(1, 9), st.integers(1, 12))
def test_pools_are_subsets_ordered_and_within_budget(rankings, depth, budget):
    runs = runs_of(rankings)
    returned = {docno for ranking in rankings for docno in ranking}
    for recipe in (Recipe(depth=depth, budget=budget), Recipe(strategy="rrf", budget=budget)):
        pool = docnos(build_pool(recipe, runs))
        assert set(pool) <= returned
        assert pool == sorted(set(pool))
        assert len(pool) <= budget
        assert docnos(build_pool(recipe, runs[::-1])) == pool
    assert len(docnos(build_pool(Recipe(strategy="rrf", budget=budget), runs))) == min(budget, len(returned))


@given(RANKINGS, st.sets(st.sampled_from("abcdefghij")))
def test_adaptive_orders_give_every_document_once(rankings, relevant):
    named = {f"r{place}": ranking for place, ranking in enumerate(rankings)}
    for order in (move_to_front, max_mean):
        given_out = list(order(named, relevant.__contains__))
        assert sorted(given_out) == sorted({docno for ranking in rankings for docno in ranking})
