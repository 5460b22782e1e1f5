"""The benchmark of a million judgments, with a few hundred: it fills a campaign by the ledger's rules and measures."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.bench.measured import in_test_all, measured


@in_test_all
@pytest.mark.slow
def test_it_makes_the_campaign_and_prints_its_figures(empty_database: Path, tmp_path: Path) -> None:
    shutil.copy(empty_database, tmp_path)
    figures = ["plain dump", "qrels.txt", "progress page"]
    lines = measured(
        "bench.bench_million", "--judgments", "300", "--topics", "3", "--assessors", "2", keep=tmp_path, figures=figures
    )
    assert [line[0] for line in lines] == ["made", *figures]
    assert all(re.fullmatch(r"[\d.]+ s", line[1]) for line in lines)
    with sqlite3.connect(next(tmp_path.glob("*.sqlite3"))) as database:
        (judgments, newest), (point,) = (
            database.execute("SELECT COUNT(*), MAX(id) FROM assess_judgment").fetchone(),
            database.execute("SELECT MAX(value) FROM assess_ledgerpoint").fetchone(),
        )
    assert judgments == newest <= point
    assert 250 <= judgments <= 300
