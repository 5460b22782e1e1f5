"""Estimates from samples against exact values: over all samples at once, and with everything sampled."""

from itertools import combinations, product
from math import isclose
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.measures import parse
from scoring.measures.ranked import rank_scores
from scoring.pooling import PoolEntry, PoolRun, Recipe, Stratum, build_pool
from scoring.pooling.inference import TopicSample, sampled_grades

RANKING = list("cadgbfeh")
STRATA = {"1": "ab", "2": "cdef", "3": "gh"}
DRAWN = {"1": 2, "2": 2, "3": 2}
RELEVANT = {"a", "c", "d", "f", "h"}


def every_sample(drawn):
    """All samples that the design can draw; each is as likely as any other."""
    for chosen in product(*(combinations(STRATA[name], drawn[name]) for name in STRATA)):
        yield [
            PoolEntry(topic="1", docno=docno, stratum=name, probability=drawn[name] / len(STRATA[name]))
            for name, docnos in zip(STRATA, chosen, strict=True)
            for docno in docnos
        ]


def precisions(ranking, relevant):
    return [
        sum(docno in relevant for docno in ranking[:rank]) / rank
        for rank, docno in enumerate(ranking, 1)
        if docno in relevant
    ]


@pytest.mark.parametrize("relevant", [RELEVANT, set("abcdefgh"), {"e"}, set()])
def test_over_all_samples_the_estimates_are_right_on_average(relevant):
    samples = [TopicSample(entries, relevant=relevant) for entries in every_sample(DRAWN)]
    assert len(samples) == 6
    assert isclose(fmean(each.relevant() for each in samples), len(relevant), abs_tol=1e-12)
    exact = sum(docno in relevant for docno in RANKING[:3]) / 3
    assert isclose(fmean(each.precision(RANKING, 3) for each in samples), exact, abs_tol=1e-12)
    found = fmean(each.sum_of_precisions(RANKING) for each in samples)
    assert isclose(found, sum(precisions(RANKING, relevant)), abs_tol=1e-12)


def test_a_stratum_drawn_from_once_never_shows_its_pairs():
    drawn = {"1": 2, "2": 1, "3": 2}
    samples = [TopicSample(entries, relevant=RELEVANT) for entries in every_sample(drawn)]
    assert isclose(fmean(each.relevant() for each in samples), len(RELEVANT))
    assert fmean(each.sum_of_precisions(RANKING) for each in samples) < sum(precisions(RANKING, RELEVANT))


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1),
    st.sets(st.sampled_from("abcdefghij"), min_size=1),
    st.integers(1, 5),
)
def test_with_everything_sampled_the_estimates_are_exact(ranking, relevant, size):
    recipe = Recipe(strategy="stratified", strata=(Stratum(bound=size, rate=1), Stratum(bound=10, rate=1)))
    pool = build_pool(recipe, [PoolRun(tag="pool", rankings={"1": list("abcdefghij")})])
    sample = TopicSample(pool, relevant=relevant)
    grades = {"1": {docno: int(docno in relevant) for docno in "abcdefghij"}}
    scores = {"1": {docno: float(-place) for place, docno in enumerate(ranking)}}
    measures = [parse(name) for name in ("AP", "P@3", "infAP")]
    ap, precision, inferred = (score.value for score in rank_scores(grades, scores, measures, run="r")[:3])
    assert sample.relevant() == len(relevant)
    assert isclose(sample.precision(ranking, 3), precision, abs_tol=1e-9)
    assert isclose(sample.average_precision(ranking), ap, abs_tol=1e-9)
    assert isclose(inferred, ap, abs_tol=1e-4)  # trec_eval adds .00001 to what it divides


def test_samples_of_a_large_pool_give_nearly_the_average_precision():
    docnos = [f"d{place:03}" for place in range(300)]
    relevant = {docno for place, docno in enumerate(docnos) if place % 3 == 0 or place < 20}
    run = PoolRun(tag="a", rankings={"1": docnos})
    strata = (Stratum(bound=30, rate=1), Stratum(bound=100, rate=0.5), Stratum(bound=300, rate=0.2))
    grades = {"1": {docno: int(docno in relevant) for docno in docnos}}
    exact = sum(precisions(docnos, relevant)) / len(relevant)
    found = []
    for seed in range(40):
        pool = build_pool(Recipe(strategy="stratified", strata=strata, seed=seed), [run])
        found.append(TopicSample(pool, relevant=relevant).average_precision(docnos))
    assert len(pool) == 30 + 35 + 40
    assert abs(fmean(found) - exact) < 0.02
    assert max(abs(value - exact) for value in found) < 0.2
    half = build_pool(Recipe(strategy="stratified", strata=(Stratum(bound=300, rate=0.5),)), [run])
    marked = sampled_grades((("1", docno) for docno in docnos), ((e.topic, e.docno) for e in half), grades)
    assert list(marked["1"].values()).count(-1) == 150
    scores = {"1": {docno: float(-place) for place, docno in enumerate(docnos)}}
    inferred = rank_scores(marked, scores, [parse("infAP")], run="a")[0].value
    assert abs(inferred - exact) < 0.1


def test_no_relevant_document_makes_average_precision_undefined():
    (sample, *_) = every_sample(DRAWN)
    assert TopicSample(sample, relevant={"elsewhere"}).average_precision(RANKING) is None
    assert TopicSample([], relevant={"a"}).relevant() == 0


def test_a_sample_is_of_one_topic():
    with pytest.raises(ValueError, match="one topic"):
        TopicSample([PoolEntry(topic="1", docno="d"), PoolEntry(topic="2", docno="e")], relevant=())
