import copy
import io
import math
import tracemalloc
from types import MappingProxyType

import pytest

from scoring.formats.qrels import read_qrels
from scoring.formats.trec_run import read_trec_run
from scoring.measures import MEASURES, parse
from scoring.measures.ranked import (
    RepeatedDocument,
    by_rank,
    grades_of,
    rankings_of,
    with_binary_level,
)
from scoring.measures.ranked_values import refuse_uncomputed
from scoring.measures.spec import UnknownMeasure
from scoring.records import Qrel, RankedDoc
from tests.scoring.ranked_scores import rank_scores

GRADES = {"1": {"a": 1, "b": -1, "c": 2}, "2": {"x": 1}, "3": {"a": 1}}
RANKED = {"1": {"a": 1.0, "b": 2.0, "z": 1.0}, "2": {"y": 1.0}, "9": {"a": 1.0}}

EXACT = {
    "AP": "map", "Rprec": "Rprec", "Bpref": "bpref", "RR": "recip_rank", "nDCG": "ndcg", "nDCG@5": "ndcg_cut_5",
    "nDCG@100": "ndcg_cut_100", "P@5": "P_5", "P@10": "P_10", "P@1000": "P_1000", "R@5": "recall_5",
    "R@1000": "recall_1000", "AP@10": "map_cut_10", "Success@1": "success_1", "infAP": "infAP", "SetP": "set_P",
    "SetR": "set_recall", "SetF": "set_F", "NumRet": "num_ret", "NumRelRet": "num_rel_ret", "NumRel": "num_rel",
    "NumQ": "num_q", "IPrec@0": "iprec_at_recall_0.00",
    "IPrec@1": "iprec_at_recall_1.00", "SetAP": "set_map",
}  # fmt: skip


def values(scores, topic):
    return {score.measure: score.value for score in scores if score.topic == topic}


def load(folder, qrels, run):
    six = (line.split()[:6] for line in (folder / run).read_bytes().splitlines())  # results.trunc has more at the ends
    with (folder / qrels).open("rb") as file:
        lines = io.BytesIO(b"".join(b" ".join(columns) + b"\n" for columns in six))
        return grades_of(read_qrels(file)), rankings_of(read_trec_run(lines))


def expected(path):
    rows = [line.split() for line in path.read_text().splitlines()]
    return {(row[1], row[0]): row[2] for row in rows}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("golden", "level", "complete"), [("out.test.aq", 1, False), ("out.test.aqc", 1, True), ("out.test.aql", 2, False)]
)
def test_values_are_those_of_trec_eval(shared_data, golden, level, complete):
    folder = shared_data / "trec_eval"
    qrels = "qrels.rel_level" if level > 1 else "qrels.test"
    truth = expected(folder / golden)
    grades, rankings = load(folder, qrels, "results.trunc" if complete else "results.test")
    measures = [with_binary_level(parse(name), level) for name in EXACT]
    scores = rank_scores(grades, rankings, measures, run="r", complete=complete)
    assert {score.topic for score in scores} == {topic for topic, _ in truth}
    compared = 0
    for measure, name in zip(measures, EXACT.values(), strict=True):
        for topic in {score.topic for score in scores}:
            wanted = truth.get((topic, name))
            if wanted is None:
                continue
            found = values(scores, topic)[str(measure)]
            assert found == pytest.approx(float(wanted), abs=0.000051), (topic, name)
            compared += 1
    assert compared >= 4 * 15


def test_ties_fall_to_the_larger_docno():
    scores = rank_scores({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}, [parse("RR")], run="r")
    assert values(scores, "1") == {"RR": 0.5}


def test_scores_are_single_precision():
    ranking = {"1": {"a": 1.00000002, "b": 1.00000001}}
    assert values(rank_scores({"1": {"a": 1}}, ranking, [parse("RR")], run="r"), "1") == {"RR": 0.5}


def test_mean_is_over_the_topics_of_both():
    scores = rank_scores(GRADES, RANKED, [parse("RR")], run="r")
    assert [(score.topic, score.topics) for score in scores] == [("1", None), ("2", None), ("all", 2)]
    assert values(scores, "all") == {"RR": pytest.approx(1 / 6)}


def test_complete_counts_missing_topics_as_zero():
    scores = rank_scores(GRADES, RANKED, [parse("RR")], run="r", complete=True)
    assert [(score.topic, score.topics) for score in scores] == [("1", None), ("2", None), ("3", None), ("all", 3)]
    assert values(scores, "all") == {"RR": pytest.approx(1 / 9)}


def test_no_common_topic_has_no_mean():
    scores = rank_scores({"1": {"a": 1}}, {"2": {"a": 1.0}}, [parse("AP")], run="r")
    assert [(score.topic, score.value, score.topics) for score in scores] == [("all", None, 0)]


def test_empty_run_scores_zero_where_complete():
    scores = rank_scores({"1": {"a": 1}}, {}, [parse("AP")], run="r", complete=True)
    assert values(scores, "all") == {"AP": 0.0}


