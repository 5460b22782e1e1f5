import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.pooling import (
    PoolEntry,
    PoolRun,
    Recipe,
    Stratum,
    fused_order,
    pool_digest,
    pool_entries,
    read_recipe,
    recipe_json,
)
from scoring.pooling.ranks import TopDocnos, first_docnos
from scoring.records import RankedDoc

A = PoolRun(tag="a", rankings={"1": ["d1", "d2", "d3"], "2": ["e1"]}, priority=1)
B = PoolRun(tag="b", rankings={"1": ["d3", "d4", "d1"]}, priority=2)
RANKINGS = st.lists(st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8), max_size=4)


def docnos(entries, topic="1"):
    return [entry.docno for entry in entries if entry.topic == topic]


def runs_of(rankings):
    return [PoolRun(tag=f"r{place}", rankings={"1": ranking}) for place, ranking in enumerate(rankings)]


def strata(*pairs):
    return tuple(Stratum(bound=bound, rate=rate) for bound, rate in pairs)


def test_depth_is_the_union_of_the_tops():
    assert tuple(pool_entries(Recipe(depth=2), [A, B])) == (
        PoolEntry(topic="1", docno="d1"),
        PoolEntry(topic="1", docno="d2"),
        PoolEntry(topic="1", docno="d3"),
        PoolEntry(topic="1", docno="d4"),
        PoolEntry(topic="2", docno="e1"),
    )


def test_topics_are_any_text_and_come_in_their_natural_order():
    run = PoolRun(tag="a", rankings={name: ["d"] for name in ("9-1_10", "9-1_3", "Ünï\ud800", "20.1", "3.10")})
    pool = tuple(pool_entries(Recipe(depth=1), [run]))
    assert [entry.topic for entry in pool] == ["3.10", "9-1_3", "9-1_10", "20.1", "Ünï\ud800"]
    assert len(pool_digest(Recipe(depth=1), pool)) == 64


def test_only_runs_of_the_priorities_contribute():
    assert docnos(pool_entries(Recipe(depth=1, priorities=(2,)), [A, B])) == ["d3"]


def test_each_priority_has_its_depth():
    recipe = Recipe(strategy="priority", depths=((1, 2), (2, 1)))
    other = PoolRun(tag="c", rankings={"1": ["x"]}, priority=3)
    unknown = PoolRun(tag="d", rankings={"1": ["y"]})
    assert docnos(pool_entries(recipe, [A, B, other, unknown])) == ["d1", "d2", "d3"]
    assert recipe.deepest == 2


def test_budget_lowers_the_depth():
    assert docnos(pool_entries(Recipe(depth=3, budget=3), [A, B])) == ["d1", "d3"]
    assert docnos(pool_entries(Recipe(depth=3, budget=4), [A, B])) == ["d1", "d2", "d3", "d4"]


def test_reciprocal_rank_fusion_takes_the_best():
    # d1: 1/61 + 1/63, d3: 1/63 + 1/61, d2 and d4: 1/62; d1 and d3 tie and go by docno
    assert fused_order([A.rankings["1"], B.rankings["1"]], lambda rank: 1 / (60 + rank)) == ["d1", "d3", "d2", "d4"]
    assert docnos(pool_entries(Recipe(strategy="rrf", budget=3), [A, B])) == ["d1", "d2", "d3"]


def test_rank_biased_fusion_with_a_low_p_prefers_first_places():
    rankings = [["x", "y"], ["z", "y"]]
    assert docnos(pool_entries(Recipe(strategy="rbp", budget=2, p=0.1), runs_of(rankings))) == ["x", "z"]
    assert docnos(pool_entries(Recipe(strategy="rbp", budget=2, p=0.9), runs_of(rankings))) == ["x", "y"]


def test_rank_biased_fusion_by_max_counts_the_best_place_alone():
    rankings = [["x", "y"], ["z", "y"]]
    best = Recipe(strategy="rbp", budget=2, p=0.9, combine="max")
    assert docnos(pool_entries(best, runs_of(rankings))) == ["x", "z"]


def test_union_comes_in_and_judged_stay_out():
    judged = {("1", "d1"): False}
    pool = tuple(pool_entries(Recipe(depth=1), [A, B], union=[("1", "listed"), ("7", "new")], judged=judged))
    assert [(entry.topic, entry.docno) for entry in pool] == [("1", "d3"), ("1", "listed"), ("2", "e1"), ("7", "new")]


