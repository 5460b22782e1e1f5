import random
import tracemalloc
from functools import lru_cache
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.statistics.intervals import Sampling, draw_topics
from scoring.statistics.multiple_comparisons import CORRECTIONS, TESTS, compare_runs, correct, top_group
from scoring.statistics.paired_tests import effects_of, paired_test

SAKAI = {  # table 5.1 of Sakai's book on the evaluation of information access: three systems, twenty topics
    "a": [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0.0, 0.7, 0.1, 0.3, 0.5, 0.4, 0.0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1],
    "b": [0.5, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2],
    "c": [0.0, 0.0, 0.2, 0.1, 0.3, 0.3, 0.1, 0.2, 0.4, 0.4, 0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1, 0.5, 0.4, 0.3],
}


def by_topic(values):
    return {run: {str(place): value for place, value in enumerate(each)} for run, each in values.items()}


def p_of(tests):
    return {(each.run_a, each.run_b): each.p for each in tests}


def test_paired_t_of_the_known_systems():
    t = paired_test("t", SAKAI["a"], SAKAI["b"])
    assert (t.statistic, t.p) == (pytest.approx(2.116, abs=5e-4), pytest.approx(0.048, abs=5e-4))
    found = effects_of(SAKAI["a"], SAKAI["b"])
    assert (found.topics, found.difference) == (20, pytest.approx(0.075))
    assert t.effect == pytest.approx(found.d_paired) == pytest.approx(0.473, abs=5e-4)


def test_tukey_effects_of_the_known_systems():
    found = compare_runs(by_topic(SAKAI), test="tukey", draws=99)
    assert [(each.run_a, each.run_b, round(each.effect, 4)) for each in found] == [
        ("a", "b", 0.5070), ("a", "c", 0.6760), ("b", "c", 0.1690)
    ]  # fmt: skip
    assert [each.statistic for each in found] == [0.075, 0.1, 0.025]


def test_tukey_comes_near_the_studentized_range():
    """The p that normal values would have, .2567, .0957 and .8550, and 100,000 draws by another program's loop."""
    found = p_of(compare_runs(by_topic(SAKAI), test="tukey", seed=5))
    assert found == {
        ("a", "b"): pytest.approx(0.302, abs=0.015),
        ("a", "c"): pytest.approx(0.1066, abs=0.01),
        ("b", "c"): pytest.approx(0.891, abs=0.01),
    }


def test_tukey_of_two_runs_is_the_randomisation_test():
    two = by_topic({run: SAKAI[run] for run in "ab"})
    shuffled, dealt = (compare_runs(two, test=test, seed=2)[0] for test in ("randomisation", "tukey"))
    assert dealt.p == pytest.approx(shuffled.p, abs=0.01)


def test_tukey_is_exact_where_every_deal_is_known():
    """Two runs, three topics, differences 1, 1, 1: two of eight deals are as far apart."""
    (found,) = compare_runs(by_topic({"x": [1, 2, 3], "y": [0, 1, 2]}), test="tukey", draws=9_999)
    assert found.p == pytest.approx(2 / 8, abs=0.015)


def test_tukey_deals_in_little_memory():
    scores = {f"run {run}": {f"{topic}": (run * topic) % 7 / 7 for topic in range(50)} for run in range(20)}
    tracemalloc.start()
    try:
        compare_runs(scores, test="tukey", draws=2_000)  # two million values
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_tukey_takes_the_topics_that_all_runs_have():
    scores = by_topic(SAKAI)
    scores["c"]["3"] = None
    del scores["b"]["4"]
    assert {each.topics for each in compare_runs(scores, test="tukey", draws=9)} == {18}
    assert [each.topics for each in compare_runs(scores, test="sign")] == [19, 19, 18]


@pytest.mark.parametrize("test", TESTS)
def test_order_of_topics_does_not_matter(test):
    scores = by_topic(SAKAI)
    turned = {run: dict(reversed(topics.items())) for run, topics in scores.items()}
    assert compare_runs(scores, test=test, seed=1, draws=99) == compare_runs(turned, test=test, seed=1, draws=99)


@pytest.mark.parametrize("test", TESTS)
def test_pairs_stand_as_the_runs_are_given(test):
    scores = by_topic(SAKAI)
    turned = compare_runs(dict(reversed(scores.items())), test=test, draws=999)
    assert [(each.run_a, each.run_b) for each in turned] == [("c", "b"), ("c", "a"), ("b", "a")]
    for one, other in zip(compare_runs(scores, test=test, draws=999), reversed(turned), strict=True):
        assert one.effect == pytest.approx(-other.effect)
        assert one.p == pytest.approx(other.p, abs=0.02 if test == "randomisation" else 1e-12)


def test_another_seed_deals_otherwise():
    first, second = (compare_runs(by_topic(SAKAI), test="tukey", seed=seed, draws=99) for seed in (1, 2))
    assert p_of(first) != p_of(second)


@pytest.mark.parametrize("test", TESTS)
def test_nothing_to_compare_is_undefined(test):
    assert compare_runs({}, test=test) == compare_runs({"a": {"1": 0.5}}, test=test) == []
    (apart,) = compare_runs({"a": {"1": 0.5}, "b": {"2": 0.5}}, test=test, correction="holm")
    assert (apart.topics, apart.p, apart.corrected, apart.statistic, apart.effect) == (0, None, None, None, None)


