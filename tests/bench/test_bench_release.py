"""The benchmark of a large release, with a few hundred judgments: what it makes is verified, and loads elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.slow
def test_what_it_releases_is_verified_and_loaded_into_an_empty_site(tmp_path: Path) -> None:
    figures = ["release", "verify", "again", "import"]
    only = [part for name in figures for part in ("--only", name)]
    command = [sys.executable, "-m", "bench.bench_release", "--judgments", "300", "--topics", "3", "--runs", "1"]
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_DATABASE"}
    done = subprocess.run(
        [*command, "--keep", str(tmp_path), *only],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = {line.split("\t")[0]: line.split("\t")[-1] for line in done.stdout.splitlines()}
    assert list(said) == ["made", *figures]
    assert "compare it with the one that the campaign published" in said["verify"]
    assert said["import"].startswith("million: 3 topics, 1 run, ")