def test_judgments_lead_a_pool_that_grows_by_them():
    runs = [PoolRun(tag="a", rankings={"1": ["a1", "a2", "a3"]}), PoolRun(tag="b", rankings={"1": ["b1", "b2"]})]
    recipe = Recipe(strategy="move-to-front", budget=3)
    assert docnos(pool_entries(recipe, runs)) == ["a1", "b1", "a2"]
    judged = {("1", "a1"): False, ("1", "b1"): True}
    assert docnos(pool_entries(recipe, runs, judged=judged)) == ["b2", "a2", "a3"]


def test_runs_rank_by_score_then_docno_descending():
    lines = [
        RankedDoc(topic="1", docno=docno, rank=rank, score=score)
        for docno, rank, score in [("a", 1, 1.0), ("b", 2, 1.0), ("c", 3, 9.0)]
    ]
    assert first_docnos(lines, 3) == {"1": ("c", "b", "a")}


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=2), st.integers(0, 3)), unique_by=lambda pair: pair[0], max_size=30),
    st.integers(1, 5),
)
def test_two_ways_to_the_first_documents_agree_with_sorting(pairs, depth):
    records = [RankedDoc(topic="1", docno=docno, rank=1, score=float(score)) for docno, score in pairs]
    whole = tuple(docno for docno, _ in sorted(pairs, key=lambda pair: (pair[1], pair[0].encode()), reverse=True))
    top = TopDocnos(depth)
    for record in records:
        top.add("1", [record.docno], [record.score])
    assert top.rankings().get("1", ()) == first_docnos(records, depth).get("1", ()) == whole[:depth]


def test_strata_by_rank_are_sampled_at_their_rates():
    run = PoolRun(tag="a", rankings={"1": [f"d{place:02}" for place in range(40)]})
    recipe = Recipe(strategy="stratified", strata=strata((10, 1), (40, 0.2)))
    pool = tuple(pool_entries(recipe, [run]))
    assert [(e.docno, e.probability) for e in pool if e.stratum == "1"] == [(f"d{n:02}", 1.0) for n in range(10)]
    assert [e.probability for e in pool if e.stratum == "2"] == [0.2] * 6
    assert tuple(pool_entries(recipe, [run])) == pool
    others = tuple(pool_entries(Recipe(strategy="stratified", strata=strata((10, 1), (40, 0.2)), seed=7), [run]))
    assert docnos(others) != docnos(pool)


def test_strata_by_runs_count_who_returns_a_document():
    rankings = [["x", "y", "z"], ["x", "y", "w"], ["x", "v"]]
    recipe = Recipe(strategy="stratified", strata_by="runs", strata=strata((3, 1), (2, 1), (1, 0.5)))
    pool = tuple(pool_entries(recipe, runs_of(rankings)))
    assert [(e.docno, e.stratum) for e in pool if e.stratum in "12"] == [("x", "1"), ("y", "2")]
    assert [e.probability for e in pool if e.stratum == "3"] == [2 / 3] * 2


def test_over_many_seeds_every_document_of_a_stratum_comes_in_as_often():
    run = PoolRun(tag="a", rankings={"1": list("abcde")})
    seeds = range(2000)
    drawn = [
        docno
        for seed in seeds
        for docno in docnos(pool_entries(Recipe(strategy="stratified", strata=strata((5, 0.4)), seed=seed), [run]))
    ]
    shares = {docno: drawn.count(docno) / len(seeds) for docno in "abcde"}
    assert all(abs(share - 0.4) < 0.05 for share in shares.values()), shares


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "depth needs a depth"),
        ({"depth": 0}, "1 or more"),
        ({"depth": 10**10}, "at most"),
        ({"depth": 5, "budget": 0}, "1 or more"),
        ({"strategy": "rrf"}, "needs a budget"),
        ({"strategy": "max-mean"}, "needs a budget"),
        ({"strategy": "best"}, "must be one of"),
        ({"depth": 1, "p": 1.0}, "between"),
        ({"depth": 1, "p": float("nan")}, "between"),
        ({"depth": 1, "combine": "mean"}, "sum or by max"),
        ({"strategy": "priority"}, "needs depths"),
        ({"strategy": "priority", "depths": ((1, 0),)}, "1 or more"),
        ({"strategy": "priority", "depths": ((1, 5), (1, 6))}, "two depths"),
        ({"strategy": "stratified"}, "needs strata"),
        ({"strategy": "stratified", "strata": strata((5, 1), (5, 1))}, "rise"),
        ({"strategy": "stratified", "strata": strata((5, 0))}, "rate"),
        ({"strategy": "stratified", "strata": strata((1, 1), (5, 1)), "strata_by": "runs"}, "fall"),
        ({"strategy": "stratified", "strata": strata((1, 1)), "strata_by": "teams"}, "by rank or by runs"),
    ],
)
def test_wrong_recipe_is_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        Recipe(**changes)