def test_runs_that_are_equal_are_not_told_apart():
    equal = by_topic({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3]})
    found = {test: compare_runs(equal, test=test, draws=99)[0] for test in TESTS}
    assert {test: each.p for test, each in found.items()} == {
        "t": None, "randomisation": 1.0, "wilcoxon": None, "sign": None, "tukey": 1.0
    }  # fmt: skip
    assert found["tukey"].effect is None
    assert top_group(equal, [found["t"]]).top == {"a", "b"}


def test_corrections_of_known_values():
    """Five values of Benjamini and Hochberg's kind, worked out by hand."""
    p = [0.01, 0.04, 0.03, 0.005, 0.5]
    assert correct(p, "bonferroni") == pytest.approx([0.05, 0.2, 0.15, 0.025, 1])
    assert correct(p, "holm") == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.5])
    assert correct(p, "bh") == pytest.approx([0.025, 0.05, 0.05, 0.025, 0.5])
    assert correct(p, "none") == p


def test_what_is_undefined_is_not_counted():
    assert correct([0.01, None, 0.02], "bonferroni") == [0.02, None, 0.04]
    assert correct([None], "holm") == [None]


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=8), st.sampled_from(CORRECTIONS))
def test_a_correction_never_makes_p_smaller(p_values, correction):
    found = correct(p_values, correction)
    assert [each is None for each in found] == [each is None for each in p_values]
    pairs = [(p, after) for p, after in zip(p_values, found, strict=True) if p is not None]
    assert all(p <= after + 1e-12 and after <= 1 for p, after in pairs)


@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.5])), min_size=1, max_size=9))
def test_corrections_are_to_the_last_bit_those_of_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests  # not whenever tests are collected: most of a second

    for ours, theirs in (("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")):
        assert correct(p_values, ours) == multipletests(p_values, method=theirs)[1].tolist()


def test_top_group_ends_where_the_test_tells_apart():
    dice = random.Random(4)
    base = [dice.random() for _ in range(30)]
    scores = by_topic(
        {
            "best": [value + 0.2 for value in base],
            "near": [value + 0.2 + dice.uniform(-0.1, 0.1) for value in base],
            "far": [value - 0.5 + dice.uniform(-0.1, 0.1) for value in base],
            "silent": [None] * 30,
        }
    )
    for test in TESTS:
        tests = compare_runs({run: scores[run] for run in ("best", "near", "far")}, test=test, correction="holm")
        found = top_group(scores, tests)
        assert (found.order[2], found.top) == ("far", {"best", "near"}), test
        assert found.p["far"] < 0.05 <= found.p[found.order[1]], test
        assert found.p[found.order[0]] is None


def test_effects_worked_out_by_hand():
    found = effects_of([0.5, 0.75, 1.0, 0.25], [0.25, 0.25, 0.25, 0.25])  # differences .25 .5 .75 0
    assert (found.difference, found.superiority) == (0.375, 0.875)
    assert found.d_paired == pytest.approx(0.375 / (0.3125 / 3) ** 0.5)
    assert found.d_average == pytest.approx(0.375 / (0.3125 / 6) ** 0.5)
    assert found.g_paired == pytest.approx(found.d_paired * (1 - 3 / 11))
    assert found.interval is None


def test_effects_that_are_undefined():
    assert effects_of([], []).difference is None
    one = effects_of([0.5], [0.25], sampling=Sampling())
    assert (one.difference, one.superiority) == (0.25, 1.0)
    assert (one.interval, one.d_paired, one.d_average, one.g_paired) == (None, None, None, None)
    level = effects_of([0.5, 0.5], [0.5, 0.5])
    assert (level.difference, level.d_paired, level.d_average, level.superiority) == (0, None, None, 0.5)


def test_the_interval_of_a_difference():
    found = effects_of(SAKAI["a"], SAKAI["b"], sampling=Sampling(seed=3))
    assert found == effects_of(SAKAI["a"], SAKAI["b"], sampling=Sampling(seed=3))
    assert (found.interval.over, found.interval.units) == ("topics", 20)
    # the t interval is .0750 ± .0742; bootstrap intervals of few topics are a little narrower
    assert found.interval.low == pytest.approx(0.0008, abs=0.02)
    assert found.interval.high == pytest.approx(0.1492, abs=0.02)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8))
def test_effects_turn_with_the_runs(pairs):
    first, second = [a / 5 for a, _ in pairs], [b / 5 for _, b in pairs]
    one, other = effects_of(first, second), effects_of(second, first)
    assert one.difference == pytest.approx(mean(first) - mean(second)) == pytest.approx(-other.difference)
    assert one.superiority == pytest.approx(1 - other.superiority)
    assert one.d_paired is None or one.d_paired == pytest.approx(-other.d_paired)
    assert one.d_average is None or one.d_average == pytest.approx(-other.d_average)


def test_resamples_that_are_drawn_once_give_the_same_intervals():
    drawn = []

    def draw(topics, sampling):
        drawn.append(topics)
        return kept(topics, sampling)

    kept = lru_cache(draw_topics)
    for other in ("b", "c"):
        alone = effects_of(SAKAI["a"], SAKAI[other], sampling=Sampling(seed=3))
        assert effects_of(SAKAI["a"], SAKAI[other], sampling=Sampling(seed=3), draw=draw) == alone
    assert (drawn, kept.cache_info().misses) == ([20, 20], 1)
