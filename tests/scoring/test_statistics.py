import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.statistics.correlation import correlate, rbo, rbo_of_values, tau, tau_ap, tau_ap_b, tau_b
from scoring.statistics.paired_tests import PairedTest, paired_test

TEN = list("abcdefghij")
THREE_SETS = [  # the test data of ircor: ten runs, x and y, and both rounded so that there are ties
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
    ),
]


def swapped(first, second):
    order = TEN.copy()
    order[first], order[second] = order[second], order[first]
    return order


def every_test(first, second):
    return [paired_test(name, first, second) for name in get_args(PairedTest)]


def result(name, first, second):
    return paired_test(name, first, second)


@pytest.mark.parametrize(("places", "value"), [((0, 1), 0.777778), ((8, 9), 0.975309)])
def test_tau_ap_counts_the_top_more(places, value):
    assert tau_ap(swapped(*places), TEN) == pytest.approx(value, abs=5e-7)
    assert tau([*range(10)], [TEN.index(name) for name in swapped(*places)]) == pytest.approx(1 - 2 / 45)


def by_value(values):
    return sorted(TEN, key=lambda name: -values[TEN.index(name)])


def test_tau_ap_is_not_the_same_both_ways():
    x, y, _, _ = THREE_SETS[0]
    assert tau_ap(by_value(y), by_value(x)) == pytest.approx(0.851852, abs=5e-7)
    assert tau_ap(by_value(x), by_value(y)) == pytest.approx(0.814815, abs=5e-7)
    assert tau_ap_b(x, y) == tau_ap_b(y, x) == pytest.approx(0.833333, abs=5e-7)


@pytest.mark.parametrize(
    ("which", "plain", "both_ways", "tied"),
    [(0, 0.8519, 0.8333, 0.7321), (1, 0.2504, 0.2880, 0.2970), (2, -0.6971, -0.668, -0.7047)],
)
def test_tau_ap_of_the_known_sets(which, plain, both_ways, tied):
    x, y, x_tied, y_tied = THREE_SETS[which]
    assert tau_ap(by_value(y), by_value(x)) == pytest.approx(plain, abs=5e-5)
    assert tau_ap_b(x, y) == pytest.approx(both_ways, abs=5e-5)
    assert tau_ap_b(x_tied, y_tied) == tau_ap_b(y_tied, x_tied) == pytest.approx(tied, abs=5e-5)


def test_tau_b_corrects_for_ties():
    assert tau_b([1, 2, 2, 3], [1, 2, 3, 3]) == pytest.approx(0.8)
    assert tau([1, 2, 2, 3], [1, 2, 3, 3]) == pytest.approx(4 / 6)
    assert tau_b([1, 1], [1, 2]) is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=40))
def test_tau_b_is_to_the_last_bit_that_of_scipy(pairs):
    from scipy.stats import kendalltau  # not while tests are collected: each process would load it for a second

    first, second = [a / 7 for a, _ in pairs], [b / 3 for _, b in pairs]
    value = kendalltau(first, second, variant="b").statistic
    assert tau_b(first, second) == (None if math.isnan(value) else value)


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        ("FADGEBCH", "FAGDEBCH", 0.928571),  # the pilot's F at beta 5, author and other
        ("GFDAECHB", "GFDAECBH", 0.928571),  # at beta 2
        ("FADGEBCH", "GFDAECHB", 0.571429),  # author, beta 5 against 2
        ("FAGDEBCH", "GFDAECBH", 0.714286),  # other
    ],
)
def test_pilot_orders_of_eight_runs(first, second, value):
    places = [second.index(name) for name in first]
    assert tau(range(8), places) == pytest.approx(value, abs=5e-7)
    assert tau_b([*range(8)], places) == pytest.approx(value, abs=5e-7)


def test_rbo_of_the_known_pair_and_of_equal_lists():
    assert rbo("abcdefg", "zbcdefg") == pytest.approx(0.710891, abs=5e-7)
    assert rbo("abc", "abc") == pytest.approx(1.0)
    assert rbo("abc", "xyz") == 0.0
    assert rbo("", "abc") is None


@given(st.permutations(TEN), st.permutations(TEN))
def test_correlations_are_bounded_and_turn_with_the_order(first, second):
    assert -1 - 1e-9 <= tau_ap(first, second) <= 1 + 1e-9
    assert 0 <= rbo(first, second) <= 1 + 1e-9
    assert rbo(first, second) == pytest.approx(rbo(second, first))
    places = [second.index(name) for name in first]
    assert tau(range(10), places) == pytest.approx(-tau(range(10), [-place for place in places]))
    assert tau(range(10), places) == pytest.approx(tau_b([*range(10)], places))


