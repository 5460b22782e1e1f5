import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.correlation import correlate, rbo, tau, tau_ap, tau_b
from scoring.records import Score
from scoring.significance import compare_paired
from scoring.table import table_csv, topic_table, wide_table, with_means

TEN = list("abcdefghij")


def swapped(first, second):
    order = TEN.copy()
    order[first], order[second] = order[second], order[first]
    return order


def result(name, first, second):
    return next(each for each in compare_paired(first, second) if each.test == name)


@pytest.mark.parametrize(("places", "value"), [((0, 1), 0.777778), ((8, 9), 0.975309)])
def test_tau_ap_counts_the_top_more(places, value):
    assert tau_ap(swapped(*places), TEN) == pytest.approx(value, abs=5e-7)
    assert tau([*range(10)], [TEN.index(name) for name in swapped(*places)]) == pytest.approx(1 - 2 / 45)


def test_tau_b_corrects_for_ties():
    assert tau_b([1, 2, 2, 3], [1, 2, 3, 3]) == pytest.approx(0.8)
    assert tau([1, 2, 2, 3], [1, 2, 3, 3]) == pytest.approx(4 / 6)
    assert tau_b([1, 1], [1, 2]) is None


def test_pilot_orders_of_eight_runs():
    author, other = "FADGEBCH", "FAGDEBCH"
    places = [other.index(name) for name in author]
    assert tau(range(8), places) == pytest.approx(0.928571, abs=5e-7)


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


def test_correlate_uses_shared_runs_and_says_undefined_for_ties():
    first, second = {"a": 3, "b": 2, "c": 1, "x": 9}, {"a": 0.3, "b": 0.2, "c": 0.1}
    assert correlate(first, second) == {"tau": 1, "tau_b": pytest.approx(1), "tau_ap": 1, "rbo": pytest.approx(1)}
    tied = correlate({"a": 1, "b": 1, "c": 0}, second)
    assert (tied["tau_ap"], tied["rbo"]) == (None, None)
    assert correlate({"a": 1}, {"b": 1}) == {"tau": None, "tau_b": None, "tau_ap": None, "rbo": None}


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


def test_many_topics_are_sampled_with_the_seed():
    first, second = [0.1 * (place % 7) for place in range(40)], [0.1 * (place % 5) for place in range(40)]
    assert compare_paired(first, second, seed=3) == compare_paired(first, second, seed=3)
    assert 0 < result("randomisation", first, second).p <= 1


def test_no_difference_is_undefined_not_zero():
    found = {each.test: (each.statistic, each.p) for each in compare_paired([1, 2], [1, 2])}
    assert found == {"t": (None, None), "randomisation": (0.0, 1.0), "wilcoxon": (None, None), "sign": (None, None)}
    assert all(each.p is None for each in compare_paired([], []))


def test_one_topic_that_differs_shows_nothing():
    found = {each.test: each.p for each in compare_paired([1.0], [0.5])}
    assert found == {"t": None, "randomisation": 1.0, "wilcoxon": 1.0, "sign": 1.0}


def score(run, topic, value, measure="F"):
    return Score(run=run, topic=topic, measure=measure, value=value)


def test_means_leave_out_undefined_and_count():
    scores = [score("r", "1", 0.5), score("r", "2", None), score("r", "3", 1.0), score("s", "2", None)]
    assert with_means(scores)[4:] == [
        Score(run="r", topic="all", measure="F", value=0.75, topics=2),
        Score(run="s", topic="all", measure="F", value=None, topics=0),
    ]


def test_tables_are_sorted_and_written_as_csv():
    scores = with_means(
        [score("low", "1", 0.25), score("none", "1", None), score("high", "1", 0.5), score("high", "1", 1, "P")]
    )
    assert (
        table_csv(wide_table(scores))
        == "run,F,P\nhigh,0.500000,1.000000\nlow,0.250000,undefined\nnone,undefined,undefined\n"
    )
    assert table_csv(topic_table(scores, measure="F")) == (
        "topic,low,none,high\n1,0.250000,undefined,0.500000\nall,0.250000,undefined,0.500000\n"
    )
    assert table_csv(wide_table([])) == "run\n"
