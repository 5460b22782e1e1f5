"""Pools that grow by judgments: what is next follows from what is judged, whatever the order."""

import json
import random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.formats.json_ranked import read_run_json
from scoring.pooling import OnlinePool, best_ranks, first_docnos, simulated
from scoring.records import RankedDoc

ORDERS = ("move-to-front", "max-mean")
RANKINGS = st.lists(st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8), max_size=4).map(
    lambda rankings: {f"r{place}": ranking for place, ranking in enumerate(rankings)}
)
RELEVANT = st.sets(st.sampled_from("abcdefghij"))


def test_move_to_front_stays_with_a_run_that_finds():
    rankings = {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"]}
    order = simulated("move-to-front", rankings, lambda docno: docno in {"b1", "b2"})
    assert list(order) == ["a1", "b1", "b2", "a2", "a3"]


def test_max_mean_goes_to_the_run_with_the_best_share():
    rankings = {"a": ["a1", "a2"], "b": ["b1", "b2"]}
    assert list(simulated("max-mean", rankings, lambda docno: docno.startswith("b"))) == ["a1", "b1", "b2", "a2"]


def test_the_two_differ_where_a_run_found_much_and_then_fails():
    rankings = {"a": ["a1", "a2", "a3", "a4"], "b": ["b1"]}
    relevant = {"a1", "a2"}.__contains__
    assert list(simulated("move-to-front", rankings, relevant)) == ["a1", "a2", "a3", "b1", "a4"]
    assert list(simulated("max-mean", rankings, relevant)) == ["a1", "a2", "a3", "a4", "b1"]


def test_documents_of_other_runs_cost_nothing():
    rankings = {"a": ["x"], "b": ["x", "b2"], "c": ["c1"]}
    # x is drawn from a; b passes over it and still has its full priority
    assert list(simulated("move-to-front", rankings, lambda docno: False)) == ["x", "b2", "c1"]


def test_who_comes_while_a_document_is_out_gets_another():
    pool = OnlinePool("move-to-front", {"1": {"a": ["a1", "a2"], "b": ["b1"]}})
    assert pool.next_document("1", out={"a1"}) == "b1"
    assert pool.next_document("1") == "a1"
    pool.judged("1", "b1", False)
    pool.judged("1", "a1", True)
    assert pool.next_document("1") == "a2"
    assert pool.next_document("1", out=["a2"]) is None


def test_a_judgment_may_change():
    rankings = {"1": {"a": ["a1", "a2"], "b": ["b1"]}}
    pool = OnlinePool("move-to-front", rankings)
    pool.judged("1", "a1", True)
    assert pool.next_document("1") == "a2"
    pool.judged("1", "a1", False)
    assert pool.next_document("1") == "b1"
    assert pool.judgments == (("1", "a1", False),)


def test_topics_do_not_touch_and_unknown_ones_are_empty():
    pool = OnlinePool("max-mean", {"9-1_3": {"a": ["x"]}, "9-1_10": {"a": ["x"]}})
    pool.judged("9-1_10", "x", True)
    pool.judged("elsewhere", "x", True)
    assert [pool.next_document(topic) for topic in ("9-1_3", "9-1_10", "elsewhere")] == ["x", None, None]
    assert [topic for topic, _, _ in pool.judgments] == ["9-1_10", "elsewhere"]


@settings(deadline=None)
@given(RANKINGS, RELEVANT, st.sampled_from(ORDERS))
def test_every_document_is_given_once(rankings, relevant, strategy):
    order = list(simulated(strategy, rankings, relevant.__contains__))
    assert sorted(order) == sorted({docno for ranking in rankings.values() for docno in ranking})


@settings(deadline=None)
@given(RANKINGS, st.dictionaries(st.sampled_from("abcdefghijxy"), st.booleans()), st.sampled_from(ORDERS), st.randoms())
def test_the_order_of_judgments_does_not_matter(rankings, judged, strategy, dice):
    by_topic = {"1": rankings}
    lines = [("1", docno, is_relevant) for docno, is_relevant in judged.items()]
    pool = OnlinePool(strategy, by_topic, judgments=lines)
    dice.shuffle(lines)
    other = OnlinePool(strategy, by_topic)
    for topic, docno, is_relevant in lines:
        other.next_document("1")
        other.judged(topic, docno, not is_relevant)
        other.judged(topic, docno, is_relevant)
    again = OnlinePool(strategy, by_topic, judgments=pool.judgments)
    assert pool.judgments == other.judgments == again.judgments
    assert pool.next_documents("1", 20) == other.next_documents("1", 20) == again.next_documents("1", 20)
    left = {docno for ranking in rankings.values() for docno in ranking} - judged.keys()
    assert sorted(pool.next_documents("1", 20)) == sorted(left)


@settings(deadline=None)
@given(RANKINGS, st.sampled_from(ORDERS), st.integers(0, 6))
def test_a_batch_is_what_people_get_who_come_one_after_the_other(rankings, strategy, count):
    pool = OnlinePool(strategy, {"1": rankings})
    out: list[str] = []
    while len(out) < count and (docno := pool.next_document("1", out=out)) is not None:
        out.append(docno)
    assert pool.next_documents("1", count) == out


def by_depth(rankings):
    """The documents as a depth-k pool would take them in, by rank and then docno."""
    best = best_ranks(rankings.values())
    return sorted(best, key=lambda docno: (best[docno], docno))


def found_early(order, relevant):
    """The mean over all budgets of the share of relevant documents found: 1 is all at once."""
    total = len(relevant & set(order))
    found, shares = 0, []
    for docno in order:
        found += docno in relevant
        shares.append(found / total)
    return fmean(shares)


@pytest.mark.parametrize("strategy", ORDERS)
def test_good_runs_are_found_among_poor_ones(strategy):
    dice = random.Random(4)
    relevant = {f"good{place}" for place in range(30)}
    rankings = {"m": sorted(relevant)}
    for poor in "abcdxyz":
        rankings[poor] = [f"{poor}{place}" for place in range(30)]
        rankings[poor][dice.randrange(30)] = dice.choice(sorted(relevant))
    order = list(simulated(strategy, rankings, relevant.__contains__))
    assert len(relevant & set(order[:45])) == 30
    assert len(relevant & set(by_depth(rankings)[:45])) < 10


@pytest.mark.shared
@pytest.mark.parametrize("strategy", ORDERS)
def test_on_real_runs_they_find_relevant_documents_earlier_than_depth(shared_data, strategy):
    folder = shared_data / "biogen2024" / "ranking"
    grades = json.loads((folder / "qrels.json").read_text())
    runs: dict[str, dict[str, list[str]]] = {}
    for path in sorted(folder.glob("*_run.json")):
        with path.open("rb") as file:
            records = [record for record in read_run_json(file) if isinstance(record, RankedDoc)]
        for topic, ranking in first_docnos(records, len(records)).items():
            runs.setdefault(topic, {})[path.name] = list(ranking)
    assert (len(runs), {len(by_run) for by_run in runs.values()}) == (33, {4})
    online, plain = [], []
    for topic, rankings in runs.items():
        relevant = {docno for docno, grade in grades[topic].items() if grade >= 1}
        online.append(found_early(list(simulated(strategy, rankings, relevant.__contains__)), relevant))
        plain.append(found_early(by_depth(rankings), relevant))
    assert fmean(online) > fmean(plain)
