"""Rows that `import scoring` could take for something else are refused, and errors name their file and row."""

from __future__ import annotations

import re
import socket
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import scoring

QRELS = {"1": {"A": 1, "B": 0}}
NUGGETS = [("1", 1, "vital", "a fact"), ("1", 2, "okay", "another")]
LENGTHS = [("1", "maple", 80)]
DOUBLE = {"topic": ["1", "1", "1"], "docno": ["A", "B", "A"]}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("read", "rows", "order"),
    [
        (scoring.read_qrels, [("1", 0, 7067032, 1)], "topic, docno, grade"),
        (scoring.read_qrels, [["1", "0", "A", "1"]], "topic, docno, grade"),
        (scoring.read_qrels, [("1", "A", 1, "0")], "topic, docno, grade"),
        (scoring.read_qrels, numpy.array([[1, 0, 77, 1]]), "topic, docno, grade"),
        (scoring.read_run, [("1", "A", 1, 9)], "topic, docno, score"),
        (scoring.read_run, scoring.read_run({"1": {"A": 9, "B": 3}}).to_numpy(), "topic, docno, score"),
    ],
)
def test_columns_whose_place_tools_disagree_about_need_names(read: Any, rows: Any, order: str) -> None:
    with pytest.raises(scoring.InputError, match=f"values without names; such a row is {order}. Name the columns"):
        read(rows)
    assert len(scoring.read_qrels(["1 0 7067032 1"])) == 1


def test_ranks_in_the_place_of_scores_are_warned_of() -> None:
    for run in (
        [("1", "A", 1), ("1", "B", 2), ("2", "A", 1)],
        {"1": {"A": 1, "B": 2}, "2": {"A": 1}},
        '{"1": {"A": 1, "B": 2},\n"2": {"A": 1}}',
        "qid,docno,score\n1,A,1\n1,B,2\n2,A,1\n",
    ):
        with pytest.warns(scoring.InputWarning, match="The scores are 1, 2, 3 … .* name the columns"):
            scoring.read_run(run)


def test_matches_without_an_item_are_taken() -> None:
    found = scoring.nuggets(NUGGETS, [("1", "maple", 1)], lengths=LENGTHS)
    assert found.equals(scoring.nuggets(NUGGETS, [("1", "maple", 1, 1)], lengths=LENGTHS))


@pytest.mark.parametrize("name", ["vital", "is_vital", "importance"])
def test_importance_may_be_true_or_false(name: str) -> None:
    rows = pandas.DataFrame({"topic": "1", "number": [1, 2], name: [True, False]})
    found = scoring.nuggets(rows, [("1", "maple", 1, 1)], lengths=LENGTHS)
    assert found.equals(scoring.nuggets(NUGGETS, [("1", "maple", 1, 1)], lengths=LENGTHS))


def test_white_space_around_names_is_no_part_of_them() -> None:
    """A document written with a blank counted as not judged."""
    run = pandas.DataFrame({"qid": ["1 ", "1"], "docno": [" A", "B\n"], "score": [2.0, 1.0]})
    assert scoring.read_run(run)[["topic", "docno"]].values.tolist() == [["1", "A"], ["1", "B"]]
    assert scoring.rank({"1": {"A ": 1}}, run, "AP")["value"].tolist() == [1.0, 1.0]
    labels = [pandas.DataFrame({"topic": "1", "item": ["A", "B"], "value": each}) for each in (["y", "n"], ["y ", "n"])]
    assert scoring.agree(*labels, level="nominal").set_index("measure")["value"]["agreement"] == 1.0
    with pytest.raises(scoring.InputError, match="topic 1, docno A: It is there twice, written in two ways"):
        scoring.read_qrels({"1": {"A": 1, "A ": 0}})
    with pytest.raises(scoring.InputError, match="docno must be a text or a whole number"):
        scoring.read_run(run.assign(docno=["A", " "]))


def test_two_columns_of_one_meaning_must_agree() -> None:
    frame = pandas.DataFrame({"qid": [1, 2], "topic": ["1", "2"], "docno": "A", "grade": 1})
    assert scoring.read_qrels(frame)["topic"].tolist() == ["1", "2"]
    with pytest.raises(scoring.InputError, match="qrels: row 2: topic is 2 and qid is 3, and only one can count"):
        scoring.read_qrels(frame.assign(qid=[1, 3]))
    with pytest.raises(scoring.InputError, match="row 1: grade is 1 and rel is 0"):
        scoring.read_qrels(frame.assign(rel=0).to_dict("records"))
    pyterrier = pandas.DataFrame({"qid": ["1"], "docid": [7], "docno": ["A"], "score": [0.5], "query": ["a text"]})
    assert scoring.read_run(pyterrier)[["topic", "docno"]].to_numpy().tolist() == [["1", "A"]]


