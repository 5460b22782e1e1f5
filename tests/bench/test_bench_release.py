"""The benchmark of a large release, with a few hundred judgments: what it makes is verified, and loads elsewhere."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.bench.measured import in_test_all, measured


@in_test_all
@pytest.mark.slow
def test_what_it_releases_is_verified_and_loaded_into_an_empty_site(empty_database: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    shutil.copy(empty_database, tmp_path / "site")
    figures = ["release", "verify", "again", "import"]
    lines = measured(
        "bench.bench_release", "--judgments", "300", "--topics", "3", "--runs", "1", keep=tmp_path, figures=figures
    )
    said = {line[0]: line[-1] for line in lines}
    assert list(said) == ["made", *figures]
    assert "compare it with the one that the campaign published" in said["verify"]
    assert said["import"].startswith("million: 3 topics, 1 run, ")
    with sqlite3.connect(next((tmp_path / "site").glob("*.sqlite3"))) as database:
        judgments, newest = database.execute("SELECT COUNT(*), MAX(id) FROM assess_judgment").fetchone()
        (point,) = database.execute("SELECT MAX(value) FROM assess_ledgerpoint").fetchone()
    assert 250 <= judgments == newest <= min(point, 300)