RECIPES = st.one_of(
    st.builds(Recipe, depth=st.integers(1, 500), budget=st.none() | st.integers(1, 9), priorities=st.just((1, 2))),
    st.builds(Recipe, strategy=st.just("rbp"), budget=st.integers(1, 9), p=st.floats(0.1, 0.9)),
    st.builds(Recipe, strategy=st.just("priority"), depths=st.just(((1, 100), (2, 50)))),
    st.builds(Recipe, strategy=st.just("stratified"), strata=st.just(strata((5, 1.0), (9, 0.3))), seed=st.integers(0)),
)


@settings(deadline=None)
@given(RECIPES.filter(lambda recipe: recipe.seed < 10**9))
def test_a_recipe_is_read_back_as_it_was_written(recipe):
    written = recipe_json(recipe)
    assert read_recipe(written) == recipe
    assert written == json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "JSON object"),
        ('{"depht": 3}', "no field “depht”"),
        ('{"depth": "3"}', "depth must be a whole number"),
        ('{"depth": true}', "depth must be a whole number"),
        ('{"depth": 1, "k": ' + "9" * 5000 + "}", "not JSON"),
        ('{"depth": 1, "seed": 1e400}', "not JSON"),
        ('{"depth": 1, "p": "x"}', "p must be a number"),
        ('{"strategy": ["rrf"]}', "strategy must be a word"),
        ('{"strategy": "priority", "depths": [1]}', "depths must be"),
        ('{"strategy": "stratified", "strata": [{"bound": 1}]}', "strata must be"),
        ('{"depth": 1, "priorities": [1.5]}', "priorities must be"),
    ],
)
def test_what_is_no_recipe_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        read_recipe(text)


def test_the_digest_is_over_recipe_and_members():
    recipe = Recipe(depth=1)
    pool = tuple(pool_entries(recipe, [A]))
    lines = recipe_json(recipe) + '\n["1","d1","",1.0]\n["2","e1","",1.0]'
    assert pool_digest(recipe, pool) == hashlib.sha256(lines.encode()).hexdigest()
    assert pool_digest(recipe, reversed(pool)) == pool_digest(recipe, pool)
    assert pool_digest(Recipe(depth=1, seed=1), pool) != pool_digest(recipe, pool)
    assert pool_digest(recipe, pool[:1]) != pool_digest(recipe, pool)


@settings(deadline=None)
@given(RANKINGS, st.integers(1, 9), st.integers(1, 12))
def test_pools_are_subsets_ordered_and_within_budget(rankings, depth, budget):
    runs = runs_of(rankings)
    returned = {docno for ranking in rankings for docno in ranking}
    for recipe in (Recipe(depth=depth, budget=budget), Recipe(strategy="rrf", budget=budget)):
        pool = docnos(pool_entries(recipe, runs))
        assert set(pool) <= returned
        assert pool == sorted(set(pool))
        assert len(pool) <= budget
        assert docnos(pool_entries(recipe, runs[::-1])) == pool
    assert len(docnos(pool_entries(Recipe(strategy="rrf", budget=budget), runs))) == min(budget, len(returned))


@settings(deadline=None)
@given(RANKINGS, st.integers(1, 6))
def test_no_document_past_the_depth_that_is_looked_at_matters(rankings, depth):
    cut = [ranking[:depth] for ranking in rankings]
    for recipe in (
        Recipe(depth=depth),
        Recipe(strategy="rrf", budget=3, depth=depth),
        Recipe(strategy="max-mean", budget=3, depth=depth),
        Recipe(strategy="stratified", strata=strata((1, 1), (depth + 1, 0.5)), depth=depth),
    ):
        assert recipe.deepest == depth
        assert list(pool_entries(recipe, runs_of(rankings))) == list(pool_entries(recipe, runs_of(cut)))