def test_rbo_with_ties_worked_out_by_hand():
    # depth 1: a | a; depth 2: ab | abc, agreement 2 · 2 / 5; depth 3: 1. (1 - p) (1 + .8 p + p²) + p³ at p = .9
    assert rbo_of_values([3, 2, 1], [3, 2, 2]) == pytest.approx(0.1 * (1 + 0.72 + 0.81) + 0.729)
    assert rbo_of_values([1, 1], [2, 1]) == pytest.approx(0.1 * (2 / 3 + 0.9) + 0.81)
    assert rbo_of_values([1, 1, 1], [5, 5, 5]) == pytest.approx(1)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9), st.randoms())
def test_correlations_with_ties_are_bounded_and_mind_only_the_order(pairs, dice):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    shuffled = pairs.copy()
    dice.shuffle(shuffled)
    for measure in (tau, tau_b, tau_ap_b, rbo_of_values):
        value = measure(first, second)
        assert measure([a for a, _ in shuffled], [b for _, b in shuffled]) == pytest.approx(value)
        assert measure(second, first) == pytest.approx(value)
        assert measure([2 * a + 1 for a in first], second) == pytest.approx(value)
        assert value is None or -1 - 1e-9 <= value <= 1 + 1e-9


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_without_ties_values_and_orders_say_the_same(first, second):
    orders = [sorted(range(6), key=lambda run: -values[run]) for values in (first, second)]
    assert rbo_of_values(first, second) == pytest.approx(rbo(*orders))
    assert tau_ap_b(first, second) == pytest.approx((tau_ap(*orders) + tau_ap(*orders[::-1])) / 2)


def test_correlate_uses_shared_runs_and_says_undefined_for_ties():
    first, second = {"a": 3, "b": 2, "c": 1, "x": 9}, {"a": 0.3, "b": 0.2, "c": 0.1}
    assert correlate(first, second) == dict.fromkeys(("tau", "tau_b", "tau_ap", "tau_ap_b", "rbo"), pytest.approx(1))
    tied = correlate({"a": 1, "b": 1, "c": 0}, second)
    assert (tied["tau_ap"], tied["tau_ap_b"], tied["rbo"]) == (None, 0.5, pytest.approx(0.1 * (2 / 3 + 1.71) + 0.729))
    assert set(correlate({"a": 1}, {"b": 1}).values()) == {None}
    level = correlate({"a": 1, "b": 1}, {"a": 1, "b": 2})
    assert (level["tau"], level["tau_b"], level["tau_ap"], level["tau_ap_b"]) == (0, None, None, None)


def test_tests_of_a_known_sample():
    first = [0.9, 0.8, 0.7, 0.6, 0.5]
    second = [0.5, 0.6, 0.7, 0.3, 0.4]  # differences .4 .2 0 .3 .1: mean .2, sd .158114, t = 2.828427, 4 df
    t = result("t", first, second)
    assert (t.statistic, t.p) == (pytest.approx(2.828427, abs=5e-6), pytest.approx(0.047421, abs=5e-6))
    assert t.effect == pytest.approx(0.2 / 0.1581139)
    sign = result("sign", first, second)
    assert (sign.statistic, sign.p, sign.effect) == (4, pytest.approx(0.125), 1.0)
    shuffled = result("randomisation", first, second)
    assert (shuffled.p, shuffled.effect) == (pytest.approx(2 / 16), pytest.approx(0.2))
    wilcoxon = result("wilcoxon", first, second)
    assert (wilcoxon.p, wilcoxon.effect) == (pytest.approx(0.125), 1.0)


def test_equal_differences_are_equal_although_binary_fractions_are_not():
    assert 0.9 - 0.5 != 0.6 - 0.2
    wilcoxon = result("wilcoxon", [0.9, 0.6, 0.1], [0.5, 0.2, 0.5])  # ranks 2, 2 and -2
    assert wilcoxon.effect == pytest.approx(1 / 3)
    assert result("sign", [0.1 + 0.2], [0.3]).p is None


def test_a_mean_of_nothing_but_rounding_is_as_far_from_0_as_every_other():
    first, second = [0.3, 0.2, 0.1, 0.1, 0.4], [0.1, 0.1, 0.2, 0.4, 0.3]  # differences .2 .1 -.1 -.3 .1: sum 0
    assert result("randomisation", first, second).p == 1.0


def test_many_topics_are_sampled_with_the_seed():
    first, second = [0.1 * (place % 7) for place in range(40)], [0.1 * (place % 5) for place in range(40)]
    assert paired_test("randomisation", first, second, seed=3) == paired_test("randomisation", first, second, seed=3)
    assert 0 < result("randomisation", first, second).p <= 1


def test_no_difference_is_undefined_not_zero():
    found = {each.test: (each.statistic, each.p) for each in every_test([1, 2], [1, 2])}
    assert found == {"t": (None, None), "randomisation": (0.0, 1.0), "wilcoxon": (None, None), "sign": (None, None)}
    assert all(each.p is None for each in every_test([], []))


def test_one_topic_that_differs_shows_nothing():
    found = {each.test: each.p for each in every_test([1.0], [0.5])}
    assert found == {"t": None, "randomisation": 1.0, "wilcoxon": 1.0, "sign": 1.0}