@pytest.mark.parametrize(
    ("call", "place"),
    [
        (lambda: scoring.rank(pandas.DataFrame({**DOUBLE, "grade": 1}), QRELS, "AP"), "qrels: row 3, topic 1, docno A"),
        (lambda: scoring.rank(QRELS, pandas.DataFrame({**DOUBLE, "score": 1}), "AP"), "run: row 3, topic 1, docno A"),
        (lambda: scoring.rank({"1": {"A": 1}, 1: {"A": 0}}, QRELS, "AP"), "qrels: topic 1, docno A: It is there twice"),
        (lambda: scoring.agree(QRELS, pandas.DataFrame({**DOUBLE, "value": 1})), "judge 2: row 3, topic 1, item A"),
        (lambda: scoring.nuggets([*NUGGETS, NUGGETS[0]], []), "nuggets: row 3, topic 1, number 1"),
        (lambda: scoring.nuggets(NUGGETS, [], [("1", 1, "ann", "vital")] * 2), "votes: row 2, topic 1, number 1"),
        (lambda: scoring.nuggets(NUGGETS, [], lengths=LENGTHS * 2), "lengths: row 2, topic 1, run maple"),
        (lambda: scoring.read_scores([("maple", "1", "AP", 0.5)] * 2), "scores: row 2, run maple, topic 1, measure AP"),
    ],
)  # fmt: skip
def test_a_row_that_is_there_twice_is_refused_with_its_place(call: Any, place: str) -> None:
    with pytest.raises(scoring.InputError, match=re.escape(place)):
        call()


def test_errors_in_parquet_name_the_file() -> None:
    pandas.DataFrame({"qid": ["1"], "docno": ["A"], "score": ["x"], "grade": ["x"]}).to_parquet("bad.parquet")
    for call in (
        lambda: scoring.read_run("bad.parquet"),
        lambda: scoring.rank(QRELS, {"maple": "bad.parquet"}, "AP"),
        lambda: scoring.rank("bad.parquet", QRELS, "AP"),
        lambda: scoring.read_scores("bad.parquet"),
        lambda: scoring.read_judgments("bad.parquet"),
        lambda: scoring.nuggets("bad.parquet", []),
        lambda: scoring.nuggets(NUGGETS, "bad.parquet"),
        lambda: scoring.correlate("bad.parquet", {"a": 1}),
    ):
        with pytest.raises(scoring.InputError, match=r"^bad\.parquet: "):
            call()


@pytest.mark.parametrize("end", ["parquet", "ndjson", "NDJSON", "jsonl.gz", "csv", "tsv.gz"])
def test_a_run_without_a_tag_is_called_after_its_file(end: str) -> None:
    scoring.write_run(QRELS, f"lm0.7.{end}")
    assert scoring.rank(QRELS, f"lm0.7.{end}", "AP")["run"].unique().tolist() == ["lm0.7"]
    pandas.DataFrame({"qid": ["1"], "docno": ["A"], "score": [0.5]}).to_parquet("lm0.7.parquet")
    assert scoring.rank(QRELS, "lm0.7.parquet", "AP")["run"].unique().tolist() == ["lm0.7"]


@pytest.mark.parametrize(
    "write", [scoring.write_run, scoring.write_qrels, scoring.write_scores, scoring.write_judgments]
)
def test_swapped_arguments_of_writing_are_refused(write: Any) -> None:
    with pytest.raises(TypeError, match="The second argument is the path of the file to write, not dict"):
        write("out.txt", QRELS)


@pytest.mark.parametrize(
    "read", [scoring.read_scores, scoring.read_judgments, lambda path: scoring.correlate(path, path)]
)
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("latin.csv", "run,topic,measure,value\nö,1,AP,1\n".encode("latin-1")),
        ("empty.csv", b""),
        ("packed.csv.gz", b"run,topic,measure,value\na,1,AP,1\n"),
        ("quote.csv", b'run,topic,measure,value\n"a,1,AP,1\n'),
        ("latin.jsonl", '{"run": "ö"}\n'.encode("latin-1")),
        ("words.jsonl", b"no JSON\n"),
    ],
)
def test_a_table_that_pandas_cannot_read_is_refused_with_its_name(read: Any, name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    with pytest.raises(scoring.InputError, match=f"^{name}: "):
        read(name)
    with pytest.raises(FileNotFoundError, match=r"There is no file no\.csv"):
        read("no.csv")


def test_a_file_that_cannot_be_opened_is_refused() -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("socket")
        with pytest.raises(scoring.InputError, match="Cannot read socket"):
            scoring.read_qrels("socket")


@pytest.mark.parametrize("value", [datetime(2026, 1, 1), b"2", {1: object()}])
def test_a_judgment_with_an_odd_value_is_refused_with_its_row(value: object) -> None:
    act = {"do": "judge", "by": "a", "topic": "1", "docno": "D", "criterion": "relevance", "value": value}
    with pytest.raises(scoring.InputError, match="row 1"):
        scoring.read_judgments([act])


def test_numbers_of_nuggets_beside_numbers_of_parts_may_be_floats() -> None:
    matches = pandas.DataFrame({"topic": ["1", "1"], "run": ["maple", "maple"], "item": [1, 1], "number": [1.0, 2.1]})
    assert scoring.nuggets(NUGGETS, matches, lengths=LENGTHS)["value"].notna().all()