def test_negative_grades_gain_nothing():
    found = values(rank_scores(GRADES, RANKED, [parse("nDCG"), parse("P@2")], run="r"), "1")
    assert found == {"nDCG": pytest.approx(0.5 / (2 + 1 / math.log2(3))), "P@2": 0.0}


def test_binary_level_is_the_lowest_relevant_grade():
    level_two = with_binary_level(parse("P@1"), 2)
    assert str(level_two) == "P(rel=2)@1"
    grades = {"1": {"a": 1, "b": 2}}
    assert values(rank_scores(grades, {"1": {"a": 1.0}}, [level_two], run="r"), "1") == {"P(rel=2)@1": 0.0}
    assert values(rank_scores(grades, {"1": {"b": 1.0}}, [level_two], run="r"), "1") == {"P(rel=2)@1": 1.0}


def test_repeated_document_is_refused():
    line = RankedDoc(topic="1", docno="d", rank=1, score=1.0)
    with pytest.raises(RepeatedDocument):
        rankings_of([line, line])
    with pytest.raises(RepeatedDocument):
        grades_of([Qrel(topic="1", docno="d", grade=1), Qrel(topic="1", docno="d", grade=0)])


@pytest.mark.parametrize("measure", [each for each in MEASURES if each.family == "ranked"], ids=lambda each: each.name)
def test_every_ranked_measure_keeps_its_bounds(measure):
    chosen = parse(measure.name + {"must": "@3", "recall": "@0.1"}.get(measure.cutoff, ""))
    refuse_uncomputed(chosen)
    parts = [Qrel(topic="1", docno="a", grade=1, iteration="1"), Qrel(topic="1", docno="c", grade=2, iteration="2")]
    scores = rank_scores(GRADES, RANKED, [chosen], run="r", complete=True, subtopics=parts)
    assert len(scores) == len(GRADES) + 1
    for score in scores:
        assert score.measure == str(chosen)
        assert score.value >= measure.low
        assert measure.high is None or score.value <= measure.high


@pytest.mark.parametrize("text", ["nDCG@10", "AP", "AP(rel=2)@100", "P(rel=3)@5", "nuggetF(beta=5,pyramid=true)"])
def test_measure_names_come_back_as_written(text):
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nDGC@10", "no measure is called"),
        ("P", "needs a cutoff"),
        ("Rprec@5", "takes no cutoff"),
        ("P@0", "at least 1"),
        ("AP(level=2)", "has no parameter"),
        ("AP(rel=two)", "must be a number"),
        ("AP(rel=1.5)", "whole number"),
        ("AP(rel=0)", "in 1..999999999, not 0"),
        ("AP(rel=1,rel=2)", "given twice"),
        ("nuggetF(pyramid=1)", "true or false"),
        ("nuggetF(beta=nan)", "finite"),
        ("AP; import os", "no measure is called"),
    ],
)
def test_wrong_measure_is_said_in_words(text, reason):
    with pytest.raises(UnknownMeasure, match=reason):
        parse(text)


def test_readers_feed_the_measures():
    grades = grades_of(read_qrels(io.BytesIO(b"1 0 a 1\n")))
    ranked = rankings_of(read_trec_run(io.BytesIO(b"1 Q0 a 1 3.5 t\n")))
    assert values(rank_scores(grades, ranked, [parse("AP")], run="t"), "all") == {"AP": 1.0}


def test_beta_of_set_f_is_taken_for_beta_squared_as_in_trec_eval():
    precision, recall = 1 / 2, 1 / 4
    found = rank_scores({"1": dict.fromkeys("abcd", 1)}, {"1": {"a": 2.0, "z": 1.0}}, [parse("SetF(beta=2)")], run="t")
    assert found[0].value == pytest.approx((2 + 1) * precision * recall / (2 * precision + recall))


def test_the_library_reads_the_grades_where_they_are_and_changes_none():
    measures = [parse(name) for name in EXACT]
    before = copy.deepcopy((GRADES, RANKED))
    found = rank_scores(GRADES, RANKED, measures, run="r", complete=True)
    assert before == (GRADES, RANKED)
    shown = [{topic: MappingProxyType(values) for topic, values in each.items()} for each in before]
    assert rank_scores(*shown, measures, run="r", complete=True) == found
    grades = {str(topic): {f"doc-{number}": number % 3 for number in range(5_000)} for topic in range(10)}
    tracemalloc.start()
    try:
        rank_scores(grades, {"1": {"doc-1": 1.0}}, [parse("AP")], run="r", complete=True)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * 50_000  # a copy would take 30 bytes a grade


def test_a_run_is_not_held_twice_when_its_ranks_are_counted() -> None:
    topics = [f"topic-{number}" for number in range(200)]
    lines = (
        RankedDoc(topic=topics[place // 100], docno=f"doc-{place:09d}", rank=1, score=place / 8, run="run")
        for place in range(20_000)
    )
    tracemalloc.start()
    try:
        kept = list(by_rank(lines))
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [line.rank for line in kept[:3]] == [1, 2, 3]
    assert most < 1.15 * held
