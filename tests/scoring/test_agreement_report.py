import random

import pytest

from scoring.formats.qrels import read_qrels
from scoring.statistics.agreement_report import ReportOptions, report_agreement, report_topics
from scoring.statistics.intervals import Sampling, interval_of, mean_interval
from scoring.statistics.rankings import correlate_scores

NAMES = ["agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha_nominal", "ac1", "overlap", "overlap_pooled"]


def judged(text):
    """Items of topics: "1: a1 b0" is item a of topic 1 with value 1."""
    lines = (line.split(":") for line in text.split(";"))
    return {(topic.strip(), item[0]): float(item[1:]) for topic, items in lines for item in items.split()}


FIRST, SECOND = judged("1: a1 b1 c0 d0; 2: a1 b0; 3: a1"), judged("1: a1 b0 c0 d1; 2: a1 b0; 4: a1")


def test_the_overall_report_counts_what_both_judged():
    found = report_agreement([FIRST, SECOND], ReportOptions(relevant_from=1))
    assert (found.topic, found.judges, found.items) == ("all", 2, 6)
    assert found.confusion == {(1, 1): 2, (1, 0): 1, (0, 0): 2, (0, 1): 1}
    assert [each.measure for each in found.estimates] == NAMES
    assert found.value("agreement") == pytest.approx(4 / 6)
    assert found.value("cohen_kappa") == pytest.approx(1 / 3)
    assert (found.value("overlap"), found.value("overlap_pooled")) == (pytest.approx((1 / 3 + 1) / 2), 0.5)
    assert {each.interval for each in found.estimates} == {None}


def test_topics_that_nobody_shares_are_not_reported():
    one, two = report_topics([FIRST, SECOND], ReportOptions(level="ordinal"))
    assert [(each.topic, each.items, each.value("agreement")) for each in (one, two)] == [("1", 4, 0.5), ("2", 2, 1.0)]
    assert (one.value("cohen_kappa_linear"), two.value("cohen_kappa_quadratic")) == (0, 1)
    assert one.value("overlap") is None


def test_three_judges_have_no_confusion_and_mean_overlaps():
    third = judged("1: a1 b1 c1; 2: a0 b0")
    found = report_agreement([FIRST, SECOND, third], ReportOptions(relevant_from=1, sampling=Sampling()))
    assert (found.judges, found.items, found.confusion) == (3, 6, None)
    pairs = [(1 / 3 + 1) / 2, (2 / 3 + 0) / 2, (1 / 3 + 0) / 2]
    assert found.value("overlap") == pytest.approx(sum(pairs) / 3)
    assert found.value("overlap_pooled") == pytest.approx((2 / 4 + 2 / 4 + 1 / 4) / 3)
    assert found.value("fleiss_kappa") is not None
    assert "cohen_kappa" not in {each.measure for each in found.estimates}


@pytest.mark.parametrize("over", ["items", "topics"])
def test_nothing_shared_is_undefined(over):
    for judges in ([{}, {}], [judged("1: a1"), judged("2: a1")]):
        found = report_agreement(judges, ReportOptions(relevant_from=1, sampling=Sampling(over=over)))
        assert (found.items, found.confusion) == (0, {})
        assert {(each.value, each.interval) for each in found.estimates} == {(None, None)}
        assert report_topics(judges, ReportOptions()) == []


def test_one_category_is_undefined_but_for_agreement():
    same = judged("1: a1 b1 c1; 2: a1 b1")
    found = report_agreement([same, same], ReportOptions(level="interval", sampling=Sampling(over="items")))
    assert {each.measure: each.value for each in found.estimates if each.value is not None} == {"agreement": 1.0}
    assert found.estimates[0].interval.low == found.estimates[0].interval.high == 1


def noisy(seed, *, topics=20, items=20):
    dice = random.Random(seed)
    truth = {(str(t), str(i)): dice.random() < (t + 1) / 25 for t in range(topics) for i in range(items)}
    return [{key: float(value != (dice.random() < 0.2)) for key, value in truth.items()} for _ in range(2)]


def test_intervals_hold_the_value_and_repeat_with_the_seed():
    judges = noisy(1)
    by = {
        over: report_agreement(judges, ReportOptions(relevant_from=1, sampling=Sampling(over=over, resamples=200)))
        for over in ("items", "topics")
    }
    for over, report in by.items():
        for each in report.estimates:
            assert each.interval.low < each.value < each.interval.high, each.measure
            assert each.interval.over == ("topics" if each.measure == "overlap" else over)
            assert each.interval.units == (400 if each.interval.over == "items" else 20)
    again = Sampling(over="items", resamples=200)
    assert report_agreement(judges, ReportOptions(relevant_from=1, sampling=again)) == by["items"]
    turned = [dict(reversed(judge.items())) for judge in judges]
    assert report_agreement(turned, ReportOptions(relevant_from=1, sampling=again)) == by["items"]
    other = report_agreement(judges, ReportOptions(relevant_from=1, sampling=Sampling(over="items", seed=1)))
    assert other.estimates != by["items"].estimates


