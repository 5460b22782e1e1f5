"""The benchmark of scoring beside other tools, by those that are installed with Assay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.bench_rank import Taken, _equal
from bench.figures import read
from bench.peers.peer import FOLDER
from tests.bench.measured import printed

ARGUMENTS = "--runs 2 --topics 2 --depth 20 --judged 30 --rounds 1 --peers ir_measures pytrec_eval"


@pytest.mark.slow
def test_it_prints_its_figures(tmp_path: Path) -> None:
    said = printed("bench.bench_rank", *ARGUMENTS.split(), "--json", str(tmp_path / "figures.json"))
    line = r"\t\S+ s\t\d+ MB\n"
    assert re.search(f"five{line}all{line}ir_measures{line}pytrec_eval{line}two runs\t", said), said
    assert [each.figure.name for each in read(tmp_path / "figures.json")] == ["memory", "ir_measures", "pytrec_eval"]


def test_values_are_equal_where_trec_evals_last_digit_is() -> None:
    ours = ["a\t1\tAP\t0.123449", "a\t1\tP@10\t0.100000", "a\tall\tAP\t0.123460", "a\tall\tP@10\t0.100000"]
    theirs = ["map \t1\t0.1234", "P_10\t1\t0.1000", "map \tall\t0.1234", "P_10\tall\t0.1000"]
    taken = [Taken(seconds=1, megabytes=1, printed=(lines,)) for lines in (ours, theirs)]
    assert _equal(*taken, [Path("a")]) == (3, 4)
    assert _equal(taken[0], Taken(seconds=1, megabytes=1, printed=(theirs[:3],)), [Path("a")]) == (2, 4)


@pytest.mark.parametrize("name", ["ranx", "trec-eval"])
def test_versions_of_peers_are_pinned(name: str) -> None:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
