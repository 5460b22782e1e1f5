"""Strategies played on judgments that are there: what pools of several sizes would have found."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scoring
from scoring.__main__ import main
from scoring.pooling import PoolRun, Recipe, pool_entries
from scoring.pooling.analysis import Replayed, replayed
from scoring.pooling.ranks import depth_order
from scoring.pooling.recipe import STRATEGIES

A = PoolRun(tag="a", rankings={"1": ("d1", "d2", "d3", "d4")})
B = PoolRun(tag="b", rankings={"1": ("d5", "d2", "d6")})
GRADES = {"1": {"d2": 1, "d3": 2, "d5": 0, "d1": 0, "d9": 1}, "2": {"x": 0}}


def figures(recipe: Recipe, budgets: list[int]) -> list[tuple[str, int | None, int, int, int, int]]:
    found = replayed(recipe, [A, B], GRADES, budgets=budgets)
    return [(e.topic, e.budget, e.documents, e.relevant, e.unjudged, e.known) for e in found]


def test_a_fixed_number_is_taken_in_depth_order() -> None:
    recipe = Recipe(strategy="depth-order", budget=3)
    assert sorted(entry.docno for entry in pool_entries(recipe, [A, B])) == ["d1", "d2", "d5"]
    assert figures(recipe, [3, 5]) == [
        ("1", 3, 3, 1, 0, 3), ("1", 5, 5, 2, 1, 3), ("2", 3, 0, 0, 0, 0), ("2", 5, 0, 0, 0, 0),
    ]  # fmt: skip


def test_strategies_that_choose_by_judgments_are_answered_from_the_qrels() -> None:
    """d1 is not relevant, nor d5; then from a again d2 and d3, both relevant, so that d4 comes before d6."""
    recipe = Recipe(strategy="move-to-front", budget=1)
    assert figures(recipe, [4, 5])[:2] == [("1", 4, 4, 2, 0, 3), ("1", 5, 5, 2, 1, 3)]


def test_recall_is_undefined_where_nothing_relevant_is_known() -> None:
    nothing = Replayed(topic="2", budget=3, documents=0, relevant=0, unjudged=0, known=0)
    assert nothing.recall is None


@given(
    rankings=st.lists(st.permutations([f"d{n}" for n in range(12)]), min_size=1, max_size=4),
    relevant=st.sets(st.sampled_from([f"d{n}" for n in range(12)])),
    strategy=st.sampled_from([each for each in STRATEGIES if each not in ("priority", "stratified", "depth")]),
)
def test_larger_pools_find_no_less(rankings: list[list[str]], relevant: set[str], strategy: str) -> None:
    runs = [PoolRun(tag=str(n), rankings={"1": tuple(each)}) for n, each in enumerate(rankings)]
    grades = {"1": {f"d{n}": int(f"d{n}" in relevant) for n in range(12)}}
    recipe = Recipe(strategy=strategy, budget=1)  # type: ignore[arg-type]
    found = list(replayed(recipe, runs, grades, budgets=[1, 3, 6, 12]))
    assert [each.documents for each in found] == [1, 3, 6, 12]
    assert [each.relevant for each in found] == sorted(each.relevant for each in found)
    assert found[-1].relevant == len(relevant)


@given(st.lists(st.permutations([f"d{n}" for n in range(8)]), min_size=1, max_size=4))
def test_depth_order_takes_first_ranks_before_second_ones(rankings: list[list[str]]) -> None:
    order = depth_order(rankings)
    ranks = [min(ranking.index(docno) for ranking in rankings) for docno in order]
    assert ranks == sorted(ranks)
    assert sorted(order) == sorted(rankings[0])


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[list[str]], str]:
    try:
        status = main(["pool", *arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    shown = capsys.readouterr()
    return status, [line.split("\t") for line in shown.out.splitlines()], shown.err


def test_the_command_prints_topics_and_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").write_text("".join(f"1 Q0 d{n} {n} {9 - n} a\n" for n in range(1, 5)))
    Path("qrels").write_text("1 0 d2 1\n1 0 d3 2\n1 0 d1 0\n2 0 x 1\n")
    arguments = ["--strategy", "depth-order", "--run", "run", "--replay", "qrels", "--budget", "2", "--budget", "4"]
    assert call(capsys, *arguments) == (
        0,
        [
            ["1", "2", "2", "1", "0.500000", "0"],
            ["1", "4", "4", "2", "1.000000", "1"],
            ["2", "2", "0", "0", "0.000000", "0"],
            ["2", "4", "0", "0", "0.000000", "0"],
            ["all", "2", "2", "1", "0.250000", "0"],
            ["all", "4", "4", "2", "0.500000", "1"],
        ],
        "",
    )
    status, rows, told = call(capsys, *arguments[:4], "--budget", "2", "--budget", "4")
    assert (status, rows) == (2, [])
    assert "several are for --replay" in told
    assert call(capsys, *arguments, "--minus", "qrels")[0] == 2
    Path("qrels").write_text("7 0 d2 1\n")
    status, rows, told = call(capsys, *arguments)
    assert (status, rows) == (1, [])
    assert "No topic of it is in any run" in told


def test_names_that_read_alike_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").write_text("1 Q0 D1 1 9 a\n")
    Path("other").write_text("01 Q0 d1 1 9 b\n")
    Path("qrels").write_text("1 0 d1 1\n")
    Path("none").write_text("")
    for words, told in (
        ("--run run --run other", "other\t\twarning\twritten-otherwise\tIt has topic 01, and run has 1: write both"),
        ("--run run --minus qrels", "run\t\twarning\twritten-otherwise\tFor topic 1 it has D1, and qrels has d1: "),
        ("--run run --minus none", "none\t\twarning\tempty-file\tThere is no judgment in the file. "),
        ("--run run --replay qrels", "qrels\t\twarning\twritten-otherwise\tFor topic 1 it has D1, and qrels has d1: "),
    ):
        status, _, shown = call(capsys, *words.split())
        assert status == 0 and shown.startswith(told)
    with pytest.warns(scoring.InputWarning, match="b: It has topic 01, and a has 1: write both alike"):
        scoring.pool({"a": {"1": {"D1": 1.0}}, "b": {"01": {"D1": 1.0}}})