def test_the_interval_of_a_share_is_about_that_of_its_binomial():
    judges = noisy(2)
    (found, *_) = report_agreement(judges, ReportOptions(sampling=Sampling(over="items"))).estimates
    half = 1.96 * (found.value * (1 - found.value) / 400) ** 0.5
    assert found.interval.low == pytest.approx(found.value - half, abs=0.01)
    assert found.interval.high == pytest.approx(found.value + half, abs=0.01)


def test_resamples_without_a_value_are_counted_or_too_many():
    sampling = Sampling(resamples=4)
    assert interval_of([1.0, None, 1.0, 1.0], units=9, sampling=sampling).undefined == 1
    assert interval_of([1.0, None, None, None], units=9, sampling=sampling) is None
    assert interval_of([1.0] * 4, units=1, sampling=sampling) is None
    assert mean_interval([], sampling) is None


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"confidence": 1.0}, {"seed": -1}])
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ValueError, match="resamples is 1 or more"):
        Sampling(**wrong)


# ---------------------------------------------------------------- rankings under two sets of judgments


def scores(seed, *, runs=8, topics=15, noise=0.1):
    dice = random.Random(seed)
    return {
        f"run{run}": {str(topic): run / 10 + dice.uniform(-noise, noise) for topic in range(topics)}
        for run in range(runs)
    }


def test_the_same_scores_order_runs_the_same_whatever_the_topics():
    for each in correlate_scores(scores(1), scores(1), sampling=Sampling(resamples=50)):
        assert each.value == pytest.approx(1)
        assert (each.interval.low, each.interval.high) == (pytest.approx(1), pytest.approx(1))


def test_intervals_of_correlations():
    sampling = Sampling(resamples=100, over="items")
    found = correlate_scores(scores(1, noise=0.5), scores(2, noise=0.5), sampling=sampling)
    assert [each.measure for each in found] == ["tau", "tau_b", "tau_ap", "tau_ap_b", "rbo"]
    for each in found:
        assert -1 <= each.interval.low < each.interval.high <= 1
        assert (each.interval.over, each.interval.units) == ("topics", 15)
    assert found == correlate_scores(scores(1, noise=0.5), scores(2, noise=0.5), sampling=sampling)


def test_rankings_use_shared_runs_and_topics_with_values():
    first = {"a": {"1": 1.0, "2": None}, "b": {"1": 0.5, "2": 0.5}, "x": {"1": 1.0}, "none": {"1": None}}
    second = {"a": {"1": 0.9}, "b": {"1": 0.1}, "none": {"1": 0.2}}
    assert {each.measure: each.value for each in correlate_scores(first, second)}["tau"] == 1
    assert {each.value for each in correlate_scores({}, second, sampling=Sampling())} == {None}
    assert {each.value for each in correlate_scores({"a": {"1": 1.0}}, second)} == {None}


# ---------------------------------------------------------------- real judgments


def read(path):
    with path.open("rb") as file:
        return {(qrel.topic, qrel.docno): float(qrel.grade) for qrel in read_qrels(file) if qrel.grade != -1}


@pytest.mark.shared
def test_two_groups_judging_statements(shared_data):
    judges = [read(shared_data / "ikat2023" / name) for name in ("ptkb_rel_nist", "ptkb_rel_org")]
    options = ReportOptions(relevant_from=1, sampling=Sampling(resamples=200))
    found = report_agreement(judges, options)
    assert (found.items, found.confusion) == (398, {(1, 1): 38, (1, 0): 65, (0, 1): 18, (0, 0): 277})
    assert found.value("cohen_kappa") == pytest.approx(0.361612, abs=5e-7)
    assert found.value("overlap_pooled") == pytest.approx(0.314050, abs=5e-7)
    kappa = next(each.interval for each in found.estimates if each.measure == "cohen_kappa")
    assert 0.2 < kappa.low < 0.3 < 0.45 < kappa.high < 0.55
    topics = report_topics(judges, ReportOptions(relevant_from=1))
    assert sum(each.items for each in topics) == 398


@pytest.mark.shared
def test_people_and_a_program_judging_the_same_passages(shared_data):
    names = ("qrels.rag25.test.txt", "qrels.rag25.test-umbrela2.txt")
    judges = [read(shared_data / "rag25-qrels" / name) for name in names]
    found = report_agreement(judges, ReportOptions(level="ordinal", relevant_from=1))
    assert found.items == sum(found.confusion.values()) == 10_284
    exact = sum(count for (a, b), count in found.confusion.items() if a == b)
    assert (exact, found.value("agreement")) == (4537, 4537 / 10_284)
    assert found.value("cohen_kappa") < found.value("cohen_kappa_linear") < found.value("cohen_kappa_quadratic")
    assert found.value("cohen_kappa_quadratic") == pytest.approx(0.491811, abs=5e-7)
    assert found.value("krippendorff_alpha_ordinal") == pytest.approx(0.492555, abs=5e-7)
    assert found.value("overlap") == pytest.approx(0.670493, abs=5e-7)
